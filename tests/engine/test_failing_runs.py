"""A run that fails says when and why, and keeps what it recorded."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import didymos
from didymos.control import Robot, Values
from didymos.errors import RunError


class Faulty(didymos.Controller):
    """Behaves until a time, then does something else."""

    rate = 400.0

    def __init__(self, fault: Any) -> None:
        self.fault = fault

    def update(self, t: float, measured: Values, setpoints: Values) -> Any:
        return self.fault() if t >= 1.0 else {"motor1": 0.1}


def _raise() -> Mapping[str, float]:
    raise KeyError("no such\n thing")


FAULTS = {
    "raises": (_raise, "raised KeyError: 'no such"),
    "divides by zero": (lambda: {"motor1": 1 / 0}, "raised ZeroDivisionError: division by zero"),
    "nan": (lambda: {"motor1": 0.5, "motor2": float("nan")}, "set motor2 to nan, expected a finite number"),
    "infinite": (lambda: {"motor1": np.inf}, "set motor1 to inf, expected a finite number"),
    "wrong name": (lambda: {"motr1": 0.5}, r"set the input 'motr1', which is none of: .*did you mean 'motor1'\?"),
    "text": (lambda: {"motor1": "fast"}, "set motor1 to 'fast', expected a number"),
    "a vector": (lambda: {"motor1": np.ones(3)}, "expected a number"),
    "a list": (lambda: [0.1, 0.2], "returned a list, expected a mapping"),
    "nothing": (lambda: None, "returned nothing, expected a mapping"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_bad_program_ends_the_run_with_the_time_and_the_log(quadcopter: Any, tmp_path: Path, fault: str) -> None:
    does, says = FAULTS[fault]
    file = tmp_path / "run.mcap"
    simulation = quadcopter.simulate(control=Faulty(does))
    with pytest.raises(RunError, match=rf"^at t = 1 s: the control program Faulty .*{says}") as caught:
        simulation.run(5.0, record=file)
    assert caught.value.time == pytest.approx(1.0, abs=1e-12)
    kept = caught.value.log
    times = kept["truth.position.z"].time
    np.testing.assert_allclose(times, np.arange(100) * 0.01, atol=1e-9)  # all that was before, nothing after
    loaded = didymos.Log.load(file)
    assert loaded.sha256 == kept.sha256
    assert "damage" not in loaded.metadata


def test_a_program_that_fails_to_start_is_a_failed_run(quadcopter: Any) -> None:
    class Unready(Faulty):
        def start(self, robot: Robot) -> None:
            raise OSError("no serial line")

    with pytest.raises(RunError, match="at t = 0 s: the control program Unready raised OSError: no serial line"):
        quadcopter.simulate(control=Unready(dict))


def test_a_program_without_update_says_so(quadcopter: Any) -> None:
    with pytest.raises(RunError, match=r"needs a method update\(\)"):
        quadcopter.simulate(control=didymos.Controller()).run(0.1)


def test_a_compiled_program_that_answers_nonsense_ends_the_run(quadcopter: Any, tmp_path: Path) -> None:
    simulation = quadcopter.simulate()
    simulation.run(0.5)
    simulation.program.gains[:] = np.nan
    with pytest.raises(RunError, match=r"at t = 0\.5 s: the control program MultirotorPd set motor1 to nan") as caught:
        simulation.run(1.0, record=tmp_path / "run.mcap")
    assert caught.value.time == pytest.approx(0.5)


class Slow(didymos.Controller):
    """Takes ten times as long as it has."""

    rate = 100.0

    def update(self, t: float, measured: Values, setpoints: Values) -> Mapping[str, float]:
        time.sleep(0.1)
        return {}


def test_a_program_slower_than_the_wall_clock_is_counted_and_nothing_is_skipped(quadcopter: Any) -> None:
    simulation = quadcopter.simulate(control=Slow())
    log = simulation.run(0.1, real_time=True)
    assert simulation.overruns > 0
    assert len(log["truth.position.z"].values) == 10
    free = quadcopter.simulate(control=Slow())
    free.run(0.02)
    assert free.overruns == 0  # without a wall clock to keep to, a slow program slows the run, and that is all


def test_a_body_that_leaves_the_world_ends_the_run(make_twin: Any, tmp_path: Path) -> None:
    twin = make_twin(world={"boundary": 5.0, "integrator": "rk4", "gravity": 10.0, "step": 0.001})
    with pytest.raises(RunError, match=r"body left the world at \(0, 0, -5\.\d+\) m; the boundary is 5 m") as caught:
        twin.simulate().run(10.0, record=tmp_path / "fall.mcap")
    # falls 5 m in 1 s; the check comes once a tick of 10 ms
    assert caught.value.time == pytest.approx(1.0, abs=0.011)
    heights = caught.value.log["truth.position.z"]
    assert heights.time[-1] == pytest.approx(caught.value.time)
    np.testing.assert_allclose(heights.values, -5.0 * heights.time**2, atol=1e-9)
    assert didymos.Log.load(tmp_path / "fall.mcap").sha256 == caught.value.log.sha256


@pytest.mark.parametrize("integrator", ["rk4", "implicitfast"])
def test_a_simulation_that_diverges_ends_with_the_joint_that_did(make_twin: Any, integrator: str) -> None:
    """A spring of 3e6 rad/s at a step of 10 ms is far outside the region in which an explicit step is stable."""
    twin = make_twin(
        """<mujoco><worldbody><body name="base"><joint name="calm" axis="0 1 0"/><geom size=".1" mass="1"/></body>
        <body name="cart"><joint name="wild" type="slide" axis="1 0 0" stiffness="1e13"/>
        <geom size=".1" mass="1" contype="0" conaffinity="0"/></body></worldbody></mujoco>""",
        world={"step": 0.01, "integrator": integrator},
        start={"joints": {"wild": 0.1}},
    )
    with pytest.raises(RunError, match=r"the simulation diverged at joint 'wild'; try a smaller world\.step") as caught:
        twin.simulate().run(10.0)
    assert 0.0 < caught.value.time < 2.0
    assert len(caught.value.log["joints.wild.position"].values) > 1


def test_a_run_that_failed_can_start_again(make_twin: Any) -> None:
    simulation = make_twin(world={"boundary": 1.0}).simulate()
    for _ in range(2):
        with pytest.raises(RunError, match="left the world"):
            simulation.run(5.0)
        simulation.reset()
    assert simulation.time == 0.0


def test_a_run_that_fails_among_many_leaves_the_others_their_results() -> None:
    twin = didymos.load("quadcopter")
    values = [{}, {"world.boundary": 0.2}]  # it starts at 0.3 m, outside of that
    fine, failed = didymos.run_many(twin, seeds=[1, 1], values=values, scenario="hover", seconds=0.5)
    assert fine.error is None
    assert len(fine.log["truth.position.z"].time) == 50
    assert "left the world" in str(failed.error)
    assert failed.verdicts == ()
