"""Pieces of the navigation filter by themselves: attitude of the past, deviations that it reports."""

from __future__ import annotations

import numpy as np
import pytest
import synthetic_flights as sky
from scipy.spatial.transform import Rotation, Slerp

from didymos.control.estimator import deviations
from didymos.control.filter_align import forget
from didymos.control.filter_past import look_back


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_the_attitude_of_the_past_lies_between_the_kept_ones(side: float) -> None:
    """Turned at a steady rate about any axis, asked half way, where a straight line meets the arc; q and -q are one attitude."""
    navigation = sky.navigation_of(sky.FLIGHTS["plane"](), sky.specs())
    settings, rng = np.array([navigation.settings["filter"]])[0], np.random.default_rng(5)
    for _ in range(300):
        memory = np.zeros(1, dtype=sky.FILTER_MEMORY)[0]
        forget(memory)
        first = Rotation.random(random_state=rng)
        ends = Rotation.concatenate([first, first * Rotation.from_rotvec(rng.uniform(-1.0, 1.0, 3))])
        older, newer = np.roll(ends.as_quat(), 1, axis=1)  # w first
        memory["time"] = memory["reckoned"]["time"] = 0.1
        memory["history"]["orientation"][0], memory["kept"] = side * older, 1.0
        memory["reckoned"]["orientation"] = newer
        assert look_back(settings, 0.05, memory)
        w, x, y, z = memory["past"]["turn"]
        assert w * w + x * x + y * y + z * z == pytest.approx(1.0, rel=1e-12)
        middle = Slerp([0.0, 1.0], ends)(0.5)
        off = (ends[1].inv() * middle).inv() * Rotation.from_quat([x, y, z, w])
        assert off.magnitude() < 1e-7


@pytest.mark.parametrize("size", [1e-4, 1.0, 30.0])
def test_reported_deviations_are_the_roots_of_the_covariance(size: float) -> None:
    memory = np.zeros(1, dtype=sky.FILTER_MEMORY)[0]
    np.fill_diagonal(memory["covariance"], (size * np.arange(1.0, 1.0 + len(memory["covariance"]))) ** 2)
    tilt, heading, velocity, position = deviations(memory)
    expected = np.sqrt([1 + 4, 9, 16 + 25 + 36, 49 + 64 + 81])
    assert (tilt, heading, velocity, position) == pytest.approx(tuple(size * expected), rel=1e-12)
