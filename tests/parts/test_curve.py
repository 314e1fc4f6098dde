"""Curves against the polynomials that they stand for."""

from __future__ import annotations

import numpy as np
import pytest
from pydantic import ValidationError
from scipy.interpolate import CubicSpline

from didymos.parts.curve import CurveSpec, evaluate


def _at(curve: CurveSpec, x: float, y: float = 0.0) -> float:
    return evaluate(curve.record(), x, y)


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


def test_a_curve_takes_what_its_record_holds_and_no_more() -> None:
    points = np.linspace(-1.0, 1.0, 129)
    spline = CubicSpline(points, np.cos(2.0 * points))
    longest = CurveSpec(kind="spline", breaks=tuple(points), coefficients=tuple(spline.c.T.ravel()))
    assert _at(longest, 0.99) == pytest.approx(float(spline(0.99)), abs=1e-12)
    points = np.linspace(-1.0, 1.0, 130)
    spline = CubicSpline(points, np.cos(2.0 * points))
    with pytest.raises(ValidationError, match="found 516 coefficients, expected at most 512"):
        CurveSpec(kind="spline", breaks=tuple(points), coefficients=tuple(spline.c.T.ravel()))
