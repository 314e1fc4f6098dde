"""The last passes of a fit, on an approach whose noise is slow: nearer to the truth than least squares, and within bounds."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import least_squares
from scipy.signal import lfilter

from didymos.fitting.blocks import Block
from didymos.fitting.generalised import refine

TIME = np.linspace(0.0, 4.0, 200)
BLOCKS = [Block(0, "approach", TIME, 0)]
LOW, WIDTH = np.array([0.0, 0.5]), np.array([4.0, 4.5])
TRUTH = (np.array([2.0, 2.5]) - LOW) / WIDTH  # where it ends, and the logarithm of its rate; between the bounds


def approach(point: np.ndarray) -> np.ndarray:
    end, rate = LOW + WIDTH * point
    return -end * np.expm1(-np.exp(rate) * TIME)


def slopes(point: np.ndarray) -> np.ndarray:
    end, rate = LOW + WIDTH * point
    left = np.exp(-np.exp(rate) * TIME)
    return WIDTH * np.column_stack([1.0 - left, end * np.exp(rate) * TIME * left])


def recorded(seed: int, size: float) -> np.ndarray:
    steps = np.random.default_rng(seed).standard_normal(len(TIME))
    steps[1:] *= np.sqrt(1.0 - 0.97**2)
    return approach(TRUTH) + size * lfilter([1.0], [1.0, -0.97], steps)


def test_slow_noise_moves_the_estimate_towards_the_truth() -> None:
    plain, refined = [], []
    for seed in range(12):
        data = recorded(seed, 0.2)
        start = least_squares(lambda x, data=data: approach(x) - data, TRUTH, jac=slopes).x
        found = refine(lambda x, data=data: (approach(x) - data, slopes(x)), start, BLOCKS)
        assert found.settled
        plain.append(start - TRUTH)
        refined.append(found.point - TRUTH)
    ratio = np.sqrt(np.mean(np.square(refined), axis=0) / np.mean(np.square(plain), axis=0))
    assert ratio[1] < 0.6  # of the rate; by linear theory a third


def test_the_passes_stay_within_the_bounds() -> None:
    data = 1.9 * recorded(0, 0.05)
    found = refine(lambda x: (approach(x) - data, slopes(x)), np.array([0.99, TRUTH[1]]), BLOCKS)
    assert 0.9 < found.point[0] <= 1.0


def test_the_passes_heed_what_was_believed_before() -> None:
    data, mean, sd = recorded(0, 0.1), 0.3, 1e-5

    def linearise(point: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return (
            np.append(approach(point) - data, 0.2 * (point[0] - mean) / sd),
            np.vstack([slopes(point), [0.2 / sd, 0.0]]),
        )

    assert refine(linearise, np.array([mean, TRUTH[1]]), BLOCKS, belief=0.2).point[0] == pytest.approx(mean, abs=1e-4)
