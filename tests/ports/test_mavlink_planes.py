"""What a plane behind MAVLink does and denies, by the truth of the simulation: a whole mission, places, speeds, silence."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest

pytest.importorskip("pymavlink")
from mavlink_bench import Bench
from pymavlink.dialects.v20 import common as mavlink

import didymos
from didymos.cli.main import main
from didymos.control import flight_plan as plan
from didymos.control import flight_stages as st
from didymos.engine.run import Run

HOLD, TAKE_OFF, MISSION, RETURN, LAND = ((4, sub) for sub in (3, 2, 4, 5, 6))
ACCEPTED, REJECTED, DENIED, UNSUPPORTED = 0, 1, 2, 3
CUSTOM = float(mavlink.MAV_MODE_FLAG_CUSTOM_MODE_ENABLED)
NORTH, EAST = 6_358_000.0, 6_378_137.0  # [m], no more than 0.4 % from the radii of the Earth's ellipsoid at 38 deg
OWN_CIRCLE = 60.0  # [m]: loiter.radius of the twin
CIRCLE, OFF_CIRCLE = 90.0, 8.0  # [m]: twice a turn at the limit of bank and 16 m/s, and what test_plane_flights.py allows
RIGHT = 80.0  # [m]: radius of a circle to the right, as MAVLink has it
POINTS = ((250.0, 0.0, 28.0), (250.0, 150.0, 33.0), (0.0, 150.0, 33.0), (-250.0, 150.0, 28.0))  # east, north, above home [m]
PASSED = 8.0 + 7.0  # [m]: path.radius, and half a second of flight at 14 m/s until the next line counts

Item = tuple[int, tuple[float, float, float], float, float, float]
"""Command, its first three parameters, east and north [m] of the world's origin, height above home."""

FLOWN: list[Item] = [
    (mavlink.MAV_CMD_NAV_TAKEOFF, (0.0, 0.0, 0.0), 0.0, 0.0, 28.0),
    *((mavlink.MAV_CMD_NAV_WAYPOINT, (0.0, 0.0, 0.0), *point) for point in POINTS),
    (mavlink.MAV_CMD_NAV_LAND, (0.0, 0.0, 0.0), 0.0, 0.0, 0.0),
]


@pytest.fixture
def parked() -> Iterator[Bench]:
    made = Bench("skywalker_2013", None, scenario="parked")
    made.fly(1.5)
    yield made
    made.close()


@pytest.fixture
def flying() -> Iterator[Bench]:
    made = Bench("skywalker_2013", None)
    made.send(mavlink.MAVLink_param_set_message(1, 1, b"LOITER_RADIUS", CIRCLE, 9))
    made.fly(1.0)
    yield made
    made.close()


@pytest.fixture(scope="module")
def flown() -> Iterator[Bench]:
    """From the runway through four points and back."""
    made = Bench("skywalker_2013", None, scenario="parked")
    made.fly(1.5)
    assert not made.armed
    assert upload(made, FLOWN) == mavlink.MAV_MISSION_ACCEPTED
    assert made.command(mavlink.MAV_CMD_MISSION_START) == REJECTED  # not armed
    made.fly(2.0)
    assert made.command(mavlink.MAV_CMD_COMPONENT_ARM_DISARM, 1.0) == ACCEPTED
    assert made.command(mavlink.MAV_CMD_MISSION_START) == ACCEPTED
    made.fly(145.0)
    yield made
    made.close()


def globe(bench: Bench, east: float, north: float) -> tuple[int, int]:
    """Latitude and longitude [1e-7 deg] of a place of the world."""
    bench.command(mavlink.MAV_CMD_REQUEST_MESSAGE, mavlink.MAVLINK_MSG_ID_GPS_GLOBAL_ORIGIN)
    origin = bench.last("GPS_GLOBAL_ORIGIN")
    around = EAST * math.cos(math.radians(origin.latitude / 1e7))
    return (
        origin.latitude + round(math.degrees(north / NORTH) * 1e7),
        origin.longitude + round(math.degrees(east / around) * 1e7),
    )


