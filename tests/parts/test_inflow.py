"""The induced velocity: closed forms of momentum theory, Johnson's fit between them, one solution everywhere."""

from __future__ import annotations

import math

import numpy as np
import pytest

from didymos.parts.inflow import _in_bracket, axial_share
from didymos.parts.inflow import induced_velocity as solve


def induced_velocity(blades: float, slope: float, climb: float, across: float) -> float:
    """The quick way finds what the bracket finds, from any guess: the cube of 5e-4, the square of 1e-5."""
    found = solve(blades, slope, climb, across * across)
    sign = 1.0 if blades > 0.0 else -1.0
    for guess in (0.9 * abs(found), 7.0 * abs(found), 1e-3):
        assert sign * _in_bracket(sign * blades, slope, sign * climb, across * across, guess) == pytest.approx(found, rel=1e-7)
    return float(found)


@pytest.mark.parametrize("x", [0.0, 0.3, 1.0, 4.0])
def test_in_climb_it_is_momentum_theory(x: float) -> None:
    """v / v_h = -x / 2 + sqrt(x^2 / 4 + 1), thrust given."""
    assert induced_velocity(9.0, 0.0, 3.0 * x, 0.0) == pytest.approx(3.0 * (-x / 2 + math.sqrt(x * x / 4 + 1)), rel=1e-10)


@pytest.mark.parametrize("x", [0.1, 0.5, 0.99])
def test_in_slow_descent_it_is_momentum_theory_still(x: float) -> None:
    assert induced_velocity(9.0, 0.0, -3.0 * x, 0.0) == pytest.approx(3.0 * (x / 2 + math.sqrt(x * x / 4 + 1)), rel=1e-10)


@pytest.mark.parametrize("x", [1.001, 1.2, 1.5, 1.8, 1.999])
def test_in_the_vortex_ring_it_is_johnsons_polynomial(x: float) -> None:
    """v / v_h = x (1.991 - 0.373 x^2), whose printed digits are right to 1.4e-3 at x = 2."""
    assert induced_velocity(9.0, 0.0, -3.0 * x, 0.0) == pytest.approx(3.0 * x * (1.991 - 0.373 * x * x), rel=4e-3)


@pytest.mark.parametrize("x", [2.0001, 2.5, 6.0])
def test_in_the_windmill_it_is_the_other_root_of_momentum_theory(x: float) -> None:
    assert induced_velocity(9.0, 0.0, -3.0 * x, 0.0) == pytest.approx(3.0 * (x / 2 - math.sqrt(x * x / 4 - 1)), rel=1e-6)


@pytest.mark.parametrize(("climb", "across"), [(0.0, 2.0), (0.0, 40.0), (3.0, 6.0), (-0.5, 5.0), (-20.0, 9.0)])
def test_in_forward_flight_it_is_glauerts(climb: float, across: float) -> None:
    v = induced_velocity(9.0, 0.7, climb, across)
    assert v * math.hypot(across, climb + v) == pytest.approx(9.0 - 0.7 * v, rel=1e-9)


def test_the_regimes_meet_without_a_jump() -> None:
    for v in (2.5, 2.5 * (1.0 + math.sqrt(5.0))):  # L / 2 and g L of L = 5
        below, above = axial_share(v * (1.0 - 1e-9), -5.0)[0], axial_share(v * (1.0 + 1e-9), -5.0)[0]
        assert above == pytest.approx(below, rel=1e-7)
        assert above >= below


def test_a_braking_propeller_is_a_mirror_image() -> None:
    for climb in (-7.0, -2.0, 0.0, 2.0, 4.4, 7.0):
        assert induced_velocity(-9.0, 0.4, -climb, 1.3) == -induced_velocity(9.0, 0.4, climb, 1.3)


def test_any_numbers_have_their_solution() -> None:
    """Blades and momentum agree to 1e-9 in 10,000 random states over nine orders of magnitude."""
    random = np.random.default_rng(5)
    for _ in range(10_000):
        e, c, p = 10.0 ** random.uniform(-6, 3, 3)
        x = random.choice([-1.0, 1.0]) * 10.0 ** random.uniform(-6, 3)
        c, p = c * (random.random() > 0.1), p * (random.random() > 0.2)
        v = induced_velocity(e, c, x, p)
        share = axial_share(v, x)[0]
        assert math.hypot(v * p, share) + c * v == pytest.approx(e, rel=1e-9)


def test_it_rises_with_the_lift_of_the_blades_and_falls_with_their_slope() -> None:
    """Along lines through all regimes: strictly monotone, so there is one solution and no jump between branches."""
    lifts = np.linspace(0.01, 60.0, 4001)
    for climb in (-9.0, -4.0, 3.0):
        for across in (0.0, 2.0, 15.0):
            found = np.array([induced_velocity(float(e), 0.8, climb, across) for e in lifts])
            assert (np.diff(found) > 0.0).all()
            assert np.diff(found).max() < 1.25 * (lifts[1] - lifts[0]) / 0.8  # at most 1 / c, where momentum has no slope
