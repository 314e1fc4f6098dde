"""Lines, messages and numbers of a moteus: against the public client's own code, and against whatever may come over a wire."""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Mapping
from pathlib import Path

import pytest

from didymos.errors import InputError
from didymos.ports.moteus.board import Board
from didymos.ports.moteus.bus import Bus
from didymos.ports.moteus.controller import Controller
from didymos.ports.moteus.host import command
from didymos.ports.moteus.line import Lines, Message, crc8, received, render
from didymos.ports.moteus.registers import COMMANDS, MEASURED
from didymos.ports.moteus.terminal import Terminal
from didymos.ports.moteus.trajectory import Trajectory
from didymos.ports.moteus.values import FLOAT, INT8, INT16, INT32, decode, encode

QUERY = bytes([0x11, 0x00, 0x1F, 0x01, 0x13, 0x0D])  # mode as int8; position, velocity, torque as float; voltage to fault as int8


class Still:
    """A drive that stands where it is told and remembers its commands."""

    def __init__(self) -> None:
        self.time = 0.0
        self.values = {"position": 0.0, "velocity": 0.0, "torque": 0.0, "mode": 0.0, "heat": 0.0}
        self.parameters = {
            "kp": 1.7, "ki": 0.0, "kd": 0.05, "integral_limit": 0.0, "watchdog": 0.1, "voltage": 24.0, "delay": 0.0,
            "timeout_mode": 12.0, "torque_constant": 0.1, "phase_resistance": 0.1, "phase_inductance": 1e-4, "pole_pairs": 7.0,
            "current_limit": 20.0,
        }  # fmt: skip
        self.commands: list[tuple[float, ...]] = []

    @property
    def readouts(self) -> Mapping[str, float]:
        return self.values

    def parameter(self, name: str) -> float:
        return self.parameters[name]

    def set_parameter(self, name: str, value: float) -> None:
        if not math.isfinite(value) or value < 0.0:
            raise InputError("no", path=name)
        self.parameters[name] = value

    def command(self, values: tuple[float, ...]) -> None:
        assert len(values) == 8
        assert all(map(math.isfinite, values))
        self.commands.append(values)
        self.values["mode"] = values[5]


@pytest.fixture
def drive() -> Still:
    """A drive without a twin."""
    return Still()


@pytest.fixture
def bus(drive: Still) -> Bus:
    """A bus with one controller, number 1."""
    return Bus([Controller(drive, Board("twin", "drive", 1), lambda _line: None)])


def ask(bus: Bus, data: bytes, number: int = 1) -> bytes:
    """The reply to a message."""
    (reply,) = bus.send(Message(0x8000 | number, data))
    return reply.data


def test_numbers_are_scaled_as_the_client_scales_them() -> None:
    protocol = pytest.importorskip("moteus.protocol")
    multiplex = pytest.importorskip("moteus.multiplex")
    quantities = {register: quantity for register, (_, quantity) in (COMMANDS | MEASURED).items() if quantity != "integer"}
    values = (0.0, 0.25, -0.25, 1.0, 31.4, -3.2, 1e4, -1e4, 1e30, math.nan, math.inf)
    seen = 0
    for register, quantity in quantities.items():
        if register not in list(protocol.Register) or register in (*range(0x010, 0x01F), 0x02C, 0x053, 0x055, 0x073, 0x075):
            continue  # registers whose scale the client does not state, or that the twin does not have
        for kind in (INT8, INT16, INT32, FLOAT):
            for value in values:
                raw = encode(value, kind, quantity)
                if kind == FLOAT:
                    assert raw == struct.pack("<f", value)
                    continue
                (count,) = struct.unpack(f"<{'bhi'[kind]}", raw)
                theirs = protocol.scale_register(register, kind, count)
                ours = decode(count, kind, quantity)
                assert theirs == ours or (math.isnan(theirs) and math.isnan(ours)), (hex(register), kind, value)
                scale = decode(1, kind, quantity)
                assert count == multiplex.saturate(value, kind, scale)
                seen += 1
    assert seen > 800


def test_checksums_are_the_clients() -> None:
    device = pytest.importorskip("moteus.fdcanusb_device")
    for text in (b"", b"OK ", b"can send 8001 01000A bF ", bytes(range(256))):
        assert crc8(text) == device._compute_crc8(text)
    assert render("OK", True) == device._append_checksum(b"OK") + b"\r\n"
    assert render("OK", False) == b"OK\r\n"


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        (b"hello", "ERR unknown command"),
        (b"can", "ERR unknown subcommand"),
        (b"can frobnicate 1 00", "ERR unknown subcommand"),
        (b"can send", "ERR insufficient options"),
        (b"can send xyz 00", "ERR bad id"),
        (b"can send 20000000 00", "ERR bad id"),
        (b"can send 8001 0", "ERR data invalid length"),
        (b"can send 8001 " + b"00" * 65, "ERR data invalid length"),
        (b"can send 8001 0q", "ERR invalid data"),
        (b"can send 8001 00 Z", "ERR unknown flag"),
        (b"can send 8001 00 *00", "ERR checksum"),
        (b"can send 8001 " + b"00" * 200, "ERR unknown command"),  # longer than the device has room for
    ],
)
def test_a_malformed_line_is_refused_and_the_next_one_counts(line: bytes, answer: str) -> None:
    lines = Lines()
    found = list(lines.feed(line + b"\r\ncan send 8001 01000A bF\n"))
    assert found == [answer, Message(0x8001, b"\x01\x00\x0a")]


