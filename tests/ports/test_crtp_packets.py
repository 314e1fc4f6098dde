"""The parts of the Crazyflie's wire by themselves: types, set-points, blocks, memories, trajectories."""

from __future__ import annotations

import math
import struct

import pytest

from didymos.control.multirotor_commander import CLIMB, FORWARD, RATES, THRUST, TILT, TURN
from didymos.ports.crtp.c_types import CType
from didymos.ports.crtp.contents import Contents
from didymos.ports.crtp.log_blocks import LogBlocks
from didymos.ports.crtp.log_variables import LogVariable
from didymos.ports.crtp.memories import Memories
from didymos.ports.crtp.packet import Packet, PacketPort
from didymos.ports.crtp.roll_pitch_thrust import RollPitchThrust
from didymos.ports.crtp.setpoint import decode_generic, level, uncompress
from didymos.ports.crtp.trajectory_memory import TrajectoryMemory

pytestmark = pytest.mark.quick
MODES = {"althold": 0.0, "poshold": 0.0, "posSet": 0.0, "stabModeRoll": 1.0, "stabModePitch": 1.0}


@pytest.mark.parametrize(
    ("kind", "value", "bytes_"),
    [
        (CType.UINT8, 300.0, b"\xff"), (CType.UINT8, -1.0, b"\x00"), (CType.INT16, -40000.0, b"\x00\x80"),
        (CType.INT16, -1.9, b"\xff\xff"),
        (CType.UINT32, math.nan, bytes(4)), (CType.FP16, 1e9, b"\x00\x7c"), (CType.FLOAT, 1.0, b"\x00\x00\x80\x3f"),
    ],
)  # fmt: skip
def test_numbers_beyond_a_type_become_its_nearest(kind: CType, value: float, bytes_: bytes) -> None:
    assert kind.pack(value) == bytes_


def test_what_is_no_number_is_not_read() -> None:
    assert CType.FLOAT.unpack(struct.pack("<f", math.nan)) is None
    assert CType.UINT16.unpack(b"\x01") is None
    assert CType.INT8.unpack(b"\xfe") == -2.0


def test_packets_that_are_too_long_or_empty_are_none() -> None:
    assert Packet.decode(b"") is None
    assert Packet.decode(bytes(32)) is None
    packet = Packet(PacketPort.LOG, 2, b"abc")
    assert Packet.decode(packet.encode()) == packet
    assert packet.encode()[0] == 0x5E


def test_pitch_of_the_wire_is_nose_up_and_ours_nose_down() -> None:
    """cflib sends the negative of a pitch in `send_setpoint`, whose positive is forward, and the plain one in zdistance."""
    sticks = RollPitchThrust(MODES)
    assert sticks.decode(struct.pack("<3fH", 0, 0, 0, 0), True) is not None  # unlocks
    forward = sticks.decode(struct.pack("<3fH", 10.0, -20.0, 30.0, 40000), False)
    assert forward is not None
    assert [math.degrees(angle) for angle in (forward.roll, forward.pitch, forward.yaw_rate)] == pytest.approx([10, 20, 30])
    assert forward.thrust == pytest.approx(40000 / 65535)
    assert (forward.mode_xy, forward.mode_z, forward.mode_yaw) == (TILT, THRUST, TURN)
    height = decode_generic(struct.pack("<B4f", 9, 0.0, 10.0, 0.0, 1.0))
    assert height is not None
    assert height.pitch == pytest.approx(-math.radians(10))


def test_thrust_is_locked_until_it_was_zero() -> None:
    sticks = RollPitchThrust(MODES)
    full, none = struct.pack("<3fH", 0, 0, 0, 60000), struct.pack("<3fH", 0, 0, 0, 0)
    for data, idle, thrust in ((full, True, 0), (full, False, 0), (none, False, 0), (full, False, 60000), (full, True, 0)):
        found = sticks.decode(data, idle)
        assert found is not None
        assert found.thrust == pytest.approx(thrust / 65535)


