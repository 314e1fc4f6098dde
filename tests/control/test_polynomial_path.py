"""Paths of polynomials: they begin and end as they are asked to, and follow closed forms in between."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from didymos.control.polynomial_path import Path, Piece, State, bezier, smooth, smooth_piece, spiral

EPS = 1e-9  # polynomials of seventh order over seconds, in double precision: 1e-13 of their largest coefficient, with a margin


def derivative(coefficients: np.ndarray, order: int, t: float) -> float:
    polynomial = np.polynomial.Polynomial(coefficients)
    return float(polynomial.deriv(order)(t) if order else polynomial(t))


def test_from_rest_to_rest_it_is_the_known_polynomial() -> None:
    length, duration = 0.8, 2.5
    found = smooth(duration, (0.3, 0, 0), (0.3 + length, 0, 0))
    for s in np.linspace(0.0, 1.0, 11):
        expected = 0.3 + length * s**4 * (35 - 84 * s + 70 * s**2 - 20 * s**3)
        assert derivative(found, 0, s * duration) == pytest.approx(expected, abs=EPS)
    assert derivative(found, 1, duration / 2) == pytest.approx(35 / 16 * length / duration, abs=EPS)


def test_it_meets_value_rate_acceleration_and_no_jerk_at_both_ends() -> None:
    begin, end, duration = (1.0, -0.4, 0.7), (-2.0, 0.9, -1.1), 3.3
    found = smooth(duration, begin, end)
    for t, state in ((0.0, begin), (duration, end)):
        for order, value in enumerate((*state, 0.0)):
            assert derivative(found, order, t) == pytest.approx(value, abs=EPS)


def test_without_time_it_stands_at_the_end() -> None:
    piece = smooth_piece(0.0, State.at_rest([0, 0, 0, 0]), State.at_rest([1, 2, 3, 0.5]))
    np.testing.assert_allclose(piece.at(0.0).value, [1, 2, 3, 0.5])
    assert piece.duration == 0.0


def test_a_piece_has_the_derivatives_of_its_polynomials() -> None:
    coefficients = np.arange(32, dtype=float).reshape(4, 8) / 50 - 0.2
    state = Piece(coefficients, 1.0).at(0.7)
    for i in range(4):
        for order, found in enumerate((state.value, state.rate, state.acceleration)):
            assert found[i] == pytest.approx(derivative(coefficients[i], order, 0.7), abs=EPS)


def test_a_bezier_curve_is_that_of_de_casteljau() -> None:
    points, duration = [0.0, 1.0, -2.0, 3.0, 0.5, 1.5, 2.0, -1.0], 2.0
    for count in (1, 2, 4, 8):
        found = bezier(duration, points[:count])
        for t in (0.0, 0.3, 1.1, 2.0):
            row = points[:count]
            while len(row) > 1:
                row = [a + (b - a) * t / duration for a, b in itertools.pairwise(row)]
            assert derivative(found, 0, t) == pytest.approx(row[0], abs=EPS)


@pytest.mark.parametrize("side", [False, True])
@pytest.mark.parametrize("turn", [1.0, -1.0])
def test_a_spiral_begins_and_ends_on_its_circle(turn: float, side: bool) -> None:
    angle, radius, duration, yaw = math.pi / 2, 0.5, 2.0, 0.3
    begin = State.at_rest([1.0, 2.0, 0.5, yaw])
    piece = spiral(begin, angle, (radius, radius), 0.4, duration, turn, side)
    first, last = piece.at(0.0), piece.at(duration)
    np.testing.assert_allclose(first.value, begin.value, atol=EPS)
    forward = yaw + (math.pi / 2 if side else 0.0)
    along = np.array([math.cos(forward), math.sin(forward)])
    speed = radius * angle / duration
    np.testing.assert_allclose(first.rate[:2], speed * along, atol=EPS)  # forward, or to the left, where it heads
    inward = np.array([along[1], -along[0]]) * turn  # to the right where it turns clockwise
    np.testing.assert_allclose(first.acceleration[:2], speed**2 / radius * inward, atol=EPS)
    centre = begin.value[:2] + radius * inward
    np.testing.assert_allclose(np.linalg.norm(last.value[:2] - centre), radius, atol=EPS)
    assert last.value[2:] == pytest.approx([0.9, yaw - turn * angle], abs=EPS)
    middle = piece.at(duration / 2).value[:2] - centre
    assert np.linalg.norm(middle) == pytest.approx(radius, rel=0.01)  # a quarter circle by one polynomial


def test_a_path_is_stretched_turned_shifted_and_followed_backwards() -> None:
    first = smooth_piece(1.0, State.at_rest([0, 0, 0, 0]), State.at_rest([1, 0, 0, 0]))
    second = smooth_piece(2.0, State.at_rest([1, 0, 0, 0]), State.at_rest([1, 1, 1, 0.5]))
    pieces = (first, second)
    plain = Path(pieces)
    assert plain.duration == 3.0
    np.testing.assert_allclose(plain.at(1.0).value, [1, 0, 0, 0], atol=EPS)
    over = plain.at(7.0)
    np.testing.assert_allclose(over.value, [1, 1, 1, 0.5], atol=EPS)
    assert not over.rate.any()
    assert not over.acceleration.any()
    slow = Path(pieces, scale=2.0)
    np.testing.assert_allclose(slow.at(3.0).value, plain.at(1.5).value, atol=EPS)
    np.testing.assert_allclose(slow.at(3.0).rate, plain.at(1.5).rate / 2, atol=EPS)
    np.testing.assert_allclose(slow.at(3.0).acceleration, plain.at(1.5).acceleration / 4, atol=EPS)
    back = Path(pieces, backward=True)
    np.testing.assert_allclose(back.at(0.5).value, plain.at(2.5).value, atol=EPS)
    np.testing.assert_allclose(back.at(0.5).rate, -plain.at(2.5).rate, atol=EPS)
    placed = Path(pieces, shift=(1.0, 2.0, 3.0), turn=math.pi / 2).at(1.0)
    np.testing.assert_allclose(placed.value, [1, 3, 3, math.pi / 2], atol=EPS)