def upload(bench: Bench, items: list[Item]) -> int:
    """Send a mission; what became of it."""
    bench.send(mavlink.MAVLink_mission_count_message(1, 1, len(items)))
    for i, (command, parameters, east, north, height) in enumerate(items):
        if bench.heard[-1].get_type() == "MISSION_ACK":
            break
        place = globe(bench, east, north) if east or north else (0, 0)
        assert bench.last("MISSION_REQUEST_INT").seq == i
        bench.send(
            mavlink.MAVLink_mission_item_int_message(
                1, 1, i, 6, command, i == 0, 1, *parameters, math.nan, *place, height
            )
        )
    return int(bench.last("MISSION_ACK").type)


def go_to(bench: Bench, east: float, north: float, height: float, speed: float = -1.0) -> int:
    """The result of a reposition to a place, its height above home."""
    what, frame = mavlink.MAV_CMD_DO_REPOSITION, mavlink.MAV_FRAME_GLOBAL_RELATIVE_ALT
    place = globe(bench, east, north)
    bench.send(mavlink.MAVLink_command_int_message(1, 1, frame, what, 0, 0, speed, 0, 0, math.nan, *place, height))
    return int(bench.last("COMMAND_ACK").result)


def track(bench: Bench, seconds: float = math.inf) -> tuple[np.ndarray, np.ndarray]:
    """Times [s] and true places [m] of the last seconds, shapes [n] and [n, 3]."""
    found = [bench.run.log[f"truth.position.{axis}"] for axis in "xyz"]
    time, way = found[0].time, np.stack([item.values for item in found], axis=1)
    late = time > time[-1] - seconds
    return time[late], way[late]


def away(bench: Bench, east: float, north: float, seconds: float = 15.0) -> np.ndarray:
    """How far [m] along the ground from a place it was in the last seconds."""
    return np.hypot(*(track(bench, seconds)[1][:, :2] - (east, north)).T)


def until_reached(bench: Bench, count: int) -> None:
    """Fly until so many items were reached, for 150 s at most."""
    end = bench.run.simulation.time + 150.0
    while len(bench.all("MISSION_ITEM_REACHED")) < count and bench.run.simulation.time < end:
        bench.fly(1.0)


def test_a_mission_takes_off_passes_its_points_in_order_lands_and_stops(flown: Bench) -> None:
    time, way = track(flown)
    home = flown.system.flight.home[2]
    passed = []
    for east, north, height in POINTS:
        distance = np.linalg.norm(way - (east, north, home + height), axis=1)
        assert distance.min() < PASSED
        passed.append(time[distance.argmin()])
    assert passed == sorted(passed)
    reached = [message.seq for message in flown.all("MISSION_ITEM_REACHED")]
    assert reached == list(range(len(FLOWN)))
    stages = flown.run.log["control.stage"].values.astype(int)
    order = [st.STAGES[stage] for stage in stages[np.insert(np.diff(stages) != 0, 0, True)]]
    circuit = ["downwind", "base", "approach", "flare", "roll out", "stopped"]
    assert order == ["parked", "ground roll", "climb out", "go to", *circuit]
    assert np.ptp(track(flown, 2.0)[1], axis=0) == pytest.approx([0.0, 0.0, 0.0], abs=1e-3)
    assert abs(way[-1, 1]) < 10.0  # of the centre line, as the scenario `circuit` has it
    assert flown.truth("tilt") < 0.3
    assert max(flown.run.log[f"parts.{side}_wheel.touch_sink"].values.max() for side in ("left", "right")) < 1.5


def test_it_tells_who_it_is_and_what_becomes_of_the_mission(flown: Bench) -> None:
    assert {message.type for message in flown.all("HEARTBEAT")} == {mavlink.MAV_TYPE_FIXED_WING}
    states = [message.landed_state for message in flown.all("EXTENDED_SYS_STATE")]
    order = [state for i, state in enumerate(states) if i == 0 or state != states[i - 1]]
    assert order == [1, 3, 2, 4, 1]  # on the ground, takes off, in the air, lands, on the ground
    currents = [message.seq for message in flown.all("MISSION_CURRENT")]
    assert currents == sorted(currents)
    assert set(currents) == set(range(len(FLOWN)))
    assert flown.last("MISSION_CURRENT").mission_state == mavlink.MISSION_STATE_COMPLETE
    assert not flown.armed
    assert flown.mode == HOLD
    assert flown.texts == ["Armed", "Landed", "Disarmed"]
    told = np.array([message.airspeed for message in flown.all("VFR_HUD")])
    true = flown.run.log["air.speed"].values
    assert told.max() == pytest.approx(true.max(), abs=0.5)  # 4 Hz of a signal that changes by 2 m/s in a second at most
    throttle = [message.throttle for message in flown.all("VFR_HUD")]
    assert throttle[0] == throttle[-1] == 0
    assert max(throttle) > 40