@pytest.mark.parametrize(
    ("mode", "mode_xy", "mode_z", "values"),
    [
        ("althold", TILT, CLIMB, {"vz": 1.0 / 32767.0}),
        ("poshold", FORWARD, THRUST, {"vx": 1.0, "vy": -0.5}),
        ("posSet", 0, 0, {"x": -30.0, "y": -15.0, "z": 32.768, "yaw": math.radians(90)}),
        ("rates", RATES, THRUST, {"roll_rate": math.radians(-15), "pitch_rate": math.radians(-30)}),
    ],
)
def test_flight_modes_change_what_sticks_mean(mode: str, mode_xy: int, mode_z: int, values: dict[str, float]) -> None:
    modes = MODES | ({"stabModeRoll": 0.0} if mode == "rates" else {mode: 1.0})
    sticks = RollPitchThrust(modes)
    sticks.decode(bytes(14), False)
    found = sticks.decode(struct.pack("<3fH", -15.0, 30.0, 90.0, 32768), False)
    assert found is not None
    assert (found.mode_xy, found.mode_z) == (mode_xy, mode_z)
    assert {name: getattr(found, name) for name in values} == pytest.approx(values)


def test_set_points_that_are_no_numbers_or_absurd_are_none() -> None:
    for value in (math.nan, math.inf, 1e30):
        assert decode_generic(struct.pack("<B4f", 7, value, 0, 0, 0)) is None
    assert decode_generic(b"\x07\x00") is None
    assert decode_generic(b"\x63") is None
    assert decode_generic(b"") is None
    assert RollPitchThrust(MODES).decode(struct.pack("<3fH", math.nan, 0, 0, 0), False) is None


def test_a_set_point_that_grows_old_keeps_its_height_alone() -> None:
    moving = decode_generic(struct.pack("<B4f", 10, 0.5, 0.5, 90.0, 1.5))
    assert moving is not None
    old = level(moving)
    assert (old.z, old.mode_xy, old.roll, old.pitch, old.vx, old.yaw_rate) == (1.5, TILT, 0.0, 0.0, 0.0, 0.0)


def test_quaternions_come_back_from_32_bits() -> None:
    """As the firmware packs them: nine bits a part, so within 1 / (511 sqrt 2)."""
    encoding = pytest.importorskip("cflib.utils.encoding")
    for x, y, z, w in ((0.0, 0.0, 0.0, 1.0), (0.5, -0.5, 0.5, -0.5), (0.1, 0.2, -0.3, 0.927)):
        norm = math.sqrt(x * x + y * y + z * z + w * w)
        found = uncompress(int(encoding.compress_quaternion([x, y, z, w])))
        sign = 1.0 if sum(a * b for a, b in zip(found, (w, x, y, z), strict=True)) > 0 else -1.0
        assert [sign * part for part in found] == pytest.approx([part / norm for part in (w, x, y, z)], abs=0.003)


def variables(count: int) -> list[LogVariable]:
    return [LogVariable("group", f"v{i}", CType.FLOAT, lambda i=i: float(i)) for i in range(count)]  # type: ignore[misc]


def settle(blocks: LogBlocks, *data: int) -> int:
    answer = blocks.handle(Packet(PacketPort.LOG, 1, bytes(data)), 0.0)
    assert answer is not None
    assert answer.data[:2] == bytes(data[:2])
    return answer.data[2]


