"""The electric engine: reference figures of the original, power balance, guards, battery."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from laws import Answer, call
from scipy.optimize import brentq

from didymos.errors import InputError
from didymos.parts.electric_engine import ElectricEngine, bound_thrust

MOTOR: dict[str, Any] = {
    "direction": 1, "cells": 3, "motor_resistance": 0.041, "speed_constant": 13.333, "idle_current": 0.9, "inertia": 2.6e-4,
    "speed_limit": 1000.0, "diameter": 0.305, "advance_limit": 0.8, "thrust_limit": 138.0,
    "power": {"coefficients": [0.0661, -0.1647, 0.2958, -0.2355]},
    "efficiency": {"coefficients": [0.0, 3.19, -12.15, 27.83, -21.82]},
}  # fmt: skip


def _settled(throttle: float, along: float, **changes: Any) -> tuple[float, Answer]:
    """Speed at which nothing accelerates, and the answer there."""

    def at(speed: float) -> Answer:
        inputs, state = {"throttle": throttle}, {"speed": speed}
        return call(ElectricEngine, inputs=inputs, state=state, air_velocity=(along, 0, 0), **(MOTOR | changes))

    speed = brentq(lambda w: float(at(w).rate["speed"]), 1.0, 999.0, xtol=1e-10)
    return speed, at(speed)


def test_at_rest_it_settles_at_the_figures_of_the_original() -> None:
    speed, answer = _settled(1.0, 0.0)
    assert speed == pytest.approx(831.0, abs=0.05)
    assert answer.readouts["thrust"] == pytest.approx(31.7, abs=0.05)
    assert answer.readouts["power"] == pytest.approx(494.0, abs=0.5)
    assert answer.readouts["current"] == pytest.approx(50.7, abs=0.05)


def test_in_flight_it_settles_at_the_figures_of_the_original() -> None:
    speed, answer = _settled(1.0, 12.0)
    assert speed == pytest.approx(889.2, abs=0.05)
    assert answer.readouts["thrust"] == pytest.approx(13.3, abs=0.05)


@pytest.mark.parametrize(("throttle", "along"), [(1.0, 0.0), (0.6, 8.0), (0.9, 18.0)])
def test_what_the_battery_gives_goes_into_heat_friction_and_the_propeller(throttle: float, along: float) -> None:
    _, answer = _settled(throttle, along, battery_resistance=0.02)
    read = answer.readouts
    mean = throttle * read["current"]
    emf = abs(read["speed"]) / (2.0 * math.pi * 13.333)
    losses = read["current"] ** 2 * 0.041 + 0.02 * mean**2 + emf * 0.9
    assert 12.0 * mean == pytest.approx(losses + read["power"], rel=1e-9)
    assert read["voltage"] == pytest.approx(12.0 - 0.02 * mean)
    assert read["thrust"] * along < read["power"]


@pytest.mark.parametrize("direction", [1, -1])
def test_its_reaction_opposes_the_spin(direction: int) -> None:
    _, answer = _settled(0.7, 5.0, direction=direction)
    assert answer.torque[0] == pytest.approx(-direction * answer.readouts["power"] / abs(answer.readouts["speed"]))
    assert np.sign(answer.readouts["speed"]) == direction


@pytest.mark.parametrize("along", [0.0, 0.02, 0.1, 0.5, 1.0, 2.0, 4.0])
def test_thrust_at_walking_pace_stays_below_what_the_power_can_give(along: float) -> None:
    """The original's two terms add up to 70 N here; an ideal disc gets 35.2 N out of 494 W at rest."""
    _speed, answer = _settled(1.0, along)
    area = math.pi * 0.305**2 / 4.0
    induced = brentq(lambda v: 2.0 * 1.225 * area * v * (along + v) ** 2 - answer.readouts["power"], 0.0, 50.0)
    assert answer.readouts["thrust"] <= 2.0 * 1.225 * area * induced * (along + induced)


def test_the_bound_solves_its_cubic() -> None:
    area = math.pi * 0.305**2 / 4.0
    for power, along in ((494.0, 0.0), (349.0, 12.0), (5.0, 30.0), (1e-6, 0.5)):
        thrust = bound_thrust(power, along, 1.225, area)
        speed = 0.5 * along + math.sqrt(0.25 * along**2 + thrust / (2.0 * 1.225 * area))
        assert thrust * speed == pytest.approx(0.9**1.5 * power, rel=1e-9)


@pytest.mark.parametrize("along", [-30.0, 0.0, 12.0, 60.0])
@pytest.mark.parametrize("speed", [0.0, 0.01, 1.0, 1000.0])
def test_it_stays_finite_at_any_advance_ratio(along: float, speed: float) -> None:
    answer = call(ElectricEngine, inputs={"throttle": 1.0}, state={"speed": speed}, air_velocity=(along, 0, 0), **MOTOR)
    assert 0.0 <= answer.readouts["thrust"] <= 138.0
    assert math.isfinite(answer.rate["speed"])


BENCH = """<mujoco><worldbody><body name="stand"><geom size=".1" mass="1"/></body></worldbody></mujoco>"""


def _run(make_twin: Any, seconds: float, stimuli: list[dict[str, Any]], **changes: Any) -> Any:
    engine = {"kind": "electric_engine", "link": "stand"} | MOTOR | changes
    scenario = {"seconds": seconds, "stimuli": [{"target": "inputs.motor", "kind": "constant", "value": 1.0}, *stimuli]}
    world = {"integrator": "rk4", "step": 0.0025}
    return make_twin(BENCH, world=world, parts={"motor": engine}, scenarios={"run": scenario}).simulate(scenario="run").run()


def test_the_battery_runs_down_by_the_charge_that_it_gave(make_twin: Any) -> None:
    log = _run(make_twin, 4.0, [], capacity=100.0)
    charge, current = log["parts.motor.charge"], log["parts.motor.current"].values
    given = np.concatenate([[0.0], np.cumsum(0.5 * (current[1:] + current[:-1]) * np.diff(charge.time))])
    used = np.minimum(given / 100.0, 1.0)
    before_empty = charge.values > 0.05
    np.testing.assert_allclose((1.0 - charge.values)[before_empty], used[before_empty], atol=0.01)  # 293 A in the first 10 ms
    assert charge.values[-1] < 0.02
    assert abs(log["parts.motor.thrust"].values[-1]) < 1.0


def test_a_failed_motor_stops(make_twin: Any) -> None:
    failing = {"target": "parts.motor.health", "kind": "step", "at": 0.5, "from": 1.0, "to": 0.0}
    thrust = _run(make_twin, 4.0, [failing])["parts.motor.thrust"]
    assert thrust.values[thrust.time < 0.5][-1] > 31.0
    assert thrust.values[-1] < 0.1


def test_a_battery_without_cells_is_refused(make_twin: Any) -> None:
    with pytest.raises(InputError, match="cells"):
        make_twin(BENCH, parts={"motor": {"kind": "electric_engine", "link": "stand"} | MOTOR | {"cells": 0}})
