"""The MAVLink port piece by piece: names of parameters, frames, places on Earth, bytes on the wire, who is answered."""

from __future__ import annotations

import math
import socket
import sys
from collections.abc import Iterator

import numpy as np
import pytest

pytest.importorskip("pymavlink")
from mavlink_bench import Bench
from pymavlink.dialects.v20 import common as mavlink
from pymavlink.quaternion import QuaternionBase

import didymos
from didymos.cli.main import main
from didymos.control.multirotor_commander import CLIMB, FORWARD, OFF, RATES, THRUST, TILT
from didymos.describe.kindred_program import take_kindred_program
from didymos.engine.run import Run
from didymos.errors import InputError
from didymos.ports.mavlink.dialect import messages
from didymos.ports.mavlink.link import Link
from didymos.ports.mavlink.modes import Mode
from didymos.ports.mavlink.parameter_names import LONGEST, parameter_names
from didymos.ports.mavlink.place import Places
from didymos.ports.mavlink.settings import MULTIROTOR, Settings
from didymos.ports.mavlink.sticks import CENTRED, from_channels, from_manual_control, setpoint_of

FLIERS = ("quadcopter", "hexacopter", "daedalus", "crazyflie")


@pytest.fixture
def bench() -> Iterator[Bench]:
    made = Bench()
    yield made
    made.close()


@pytest.mark.parametrize("twin", FLIERS)
def test_every_live_path_has_a_name_of_its_own_that_follows_from_it_alone(twin: str) -> None:
    model = didymos.load(twin)
    assert take_kindred_program(model, "multirotor_commander")
    paths = [path for path, item in model.parameters.items() if item.live]
    names = parameter_names(paths, MULTIROTOR)
    assert sorted(names.values()) == sorted(paths)
    assert not set(names) & set(MULTIROTOR)
    assert max(map(len, names)) <= LONGEST
    for name, path in list(names.items())[::7]:
        assert list(parameter_names([path])) == [name]
    assert names["POSITION_KP"] == "control.gains.position.kp"


def test_two_paths_with_one_name_both_get_a_hash() -> None:
    paths = ["sensors.barometer1x.pressure.noise", "sensors.barometer1y.pressure.noise", "links.a.mass"]
    names = parameter_names([*paths[:2], paths[2]])
    assert sorted(names.values()) == sorted(paths)
    clash = ["links.some_very_long_name_a.mass", "links.some_very_long_name_b.mass"]
    assert len(parameter_names(clash)) == 2
    assert all(len(name) <= LONGEST for name in parameter_names(clash))
    assert len(parameter_names(["links.MIS_TAKEOFF_ALT"], ["L_MIS_TAKEOFF_ALT"[:LONGEST]])) == 1


def test_a_message_says_what_the_program_estimates_in_the_axes_of_aviation(bench: Bench) -> None:
    bench.take_off()
    robot = bench.system.robot
    bench.system.flight.go_to((2.0, 1.0, 2.5), 0.7, None)
    bench.fly(1.0)
    for number in (30, 31, 32):
        assert bench.command(mavlink.MAV_CMD_REQUEST_MESSAGE, number) == 0
    attitude, q, local = bench.last("ATTITUDE"), bench.last("ATTITUDE_QUATERNION"), bench.last("LOCAL_POSITION_NED")
    roll, pitch, yaw = QuaternionBase([q.q1, q.q2, q.q3, q.q4]).euler
    assert (attitude.roll, attitude.pitch, attitude.yaw) == pytest.approx((roll, pitch, yaw), abs=1e-6)
    ours = robot.angles
    assert attitude.roll == pytest.approx(ours[0], abs=1e-6)
    assert attitude.pitch == pytest.approx(-ours[1], abs=1e-6)
    assert attitude.yaw == pytest.approx(0.5 * math.pi - ours[2], abs=1e-6)
    assert (attitude.rollspeed, attitude.pitchspeed, attitude.yawspeed) == pytest.approx(
        (robot.rate * [1, -1, -1]).tolist(), abs=1e-6
    )
    x, y, z = robot.position
    assert (local.x, local.y, local.z) == pytest.approx((y, x, -z), abs=1e-5)
    vx, vy, vz = robot.velocity
    assert (local.vx, local.vy, local.vz) == pytest.approx((vy, vx, -vz), abs=1e-5)
    assert abs(vx) > 0.05  # it moves, so that the axes tell


