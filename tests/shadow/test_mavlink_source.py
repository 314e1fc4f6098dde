"""A vehicle that is heard over MAVLink: its telemetry in the twin's words, nothing sent but requests of it, any bytes survived.

The vehicle is pymavlink with numbers by hand, or a served twin whose own log says what its telemetry should mean.
"""

from __future__ import annotations

import math
import os
import pty
import random
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pymavlink")
from pymavlink import mavutil
from pymavlink.dialects.v20 import common as mavlink
from scipy.spatial.transform import Rotation

import didymos
from didymos.errors import InputError
from didymos.shadow.source import Arrival, SourceOptions
from didymos.shadow.sources import open_source
from didymos.shadow.sources.mavlink import RATES, MavlinkSource
from didymos.twin import Twin

sys.path.append(str(Path(__file__).resolve().parents[1] / "ports"))
from mavlink_bench import Bench
from mavlink_server import free_port, served

ENU_OF_NED = Rotation.from_matrix([[0, 1, 0], [1, 0, 0], [0, 0, -1]])
FRD_OF_FLU = Rotation.from_matrix([[1, 0, 0], [0, -1, 0], [0, 0, -1]])
IMU = dict(zip(("xacc", "yacc", "zacc", "xgyro", "ygyro", "zgyro", "xmag", "ymag", "zmag"),
               (0.1, 0.2, -9.8, 0.01, 0.02, 0.03, 0.2, 0.01, 0.4), strict=True))  # fmt: skip


@pytest.fixture(scope="module")
def quadcopter() -> Twin:
    return didymos.load("quadcopter")


class Vehicle:
    """pymavlink in the place of an autopilot, on UDP."""

    def __init__(self, port: int, system: int = 1) -> None:
        self.link: Any = mavutil.mavlink_connection(
            f"udpout:127.0.0.1:{port}", source_system=system, source_component=1, dialect="common"
        )
        self.heard: list[Any] = []

    def say(self, message: Any) -> None:
        self.link.mav.send(message)

    def listen(self) -> list[Any]:
        while (message := self.link.recv_match(blocking=False)) is not None:
            self.heard.append(message)
        return self.heard


@pytest.fixture
def heard(quadcopter: Twin) -> Iterator[tuple[MavlinkSource, Vehicle]]:
    port = free_port()
    source = open_source(quadcopter, f"mavlink:udp:{port}")
    assert isinstance(source, MavlinkSource)
    vehicle = Vehicle(port)
    yield source, vehicle
    source.close()
    vehicle.link.close()


def until(source: MavlinkSource, fits: Callable[[list[Arrival]], bool]) -> list[Arrival]:
    """All that arrives, up to what is waited for; the test's own time limit ends a wait in vain."""
    found: list[Arrival] = []
    while not fits(found):
        found += source.read(0.05)
    return found


def last(source: MavlinkSource, vehicle: Vehicle, message: Any) -> Arrival:
    vehicle.say(message)
    return until(source, lambda found: bool(found))[-1]


def highres(stamp: int, **values: float) -> Any:
    fields = {**IMU, **values}
    return mavlink.MAVLink_highres_imu_message(stamp, *fields.values(), 1013.25, 0.0, 0.0, 20.0, 0b1000111111111)


def test_an_imu_is_told_forward_left_up_in_si_units(heard: tuple[MavlinkSource, Vehicle]) -> None:
    found = last(*heard, mavlink.MAVLink_highres_imu_message(2_500_000, *IMU.values(), 1013.25, 0, 0, 20, 0b1111111111))
    assert found.stamp == 2.5
    assert abs(found.received - time.monotonic()) < 60.0
    expected = {
        "imu.accel.x": 0.1, "imu.accel.y": -0.2, "imu.accel.z": 9.8, "imu.gyro.x": 0.01, "imu.gyro.y": -0.02, "imu.gyro.z": -0.03,
        "compass.field.x": 2e-5, "compass.field.y": -1e-6, "compass.field.z": -4e-5, "baro.pressure": 101325.0,
    }  # fmt: skip
    assert dict(found.values) == pytest.approx(expected, rel=1e-6)


def test_what_an_imu_did_not_measure_anew_is_not_told_again(heard: tuple[MavlinkSource, Vehicle]) -> None:
    source, vehicle = heard
    last(source, vehicle, highres(1_000_000))
    second = last(source, vehicle, highres(1_010_000, xgyro=0.5))
    assert {name.split(".")[0] for name in second.values} == {"imu"}
    vehicle.say(highres(1_010_000, xgyro=0.5))
    third = last(source, vehicle, highres(1_020_000, xmag=0.3))
    assert third.stamp == pytest.approx(1.02)
    assert "compass.field.x" in third.values


