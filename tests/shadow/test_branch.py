"""What if: a branch goes on from where the robot is, is a run of its own, and gives the same bytes again."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import mujoco
import numpy as np
import pytest

import didymos
from didymos.errors import InputError
from didymos.shadow.branch import branch
from didymos.shadow.estimate import Estimate

_STATE = int(mujoco.mjtState.mjSTATE_INTEGRATION)


def exact(simulation: Any) -> Estimate:
    """The state of a run, known exactly."""
    model, data = simulation.model, simulation.data
    vector = np.empty(mujoco.mj_stateSize(model, _STATE))
    mujoco.mj_getState(model, data, vector, _STATE)
    inputs = {name: simulation.only.commands[name] for name in simulation.robot.inputs}
    states = 2 * model.nv + model.na
    return Estimate(
        simulation.time, data.qpos.copy(), data.qvel.copy(), data.act.copy(), np.zeros((states, states)), {}, inputs, vector,
        simulation.tick,
    )  # fmt: skip


@pytest.fixture(scope="module")
def robot() -> Any:
    """A quadcopter in mid-air, half a second after it began to rise in gusts."""
    twin = didymos.load("quadcopter")
    twin.set("world.gusts.wind_6m", 8.0)
    simulation = twin.simulate(scenario="hover")
    simulation.run(0.5)
    return SimpleNamespace(simulation=simulation, twin=twin, estimate=exact(simulation))


def test_a_branch_with_a_program_that_remembers_nothing_goes_on_as_the_robot_does(robot: Any) -> None:
    """Gusts and their stream, states of parts, commands: all that acts on the robot goes on in the branch, on its clock."""
    made = branch(robot.estimate, robot.twin, origin=robot, scenario="hover")
    assert made.tick == robot.simulation.tick
    on = made.run(0.5)
    saved = robot.simulation.save()
    log = robot.simulation.run(0.5)
    robot.simulation.restore(saved)
    for name in ("truth.position.x", "truth.position.z", "truth.velocity.y", "inputs.motor1"):
        assert on[name].time[0] == log[name].time[0] == pytest.approx(0.5)
        np.testing.assert_allclose(on[name].values, log[name].values, rtol=0.0, atol=1e-9)


def test_the_same_branch_gives_the_same_bytes_alone_and_beside_others(robot: Any) -> None:
    def run(height: float) -> str:
        return branch(robot.estimate, robot.twin, origin=robot, scenario="hover", setpoints={"z": height}, seed=7).run(0.3).sha256

    heights = (0.5, 2.0, 0.5)
    alone = [run(height) for height in heights]
    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(run, heights)) == alone
    assert alone[0] == alone[2] != alone[1]
    assert robot.simulation.tick == robot.estimate.tick  # the robot itself did not move


def test_set_points_hold_whatever_the_scenario_says(robot: Any) -> None:
    low, high = (
        branch(robot.estimate, robot.twin, origin=robot, scenario="hover", setpoints={"z": z}).run(1.5) for z in (0.3, 2.0)
    )
    assert set(low["setpoints.z"].values) == {0.3}
    assert set(high["setpoints.z"].values) == {2.0}
    assert low["truth.position.z"].values[-1] < high["truth.position.z"].values[-1] - 0.5
    with pytest.raises(InputError, match="no such set-point"):
        branch(robot.estimate, robot.twin, setpoints={"height": 1.0})


def test_a_branch_may_begin_elsewhere_in_the_scenario_and_with_other_numbers(robot: Any) -> None:
    made = branch(robot.estimate, robot.twin, scenario="climb", at=3.0, values={"world.gravity": 0.0})
    assert made.time == pytest.approx(3.0)
    assert made.run(0.01)["setpoints.z"].values[0] == pytest.approx(4.0)  # two of five seconds up to 10 m
    assert made.get("world.gravity") == 0.0


def test_what_parts_remember_goes_along_with_their_origin() -> None:
    """A motor has warmed up, and a command is on its way: a branch knows of both where it is told whose state it has."""
    twin = didymos.load("power_unit")
    simulation = twin.simulate(scenario="sine")
    simulation.step(seconds=1.0)
    here, origin = exact(simulation), SimpleNamespace(simulation=simulation)
    heat = simulation.readouts("drive")[-1]
    assert heat > 0.0
    known, fresh = (branch(here, twin, origin=whose, scenario="sine") for whose in (origin, None))
    known.step()
    fresh.step()
    simulation.step()
    assert known.readouts("drive")[-1] == pytest.approx(simulation.readouts("drive")[-1], rel=1e-6)
    assert fresh.readouts("drive")[-1] < 0.5 * heat
