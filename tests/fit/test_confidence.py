"""Intervals against the closed form of linear regression, and against noise that is not white."""

from __future__ import annotations

import numpy as np
import pytest

from didymos.fitting.confidence import confidence


def line(n: int) -> np.ndarray:
    return np.column_stack([np.ones(n), np.linspace(-1.0, 1.0, n)])


def test_white_noise_gives_the_textbook_interval() -> None:
    n, sigma = 4000, 0.3
    jacobian = line(n)
    residual = sigma * np.random.default_rng(1).standard_normal(n)
    found = confidence(jacobian, residual, [n])
    expected = 1.96 * sigma * np.sqrt(np.diag(np.linalg.inv(jacobian.T @ jacobian)))
    assert found.half_width == pytest.approx(expected, rel=0.05)  # the size of the noise is known to 1 in sqrt(2 n)


def test_errors_that_last_widen_the_interval() -> None:
    rng = np.random.default_rng(2)
    n = 4000
    white = rng.standard_normal(n)
    slow = np.convolve(white, np.ones(6) / np.sqrt(6.0), mode="same")  # same variance, six samples alike
    narrow, wide = (confidence(line(n), noise, [n]).half_width[0] for noise in (white, slow))
    assert wide == pytest.approx(np.sqrt(6.0) * narrow, rel=0.1)


def test_channels_of_different_noise_are_weighed_by_their_own() -> None:
    rng = np.random.default_rng(3)
    n = 2000
    jacobian = np.vstack([line(n)[:, :1], 0.0 * line(n)[:, :1]])
    residual = np.concatenate([0.1 * rng.standard_normal(n), 50.0 * rng.standard_normal(n)])
    found = confidence(jacobian, residual, [n, n])
    assert found.half_width[0] == pytest.approx(1.96 * 0.1 / np.sqrt(n), rel=0.15)


def test_directions_that_no_sample_sees_have_no_interval() -> None:
    one = line(100)[:, 1:]
    found = confidence(np.column_stack([one, one, np.ones(100), np.zeros(100)]), np.ones(100), [100])
    assert np.isinf(found.half_width[[0, 1, 3]]).all()
    assert np.isfinite(found.half_width[2])