def test_milli_units_count_where_no_finer_message_comes(heard: tuple[MavlinkSource, Vehicle]) -> None:
    source, vehicle = heard
    message = mavlink.MAVLink_scaled_imu_message(1500, 100, 0, -1000, 0, 250, 0, 0, 0, 0)
    found = last(source, vehicle, message)
    assert found.stamp == 1.5
    assert found.values["imu.accel.z"] == pytest.approx(9.80665)
    assert found.values["imu.gyro.y"] == pytest.approx(-0.25)
    last(source, vehicle, highres(2_000_000))
    vehicle.say(message)
    assert last(source, vehicle, highres(3_000_000)).stamp == 3.0


def test_attitude_and_place_are_turned_as_an_independent_library_turns_them(heard: tuple[MavlinkSource, Vehicle]) -> None:
    source, vehicle = heard
    roll, pitch, yaw = 0.3, -0.2, 2.1
    body = ENU_OF_NED * Rotation.from_euler("ZYX", [yaw, pitch, roll]) * FRD_OF_FLU
    found = last(source, vehicle, mavlink.MAVLink_attitude_message(4000, roll, pitch, yaw, 0.1, 0.2, 0.3))
    q = [found.values[f"state.orientation.{axis}"] for axis in "wxyz"]
    assert (Rotation.from_quat(q, scalar_first=True) * body.inv()).magnitude() < 1e-6
    assert [found.values[f"state.angular_velocity.{axis}"] for axis in "xyz"] == pytest.approx([0.1, -0.2, -0.3])
    found = last(source, vehicle, mavlink.MAVLink_local_position_ned_message(4010, 3.0, 4.0, -5.0, 0.5, -0.25, 0.125))
    assert [found.values[f"state.position.{axis}"] for axis in "xyz"] == [4.0, 3.0, 5.0]
    expected = body.inv().apply([-0.25, 0.5, -0.125])
    assert [found.values[f"state.velocity.{axis}"] for axis in "xyz"] == pytest.approx(expected, abs=1e-6)
    w, x, y, z = Rotation.from_euler("ZYX", [yaw, pitch, roll]).as_quat(scalar_first=True)
    same = last(source, vehicle, mavlink.MAVLink_attitude_quaternion_message(4020, w, x, y, z, 0.1, 0.2, 0.3))
    assert [same.values[f"state.orientation.{axis}"] for axis in "wxyz"] == pytest.approx(q, abs=1e-6)


def test_a_fix_counts_from_the_vehicles_origin(heard: tuple[MavlinkSource, Vehicle]) -> None:
    """100 m north is 100 / M of latitude, M = a (1 - e^2) / (1 - e^2 sin^2)^1.5; a message holds 1e-7 deg, 1.1 cm."""
    source, vehicle = heard
    latitude, square = math.radians(47.4), 0.00669437999
    north = 100.0 / (6378137.0 * (1.0 - square) / (1.0 - square * math.sin(latitude) ** 2) ** 1.5)
    vehicle.say(mavlink.MAVLink_gps_global_origin_message(474000000, 85000000, 400_000))
    fix = (round(math.degrees(latitude + north) * 1e7), 85000000, 412_000, 100, 100, 500, 9000, 12)
    found = last(source, vehicle, mavlink.MAVLink_gps_raw_int_message(6_000_000, 3, *fix))
    assert [found.values[f"gps.position.{axis}"] for axis in "xyz"] == pytest.approx([0.0, 100.0, 12.0], abs=0.02)
    assert [found.values[f"gps.velocity.{axis}"] for axis in "xy"] == pytest.approx([5.0, 0.0], abs=1e-9)
    assert "gps.velocity.z" not in found.values
    vehicle.say(mavlink.MAVLink_gps_raw_int_message(6_100_000, 1, *fix))  # no fix
    far = (10_000_000, *fix[1:])
    vehicle.say(mavlink.MAVLink_gps_raw_int_message(6_200_000, 3, *far))
    assert last(source, vehicle, highres(7_000_000)).stamp == 7.0
    assert sum("100 km" in text for text in source.notices()) == 1


