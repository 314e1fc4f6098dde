"""Rates at the poses of a smooth path, beside scipy's splines."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation, RotationSpline

from didymos.engine.smooth_rates import position_rates, turn_rates
from didymos.rotations import rotation_error

pytestmark = pytest.mark.quick
ROUNDING = 1e-12  # sums of a dozen numbers around 1, solved with a condition below 100


@pytest.mark.parametrize("count", [2, 3, 4, 9])
def test_rates_are_those_of_splines(count: int) -> None:
    random = np.random.default_rng(count)
    times = np.cumsum(random.uniform(0.3, 2.0, count))
    places = random.normal(size=(count, 3))
    clamped = CubicSpline(times, places, bc_type="clamped")(times, 1)
    assert position_rates(times, places, repeat=False) == pytest.approx(clamped, abs=ROUNDING)
    places[-1] = places[0]
    periodic = CubicSpline(times, places, bc_type="periodic")(times, 1)
    assert position_rates(times, places, repeat=True) == pytest.approx(periodic, abs=ROUNDING)
    turns = Rotation.from_rotvec(np.cumsum(0.6 * random.normal(size=(count, 3)), axis=0))
    attitudes = turns.as_quat(scalar_first=True)
    rates = turn_rates(times, rotation_error(attitudes[:-1], attitudes[1:]))
    assert rates == pytest.approx(RotationSpline(times, turns)(times, 1), abs=ROUNDING)


def test_rates_of_turns_smaller_than_their_series_needs() -> None:
    times, turns = np.array([0.0, 1.0, 3.0]), Rotation.from_rotvec(1e-5 * np.array([[0, 0, 0], [1, 2, 3], [-2, 1, 0]]))
    attitudes = turns.as_quat(scalar_first=True)
    rates = turn_rates(times, rotation_error(attitudes[:-1], attitudes[1:]))
    assert rates == pytest.approx(RotationSpline(times, turns)(times, 1), abs=1e-5 * ROUNDING)
