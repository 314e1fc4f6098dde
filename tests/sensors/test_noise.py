"""Random numbers: moments, independence of counters and streams."""

from __future__ import annotations

import numpy as np
import pytest

from didymos.noise import normal, stream_key, uniform

N = 100_000
SIGMA = 5.0  # a right generator fails a bound of five standard errors once in two million times; ours is seeded anyway


@pytest.fixture(scope="module")
def normals() -> np.ndarray:
    high, low = stream_key(1, "imu")
    return np.array([normal(high, low, i) for i in range(N)])


@pytest.fixture(scope="module")
def uniforms() -> np.ndarray:
    high, low = stream_key(1, "imu.drop_out")
    return np.array([uniform(high, low, i) for i in range(N)])


def test_uniform_numbers_fill_the_open_interval_evenly(uniforms: np.ndarray) -> None:
    assert uniforms.min() > 0.0
    assert uniforms.max() < 1.0
    assert abs(uniforms.mean() - 0.5) < SIGMA * np.sqrt(1 / 12 / N)
    # the variance of (x - 1/2)^2 is 1/80 - 1/144 = 1/180
    assert abs(uniforms.var() - 1 / 12) < SIGMA * np.sqrt(1 / 180 / N)
    counts = np.histogram(uniforms, bins=100, range=(0, 1))[0]
    chi_square = ((counts - N / 100) ** 2 / (N / 100)).sum()  # 99 degrees of freedom: mean 99, variance 198
    assert abs(chi_square - 99) < SIGMA * np.sqrt(198)


def test_normal_numbers_have_the_moments_of_a_normal_distribution(normals: np.ndarray) -> None:
    # standard errors of the moments of a standard normal: 1, 2, 15, 96 over n
    assert abs(normals.mean()) < SIGMA * np.sqrt(1 / N)
    assert abs((normals**2).mean() - 1) < SIGMA * np.sqrt(2 / N)
    assert abs((normals**3).mean()) < SIGMA * np.sqrt(15 / N)
    assert abs((normals**4).mean() - 3) < SIGMA * np.sqrt(96 / N)


@pytest.mark.parametrize("lag", [1, 2, 8, 16, 48, 1000])
def test_neighbouring_numbers_are_not_correlated(normals: np.ndarray, lag: int) -> None:
    assert abs((normals[lag:] * normals[:-lag]).mean()) < SIGMA / np.sqrt(N - lag)


@pytest.mark.parametrize("other", [(1, "imu2"), (2, "imu"), (1, "imu.drop_out"), (12, "mu"), (0, "imu")])
def test_streams_are_not_correlated(normals: np.ndarray, other: tuple[int, str]) -> None:
    high, low = stream_key(*other)
    second = np.array([normal(high, low, i) for i in range(20_000)])
    for lag in (0, 1, 7):
        assert abs((normals[lag : 20_000 + lag] * second).mean()) < SIGMA / np.sqrt(20_000)


def test_a_number_depends_on_nothing_but_its_stream_and_counter(normals: np.ndarray) -> None:
    high, low = stream_key(1, "imu")
    assert [normal(high, low, i) for i in (77, 3, 77)] == [normals[77], normals[3], normals[77]]
    assert stream_key(1, "imu") == stream_key(1, "imu")
    assert all(0 <= half < 2**32 and half == int(half) for half in stream_key(99, "x"))