def test_outputs_are_the_inputs_that_the_twin_names_for_them(heard: tuple[MavlinkSource, Vehicle]) -> None:
    source, vehicle = heard
    pulses = (1250, 1500, 1750, 2000, *([0] * 12))
    found = last(source, vehicle, mavlink.MAVLink_servo_output_raw_message(3_000_000, 0, *pulses))
    assert found.stamp == 3.0
    expected = {"inputs.motor1": 0.25, "inputs.motor3": 0.5, "inputs.motor4": 0.75, "inputs.motor2": 1.0}
    assert dict(found.values) == pytest.approx(expected)


def test_32_bits_of_microseconds_are_carried_on(heard: tuple[MavlinkSource, Vehicle]) -> None:
    source, vehicle = heard
    last(source, vehicle, highres(4_300_000_000))  # after 71.7 minutes
    found = last(source, vehicle, mavlink.MAVLink_servo_output_raw_message(4_300_010_000 % 2**32, 0, 1500, *([0] * 15)))
    assert found.stamp == pytest.approx(4300.01)


def test_two_kinds_of_requests_and_nothing_else_is_sent(heard: tuple[MavlinkSource, Vehicle]) -> None:
    source, vehicle = heard
    vehicle.say(mavlink.MAVLink_heartbeat_message(2, 12, 81, 0, 4, 3))
    due = {getattr(mavlink, f"MAVLINK_MSG_ID_{name}"): 1e6 / rate for name, rate in RATES.items()}
    until(source, lambda _: len(vehicle.listen()) > len(due))
    source.close()  # datagrams of one machine wait in the socket as soon as they are sent
    heard_all = [message for message in vehicle.listen() if message.get_type() != "BAD_DATA"]
    assert {message.get_type() for message in heard_all} == {"COMMAND_LONG"}
    assert {message.command for message in heard_all} == {511, 512}
    for number, interval in due.items():
        asked = [message.param2 for message in heard_all if (message.command, message.param1) == (511, number)]
        assert (asked[0], asked[-1]) == (pytest.approx(interval), 0.0)  # and the vehicle's own rate at the end
    assert {message.target_system for message in heard_all} == {1}


def test_where_nothing_may_be_requested_nothing_is_sent(quadcopter: Twin) -> None:
    port = free_port()
    with closing(open_source(quadcopter, f"mavlink:udp:{port}", SourceOptions(request=False))) as source:
        vehicle = Vehicle(port)
        last(source, vehicle, highres(1_000_000))  # type: ignore[arg-type]
        source.read(0.0)
    assert vehicle.listen() == []
    with pytest.raises(InputError, match="has to write"):
        open_source(quadcopter, "mavlink:udpout:127.0.0.1:14580", SourceOptions(request=False))


def test_of_several_vehicles_one_is_heard_and_the_others_are_told(heard: tuple[MavlinkSource, Vehicle]) -> None:
    source, vehicle = heard
    last(source, vehicle, highres(1_000_000))
    other = Vehicle(source._line.port, system=7)  # type: ignore[attr-defined]
    other.say(highres(9_000_000))
    other.say(highres(9_100_000))
    assert last(source, vehicle, highres(2_000_000)).stamp == 2.0
    assert [text for text in source.notices() if "system 7" in text]
    assert source.system == 1


def test_any_bytes_are_survived_and_a_good_frame_behind_them_is_heard(heard: tuple[MavlinkSource, Vehicle]) -> None:
    source, vehicle = heard
    last(source, vehicle, highres(1_000_000))
    draw, packer = random.Random(18), mavlink.MAVLink(None, 1, 1)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        for i in range(600):
            frame = bytearray(highres(2_000_000 + i).pack(packer) if draw.random() < 0.6 else draw.randbytes(draw.randrange(300)))
            for _ in range(draw.randrange(1, 5)):
                if frame:
                    frame[draw.randrange(len(frame))] = draw.randrange(256)
            line.sendto(bytes(frame), ("127.0.0.1", source._line.port))  # type: ignore[attr-defined]
            if i % 100 == 99:
                source.read(0.05)
    vehicle.say(highres(5_000_000))
    until(source, lambda found: any(item.stamp == 5.0 for item in found))
    assert source.unread > 100
    assert len(source.notices()) < 10


