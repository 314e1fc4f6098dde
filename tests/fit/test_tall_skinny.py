"""A residual and its Jacobian, reduced stretch by stretch, say the same as all rows at once."""

from __future__ import annotations

import numpy as np
import pytest

from didymos.fitting.tall_skinny import reduced, turned


def rows(seed: int = 0, condition: float = 1.0) -> np.ndarray:
    """A Jacobian of three columns, the last two alike up to `condition`, and a residual beside it; shape [200, 4]."""
    columns = np.random.default_rng(seed).standard_normal((200, 4))
    columns[:, 2] = columns[:, 1] + columns[:, 2] / condition
    return columns


def folded(whole: np.ndarray, pieces: int) -> np.ndarray:
    triangle = None
    for part in np.array_split(whole, pieces):
        triangle = reduced(triangle, part)
    assert triangle is not None
    return triangle


@pytest.mark.parametrize("pieces", [1, 7, 200])
def test_products_of_columns_stay(pieces: int) -> None:
    whole = rows()
    triangle = folded(whole, pieces)
    assert triangle.shape == (4, 4)
    assert triangle.T @ triangle == pytest.approx(whole.T @ whole, rel=1e-12, abs=1e-12)


def test_digits_that_normal_equations_lose_are_kept() -> None:
    whole = rows(condition=1e10)  # of J^T J: 1e20, beyond what a double holds
    triangle = folded(whole, 5)
    step = np.linalg.solve(triangle[:3, :3], -triangle[:3, 3])
    expected = np.linalg.lstsq(whole[:, :3], -whole[:, 3], rcond=None)[0]
    assert step == pytest.approx(expected, rel=1e-4)  # 1e10 times the rounding of 1e-16, and some


@pytest.mark.parametrize("seed", range(4))
def test_a_residual_along_the_first_axis_has_the_same_size_and_the_same_slopes(seed: int) -> None:
    whole = rows(seed)
    size, slopes = turned(folded(whole, 3))
    assert size == pytest.approx(np.linalg.norm(whole[:, 3]), rel=1e-12)
    assert slopes.T @ slopes == pytest.approx(whole[:, :3].T @ whole[:, :3], rel=1e-12, abs=1e-12)
    assert size * slopes[0] == pytest.approx(whole[:, :3].T @ whole[:, 3], rel=1e-12, abs=1e-11)


def test_an_exact_fit_has_no_size_and_keeps_its_slopes() -> None:
    whole = rows()
    whole[:, 3] = 0.0
    size, slopes = turned(folded(whole, 2))
    assert size == 0.0
    assert slopes.T @ slopes == pytest.approx(whole[:, :3].T @ whole[:, :3], rel=1e-12, abs=1e-12)
