"""Curves against the polynomials that they stand for."""

from __future__ import annotations

import numpy as np
import pytest
from pydantic import ValidationError
from scipy.interpolate import CubicSpline

from didymos.parts.curve import CurveSpec, evaluate


def _at(curve: CurveSpec, x: float, y: float = 0.0) -> float:
    return evaluate(np.array([7.0, *curve.table()]), 1, x, y)


def test_a_polynomial_counts_its_powers_upward() -> None:
    curve = CurveSpec(coefficients=(0.0661, -0.1647, 0.2958, -0.2355))
    assert _at(curve, 0.3) == pytest.approx(0.0661 - 0.1647 * 0.3 + 0.2958 * 0.09 - 0.2355 * 0.027, rel=1e-14)


def test_a_surface_counts_its_second_variable_fastest() -> None:
    """The printed example of the original: degrees 1 and 5, eleven numbers."""
    numbers = (7.554e4, -1076.0, 5.768, -0.01416, 1.66e-5, -7.553e-9, 1.676e5, -1487.0, 4.831, -0.006781, 3.493e-6)
    curve = CurveSpec(kind="surface", degrees=(1, 5), coefficients=numbers)
    x, y = 0.4, 300.0
    expected = sum(c * y**j for j, c in enumerate(numbers[:6])) + x * sum(c * y**j for j, c in enumerate(numbers[6:]))
    assert _at(curve, x, y) == pytest.approx(expected, rel=1e-12)


def test_a_surface_with_a_wrong_count_is_refused() -> None:
    with pytest.raises(ValidationError, match="need 11"):
        CurveSpec(kind="surface", degrees=(1, 5), coefficients=(1.0,) * 7)


def test_a_spline_runs_through_its_points_and_holds_its_ends() -> None:
    points = np.linspace(-1.5, 1.5, 8)
    spline = CubicSpline(points, np.sin(3.0 * points))
    curve = CurveSpec(kind="spline", breaks=tuple(points), coefficients=tuple(spline.c.T.ravel()))
    for x in np.linspace(-1.5, 1.5, 41):
        assert _at(curve, x) == pytest.approx(float(spline(x)), abs=1e-12)
    assert _at(curve, 9.0) == pytest.approx(np.sin(4.5))
    assert _at(curve, -9.0) == pytest.approx(-np.sin(4.5))
