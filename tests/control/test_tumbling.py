"""Torque-free rotation: against closed forms, an independent integrator, and what is conserved."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from didymos.control.tumbling import shape_of, spin_change, tumble
from didymos.rotations import quaternion_to_matrix

Array = NDArray[np.float64]
INERTIA = np.array([4.93, 7.07, 8.67])


def _independent(inertia: Array, attitude: Array, rate: Array, time: float) -> tuple[Array, Array]:
    """The same motion by a method of order 8 on rotation matrices, errors below 1e-11."""

    def change(_: float, y: Array) -> Array:
        matrix, w = y[:9].reshape(3, 3), y[9:]
        cross = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
        return np.concatenate([(matrix @ cross).ravel(), np.cross(inertia * w, w) / inertia])

    begin = np.concatenate([quaternion_to_matrix(attitude).ravel(), rate])
    found = solve_ivp(change, (0.0, time), begin, method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    return found[:9].reshape(3, 3), found[9:]


def _random(rng: Any, size: float) -> tuple[Array, Array]:
    attitude, rate = rng.normal(size=4), rng.normal(size=3)
    return attitude / np.linalg.norm(attitude), size * rate / np.linalg.norm(rate)


@pytest.mark.parametrize("seed", range(5))
def test_a_hundred_seconds_are_those_of_an_independent_integrator(seed: int) -> None:
    """RK4 errs by T |w| (|w| h)^4 / 120 in the mean: 10 rad times 3.3e-9 at 0.1 rad/s and 0.25 s; the bound is thrice that."""
    attitude, rate = _random(np.random.default_rng(seed), 0.1)
    q, w = tumble(shape_of(INERTIA), tuple(attitude), tuple(rate), 100.0, 0.25)
    matrix, expected = _independent(INERTIA, attitude, rate, 100.0)
    assert np.abs(quaternion_to_matrix(np.array(q)) - matrix).max() < 1e-7
    assert np.abs(np.array(w) - expected).max() < 1e-8


def test_halving_the_step_leaves_a_sixteenth_of_the_error() -> None:
    attitude, rate = _random(np.random.default_rng(11), 1.0)
    matrix, _ = _independent(INERTIA, attitude, rate, 20.0)
    errors = []
    for step in (0.2, 0.1):
        q, _ = tumble(shape_of(INERTIA), tuple(attitude), tuple(rate), 20.0, step)
        errors.append(np.abs(quaternion_to_matrix(np.array(q)) - matrix).max())
    assert 12.0 < errors[0] / errors[1] < 40.0  # of the fourth order; normalising makes some attitudes fifth


def test_the_rate_of_a_symmetric_body_goes_round_its_axis_at_the_known_speed() -> None:
    """I_1 = I_2: w_3 stays, (w_1, w_2) turns by (I_3 - I_1) / I_1 w_3 t."""
    inertia, rate, time = np.array([5.0, 5.0, 8.0]), (0.03, 0.0, 0.08), 40.0
    _, w = tumble(shape_of(inertia), (1.0, 0.0, 0.0, 0.0), rate, time, 0.1)
    angle = (8.0 - 5.0) / 5.0 * 0.08 * time
    np.testing.assert_allclose(w, (0.03 * np.cos(angle), 0.03 * np.sin(angle), 0.08), atol=1e-10)


def test_angular_momentum_in_the_world_and_energy_stay() -> None:
    attitude, rate = _random(np.random.default_rng(2), 0.1)
    q, w = tumble(shape_of(INERTIA), tuple(attitude), tuple(rate), 300.0, 0.1)
    before = quaternion_to_matrix(attitude) @ (INERTIA * rate)
    after = quaternion_to_matrix(np.array(q)) @ (INERTIA * np.array(w))
    np.testing.assert_allclose(after, before, atol=3e-8 * np.linalg.norm(before))
    assert np.dot(INERTIA, np.square(w)) == pytest.approx(np.dot(INERTIA, rate**2), rel=1e-8)


def test_back_in_time_is_where_it_came_from() -> None:
    attitude, rate = _random(np.random.default_rng(5), 0.1)
    there = tumble(shape_of(INERTIA), tuple(attitude), tuple(rate), 10.0, 0.05)
    q, w = tumble(shape_of(INERTIA), *there, -10.0, 0.05)
    np.testing.assert_allclose(q, attitude, atol=1e-10)
    np.testing.assert_allclose(w, rate, atol=1e-11)


def test_a_spin_about_a_principal_axis_does_not_change() -> None:
    for axis in range(3):
        rate = [0.0, 0.0, 0.0]
        rate[axis] = 0.1
        assert spin_change(shape_of(INERTIA), tuple(rate)) == (0.0, 0.0, 0.0)
