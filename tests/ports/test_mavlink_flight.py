"""What a MAVLink vehicle does and refuses, by the truth of the simulation: modes, commands, targets, sticks, silence."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest

pytest.importorskip("pymavlink")
from mavlink_bench import Bench
from pymavlink import mavutil
from pymavlink.dialects.v20 import common as mavlink

HOLD, TAKE_OFF, MISSION, RETURN, LAND = ((4, sub) for sub in (3, 2, 4, 5, 6))
POSITION, OFFBOARD = (3, 0), (6, 0)
ACCEPTED, REJECTED, DENIED, UNSUPPORTED = 0, 1, 2, 3
NEAR = 0.15  # [m] from a place at rest: what the wind of 1 m/s at 10 m does, and the estimate from sensors without errors
CUSTOM = float(mavlink.MAV_MODE_FLAG_CUSTOM_MODE_ENABLED)


@pytest.fixture
def bench() -> Iterator[Bench]:
    made = Bench()
    yield made
    made.close()


def where(bench: Bench) -> np.ndarray:
    return np.array([bench.truth(f"position.{axis}") for axis in "xyz"])


def local(bench: Bench, mask: int, place: tuple[float, ...] = (0, 0, 0), velocity: tuple[float, ...] = (0, 0, 0)) -> None:
    """Send a target, north-east-down."""
    bench.send(mavlink.MAVLink_set_position_target_local_ned_message(0, 1, 1, 1, mask, *place, *velocity, 0, 0, 0, 0.0, 0.0))


def test_it_arms_only_once_it_knows_where_it_is_and_disarms_in_flight_only_by_force(bench: Bench) -> None:
    assert bench.command(mavlink.MAV_CMD_COMPONENT_ARM_DISARM, 1.0) == REJECTED  # no tick has passed, no sensor has spoken
    assert bench.command(mavlink.MAV_CMD_NAV_TAKEOFF, 0, 0, 0, 0, 0, 0, 3.0) == REJECTED
    bench.take_off()
    assert bench.armed
    assert bench.mode == HOLD
    assert where(bench)[2] == pytest.approx(2.0 + 0.011, abs=NEAR)
    assert bench.command(mavlink.MAV_CMD_COMPONENT_ARM_DISARM, 0.0) == DENIED
    bench.fly(0.5)
    assert bench.truth("position.z") > 1.5
    assert bench.command(mavlink.MAV_CMD_COMPONENT_ARM_DISARM, 0.0, 21196.0) == ACCEPTED
    bench.fly(1.0)
    assert not bench.armed
    assert bench.truth("position.z") < 0.5  # it fell


def test_land_ends_on_the_ground_with_rotors_that_stand(bench: Bench) -> None:
    bench.take_off()
    before = where(bench)
    assert bench.command(mavlink.MAV_CMD_NAV_LAND) == ACCEPTED
    bench.fly(9.0)
    assert not bench.armed
    assert bench.mode == HOLD
    after = where(bench)
    assert after[2] == pytest.approx(0.011, abs=0.01)
    assert np.hypot(*(after - before)[:2]) < NEAR
    assert not any(bench.run.log[f"inputs.motor{i}"].values[-1] for i in range(1, 5))
    states = [message.landed_state for message in bench.all("EXTENDED_SYS_STATE")]
    order = [state for i, state in enumerate(states) if i == 0 or state != states[i - 1]]
    assert order == [1, 3, 2, 4, 1]  # on the ground, takes off, in the air, lands, on the ground
    assert "Landed" in bench.texts


def test_reposition_goes_where_it_says_and_return_comes_back(bench: Bench) -> None:
    bench.take_off()
    bench.send(mavlink.MAVLink_param_set_message(1, 1, b"RTL_RETURN_ALT", 3.0, 9))
    at = bench.last("GLOBAL_POSITION_INT")
    north = round(math.degrees(4.0 / 6_358_000) * 1e7)  # 4 m along the meridian, to a centimetre
    bench.send(
        mavlink.MAVLink_command_int_message(
            1,
            1,
            mavlink.MAV_FRAME_GLOBAL_RELATIVE_ALT,
            mavlink.MAV_CMD_DO_REPOSITION,
            0,
            0,
            -1,
            1,
            0,
            math.pi,
            at.lat + north,
            at.lon,
            2.5,
        )
    )
    assert bench.last("COMMAND_ACK").result == ACCEPTED
    start = where(bench)
    bench.fly(8.0)
    assert where(bench) == pytest.approx([start[0], start[1] + 4.0, 2.511], abs=NEAR)
    assert math.sin(bench.truth("yaw") + 0.5 * math.pi) == pytest.approx(0.0, abs=0.1)  # the nose to the south
    assert bench.last("ATTITUDE").yaw % (2 * math.pi) == pytest.approx(math.pi, abs=0.1)
    assert bench.command(mavlink.MAV_CMD_NAV_RETURN_TO_LAUNCH) == ACCEPTED
    bench.fly(4.0)
    assert bench.mode == RETURN
    assert bench.truth("position.z") == pytest.approx(3.011, abs=0.5)
    bench.fly(14.0)
    assert not bench.armed
    assert where(bench) == pytest.approx([0.0, 0.0, 0.011], abs=NEAR)


def test_off_board_targets_are_flown_and_their_silence_holds(bench: Bench) -> None:
    bench.take_off()
    assert bench.command(mavlink.MAV_CMD_DO_SET_MODE, CUSTOM, 6.0) == REJECTED  # nobody sends targets
    bench.fly(0.02)
    assert any("no set-points" in text for text in bench.texts)
    place = 0b110111111000
    bench.fly(0.2, lambda: local(bench, place, (1.0, 2.0, -3.0)))
    assert bench.command(mavlink.MAV_CMD_DO_SET_MODE, CUSTOM, 6.0) == ACCEPTED
    bench.fly(6.0, lambda: local(bench, place, (1.0, 2.0, -3.0)))
    assert bench.mode == OFFBOARD
    assert where(bench) == pytest.approx([2.0, 1.0, 3.0], abs=NEAR)  # east, north, up of north, east, down
    velocity = 0b110111000111
    begin = where(bench)
    bench.fly(3.0, lambda: local(bench, velocity, velocity=(0.5, 0.0, 0.2)))
    assert where(bench) - begin == pytest.approx([0.0, 1.5, -0.6], abs=2 * NEAR)
    bench.fly(1.5)  # silence, longer than COM_OF_LOSS_T
    assert bench.mode == HOLD
    held = where(bench)
    bench.fly(3.0)
    assert where(bench) == pytest.approx(held, abs=2 * NEAR)
    assert any(text.startswith("Offboard set-points lost") for text in bench.texts)


def test_an_attitude_target_tilts_it_as_it_says(bench: Bench) -> None:
    bench.take_off(4.0)
    tilt, hover = 0.1, 0.47
    nose_east = [math.cos(tilt / 2), 0.0, math.sin(tilt / 2), 0.0]  # nose up by 0.1 rad in its own frame
    yaw = bench.last("ATTITUDE").yaw
    c, s = math.cos(yaw / 2), math.sin(yaw / 2)
    w, _, y, _ = nose_east
    q = [c * w, -s * y, c * y, s * w]  # turned to its heading

    def send() -> None:
        bench.send(mavlink.MAVLink_set_attitude_target_message(0, 1, 1, 0b111, q, 0.0, 0.0, 0.0, hover))

    bench.fly(0.1, send)
    assert bench.command(mavlink.MAV_CMD_DO_SET_MODE, CUSTOM, 6.0) == ACCEPTED
    bench.fly(3.0, send)
    pitch = bench.run.log["truth.pitch"]  # it swings about what is asked for, by the quadcopter's own gains: two swings of 0.75 s
    swings = pitch.values[pitch.time > pitch.time[-1] - 1.5]
    assert swings.mean() == pytest.approx(-tilt, abs=0.02)  # forward-left-up: nose up is negative
    told = [message.pitch for message in bench.all("ATTITUDE")[-30:]]  # 20 Hz
    assert np.mean(told) == pytest.approx(tilt, abs=0.03)
    assert bench.truth("velocity.x") < -0.2  # backwards


def test_sticks_fly_it_in_position_mode_and_centred_ones_stop_it(bench: Bench) -> None:
    bench.take_off()
    assert bench.command(mavlink.MAV_CMD_DO_SET_MODE, CUSTOM, 3.0) == ACCEPTED
    begin = where(bench)
    bench.fly(2.0, lambda: bench.send(mavlink.MAVLink_manual_control_message(1, 500, 0, 500, 0, 0)))  # half forward: 1 m/s
    assert bench.mode == POSITION
    moved = where(bench) - begin
    assert moved[0] == pytest.approx(2.0, abs=0.6)  # its nose points east; less what setting off takes
    assert abs(moved[1]) < NEAR
    bench.fly(2.0, lambda: bench.send(mavlink.MAVLink_rc_channels_override_message(1, 1, 2000, *([65535] * 7))))  # full right
    assert where(bench)[1] - begin[1] < -2.0  # to the south
    bench.fly(3.0)  # silence: centred
    held = where(bench)
    bench.fly(2.0)
    assert where(bench) == pytest.approx(held, abs=2 * NEAR)


def test_a_ground_station_that_falls_silent_makes_a_mission_wait(bench: Bench) -> None:
    bench.take_off()
    bench.send(mavlink.MAVLink_param_set_message(1, 1, b"COM_DL_LOSS_T", 2.0, 9))
    at = bench.last("GLOBAL_POSITION_INT")
    upload(bench, [(at.lat + 9000, at.lon, 3.0, mavlink.MAV_CMD_NAV_WAYPOINT)])

    def beat() -> None:
        bench.send(mavlink.MAVLink_heartbeat_message(mavlink.MAV_TYPE_GCS, mavlink.MAV_AUTOPILOT_INVALID, 0, 0, 0, 3))

    assert bench.command(mavlink.MAV_CMD_DO_SET_MODE, CUSTOM, 4.0, 4.0) == ACCEPTED
    bench.fly(3.0, beat)
    assert bench.mode == MISSION
    bench.fly(3.5)
    assert bench.mode == HOLD
    assert "Ground station lost: hold" in bench.texts


def upload(bench: Bench, items: list[tuple[int, int, float, int]]) -> int:
    """Send a mission of latitude, longitude [1e-7 deg], height above home, command; what became of it."""
    bench.send(mavlink.MAVLink_mission_count_message(1, 1, len(items)))
    for i, (latitude, longitude, height, command) in enumerate(items):
        if bench.heard[-1].get_type() == "MISSION_ACK":
            break
        assert bench.last("MISSION_REQUEST_INT").seq == i
        bench.send(
            mavlink.MAVLink_mission_item_int_message(
                1, 1, i, 6, command, i == 0, 1, 0.0, 0.0, 0.0, math.nan, latitude, longitude, height
            )
        )
    return int(bench.last("MISSION_ACK").type)


def test_missions_are_kept_refused_cleared_and_flown_from_the_ground(bench: Bench) -> None:
    bench.fly(1.5)
    home = bench.last("HOME_POSITION")
    north = round(math.degrees(2.0 / 6_358_000) * 1e7)
    assert (
        upload(bench, [(home.latitude, home.longitude, 3.0, mavlink.MAV_CMD_DO_DIGICAM_CONTROL)])
        == mavlink.MAV_MISSION_UNSUPPORTED
    )
    assert (
        upload(bench, [(2_000_000_000, home.longitude, 3.0, mavlink.MAV_CMD_NAV_WAYPOINT)])
        == mavlink.MAV_MISSION_INVALID_PARAM5_X
    )
    there = (home.latitude + north, home.longitude)
    flown = [
        (*there, 2.0, mavlink.MAV_CMD_NAV_TAKEOFF),
        (*there, 2.5, mavlink.MAV_CMD_NAV_WAYPOINT),
        (*there, 0.0, mavlink.MAV_CMD_NAV_LAND),
    ]
    assert upload(bench, flown) == mavlink.MAV_MISSION_ACCEPTED
    bench.send(mavlink.MAVLink_mission_request_list_message(1, 1))
    assert bench.last("MISSION_COUNT").count == 3
    bench.send(mavlink.MAVLink_mission_request_message(1, 1, 1))
    assert bench.last("MISSION_ITEM").x == pytest.approx(there[0] / 1e7, abs=1e-5)
    bench.send(mavlink.MAVLink_mission_request_int_message(1, 1, 2))
    assert (bench.last("MISSION_ITEM_INT").x, bench.last("MISSION_ITEM_INT").command) == (there[0], mavlink.MAV_CMD_NAV_LAND)
    assert bench.command(mavlink.MAV_CMD_MISSION_START) == REJECTED  # not armed
    assert bench.command(mavlink.MAV_CMD_COMPONENT_ARM_DISARM, 1.0) == ACCEPTED
    assert bench.command(mavlink.MAV_CMD_MISSION_START) == ACCEPTED
    bench.fly(22.0)
    assert [message.seq for message in bench.all("MISSION_ITEM_REACHED")] == [0, 1, 2]
    assert not bench.armed
    assert where(bench) == pytest.approx([0.0, 2.0, 0.011], abs=NEAR)
    bench.send(mavlink.MAVLink_mission_clear_all_message(1, 1))
    bench.send(mavlink.MAVLink_mission_request_list_message(1, 1))
    assert bench.last("MISSION_COUNT").count == 0


def test_modes_have_the_numbers_that_pymavlink_knows(bench: Bench) -> None:
    bench.take_off()
    for name in ("LOITER", "POSCTL", "ALTCTL", "STABILIZED", "ACRO", "RTL", "LAND"):
        flags, main, sub = mavutil.px4_map[name]
        assert bench.command(mavlink.MAV_CMD_DO_SET_MODE, flags, main, sub) == ACCEPTED
        bench.fly(0.02)
        assert mavutil.mode_string_v10(bench.last("HEARTBEAT")) == name
    assert bench.command(mavlink.MAV_CMD_DO_SET_MODE, CUSTOM, 4.0, 99.0) == UNSUPPORTED
    assert bench.command(mavlink.MAV_CMD_DO_SET_MODE, 0.0, 4.0, 3.0) == DENIED  # no custom mode
