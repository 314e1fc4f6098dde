"""A free-flyer and its client in one world: the whole capture, what it leaves alone, and what may not touch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import didymos
from didymos.control.servicing_stages import DONE, GRASP, REASONS, STAGES


@pytest.fixture(scope="module")
def world() -> Any:
    return didymos.load_world("servicing")


@pytest.fixture(scope="module")
def capture(world: Any) -> tuple[Any, Any]:
    """The scenario until the base has turned back and rests."""
    simulation = world.simulate(scenario="capture")
    return simulation, simulation.run(400.0)


def _stages(log: Any) -> list[str]:
    values = log["chaser.control.stage"].values
    return [STAGES[int(values[0])], *(STAGES[int(value)] for value in values[1:][np.diff(values) != 0])]


def test_the_client_is_caught_stopped_and_turned_back_as_the_scenario_expects(capture: tuple[Any, Any]) -> None:
    simulation, log = capture
    verdicts = simulation.judge(log)
    assert len(verdicts) > 10
    assert [verdict.name for verdict in verdicts if not verdict.ok] == []
    expected = ["waiting", "observe", "approach", "hold", "track", "close", "grasp", "damp", "settle", "done"]
    assert _stages(log) == expected


def test_nothing_acts_on_the_client_before_the_grasp(capture: tuple[Any, Any]) -> None:
    """It drifts on a line: by the drift of its start, to what positions of some metres round to."""
    _, log = capture
    stage = log["chaser.control.stage"]
    until = stage.time[stage.values >= GRASP][0]
    x = log["client.truth.position.x"]
    free = x.time < until
    drift = np.polyfit(x.time[free], x.values[free], 1)
    np.testing.assert_allclose(x.values[free], np.polyval(drift, x.time[free]), atol=1e-11)
    assert np.linalg.norm([log[f"client.truth.velocity.{axis}"].values[0] for axis in "xyz"]) == pytest.approx(np.sqrt(6e-6))


def test_after_the_last_pulse_the_momentum_of_all_together_stays(capture: tuple[Any, Any]) -> None:
    """The base turns by its wheels, the client in the grip: 6 N m s are passed on, and RK4 loses 1e-6 of them at most."""
    _, log = capture
    tanks = log.select("chaser.parts.thruster_*.gas")
    assert len(tanks) == 6
    last = max(tank.time[1:][np.diff(tank.values) != 0.0].max() for tank in tanks) + 0.25  # a period later it is shut
    wheels = np.max([np.ptp(log[f"chaser.joints.wheel_{axis}.velocity"].values) for axis in "xyz"])
    assert 0.0398 * wheels > 3.0
    for name in (f"{kind}.{axis}" for kind in ("linear", "angular") for axis in "xyz"):
        signal = log[f"world.momentum.{name}"]
        after = signal.values[signal.time > last]
        assert len(after) > 1000
        assert np.ptp(after) < 6e-6


@pytest.mark.parametrize(
    ("scenario", "reason"), [("too_fast", "the client spins too fast"), ("lost", "the client is lost from sight")]
)
def test_it_gives_up_with_a_reason_and_withdraws(world: Any, scenario: str, reason: str) -> None:
    simulation = world.simulate(scenario=scenario)
    log = simulation.run()
    assert all(verdict.ok for verdict in simulation.judge(log))
    assert REASONS[int(log["chaser.control.reason"].values[-1])] == reason


def test_a_client_that_bumps_into_the_chaser_tells_it(world: Any) -> None:
    """The expectation of no touch could fail: 1.9 m between the shapes at 0.5 m/s."""
    own = world.copy()
    own.set_all({"client.start.velocity.x": -0.5, "client.start.velocity.y": 0.0, "client.start.velocity.z": 0.0})
    own.set_all({f"client.start.orientation.{axis}": 0.0 for axis in "xyz"})
    own.set_all({f"client.start.angular_velocity.{axis}": 0.0 for axis in "xyz"})
    log = own.simulate(scenario="capture").run(6.0)
    assert np.abs([log[f"client.touch.force.{axis}"].values for axis in "xyz"]).max() > 1.0
    assert log["chaser.control.stage"].values[-1] != DONE
