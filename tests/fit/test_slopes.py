"""Slopes by differences: of both sides where these agree, of the flatter one where the values jump."""

from __future__ import annotations

import numpy as np
import pytest

from didymos.fitting.slopes import one_or_both_ways

N, STEP = 6, 1e-3
RATES = np.arange(1.0, N + 1.0)
WHOLE, NOBODY = np.full(N, STEP), np.zeros((N, 3), dtype=bool)


def test_smooth_values_have_the_slope_of_both_sides() -> None:
    values = np.column_stack([0.0 * RATES, RATES * STEP + STEP**2, -RATES * STEP + STEP**2])  # RATES x + x^2
    found = one_or_both_ways(values, NOBODY, WHOLE, -WHOLE, np.zeros(N, dtype=np.int64))
    assert found == pytest.approx(RATES, rel=1e-12)


@pytest.mark.parametrize("side", [1, 2])
def test_a_jump_on_one_side_does_not_steepen_the_slope(side: int) -> None:
    values = np.column_stack([0.0 * RATES, RATES * STEP, -RATES * STEP])
    values[3:, side] += 0.2  # as if friction had caught it elsewhere
    recording = np.array([0, 0, 0, 1, 1, 1])
    found = one_or_both_ways(values, NOBODY, WHOLE, -WHOLE, recording)
    assert found == pytest.approx(RATES, rel=1e-9)  # not hundred times as steep


def test_a_side_that_failed_is_left_out() -> None:
    values, failed = np.column_stack([0.0 * RATES, RATES * STEP, -RATES * STEP]), NOBODY.copy()
    values[:, 2], failed[:, 2] = 7.0, True
    assert one_or_both_ways(values, failed, WHOLE, -WHOLE, np.zeros(N, dtype=np.int64)) == pytest.approx(RATES)
