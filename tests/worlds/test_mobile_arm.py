"""The world `mobile_arm`: the base drives to the table by its odometry; the arm takes the box where it is, by friction alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import didymos
from didymos.world import World, find_world, load_world

GRIP, FRICTION, GRAVITY = 30.0, 0.6, 9.81


def _world() -> World:
    file = find_world("mobile_arm")
    assert file is not None
    return load_world(file)


def _run(seed: int, seconds: float | None = None, **values: float) -> tuple[Any, Any]:
    world = _world()
    world.set_all({path.replace("__", "."): value for path, value in values.items()})
    simulation = world.simulate(scenario="grasp", seed=seed)
    return simulation, simulation.run(seconds)


@pytest.fixture(scope="module")
def grasped() -> Any:
    return _run(1)


def test_it_meets_what_is_expected(grasped: Any) -> None:
    simulation, log = grasped
    verdicts = simulation.judge(log)
    assert len(verdicts) == 8
    assert [verdict.name for verdict in verdicts if not verdict.ok] == []


@pytest.mark.parametrize("seed", range(2, 6))
def test_it_takes_the_box_wherever_it_stands_from_wherever_the_base_begins(seed: int) -> None:
    """Four of the draws that docs/worlds/mobile_arm.md makes twenty of."""
    dice = np.random.default_rng(seed)
    simulation, log = _run(
        seed,
        crate__start__position__x=dice.uniform(-0.12, 0.12),
        crate__start__position__y=dice.uniform(1.69, 1.81),
        crate__start__orientation__z=dice.uniform(-np.pi, np.pi),
        crate__links__crate__mass=dice.uniform(0.2, 1.0),
        base__start__position__x=dice.uniform(-0.04, 0.04),
        base__start__position__y=dice.uniform(-0.04, 0.04),
        base__start__orientation__z=0.5 * np.pi + dice.uniform(-0.03, 0.03),
    )
    assert [verdict.name for verdict in simulation.judge(log) if not verdict.ok] == []


def test_the_arm_waits_until_the_base_stands(grasped: Any) -> None:
    simulation, log = grasped
    begins = next(time for time, _, label in simulation.events(log) if label == "approach")
    speed = np.hypot(log["base.truth.velocity.x"].values, log["base.truth.velocity.y"].values)
    time = log["base.truth.velocity.x"].time
    assert speed[time < begins - 1.0].max() > 0.2
    assert speed[(time > begins - 0.4) & (time < begins)].max() < 0.005  # the gain still.speed


def test_the_arm_makes_good_what_the_base_falls_short_of(grasped: Any) -> None:
    """The base believes that it is there, and is not; the tool is within the errors of the camera, a bias and noise of 1 mm."""
    simulation, log = grasped
    assert abs(log["base.control.x"].values[-1] - 1.06) < 1e-3
    assert abs(log["base.truth.position.y"].values[-1] - 1.06) > 0.01
    closes = next(time for time, _, label in simulation.events(log) if label == "close")
    for axis in "xyz":
        in_hand = log[f"arm.in_hand.position.{axis}"]
        assert abs(np.interp(closes, in_hand.time, in_hand.values)) < 4.0 * np.hypot(1e-3, 1e-3)


@pytest.mark.parametrize(("share", "held"), [(0.9, True), (1.1, False)])
def test_fingers_hold_what_their_friction_bears(share: float, held: bool) -> None:
    """Two sides with a grip f bear m = 2 mu f / g = 3.67 kg; the lift begins with 0.5 m/s^2, a twentieth of g."""
    mass = share * 2.0 * FRICTION * GRIP / GRAVITY
    _, log = _run(1, 14.0, crate__links__crate__mass=mass)
    height = log["crate.truth.position.z"].values[-1] - 0.75
    assert (height > 0.14) == held
    assert (log["arm.control.misses"].values[-1] == 0) == held


def test_the_base_does_not_creep_under_the_arm(grasped: Any) -> None:
    """From arriving to the end; at the engine's own tolerance it turns by 10 mrad."""
    _, log = grasped
    yaw = 2.0 * np.arcsin(log["base.truth.orientation.z"].values[log["base.truth.orientation.z"].time > 7.0])
    assert np.ptp(yaw) < 5e-4


def test_the_tolerance_of_the_solver_is_the_worlds(grasped: Any) -> None:
    assert grasped[0].model.opt.tolerance == 1e-14
    assert didymos.load("omni_base").simulate().model.opt.tolerance == 1e-8


def test_the_same_seed_gives_the_same_bytes(grasped: Any) -> None:
    _, again = _run(1)
    assert again.sha256 == grasped[1].sha256