def test_lines_come_in_any_pieces_and_need_checksums_after_the_first() -> None:
    lines = Lines()
    text = b"can send 8001 500A bF "
    whole = text + b"*%02X\n" % crc8(text)
    found = [item for i in range(len(whole)) for item in lines.feed(whole[i : i + 1])]
    assert found == [Message(0x8001, b"\x50\x0a")]
    assert lines.checksum
    assert list(lines.feed(b"can send 8001 500A bF\n")) == ["ERR checksum"]


def test_a_reply_is_padded_to_a_size_of_can_fd() -> None:
    assert received(Message(0x100, bytes(9))) == f"rcv 100 {'00' * 9}505050 e B F"
    assert received(Message(0x2101, b"\x01")) == "rcv 2101 01 E B F"


def test_registers_answer_in_the_shape_they_are_asked(bus: Bus, drive: Still) -> None:
    ask(bus, bytes([0x01, 0x00, 10]))
    drive.values.update(position=0.5, velocity=-2.0, torque=1.25)
    reply = ask(bus, QUERY)
    assert reply == bytes([0x21, 0x00, 10, 0x2F, 0x01]) + struct.pack("<fff", 0.5, -2.0, 1.25) + bytes([0x23, 0x0D, 48, 25, 0])
    assert ask(bus, bytes([0x14, 0x04, 0x01])) == bytes([0x24, 0x04, 0x01]) + struct.pack("<hhhh", 5000, -8000, 125, 125)


def test_what_is_not_there_is_an_error_and_ends_the_message(bus: Bus) -> None:
    assert ask(bus, bytes([0x11, 0x7E, 0x11, 0x00])) == bytes([0x21, 0x7E, 0, 0x21, 0x00, 0])
    assert ask(bus, bytes([0x11, 0x80, 0x04, 0x11, 0x00])) == bytes([0x31, 0x80, 0x04, 1])  # register 0x200: no such one
    assert ask(bus, bytes([0x01, 0x80, 0x04, 0x00])) == bytes([0x30, 0x80, 0x04, 1])
    assert ask(bus, bytes([0x01, 0x01, 0x00])) == bytes([0x30, 0x01, 2])  # the position cannot be written
    assert ask(bus, bytes([0x01, 0x00, 77])) == bytes([0x30, 0x00, 3])  # no such mode
    assert ask(bus, bytes([0x1C, 0x20, 0x01])) == bytes([0x31, 0x01, 2])  # 32 floats do not fit
    assert ask(bus, bytes([0x11, 0x00, 0x77, 0x11, 0x00])) == bytes([0x21, 0x00, 0])
    assert ask(bus, bytes([0x0D, 0x20, 0x00])) == b""  # a float of one byte


def test_a_message_for_another_one_is_not_answered(bus: Bus) -> None:
    assert bus.send(Message(0x8002, QUERY)) == []
    assert bus.send(Message(0x18001, QUERY)) == []  # another prefix
    assert bus.send(Message(0x0001, QUERY)) == []  # nobody asked for a reply
    assert len(bus.send(Message(0x807F, QUERY))) == 1  # to all


def test_every_number_of_a_command_may_be_nonsense(bus: Bus, drive: Still) -> None:
    """Infinities and NaN in every register: what reaches the drive is finite (asserted there)."""
    for bad in (math.nan, math.inf, -math.inf, 3e38, -3e38):
        for register in range(0x20, 0x2E):
            ask(bus, bytes([0x01, 0x00, 0x00]))
            ask(bus, bytes([0x01, 0x00, 0x0A, 0x0D, register]) + struct.pack("<f", bad) + QUERY)
            ask(bus, bytes([0x01, 0x00, 0x0C, 0x0D, register]) + struct.pack("<f", bad) + QUERY)
            bus.advance(0.002)
        ask(bus, bytes([0x0D, 0xB0, 0x02]) + struct.pack("<f", bad))  # set output nearest
        ask(bus, bytes([0x0D, 0xB1, 0x02]) + struct.pack("<f", bad))
        assert len(ask(bus, bytes([0x1C, 0x0E, 0x20]))) == 59  # all command registers read back as floats
    assert len(drive.commands) > 200