def test_the_recording_repeats_to_the_same_bytes(flown: Bench) -> None:
    model = didymos.load("skywalker_2013")
    for name in model.file.sensors:
        model.set(f"sensors.{name}.errors", 0.0)
    simulation = model.simulate(scenario="parked")
    run = Run(simulation, keep=True, interventions=flown.run.interventions)
    run.advance(flown.run.simulation.tick)
    assert run.log.sha256 == flown.run.log.sha256
    run.close()
    box = [item.value[0] for item in flown.run.interventions if item.path == "setpoints.item"]
    assert box == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 0.0]  # each item once, in order


def test_disarmed_it_is_parked_and_take_off_ends_in_a_circle(parked: Bench) -> None:
    assert parked.command(mavlink.MAV_CMD_NAV_TAKEOFF, 0, 0, 0, 0, 0, 0, 25.0) == REJECTED
    parked.fly(1.0)
    assert "Take-off denied: not armed" in parked.texts
    assert np.ptp(track(parked, 0.9)[1], axis=0).max() < 0.01
    assert parked.command(mavlink.MAV_CMD_COMPONENT_ARM_DISARM, 1.0) == ACCEPTED
    parked.fly(1.0)
    assert np.ptp(track(parked, 0.9)[1], axis=0).max() < 0.01  # armed, it waits
    assert parked.command(mavlink.MAV_CMD_NAV_TAKEOFF, 0, 0, 0, 0, 0, 0, 25.0) == ACCEPTED
    parked.fly(4.0)
    assert parked.mode == TAKE_OFF
    assert parked.command(mavlink.MAV_CMD_COMPONENT_ARM_DISARM, 0.0) == DENIED
    parked.send(mavlink.MAVLink_param_set_message(1, 1, b"LOITER_RADIUS", CIRCLE, 9))
    parked.fly(60.0)
    assert parked.mode == HOLD
    assert parked.truth("position.z") == pytest.approx(25.0, abs=2.0)
    assert np.ptp(track(parked, 30.0)[1][:, :2], axis=0).max() < 2.0 * (CIRCLE + OFF_CIRCLE)


def test_in_the_air_it_is_armed_circles_goes_where_it_is_told_and_returns(flying: Bench) -> None:
    assert flying.armed
    assert flying.mode == HOLD
    flying.fly(50.0)
    assert abs(away(flying, 0.0, 0.0) - CIRCLE).max() < OFF_CIRCLE + 15.0  # it began within a second of 15 m/s of the origin
    assert flying.truth("position.z") == pytest.approx(50.3, abs=2.0)
    assert go_to(flying, 200.0, -150.0, 60.0, 16.0) == ACCEPTED
    flying.fly(75.0)
    assert abs(away(flying, 200.0, -150.0) - CIRCLE).max() < OFF_CIRCLE
    assert flying.truth("position.z") == pytest.approx(60.0, abs=2.0)
    assert flying.run.log["air.speed"].values[-1] == pytest.approx(16.0, abs=0.6)
    goal = flying.last("POSITION_TARGET_LOCAL_NED")
    assert (goal.y, goal.x, -goal.z) == pytest.approx((200.0, -150.0, 60.0), abs=1.5)
    assert go_to(flying, 200.0, 50.0, 60.0) == ACCEPTED  # the same mode of the program, another place
    flying.fly(65.0)
    assert abs(away(flying, 200.0, 50.0, 10.0) - CIRCLE).max() < OFF_CIRCLE
    assert go_to(flying, 900.0, 50.0, 60.0) == ACCEPTED
    flying.fly(20.0)
    assert flying.command(mavlink.MAV_CMD_NAV_LOITER_UNLIM) == ACCEPTED  # here, not there
    here = track(flying, 0.1)[1][-1]
    flying.fly(20.0)
    assert away(flying, here[0], here[1], 1.0).max() < 2.0 * CIRCLE
    assert flying.command(mavlink.MAV_CMD_NAV_RETURN_TO_LAUNCH) == ACCEPTED
    flying.fly(75.0)
    assert flying.mode == RETURN
    assert abs(away(flying, 0.0, 0.0, 10.0) - CIRCLE).max() < OFF_CIRCLE
    assert flying.truth("position.z") == pytest.approx(40.0, abs=2.0)  # return.height