def test_a_line_of_tcp_is_opened_again_and_frames_in_pieces_are_put_together(quadcopter: Twin) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        source = open_source(quadcopter, f"mavlink:tcp:127.0.0.1:{server.getsockname()[1]}")
        packer = mavlink.MAVLink(None, 1, 1)
        for stamp in (1_000_000, 2_000_000):
            while True:
                source.read(0.01)
                server.settimeout(0.05)
                try:
                    line, _ = server.accept()
                    break
                except TimeoutError:
                    continue
            frame = b"\xfd\x00garbage" + bytes(highres(stamp).pack(packer))
            for byte in frame:
                line.sendall(bytes([byte]))
            found = until(source, lambda found: bool(found))  # type: ignore[arg-type]
            assert found[-1].stamp == 1e-6 * stamp
            line.close()  # the vehicle goes, and comes again
        source.close()


def test_a_serial_port_is_heard(quadcopter: Twin) -> None:
    pytest.importorskip("serial")
    ours, theirs = pty.openpty()
    source = open_source(quadcopter, f"mavlink:{os.ttyname(theirs)},115200")
    source.read(0.0)  # opens it, and makes it raw
    os.write(ours, bytes(highres(1_500_000).pack(mavlink.MAVLink(None, 1, 1))))
    assert until(source, lambda found: bool(found))[-1].stamp == 1.5  # type: ignore[arg-type]
    source.close()
    os.close(ours)
    os.close(theirs)


@pytest.mark.parametrize("address", ["14550", "udp:x", "tcp:host", "udp:70000", "/dev/ttyS0,fast", "udp:14550@0", "udp:14550@x"])
def test_an_address_that_is_none_is_refused(quadcopter: Twin, address: str) -> None:
    with pytest.raises(InputError, match="expected"):
        open_source(quadcopter, f"mavlink:{address}")


def test_what_a_served_twin_tells_is_what_its_log_has_at_that_stamp(quadcopter: Twin) -> None:
    """Frames of a flight, without a wire: readings to float32, inputs to half a pulse of 1 us."""
    port = free_port()
    source = open_source(quadcopter, f"mavlink:udp:{port}")
    assert isinstance(source, MavlinkSource)
    bench = Bench(record__rate=400.0)
    for name in RATES:
        assert bench.command(511, getattr(mavlink, f"MAVLINK_MSG_ID_{name}"), 5000) == 0
    bench.take_off()
    bench.heard.clear()
    bench.system.flight.go_to((1.0, 0.5, 2.0), 0.4, None)
    bench.fly(1.0)
    log, worst, counts = (
        bench.run.log,
        dict.fromkeys(("imu", "inputs"), 0.0),
        dict.fromkeys(("imu", "inputs"), 0),
    )
    for message in bench.heard:
        told = source._words.told(message) if message.get_srcSystem() == 1 else None
        for name, value in {} if told is None else told[1].items():
            signal, head = log[name], name.split(".")[0]
            if head in worst:
                nearest = abs(signal.time - told[0]).argmin()  # type: ignore[index]
                assert abs(signal.time[nearest] - told[0]) < 6e-4  # type: ignore[index]  # stamps in ms
                worst[head] = max(worst[head], abs(value - signal.values[nearest]))
                counts[head] += 1
    assert min(counts.values()) > 500
    assert worst["imu"] < 1e-6 * 10.0
    assert worst["inputs"] < 0.5e-3 + 1e-9
    source.close()
    bench.close()


def test_a_served_twin_is_heard_over_its_own_wire(quadcopter: Twin, tmp_path: Path) -> None:
    """Ask first (udpout), hear at the rates that were asked for, and leave no trace in the run."""
    with served(tmp_path, "quadcopter") as server:
        source = open_source(quadcopter, f"mavlink:udpout:127.0.0.1:{server.port}")
        assert isinstance(source, MavlinkSource)
        found = until(source, lambda found: sum("imu.gyro.x" in item.values for item in found) > 100)
        source.close()
        assert server.stop()["refused"] == 0
    log = didymos.Log.load(server.record)
    stamps = [item.stamp for item in found if "imu.gyro.x" in item.values]
    asked = [stamp for stamp in stamps if stamp > stamps[10]]
    assert (asked[-1] - asked[0]) / (len(asked) - 1) == pytest.approx(1.0 / RATES["HIGHRES_IMU"], rel=0.05)  # the twin's clock
    gyro = log["imu.gyro.x"]
    for item in found:
        if "imu.gyro.x" in item.values:
            assert item.values["imu.gyro.x"] == pytest.approx(gyro.values[abs(gyro.time - item.stamp).argmin()], rel=1e-6)
    assert source.notices() == []
