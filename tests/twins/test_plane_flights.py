"""Planes from take-off to standstill, from noisy sensors: one seed each of what docs/twins/planes.md flew twenty of."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from didymos import load
from didymos.control import flight_plan as plan
from didymos.control import flight_stages as st
from didymos.engine.intervention import Intervention


def _stages(log: Any) -> list[str]:
    """The stages of a flight in order."""
    values = log["control.stage"].values.astype(int)
    return [st.STAGES[stage] for stage in values[np.insert(np.diff(values) != 0, 0, True)]]


def _fly(twin: str, scenario: str, seed: int) -> Any:
    simulation = load(twin).simulate(seed=seed, scenario=scenario)
    log = simulation.run(simulation.seconds)
    assert [verdict for verdict in simulation.judge(log) if not verdict.ok] == []
    return log


@pytest.mark.parametrize(("twin", "scenario"), [("skywalker_2013", "circuit"), ("plane_3wing_2motor", "circuit_crosswind")])
def test_a_circuit_ends_at_a_standstill_on_the_runway(twin: str, scenario: str) -> None:
    log = _fly(twin, scenario, seed=31)
    legs = ["ground roll", "climb out", "go to", "downwind", "base", "approach", "flare", "roll out", "stopped"]
    assert _stages(log) == legs
    late = log["truth.position.x"].time > log["truth.position.x"].time[-1] - 5.0
    assert np.ptp(log["truth.position.x"].values[late]) < 1e-3  # it does not creep


def test_it_lands_on_one_engine() -> None:
    log = _fly("plane_3wing_2motor", "engine_out", seed=31)
    assert log["parts.motor1.thrust"].values[-1000:].max() < 1e-9


def test_a_stall_is_caught() -> None:
    _fly("skywalker_2013", "stall", seed=31)


def test_an_aborted_approach_goes_around_and_lands() -> None:
    simulation = load("skywalker_2013").simulate(seed=5, scenario="landing")
    simulation.step(seconds=15.0)
    for value in (1.0, 0.0):
        simulation.intervene(Intervention(simulation.tick, "steer", "setpoints.abort", (value,)))
        simulation.step(seconds=1.0)
    log = simulation.run(140.0)
    assert _stages(log)[:4] == ["go around", "downwind", "base", "approach"]
    assert _stages(log)[-1] == "stopped"
    assert abs(log["truth.position.y"].values[-1]) < 10.0


def test_loiter_and_return_circle_their_places() -> None:
    simulation = load("skywalker_2013").simulate(seed=5, scenario="cruise")
    steps = {"mode": plan.LOITER, "x": 100.0, "y": 0.0, "radius": -70.0}
    for name, value in steps.items():
        simulation.intervene(Intervention(simulation.tick, "steer", f"setpoints.{name}", (float(value),)))
    log = simulation.run(60.0)
    late = log["truth.position.x"].time > 30.0
    x, y = (log[f"truth.position.{axis}"].values[late] for axis in "xy")
    away = np.hypot(x - 100.0, y)
    assert abs(away - 70.0).max() < 8.0  # GPS that wanders by half a metre, wind of 1.6 m/s, a course held by a P loop
    assert np.diff(np.unwrap(np.arctan2(y, x - 100.0))).max() < 0.0  # to the right
    simulation.intervene(Intervention(simulation.tick, "steer", "setpoints.mode", (float(plan.RETURN),)))
    log = simulation.run(60.0)
    late = log["truth.position.x"].time > log["truth.position.x"].time[-1] - 15.0
    away = np.hypot(*(log[f"truth.position.{axis}"].values[late] for axis in "xy"))
    assert abs(away - 70.0).max() < 8.0
    assert log["truth.position.z"].values[-1] == pytest.approx(40.0 + 0.0, abs=2.0)  # return.height