def test_a_mission_loiters_for_its_time_changes_speed_pauses_and_ends_in_a_circle(flying: Bench) -> None:
    items: list[Item] = [
        (mavlink.MAV_CMD_NAV_WAYPOINT, (0.0, 0.0, 0.0), 150.0, 0.0, 50.0),
        (mavlink.MAV_CMD_NAV_LOITER_TIME, (60.0, 0.0, RIGHT), 250.0, 100.0, 50.0),
        (mavlink.MAV_CMD_DO_CHANGE_SPEED, (0.0, 16.5, 0.0), 0.0, 0.0, 0.0),  # through the air
        (mavlink.MAV_CMD_NAV_WAYPOINT, (0.0, 0.0, 0.0), 100.0, 200.0, 45.0),
    ]
    assert upload(flying, items) == mavlink.MAV_MISSION_ACCEPTED
    assert flying.command(mavlink.MAV_CMD_DO_SET_MODE, CUSTOM, 4.0, 4.0) == ACCEPTED
    until_reached(flying, 1)
    assert flying.mode == MISSION
    assert flying.command(mavlink.MAV_CMD_DO_PAUSE_CONTINUE, 0.0) == ACCEPTED
    flying.fly(10.0)
    assert flying.mode == HOLD
    assert flying.command(mavlink.MAV_CMD_DO_PAUSE_CONTINUE, 1.0) == ACCEPTED
    until_reached(flying, 2)
    assert abs(away(flying, 250.0, 100.0, 10.0) - RIGHT).max() < OFF_CIRCLE
    x, y, _ = track(flying, 10.0)[1].T
    assert np.diff(np.unwrap(np.arctan2(y - 100.0, x - 250.0))).max() < 0.0
    items_flown = flying.run.log["control.item"]
    loitered = items_flown.time[items_flown.values == 3.0]  # way-point, way to the circle, circle
    assert loitered[-1] - loitered[0] == pytest.approx(60.0, abs=0.1)
    air = flying.run.log["air.speed"]
    slow = air.values[(air.time > loitered[-1] - 10.0) & (air.time < loitered[-1])]
    assert abs(slow - 15.0).max() < 0.6
    flying.fly(75.0)
    assert [message.seq for message in flying.all("MISSION_ITEM_REACHED")] == [0, 1, 2, 3]
    assert flying.run.log["air.speed"].values[-1] == pytest.approx(16.5, abs=0.6)
    assert flying.mode == HOLD
    assert "Mission finished" in flying.texts
    assert abs(away(flying, 100.0, 200.0, 10.0) - CIRCLE).max() < OFF_CIRCLE
    assert flying.truth("position.z") == pytest.approx(45.0, abs=2.0)