def test_blocks_are_made_appended_started_stopped_and_deleted() -> None:
    blocks = LogBlocks(variables(200))
    assert settle(blocks, 6, 1, 7, 0, 0, 7, 1, 0) == 0
    assert settle(blocks, 6, 1, 7, 0, 0) == 17  # there is such a block
    assert settle(blocks, 7, 1, 8, 2, 0, 0x77) == 0  # as half a float, and a byte that cflib leaves there
    assert settle(blocks, 7, 1, *([7, 0, 0] * 5)) == 7  # more than 26 bytes
    assert settle(blocks, 7, 1, 7, 200, 0) == 2  # no such variable
    assert settle(blocks, 3, 9, 1) == 2  # no such block
    assert settle(blocks, 3, 1, 2) == 0
    sent = [packet for i in range(1, 21) for packet in blocks.due(0.005 * i)]
    assert [struct.unpack("<I", packet.data[1:4] + b"\0")[0] for packet in sent] == [20, 40, 60, 80, 100]  # ms
    assert struct.unpack("<ffe", sent[0].data[4:]) == (0.0, 1.0, 2.0)
    assert settle(blocks, 4, 1) == 0
    assert not list(blocks.due(9.0))
    assert settle(blocks, 2, 1) == 0
    assert settle(blocks, 2, 1) == 2
    for number in range(16):
        assert settle(blocks, 6, number, 7, 0, 0) == 0
    assert settle(blocks, 6, 16, 7, 0, 0) == 12  # no more room
    answer = blocks.handle(Packet(PacketPort.LOG, 1, b"\x05"), 0.0)
    assert answer is not None
    assert answer.data == b"\x05\x00\x00"
    assert settle(blocks, 6, 16, 7, 0, 0) == 0


def test_a_client_that_is_found_gone_while_its_blocks_go_out_takes_them_along() -> None:
    """Sending the first of them tells that nobody is there; then all are forgotten."""
    blocks = LogBlocks(variables(3))
    for number in range(3):
        assert settle(blocks, 6, number, 7, number, 0) == 0
        assert settle(blocks, 3, number, 1) == 0
    sent = []
    for packet in blocks.due(0.02):
        sent.append(packet)
        blocks.clear()
    assert len(sent) == 1


def test_contents_have_a_checksum_of_what_they_say() -> None:
    one, other = Contents(variables(3)), Contents(variables(4))
    assert one.crc != other.crc
    assert one.answer(b"\x03") == struct.pack("<BHI", 3, 3, one.crc)
    assert one.answer(b"\x02\x01\x00") == b"\x02\x01\x00\x07group\0v1\0"
    assert one.answer(b"\x02\x03\x00") == b"\x02"
    assert one.answer(b"\x09") is None


def test_memories_refuse_what_is_outside() -> None:
    memories = Memories(TrajectoryMemory(), "bcFlow2", 0)

    def ask(channel: int, data: bytes) -> bytes:
        answer = memories.handle(Packet(PacketPort.MEMORY, channel, data))
        assert answer is not None
        return answer.data

    assert ask(0, b"\x01") == b"\x01\x07"
    assert ask(1, struct.pack("<BIB", 3, 5, 3)) == struct.pack("<BIB", 3, 5, 0) + b"\x05\x06\x07"
    assert ask(1, struct.pack("<BIB", 2, 4090, 7))[5] == 5  # beyond the end
    assert ask(1, struct.pack("<BIB", 99, 0, 1))[5] == 2  # no such memory
    assert ask(2, struct.pack("<BI", 2, 4) + b"xyz")[5] == 0
    assert ask(1, struct.pack("<BIB", 2, 3, 5))[6:] == b"\0xyz\0"
    assert memories.handle(Packet(PacketPort.MEMORY, 1, b"\x00")) is None


def test_a_compressed_trajectory_is_the_line_that_it_says() -> None:
    memory = TrajectoryMemory()
    data = struct.pack("<4h", 100, 0, 500, 900) + struct.pack("<BHh", 0b01, 2000, 300)  # x from 0.1 m to 0.3 m in 2 s
    memory.data[16 : 16 + len(data)] = data
    assert memory.define(struct.pack("<BBBIB", 4, 1, 1, 16, 1))
    (piece,) = memory.pieces(4)
    assert piece.duration == 2.0
    assert piece.at(1.0).value == pytest.approx([0.2, 0.0, 0.5, math.pi / 2])
    assert piece.at(1.0).rate == pytest.approx([0.1, 0.0, 0.0, 0.0])
    assert memory.pieces(5) == ()
    assert memory.define(struct.pack("<BBBIB", 5, 1, 0, 4000, 2))
    assert memory.pieces(5) == ()  # it would end beyond the memory
    assert not memory.define(struct.pack("<BBBIB", 5, 1, 0, 5000, 2))
