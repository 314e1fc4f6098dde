"""The program that flies what a commander asks: `multirotor_hold` where all modes are zero, and each mode by itself."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

import didymos
from didymos import Log, Twin
from didymos.control.multirotor_commander import CLIMB, FORWARD, OFF, RATES, THRUST, TILT, TURN, VELOCITY
from didymos.control.multirotor_hold import MultirotorHold
from didymos.engine.run import Run

EXACT = {f"sensors.state.{name}.{part}": 0.0
         for name in ("position", "velocity", "orientation", "angular_velocity") for part in ("noise", "bias")}  # fmt: skip


@pytest.fixture(scope="module")
def twin() -> Twin:
    """A Crazyflie whose estimate is the truth."""
    found = didymos.load("crazyflie")
    found.set_all(EXACT)
    return found


def flown(twin: Twin, *legs: tuple[float, Mapping[str, float]]) -> Log:
    """A flight from the ground in which set-points hold for a time [s] each; those that are not named are zero."""
    run = Run(twin.simulate())
    names = [handle for handle in run.simulation.robots[""].overrides.names if handle.startswith("setpoints.")]
    for seconds, setpoints in legs:
        for handle in names:
            run.intervene("steer", handle, float(setpoints.get(handle.removeprefix("setpoints."), 0.0)))
        run.advance(round(seconds / run.simulation.period))
    run.close()
    return run.log


def at(log: Log, time: float, *names: str) -> np.ndarray:
    return np.array([np.interp(time, log[name].time, log[name].values) for name in names])


@pytest.mark.parametrize("scenario", ["hover", "circle"])
def test_without_modes_it_is_the_hold_program_to_the_bit(scenario: str) -> None:
    found = didymos.load("crazyflie")
    hold = MultirotorHold(sensor="state")
    hold.rate = 200.0
    for gain in hold.gain_table:
        hold.set_gain(gain.path, float(found.parameters[f"control.gains.{gain.path}"].value))
    one, other = (found.simulate(scenario=scenario, control=control).run(5.0) for control in (None, hold))
    for axis in "xyz":
        assert one[f"truth.position.{axis}"].values.tobytes() == other[f"truth.position.{axis}"].values.tobytes()


def test_the_rotors_stand_until_something_is_asked_for(twin: Twin) -> None:
    log = flown(twin, (1.0, {}), (1.0, {"x": 1.0, "yaw": 1.0}), (2.0, {"z": 0.5}), (3.0, {"mode_z": OFF}))
    motor = log["inputs.motor1"]
    assert not motor.values[motor.time < 1.99].any()
    assert motor.values[(motor.time > 2.02) & (motor.time < 3.9)].all()
    assert not motor.values[motor.time > 4.02].any()
    assert log["truth.position.z"].values[-1] == pytest.approx(0.0145, abs=0.002)


def test_a_velocity_moves_the_place_and_stops_with_it(twin: Twin) -> None:
    """The place itself moves by v t; what is left after 8 s is of integrals with time constants of kp / ki, 3 s and 11 s."""
    log = flown(twin, (8.0, {"z": 1.0}), (3.0, {"vx": 0.2, "vy": -0.1, "vz": 0.1, "mode_xy": VELOCITY, "mode_z": CLIMB}),
                (8.0, {"mode_xy": VELOCITY, "mode_z": CLIMB}))  # fmt: skip
    begin, end = (at(log, time, *(f"truth.position.{axis}" for axis in "xyz")) for time in (8.0, 18.99))
    assert end - begin == pytest.approx([0.6, -0.3, 0.3], abs=0.015)


def test_forward_is_where_the_heading_turns_to(twin: Twin) -> None:
    """A quarter circle of radius v / w = 0.3 m, to the left: its centre is where both coordinates have moved by the radius."""
    rate = np.pi / 2 / 3.0
    turn = {"z": 1.0, "vx": 0.3 * rate, "yaw_rate": rate, "mode_xy": FORWARD, "mode_yaw": TURN}
    log = flown(twin, (4.0, {"z": 1.0}), (3.0, turn), (3.0, {"z": 1.0, "mode_xy": FORWARD, "mode_yaw": TURN}))
    begin, end = (at(log, time, "truth.position.x", "truth.position.y") for time in (4.0, 9.99))
    assert end - begin == pytest.approx([0.3, 0.3], abs=0.015)
    w, z = at(log, 9.99, "truth.orientation.w", "truth.orientation.z")
    assert 2.0 * np.arctan2(z, w) == pytest.approx(np.pi / 2, abs=0.02)


def test_a_robot_that_is_held_back_does_not_race_afterwards(twin: Twin) -> None:
    """Asked to fly at 0.2 m/s below the ground for ten seconds, its place is no more than velocity.lead = 0.3 m below."""
    modes = {"mode_xy": VELOCITY, "mode_z": CLIMB}
    log = flown(twin, (10.0, {"vz": -0.2, **modes}), (6.0, {"vz": 0.2, **modes}))
    assert log["truth.position.z"].values[-1] > 0.2 * 6.0 - 0.3 - 0.1  # less what getting off the ground takes


def test_tilt_rates_and_thrust_are_followed(twin: Twin) -> None:
    up = {"z": 2.0}
    tilt = {"z": 2.0, "roll": 0.1, "pitch": -0.05, "mode_xy": TILT}
    log = flown(twin, (4.0, up), (1.5, tilt))  # many time constants kp / ki = 0.18 s of its integral
    w, x, y = at(log, 5.49, "truth.orientation.w", "truth.orientation.x", "truth.orientation.y")
    assert 2.0 * np.arctan2(x, w) == pytest.approx(0.1, abs=0.01)
    assert 2.0 * np.arctan2(y, w) == pytest.approx(-0.05, abs=0.01)
    assert at(log, 5.49, "truth.position.z")[0] == pytest.approx(2.0, abs=0.1)
    rates = {"roll_rate": 1.0, "thrust": 0.8, "mode_xy": RATES, "mode_z": THRUST, "mode_yaw": TURN}
    log = flown(twin, (4.0, up), (0.3, rates))
    # kd alone holds a rate: 34 /s against some 5 rad/s^2 of the rotors' drag above the centre of mass leave 0.15 rad/s
    assert at(log, 4.29, "truth.angular_velocity.x")[0] == pytest.approx(1.0, abs=0.2)
    assert at(log, 4.29, *(f"inputs.motor{i}" for i in range(1, 5))).mean() == pytest.approx(0.8, abs=0.02)
