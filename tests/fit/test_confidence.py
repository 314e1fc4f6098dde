"""Intervals against closed forms of linear regression, with noise that is white, slow, alternating, shared, of windows."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.linalg import toeplitz
from scipy.signal import lfilter

from didymos.fitting.blocks import Block
from didymos.fitting.confidence import Estimate, confidence
from didymos.fitting.noise_process import whiten

NORMAL = 1.959963984540054


def line(n: int) -> np.ndarray:
    return np.column_stack([np.ones(n), np.linspace(-1.0, 1.0, n)])


def motion(n: int) -> np.ndarray:
    """Columns as those of a drive that is stepped: an approach, a decaying swing, a sine that grows."""
    x = np.linspace(0.0, 1.0, n)
    return np.column_stack([1.0 - np.exp(-5.0 * x), np.exp(-8.0 * x) * np.sin(20.0 * x), x * np.sin(9.0 * x)])


def slow(rng: np.random.Generator, n: int, correlation: float, channels: int = 1) -> np.ndarray:
    """Noise of variance 1, correlated from sample to sample, in its steady state; shape [n, channels]."""
    steps = rng.standard_normal((n, channels))
    steps[1:] *= math.sqrt(1.0 - correlation**2)
    return lfilter([1.0], [1.0, -correlation], steps, axis=0)


def blocks(n: int, channels: int = 1) -> list[Block]:
    return [Block(0, f"channel{c}", 0.01 * np.arange(n), c * n) for c in range(channels)]


def fitted(jacobian: np.ndarray, noise: np.ndarray, channels: int = 1) -> tuple[np.ndarray, Estimate]:
    """Least squares with a truth of zero: the point, and what is known there."""
    point = np.linalg.lstsq(jacobian, noise, rcond=None)[0]
    return point, confidence(jacobian, jacobian @ point - noise, blocks(len(noise) // channels, channels))


@pytest.mark.parametrize(("phi", "theta"), [(0.9, 0.0), (0.98, 0.8), (-0.5, 0.0), (0.3, 0.7), (0.95, -0.6)])
def test_whitening_is_the_inverse_root_of_the_covariance(phi: float, theta: float) -> None:
    n = 30
    variance = (1.0 - 2.0 * phi * theta + theta**2) / (1.0 - phi**2)
    lags = (1.0 - phi * theta) * (phi - theta) / (1.0 - phi**2) * phi ** np.arange(-1.0, n - 1.0)
    covariance = toeplitz(np.append(variance, lags[1:]))  # of ARMA(1,1) with innovations of variance 1
    roots, logs = whiten(np.eye(n)[None], np.array([phi]), np.array([theta]))
    assert roots[0] @ covariance @ roots[0].T == pytest.approx(np.eye(n), abs=1e-9)
    assert logs[0] == pytest.approx(np.linalg.slogdet(covariance)[1], abs=1e-9)


def test_a_long_stretch_is_whitened_as_a_short_one_is() -> None:
    series = np.random.default_rng(0).standard_normal((1, 900, 2))
    phi, theta = np.array([0.97, 0.2]), np.array([0.8, -0.5])
    long, short = whiten(series, phi, theta)[0], whiten(series[:, :300], phi, theta)[0]
    assert long[:, :300] == pytest.approx(short, abs=1e-9)


def test_white_noise_gives_the_textbook_interval() -> None:
    n, sigma = 4000, 0.3
    noise = sigma * np.random.default_rng(1).standard_normal(n)
    _, found = fitted(line(n), noise)
    expected = NORMAL * sigma * np.sqrt(np.diag(np.linalg.inv(line(n).T @ line(n))))
    assert np.all(found.half_width > 0.95 * expected)
    assert np.all(found.half_width < 1.25 * expected)  # the second of two estimates is unsure by 7 %


def test_chance_alone_makes_no_interval_wider() -> None:
    """The sandwich of 400 stamps has 22 degrees of freedom: it is wider than right noise is by 13 % in a fifth of fits."""
    n, rng = 400, np.random.default_rng(11)
    plain = NORMAL * np.sqrt(np.diag(np.linalg.inv(line(n).T @ line(n))))
    noises = rng.standard_normal((60, n))
    ratios = [fitted(line(n), noise)[1].half_width / (plain * np.std(noise)) for noise in noises]
    assert np.quantile(ratios, 0.8) < 1.1


def test_errors_that_are_large_where_the_slopes_are_make_the_interval_wider() -> None:
    """Noise of the size of the slope, u: no process over time tells that. Variance: E u^4 / (E u^2)^2 times the usual."""
    n, rng = 2000, np.random.default_rng(12)
    slope = np.sin(np.linspace(0.0, 40.0 * np.pi, n)) ** 5
    usual = NORMAL * np.sqrt(np.mean(slope**2) / np.sum(slope**2))
    true = usual * np.sqrt(np.mean(slope**4)) / np.mean(slope**2)  # 1.7 times
    found = [fitted(slope[:, None], slope * rng.standard_normal(n))[1].half_width[0] for _ in range(5)]
    assert np.median(found) == pytest.approx(true, rel=0.15)  # unsure by 9 % each, of 65 degrees of freedom


def test_errors_that_alternate_narrow_the_interval() -> None:
    n = 2000
    steps = np.random.default_rng(2).standard_normal(n + 1)
    noise = steps[1:] - 0.6 * steps[:-1]
    _, found = fitted(line(n), noise)
    expected = NORMAL * 0.4 / math.sqrt(n)  # sums of it are those of white noise times 1 - 0.6
    assert found.half_width[0] == pytest.approx(expected, rel=0.3)


def test_noise_that_two_channels_share_is_counted_once() -> None:
    rng = np.random.default_rng(3)
    n = 400
    shared = rng.standard_normal(n)
    noise = np.concatenate([shared + 0.1 * rng.standard_normal(n), shared + 0.1 * rng.standard_normal(n)])
    _, found = fitted(np.ones((2 * n, 1)), noise, 2)
    assert found.half_width[0] == pytest.approx(NORMAL * math.sqrt(1.005 / n), rel=0.25)  # not over sqrt(2 n)


def test_a_channel_that_only_carries_the_noise_takes_it_away() -> None:
    rng = np.random.default_rng(4)
    n = 400
    shared, own = rng.standard_normal(n), 0.1 * rng.standard_normal((2, n))
    jacobian = np.vstack([motion(n), np.zeros((n, 3))])
    noise = np.concatenate([shared + own[0], shared + own[1]])
    _, found = fitted(jacobian, noise, 2)
    alone = NORMAL * np.sqrt(np.diag(np.linalg.inv(motion(n).T @ motion(n))))
    assert np.all(found.half_width[1:] < 0.3 * alone[1:])  # the difference of the channels has 0.14 of the noise


def test_windows_that_start_wrong_are_one_observation_each() -> None:
    rng = np.random.default_rng(5)
    windows, m = 60, 20
    noise = np.repeat(rng.standard_normal(windows), m) + 0.05 * rng.standard_normal(windows * m)
    jacobian = np.ones((windows * m, 1))
    pieces = [Block(0, "x", 0.01 * np.arange(i * m, (i + 1) * m), i * m, i) for i in range(windows)]
    point = noise.mean()
    found = confidence(jacobian, point - noise, pieces)
    assert found.half_width[0] == pytest.approx(NORMAL / math.sqrt(windows), rel=0.5)  # t of 6, unsure by 30 %
    assert found.half_width[0] > 4.0 * NORMAL / math.sqrt(windows * m) / math.sqrt(m) * math.sqrt(m)


def test_directions_that_no_sample_sees_have_no_interval() -> None:
    one = line(100)[:, 1:]
    noise = np.random.default_rng(6).standard_normal(100)
    jacobian = np.column_stack([one, one, np.ones(100), np.zeros(100)])
    found = confidence(jacobian, noise, blocks(100))
    assert np.isinf(found.half_width[[0, 1, 3]]).all()
    assert np.isfinite(found.half_width[2])
    assert np.all(found.shift[[0, 1, 3]] == 0.0)


def test_a_prior_stands_where_the_data_are_silent_and_yields_where_they_speak() -> None:
    n = 500
    noise = 0.1 * np.random.default_rng(7).standard_normal(n)
    jacobian = np.column_stack([line(n)[:, 1], np.zeros(n)])
    free = confidence(jacobian, noise, blocks(n))
    means, sizes = np.array([5.0, 2.0]), np.array([100.0, 0.3])
    beliefs = 7.0 * np.diag(1.0 / sizes)  # in units of 7
    found = confidence(np.vstack([jacobian, beliefs]), np.append(noise, -beliefs @ means), blocks(n), belief=7.0)
    assert found.shift[1] == pytest.approx(2.0, abs=1e-6)
    assert found.half_width[1] == pytest.approx(NORMAL * 0.3, rel=1e-3)
    assert found.shift[0] == pytest.approx(free.shift[0], abs=0.1 * free.half_width[0])
    assert found.half_width[0] == pytest.approx(free.half_width[0], rel=0.2)  # other draws of the noise


def test_the_noise_decides_how_channels_are_weighed() -> None:
    rng = np.random.default_rng(8)
    n = 300
    noise = np.concatenate([0.1 * rng.standard_normal(n), 50.0 * rng.standard_normal(n)])
    _, found = fitted(np.vstack([motion(n), motion(n)]), noise, 2)
    expected = NORMAL * 0.1 * np.sqrt(np.diag(np.linalg.inv(motion(n).T @ motion(n))))
    assert np.all(found.half_width < 1.6 * expected)  # a tenth of a thousandth of what equal weights would give


def test_slow_noise_is_seen_through() -> None:
    rng = np.random.default_rng(9)
    n = 300
    errors = []
    for _ in range(30):
        point, found = fitted(motion(n), slow(rng, n, 0.98)[:, 0])
        errors.append([point, point + found.shift])
    plain, shifted = np.sqrt(np.mean(np.square(errors), axis=0))
    assert shifted[1] < 0.7 * plain[1]  # the swing is fast against the noise: least squares does not know that


NOISES = {
    "white": lambda rng, n: rng.standard_normal((n, 2)),
    "slow": lambda rng, n: slow(rng, n, 0.9, 2),
    "slower": lambda rng, n: slow(rng, n, 0.98, 2),
    "alternating": lambda rng, n: slow(rng, n, -0.5, 2),
    "shared": lambda rng, n: rng.standard_normal((n, 2)) + 2.0 * rng.standard_normal((n, 1)),
}


def test_intervals_hold_the_truth_whatever_the_noise_is() -> None:
    rng = np.random.default_rng(10)
    n, fits = 50, 20
    rate = np.gradient(motion(n), axis=0) * n / 10.0
    jacobian = np.vstack([motion(n), rate])
    inside = {}
    for name, noise in NOISES.items():
        hits = []
        for _ in range(fits):
            point, found = fitted(jacobian, noise(rng, n).T.ravel(), 2)
            hits.append(np.abs(point + found.shift) < found.half_width)
        inside[name] = np.mean(hits, axis=0)
    worst = 0.95 - 3.5 * math.sqrt(0.95 * 0.05 / fits)  # of 15 shares, each a binomial one
    assert min(share.min() for share in inside.values()) >= worst, inside
    deviation = math.sqrt(0.95 * 0.05 / (fits * len(NOISES)))
    assert np.mean(list(inside.values()), axis=0) == pytest.approx(np.full(3, 0.95), abs=3.0 * deviation)