def test_places_go_to_the_earth_and_back() -> None:
    places = Places((0.6613, 0.4142, 120.0))
    dice = np.random.default_rng(1)
    for place in dice.uniform(-5000.0, 5000.0, (50, 3)):
        latitude, longitude, height = places.globally(place.tolist())
        assert places.locate(mavlink.MAV_FRAME_GLOBAL, latitude, longitude, height) == pytest.approx(place.tolist(), abs=1e-6)
    places.home = (10.0, 20.0, 5.0)
    latitude, longitude, height = places.globally((10.0, 20.0, 5.0))
    above = places.locate(mavlink.MAV_FRAME_GLOBAL_RELATIVE_ALT, latitude, longitude, 3.0)
    assert above == pytest.approx((10.0, 20.0, 8.0), abs=1e-4)
    north = places.globally((0.0, 1000.0, 0.0))
    assert north[0] > places.origin[0]
    assert north[1] == pytest.approx(places.origin[1], abs=1e-9)
    assert places.locate(mavlink.MAV_FRAME_LOCAL_NED, 0.0, 0.0, 0.0) is None
    assert places.locate(mavlink.MAV_FRAME_GLOBAL, math.nan, 0.0, 0.0) is None


def test_sticks_do_what_their_mode_says() -> None:
    settings = Settings(MULTIROTOR)
    forward = from_manual_control(mavlink.MAVLink_manual_control_message(1, 1000, 0, 500, 0, 0))
    right = from_channels(mavlink.MAVLink_rc_channels_override_message(1, 1, 2000, 1500, 1500, 1500, 0, 0, 0, 0), CENTRED)
    up = from_channels(mavlink.MAVLink_rc_channels_override_message(1, 1, 65535, 65535, 2000, 65535, 0, 0, 0, 0), CENTRED)
    assert from_manual_control(mavlink.MAVLink_manual_control_message(1, 32767, 0, 500, 0, 0)) is None
    assert forward is not None
    found = setpoint_of(forward, Mode.POSITION, settings)
    assert (found.vx, found.vy, found.vz, found.mode_xy, found.mode_z) == (2.0, 0.0, 0.0, FORWARD, CLIMB)
    assert setpoint_of(right, Mode.POSITION, settings).vy == -2.0  # left is positive
    assert setpoint_of(up, Mode.POSITION, settings).vz == 1.5
    tilted = setpoint_of(forward, Mode.STABILIZED, settings)
    assert (tilted.pitch, tilted.mode_xy, tilted.mode_z, tilted.thrust) == (math.radians(20.0), TILT, THRUST, 0.5)  # nose down
    assert setpoint_of(right, Mode.ALTITUDE, settings).roll == math.radians(20.0)
    assert setpoint_of(right, Mode.ACRO, settings).roll_rate == math.radians(90.0)
    assert setpoint_of(right, Mode.ACRO, settings).mode_xy == RATES
    down = from_channels(mavlink.MAVLink_rc_channels_override_message(1, 1, 1500, 1500, 1000, 1500, 0, 0, 0, 0), CENTRED)
    assert setpoint_of(down, Mode.STABILIZED, settings).mode_z == OFF


def test_good_frames_are_found_behind_bad_bytes_and_bad_ones_are_none() -> None:
    packer = mavlink.MAVLink(None, 255, 190)
    beat = bytes(mavlink.MAVLink_heartbeat_message(6, 8, 0, 0, 0, 3).pack(packer))
    old = bytes(mavlink.MAVLink_heartbeat_message(6, 8, 0, 0, 0, 3).pack(packer, force_mavlink1=True))
    assert [message.get_type() for message in messages(beat + old)] == ["HEARTBEAT"] * 2
    found = list(messages(b"\xfd\x01\x02" + beat + b"\xfe"))
    assert [message and message.get_type() for message in found] == [None, "HEARTBEAT", None]
    wrong = bytearray(beat)
    wrong[12] ^= 1
    assert list(messages(bytes(wrong))) == [None]
    flagged = bytearray(beat)
    flagged[2] = 0x40  # a flag that nobody may ignore
    assert list(messages(bytes(flagged))) == [None]
    assert list(messages(b"")) == []


def test_messages_for_others_are_left_alone(bench: Bench) -> None:
    bench.fly(1.5)
    heard = len(bench.heard)
    for system, component in ((2, 1), (1, 100)):
        bench.send(mavlink.MAVLink_command_long_message(system, component, 400, 0, 1, 0, 0, 0, 0, 0, 0))
        bench.send(mavlink.MAVLink_param_set_message(system, component, b"POSITION_KP", 3.0, 9))
        bench.send(mavlink.MAVLink_manual_control_message(2, 0, 0, 1000, 0, 0))
    assert len(bench.heard) == heard
    assert not bench.system.flight.armed
    assert bench.system.robot.gain("position.kp") == pytest.approx(0.8)
    assert bench.command(31000) == mavlink.MAV_RESULT_UNSUPPORTED