def test_what_a_plane_cannot_do_is_denied_and_said(flying: Bench) -> None:
    place = mavlink.MAVLink_set_position_target_local_ned_message(0, 1, 1, 1, 0b110111111000, *([0.0] * 9), 0.0, 0.0)
    flying.fly(2.0, lambda: flying.send(place))
    flying.send(mavlink.MAVLink_manual_control_message(1, 500, 0, 500, 0, 0))
    flying.fly(0.1)
    assert flying.texts.count("Off-board denied: a plane cannot hover") == 1  # of twenty of them
    assert flying.texts.count("Sticks denied: a plane flies by its modes here") == 1
    for main_mode in (2.0, 3.0, 5.0, 6.0, 7.0):
        assert flying.command(mavlink.MAV_CMD_DO_SET_MODE, CUSTOM, main_mode) == UNSUPPORTED
    assert flying.command(mavlink.MAV_CMD_DO_SET_HOME, 1.0) == UNSUPPORTED
    assert flying.command(mavlink.MAV_CMD_DO_CHANGE_SPEED, 1.0, 15.0) == UNSUPPORTED  # over ground
    assert flying.command(mavlink.MAV_CMD_DO_CHANGE_SPEED, 0.0, 5.0) == DENIED  # it would stall
    assert flying.command(mavlink.MAV_CMD_DO_CHANGE_SPEED, 0.0, 17.0) == ACCEPTED
    assert flying.command(mavlink.MAV_CMD_COMPONENT_ARM_DISARM, 0.0) == DENIED
    jump = [FLOWN[0], (mavlink.MAV_CMD_DO_JUMP, (0.0, 0.0, 0.0), 0.0, 0.0, 0.0)]
    assert upload(flying, jump) == mavlink.MAV_MISSION_UNSUPPORTED
    nothing = [(mavlink.MAV_CMD_NAV_LOITER_TIME, (math.nan, 0.0, 0.0), 100.0, 0.0, 50.0)]
    assert upload(flying, nothing) == mavlink.MAV_MISSION_INVALID_PARAM1
    for speed in (math.inf, math.nan, 5.0):
        slow = [(mavlink.MAV_CMD_DO_CHANGE_SPEED, (0.0, speed, 0.0), 0.0, 0.0, 0.0)]
        assert upload(flying, slow) == mavlink.MAV_MISSION_INVALID_PARAM2
    assert upload(flying, [FLOWN[-1], FLOWN[1]]) == mavlink.MAV_MISSION_UNSUPPORTED  # nothing comes behind a landing
    flying.fly(15.0)
    assert flying.mode == HOLD
    assert flying.run.log["air.speed"].values[-1] == pytest.approx(17.0, abs=0.6)


def test_a_mission_on_the_ground_begins_with_a_take_off_and_a_landing_needs_a_runway(parked: Bench) -> None:
    assert upload(parked, FLOWN[1:]) == mavlink.MAV_MISSION_ACCEPTED
    assert parked.command(mavlink.MAV_CMD_COMPONENT_ARM_DISARM, 1.0) == ACCEPTED
    assert parked.command(mavlink.MAV_CMD_MISSION_START) == REJECTED
    parked.fly(0.1)
    assert "Mission denied: no take-off comes first" in parked.texts
    lost = Bench("plane_1wing_sensors", None)  # begins in the air, and its file names a runway only for some scenarios
    lost.fly(1.0)
    assert lost.command(mavlink.MAV_CMD_NAV_LAND) == REJECTED
    lost.fly(0.1)
    assert "Land denied: its run began in the air, no runway" in lost.texts
    assert lost.mode == HOLD
    lost.close()


def test_parameters_are_read_and_set_and_those_of_multirotors_are_not_there(parked: Bench) -> None:
    parked.send(mavlink.MAVLink_param_request_read_message(1, 1, b"LOITER_RADIUS", -1))
    assert parked.last("PARAM_VALUE").param_value == OWN_CIRCLE
    parked.send(mavlink.MAVLink_param_set_message(1, 1, b"LOITER_RADIUS", 75.0, 9))
    assert parked.last("PARAM_VALUE").param_value == 75.0
    assert parked.system.robot.gain("loiter.radius") == 75.0
    parked.send(mavlink.MAVLink_param_set_message(1, 1, b"FW_AIRSPD_TRIM", 16.0, 9))
    assert parked.last("PARAM_VALUE").param_value == 16.0
    before = len(parked.all("PARAM_VALUE"))
    parked.send(mavlink.MAVLink_param_request_read_message(1, 1, b"MPC_XY_CRUISE", -1))
    assert len(parked.all("PARAM_VALUE")) == before


def test_a_scenario_that_flies_by_itself_is_parked_until_it_is_armed() -> None:
    bench = Bench("skywalker_2013", None, scenario="takeoff")
    bench.fly(3.0)
    assert not bench.armed
    assert bench.system.robot.setpoint("mode") == plan.PARKED
    assert np.ptp(track(bench, 2.0)[1][:, 0]) < 0.01
    bench.close()


def test_a_vtol_is_refused_in_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "vtol", "--port", "mavlink"]) == 2
    assert "multirotor_commander or fixed_wing flies (found: Vtol)" in capsys.readouterr().err
