"""The mecanum base in REP 103 and in the axes of its source: the same robot, whose motions differ by a quarter turn."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

import didymos
from didymos import Log, Twin
from didymos.engine.intervention import Intervention

ENGINE = 1e-6  # [m], [rad]: the contact solver stops at a cost within 1e-8 of the least; a thousandth of the fit's 1.5 mm
COUNT = 4 * 0.25 * 0.1 * 2 * math.pi / 4096  # [m]: one count of each encoder, by which feedback may differ as well


@pytest.fixture(scope="module")
def usual() -> Twin:
    return didymos.load("omni_base")


@pytest.fixture(scope="module")
def source() -> Twin:
    return didymos.load("omni_base", variant="source_axes")


def _track(log: Log, stream: str = "truth.position") -> NDArray[np.float64]:
    return np.column_stack([log[f"{stream}.{axis}"].values for axis in "xy"])


def _turned(track: NDArray[np.float64]) -> NDArray[np.float64]:
    """What lies at (x right, y forward), in (x forward, y left)."""
    return np.column_stack([track[:, 1], -track[:, 0]])


def _yaw(log: Log) -> NDArray[np.float64]:
    return np.unwrap(2.0 * np.arctan2(log["truth.orientation.z"].values, log["truth.orientation.w"].values))


@pytest.mark.parametrize(
    ("scenario", "seconds", "tolerance"),
    [("square", 30.0, ENGINE), ("square_turns", 35.0, ENGINE), ("oblique", 4.0, ENGINE), ("circle", 6.0, ENGINE),
     ("changes", 6.0, ENGINE), ("pose", 8.0, COUNT), ("path_star", 20.0, COUNT)],
)  # fmt: skip
def test_the_axes_of_the_source_give_the_same_motion_a_quarter_turn_on(
    usual: Twin, source: Twin, scenario: str, seconds: float, tolerance: float
) -> None:
    ours, theirs = (twin.simulate(scenario=scenario).run(seconds) for twin in (usual, source))
    assert np.ptp(_track(ours), axis=0).max() > 0.1  # [m]: it moves
    np.testing.assert_allclose(_turned(_track(theirs)), _track(ours), atol=tolerance)
    np.testing.assert_allclose(_turned(_track(theirs, "odom.position")), _track(ours, "odom.position"), atol=tolerance)
    np.testing.assert_allclose(_yaw(theirs), _yaw(ours), atol=10 * tolerance)  # over a lever of at least 0.1 m


def test_so_it_does_without_contact_and_on_rollers() -> None:
    """The ideal base to rounding; rollers meet the ground one after the other, which each rounding error moves."""
    for variant, tolerance, seconds in (("kinematic", 1e-9, 3.0), ("rollers", 1e-4, 1.0)):
        twins = (didymos.load("omni_base", variant=name) for name in (variant, f"source_axes+{variant}"))
        ours, theirs = (twin.simulate(scenario="oblique").run(seconds) for twin in twins)
        assert _track(ours)[-1].min() > 0.03  # [m]: 0.05 m/s ahead and to the left, once it is under way
        np.testing.assert_allclose(_turned(_track(theirs)), _track(ours), atol=tolerance)


def test_lidars_stay_where_they_are_and_the_imu_turns_with_the_base() -> None:
    """Before the wall, which is ahead of both: the one drives along its x, the other along its y, until the lidars stop it."""
    ours = didymos.load("omni_base", variant="walled")
    theirs = didymos.load("omni_base", variant="walled+source_axes")
    theirs.set("start.orientation.z", -0.5 * math.pi)
    logs = []
    for twin, ahead in ((ours, "vx"), (theirs, "vy")):
        twin.set("control.gains.stop.distance", 0.3)
        simulation = twin.simulate()
        simulation.intervene(Intervention(0, "steer", f"setpoints.{ahead}", (0.3,)))
        logs.append(simulation.run(8.0))
    np.testing.assert_allclose(_track(logs[1]), _track(logs[0]), atol=COUNT)
    assert 1.0 < _track(logs[0])[-1, 0] < 1.25  # [m]: the wall is at 1.95 m, the edge at 0.5 m
    for name in ("scan", "scan_left"):
        seen = [np.array([log[f"{name}.ranges.{i}"].values[-1] for i in range(0, 540, 20)]) for log in logs]
        hit = np.isfinite(seen[0])
        assert 3 < hit.sum() < len(hit)
        np.testing.assert_allclose(seen[1], seen[0], atol=0.01)  # the same noise, and a wall 0.9 m off at up to 70 deg
    # It gets under way in the first 0.1 s, most of 0.3 m/s; a bias has 0.07 m/s^2, the noise of the mean 0.014: 0.3 is 4 sigma.
    for axes, low, high in (("xy", 1.0, 3.3), ("yx", -0.3, 0.3)):
        for log, axis in zip(logs, axes, strict=True):
            assert low < log[f"imu.accel.{axis}"].values[1:11].mean() < high


@pytest.mark.parametrize("scenario", ["forward", "sideways", "oblique", "pose", "silence", "refused"])
def test_scenarios_in_the_axes_of_the_source_meet_what_they_expect(source: Twin, scenario: str) -> None:
    simulation = source.simulate(scenario=scenario)
    verdicts = simulation.judge(simulation.run())
    assert verdicts
    assert all(verdict.ok for verdict in verdicts), verdicts