def test_who_only_reads_changes_no_byte(bench: Bench) -> None:
    def read() -> None:
        bench.send(mavlink.MAVLink_heartbeat_message(6, 8, 0, 0, 0, 3))
        bench.send(mavlink.MAVLink_param_request_list_message(1, 1))
        bench.send(mavlink.MAVLink_param_request_read_message(1, 1, b"", 3))
        bench.send(mavlink.MAVLink_mission_request_list_message(1, 1))
        bench.send(mavlink.MAVLink_command_long_message(1, 1, mavlink.MAV_CMD_SET_MESSAGE_INTERVAL, 0, 30, 10_000, 0, 0, 0, 0, 0))
        bench.send(mavlink.MAVLink_timesync_message(0, 5))

    bench.fly(2.0, read)
    assert bench.last("TIMESYNC").ts1 == 5
    assert len(bench.all("ATTITUDE")) > 150  # 100 Hz from then on
    assert len({message.param_id for message in bench.all("PARAM_VALUE")}) > 10
    alone = didymos.load("quadcopter")
    take_kindred_program(alone, "multirotor_commander")
    alone.set("start.position.z", 0.011)
    for name in alone.file.sensors:
        alone.set(f"sensors.{name}.errors", 0.0)
    run = Run(alone.simulate(), keep=True)
    run.advance(bench.run.simulation.tick)
    assert run.log.sha256 == bench.run.log.sha256
    run.close()


def test_a_parameter_of_a_whole_number_in_the_bytes_of_the_float_is_understood(bench: Bench) -> None:
    """As MAVSDK writes whole numbers to a PX4."""
    whole = np.array([2], dtype="<i4").view("<f4")[0]
    bench.send(mavlink.MAVLink_param_set_message(1, 1, b"NAV_DLL_ACT", float(whole), mavlink.MAV_PARAM_TYPE_INT32))
    assert bench.last("PARAM_VALUE").param_value == 2.0
    bench.send(mavlink.MAVLink_param_set_message(1, 1, b"NAV_DLL_ACT", math.nan, mavlink.MAV_PARAM_TYPE_REAL32))
    assert bench.last("PARAM_VALUE").param_value == 2.0
    bench.send(mavlink.MAVLink_param_set_message(1, 1, b"POSITION_KP", np.float32(0.3), mavlink.MAV_PARAM_TYPE_REAL32))
    assert bench.run.interventions[-1].value == (0.3,)  # not 0.30000001192092896


def test_the_link_sends_where_somebody_listens_and_answers_whoever_writes(bench: Bench) -> None:
    now = [0.0]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as station, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as script:
        for item in (station, script):
            item.bind(("127.0.0.1", 0))
            item.settimeout(5.0)
        link = Link([bench.system], 0, (station.getsockname()[1],), clock=lambda: now[0])
        try:
            link.tell()
            assert station.recv(300)[0] == 0xFD
            script.sendto(b"any bytes \xfd\xfe", ("127.0.0.1", link.port))
            beat = mavlink.MAVLink_param_request_read_message(1, 1, b"POSITION_KP", -1).pack(mavlink.MAVLink(None, 255, 190))
            script.sendto(bytes(beat), ("127.0.0.1", link.port))
            while link.received == 0:
                link.listen()
            (answer,) = messages(script.recv(300))
            assert (answer.param_id, answer.param_value) == ("POSITION_KP", pytest.approx(0.8))
            assert link.refused == 1
            now[0] = 11.0  # it has been silent for longer than ten seconds
            sent = link.sent
            bench.system.flight.say(6, "hello")
            link.tell()
            script.settimeout(0.05)
            with pytest.raises(TimeoutError):
                script.recv(300)
            assert link.sent > sent  # the station's port is still served
        finally:
            link.close()


def test_a_port_in_use_and_options_that_do_not_fit_are_refused_in_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", 0))
        with pytest.raises(InputError, match="cannot listen on UDP port"):
            Link([], taken.getsockname()[1], ())
    assert main(["serve", "quadcopter", "--port", "mavlink", "--step-locked"]) == 2
    assert "real time" in capsys.readouterr().err
    assert main(["serve", "power_unit", "--port", "mavlink"]) == 2
    assert "multirotor_commander" in capsys.readouterr().err


def test_without_pymavlink_one_command_is_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for name in [name for name in sys.modules if name.startswith(("pymavlink", "didymos.ports.mavlink"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pymavlink", None)
    assert main(["serve", "quadcopter", "--port", "mavlink"]) == 2
    assert "pip install 'didymos[mavlink]'" in capsys.readouterr().err


@pytest.mark.parametrize(("twin", "height"), [("hexacopter", 1.0), ("daedalus", 0.1), ("crazyflie", 0.0145)])
def test_other_multirotors_take_off_and_land_as_well(twin: str, height: float) -> None:
    """The hexacopter begins a metre above the ground, and falls first."""
    bench = Bench(twin, height)
    bench.fly(2.0)
    ground = bench.truth("position.z")
    bench.take_off(1.5)
    assert bench.truth("position.z") == pytest.approx(ground + 1.5, abs=0.15)
    assert bench.command(mavlink.MAV_CMD_NAV_LAND) == 0
    bench.fly(8.0)
    assert not bench.armed
    assert bench.truth("position.z") == pytest.approx(ground, abs=0.01)
    bench.close()