def test_random_messages_and_lines_end_nothing(bus: Bus) -> None:
    dice = random.Random(1)
    lines = Lines()
    heads = [bytes([head]) for head in (0x00, 0x01, 0x0D, 0x10, 0x1C, 0x40, 0x42, 0x44, 0x50)]
    console = [b"d ", b"conf ", b"conf set ", b"tel ", b"tel get ", b"d pos ", b"\n", b"servo.pid_position.kp ", b"nan ", b"git"]
    strange = (b"\x1c", b"\xa0 \x85", b"d \x1f", b"d", b"conf", b"tel", b"d pos", b"conf set servo.pid_position.kp 1e300")
    for text in strange:
        bus.send(Message(0x8001, bytes([0x40, 0x01, len(text) + 1]) + text + b"\n"))
    for _ in range(4000):
        data = dice.randbytes(dice.randrange(65))
        if dice.random() < 0.5:
            data = (dice.choice(heads) + data)[:64]
        if dice.random() < 0.3:
            text = b"".join(dice.choices([*console, dice.randbytes(2)], k=dice.randrange(1, 6)))[:60] + b"\n"
            data = bytes([0x40, 0x01, len(text)]) + text
        for reply in bus.send(Message(dice.choice((0x8001, 0x807F, 0x0001, 0x8001)), data)):
            assert len(reply.data) <= 64
        bus.advance(0.002)
        line = b"can send 8001 " + data.hex().encode() + b" bF\n"
        cut = dice.randrange(len(line))
        list(lines.feed(dice.choice((dice.randbytes(40), line[:cut] + dice.randbytes(1) + line[cut:], b"*" * cut))))
    ask(bus, bytes([0x01, 0x00, 0x00]))
    assert ask(bus, bytes([0x11, 0x00])) == bytes([0x21, 0x00, 0x00])


def test_the_console_repeats_a_packet_until_it_is_acknowledged(bus: Bus) -> None:
    bus.send(Message(0x0001, bytes([0x40, 1, 9]) + b"tel list\n"))
    first = ask(bus, bytes([0x44, 1, 0, 10]))
    number = first[2]
    assert first == bytes([0x43, 1, number, 10]) + b"firmware\r\n"
    assert ask(bus, bytes([0x44, 1, number ^ 1, 10])) == first
    assert ask(bus, bytes([0x44, 1, number, 16])) == bytes([0x43, 1, number + 1, 16]) + b"motor_position\r\n"
    assert ask(bus, bytes([0x42, 1, 38])) == bytes([0x41, 1, 38]) + b"motor_position\r\ndrv8323\r\nservo_stats\r\n"


def test_a_set_point_obeys_its_limits_and_arrives() -> None:
    dt, most_speed, most_acceleration = 0.002, 0.8, 2.0
    way = Trajectory(0.0, 0.0, 1.0, 0.0, most_speed, most_acceleration)
    steps = 0
    while not way.done:
        before = way.speed
        way.advance(dt)
        assert abs(way.speed) <= most_speed + 1e-12
        assert abs(way.speed - before) <= most_acceleration * dt * (2 if way.done else 1) * (1 + 1e-9)  # the last step takes two
        steps += 1
    assert way.position == 1.0
    assert steps * dt == pytest.approx(1.0 / most_speed + most_speed / most_acceleration, abs=2 * dt)  # a trapezoid
    free = Trajectory(0.0, 0.0, 0.5, 0.0, 1.0, math.inf)
    for _ in range(250):
        free.advance(dt)
    assert free.position == pytest.approx(0.5, abs=2e-3)


def test_a_terminal_that_nobody_reads_loses_answers_and_never_waits() -> None:
    terminal = Terminal()
    for _ in range(3000):
        terminal.send(b"x" * 99 + b"\n")
    assert terminal.lost > 2000
    terminal.close()


def test_a_reply_fits_a_message_however_often_the_console_is_asked(bus: Bus) -> None:
    everything = b"tel schema servo_stats\n"
    bus.send(Message(0x0001, bytes([0x40, 1, len(everything)]) + everything))
    polls = [bytes([0x42, 1, 61]) * 20, bytes([0x42, 1, 58, 0x42, 1, 1]), bytes([0x42, 1, 0]) * 30]
    polls += [bytes([0x44, 1, 0, 60]), bytes([0x1F, 0x01, 0x44, 1, 0, 60])]  # a packet comes again where there is less room
    for poll in polls:
        assert len(received(Message(0x100, ask(bus, poll)))) < 150


def test_numbers_beyond_the_wires_are_its_largest(bus: Bus, drive: Still) -> None:
    drive.values["velocity"] = 1e300
    asked = b"tel get servo_stats\n"
    bus.send(Message(0x0001, bytes([0x40, 1, len(asked)]) + asked))
    assert b"emit servo_stats" in ask(bus, bytes([0x42, 1, 60]))
    assert struct.pack("<f", 3.4028234e38) in command(10, [1e300, 0.0], {0x27: -1e300})


def test_the_link_of_a_killed_run_is_taken_over_also_where_the_system_gives_the_same_number_again(tmp_path: Path) -> None:
    link = tmp_path / "bus"
    first = Terminal()
    first.close()
    link.symlink_to(first.path)  # as a killed run leaves it; the lowest number that is free is given next
    again = Terminal(link)
    assert link.readlink() == Path(again.path)
    with pytest.raises(InputError, match="cannot be made"):
        Terminal(link)  # one that is served is left alone
    again.close()
    assert not link.is_symlink()
