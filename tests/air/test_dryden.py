"""Dryden turbulence against the formulas of MIL-F-8785C: one tick exactly, spectra and covariances within statistical error."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numba
import numpy as np
import pytest
from scipy.linalg import expm

from didymos.air.air_state import AIR_STATE
from didymos.air.dryden import DRAWS, advance_gust
from didymos.air.gusts import GustSpec, turbulence
from didymos.air.wind import WindSpec
from didymos.noise import normal
from didymos.spec import record_type

FOOT, KNOT = 0.3048, 1852.0 / 3600.0
ROOT_3 = math.sqrt(3.0)


def _record(spec: Any) -> Any:
    made = np.zeros(1, record_type(type(spec)))
    for name in made.dtype.names:
        made[name] = getattr(spec, name)
    return made


def _tick(air: Any, gusts: Any, velocity: Any, period: float, height: float = 50.0, fresh: bool = False) -> None:
    air["gust"] = 0.0
    advance_gust(air[0], gusts[0], _record(WindSpec())[0], height, *(float(v) for v in velocity), period, fresh)


def test_over_no_way_nothing_changes() -> None:
    """A robot at rest in air whose turbulence has no intensity at its height: what the filters hold is kept for later."""
    air = np.zeros(1, AIR_STATE)
    air["draws"], air["a"], air["b"], air["c"], air["p"] = 1.0, [[0.3, -0.2, 0.5]], [[0.1, 0.4, -0.6]], [[0.7, 0.2, -0.1]], 0.9
    before = air.copy()
    _tick(air, _record(GustSpec(intensity="light", span=2.0)), (0.0, 0.0, 0.0), 0.01, height=70_000 * FOOT)
    for name in ("a", "b", "c", "p", "gust", "gust_rate"):
        np.testing.assert_array_equal(air[name], before[name])


@pytest.mark.parametrize("span", [0.0, 0.8, math.pi * 40.0 / 4.0])  # the last: as long a lag as the vertical length
@pytest.mark.parametrize("way", [0.004, 0.3, 4.0, 25.0])  # [m] in a tick
def test_a_tick_is_the_exact_solution_of_the_filters(span: float, way: float) -> None:
    """Transition and covariance by the exponential of a matrix (Van Loan 1978), in another way than ours.

    Ours knows the covariance of a and b to 1e-6 of itself where the way is short (its series), the rest to 1e-9.
    """
    gusts = _record(GustSpec(sigma_u=2.0, sigma_w=1.0, length_u=70.0, length_w=40.0, span=span))
    states = 3 if span else 2
    for axis, length, lag in ((0, 70.0, 3.0 * span / math.pi), (2, 40.0, 4.0 * span / math.pi)):
        rates = np.zeros((3, 3))
        rates[0, 0] = rates[1, 1] = -1.0 / length
        rates[1, 0] = 1.0 / length
        if span:
            rates[2] = np.array([ROOT_3 / math.sqrt(2.0), (1.0 - ROOT_3) / math.sqrt(2.0), -1.0]) / lag
        rates = rates[:states, :states]
        noise = np.zeros((states, states))
        noise[0, 0] = 2.0 / length
        block = expm(way / 64 * np.block([[-rates, noise], [np.zeros_like(rates), rates.T]]))
        transition = block[states:, states:].T
        covariance = transition @ block[:states, states:]
        for _ in range(6):  # twice the way, six times
            covariance = covariance + transition @ covariance @ transition.T
            transition = transition @ transition
        names = "abc"[:states]
        for column, name in enumerate(names):
            air = np.zeros(1, AIR_STATE)
            air[name][0, axis] = 1.0
            _tick(air, gusts, (20.0, 0.0, 0.0), way / 20.0)
            np.testing.assert_allclose([air[n][0, axis] for n in names], transition[:, column], atol=1e-12)
        root = np.zeros((states, states))
        for column in range(states):
            air = np.zeros(1, AIR_STATE)
            air["draws"][0, 3 * axis + column] = 1.0
            _tick(air, gusts, (20.0, 0.0, 0.0), way / 20.0)
            root[:, column] = [air[n][0, axis] for n in names]
        size = np.sqrt(np.diag(covariance))
        np.testing.assert_allclose(root @ root.T / np.outer(size, size), covariance / np.outer(size, size), atol=1e-6)
        # and a fresh process has the covariance that the ticks keep: P = F P F^T + Q
        for column in range(states):
            air = np.zeros(1, AIR_STATE)
            air["draws"][0, 3 * axis + column] = 1.0
            _tick(air, gusts, (20.0, 0.0, 0.0), way / 20.0, fresh=True)
            root[:, column] = [air[n][0, axis] for n in names]
        whole = root @ root.T
        np.testing.assert_allclose(transition @ whole @ transition.T + covariance, whole, atol=1e-12)


PATHS = [(20.0, 0, 0), (-20.0, 0, 0), (0, 15.0, 0), (12.0, -9.0, 0), (12.0, 9.0, 4.0), (-3.0, 1.0, -8.0), (0, 0, 10.0)]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("height", [50.0, 1400.0 * FOOT, 3000.0])
def test_the_gust_lies_along_and_across_the_path(path: tuple[float, float, float], height: float) -> None:
    """For states at random: by matrices of the path's axes (forward, left, up), written down separately.

    Near standstill the path fades with 0.5 m/s: e e^T is v v^T / (v^2 + 0.25).
    """
    rng = np.random.default_rng(8)
    span = 2.0
    gusts = _record(GustSpec(intensity="moderate", span=span))
    sigma_u, sigma_w, _, length_w = turbulence(height, gusts[0], _record(WindSpec())[0])
    air = np.zeros(1, AIR_STATE)
    a, b, c = (rng.standard_normal(3) for _ in range(3))
    air["a"], air["b"], air["c"], air["p"] = a, b, c, 0.7
    _tick(air, gusts, path, 0.0, height)  # no time: the states stay as they are
    share = min(max((height / FOOT - 1000.0) / 1000.0, 0.0), 1.0)
    way = np.array([path[0], path[1], share * path[2]])
    sigma = np.array([sigma_u, sigma_u, sigma_w])
    across = sigma * (ROOT_3 * a + (1.0 - ROOT_3) * b) / math.sqrt(2.0)
    faded = np.outer(way, way) / (way @ way + 0.25)
    np.testing.assert_allclose(air["gust"][0], (np.eye(3) - faded) @ across + faded @ (sigma * a), rtol=1e-12, atol=1e-13)
    # how the gust changes along the path, averaged over the span, and the turning that is the same for what lies ahead
    change = (across - sigma * c) / (np.array([3.0, 3.0, 4.0]) * span / math.pi)
    forward = way / math.sqrt(way @ way + 0.25)
    variance = sigma_w**2 * 0.8 * (math.pi * length_w / (4.0 * span)) ** (1 / 3) * math.pi**2 / (8.0 * span * length_w)
    expected = np.cross(forward, change) + 0.7 * math.sqrt(variance) * forward
    np.testing.assert_allclose(air["gust_rate"][0], expected, rtol=1e-12, atol=1e-14)
    if share in (0.0, 1.0) and way @ way > 0.0:
        ahead = np.cross(air["gust_rate"][0], forward)  # of air one metre ahead
        np.testing.assert_allclose(ahead, (forward @ forward) * change - forward * (forward @ change), rtol=1e-11, atol=1e-13)
    assert air["turning"][0] == 1.0


def test_without_a_span_the_air_does_not_turn() -> None:
    air = np.zeros(1, AIR_STATE)
    air["draws"] = 1.0
    _tick(air, _record(GustSpec(intensity="severe")), (20.0, 0.0, 0.0), 0.01)
    assert air["turning"][0] == 0.0
    assert not air["gust_rate"].any()
    assert np.abs(air["gust"]).min() > 0.0


def test_who_turns_in_the_air_finds_the_same_air() -> None:
    """Back and forth is one direction; a right angle leaves a gust that has 0.97 of the correlation: (1 + sqrt 3) / sqrt 8."""
    rng = np.random.default_rng(2)
    gusts, products = _record(GustSpec(sigma_u=1.0, sigma_w=1.0)), []
    for _ in range(1000):
        air = np.zeros(1, AIR_STATE)
        air["draws"] = rng.standard_normal(DRAWS)
        found = []
        for i, path in enumerate(((500.0, 0, 0), (-500.0, 0, 0), (0, 500.0, 0))):
            _tick(air, gusts, path, 0.0, fresh=i == 0)
            found.append(air["gust"][0].copy())
        np.testing.assert_allclose(found[0], found[1], rtol=1e-12)
        products.append(found[0][:2] * found[2][:2])
    # the deviation of a product of two normal numbers of correlation r is sqrt(1 + r^2); four of its mean's
    expected = (1.0 + ROOT_3) / math.sqrt(8.0)
    assert np.mean(products) == pytest.approx(expected, abs=4.0 * math.sqrt((1 + expected**2) / 2000))


def test_in_calm_air_eddies_pass_with_their_own_life() -> None:
    """A vehicle that floats sees u decay with the time 0.6 L / sigma; faster than sigma / 0.6 it sees a frozen field."""
    gusts = _record(GustSpec(sigma_u=3.0, sigma_w=1.0, length_u=50.0, length_w=20.0))
    for speed, seen in ((0.0, 5.0), (4.9, 5.0), (5.1, 5.1), (30.0, 30.0)):
        air = np.zeros(1, AIR_STATE)
        air["a"] = 1.0
        _tick(air, gusts, (0.0, speed, 0.0), 0.2)
        np.testing.assert_allclose(air["a"][0], np.exp(-seen * 0.2 / np.array([50.0, 50.0, 20.0])), rtol=1e-12)


@numba.njit
def _fly(air: Any, gusts: Any, wind: Any, height: float, velocity: Any, period: float, key: float, found: Any) -> None:
    for tick in range(found.shape[0]):
        for i in range(DRAWS):
            air[0].draws[i] = normal(key, 77.0, DRAWS * tick + i)
        for i in range(3):
            air[0].gust[i] = 0.0
        advance_gust(air[0], gusts[0], wind[0], height, velocity[0], velocity[1], velocity[2], period, tick == 0)
        for i in range(3):
            found[tick, i] = air[0].gust[i]
            found[tick, 3 + i] = air[0].gust_rate[i]


def _mil(omega: Any, speed: float, height: float, span: float) -> Any:
    """One-sided spectra of u, v, w, p, q, r per rad/s, as MIL-F-8785C prints them, in moderate turbulence; h in feet."""
    h, w20 = height / FOOT, 30.0 * KNOT
    if h <= 1000.0:
        base = 0.177 + 0.000823 * h
        sigma_w, length_w = 0.1 * w20, height
        sigma_u, length_u = sigma_w / base**0.4, height / base**1.2
    else:  # 9.6 ft/s at 1750 ft, 10.6 at 3750, 10.1 at 7500
        table = np.interp(max(h, 2000.0), [1750.0, 3750.0, 7500.0], [9.6, 10.6, 10.1]) * FOOT
        share = min((h - 1000.0) / 1000.0, 1.0)
        sigma_u = sigma_w = 0.1 * w20 + share * (table - 0.1 * w20)
        length_u = length_w = (1000.0 + share * 750.0) * FOOT
    wave = omega / speed
    u = sigma_u**2 * 2.0 * length_u / (math.pi * speed) / (1.0 + (length_u * wave) ** 2)
    v, w = (
        s**2 * L / (math.pi * speed) * (1.0 + 3.0 * (L * wave) ** 2) / (1.0 + (L * wave) ** 2) ** 2
        for s, L in ((sigma_u, length_u), (sigma_w, length_w))
    )
    p = sigma_w**2 / (speed * length_w) * 0.8 * (math.pi * length_w / (4.0 * span)) ** (1 / 3)
    p = p / (1.0 + (4.0 * span * wave / math.pi) ** 2)
    q = wave**2 / (1.0 + (4.0 * span * wave / math.pi) ** 2) * w
    r = wave**2 / (1.0 + (3.0 * span * wave / math.pi) ** 2) * v
    return np.array([u, v, w, p, q, r])


COUNT, SPAN = 1 << 16, 2.0


@pytest.mark.parametrize("height", [40.0, 1500.0 * FOOT, 1500.0])
@pytest.mark.parametrize("speed", [8.0, 20.0, 60.0])
@pytest.mark.parametrize("period", [0.0025, 0.02])
def test_spectra_and_covariances_are_those_of_the_standard(height: float, speed: float, period: float) -> None:
    """A path across world axes and wind; u forward, v left, w up along it.

    The periodogram under Hann's window has a relative deviation of sqrt(1.94 / n) averaged over n neighbouring lines (the window
    correlates them); 4.5 of that for each of 24 bands. Sampling folds the spectrum back: the folded lines are added, their
    remainder by the integral of a tail in 1/f^2.
    """
    heading = 0.6
    way = np.array([math.cos(heading), math.sin(heading), 0.0])
    axes = np.array([way, [-way[1], way[0], 0.0], [0.0, 0.0, 1.0]])
    air, found = np.zeros(1, AIR_STATE), np.zeros((COUNT, 6))
    gusts, wind = _record(GustSpec(intensity="moderate", span=SPAN)), _record(WindSpec())
    _fly(air, gusts, wind, height, speed * way, period, 1000.0 * height + speed + period, found)
    seen = np.hstack([found[:, :3] @ axes.T, found[:, 3:] @ axes.T])
    window = np.hanning(COUNT)
    power = np.abs(np.fft.rfft(seen * window[:, None], axis=0)) ** 2 * 2.0 * period / (window**2).sum()  # one-sided, per Hz
    rate, folds = 1.0 / period, 6
    edges = np.geomspace(40, COUNT // 2, 5).astype(int)  # lines: bands of four, the lowest with 200 of them and more
    for low, high in itertools.pairwise(edges):
        lines = np.arange(low, high)
        f = lines * rate / COUNT
        spectrum = lambda f: 2.0 * math.pi * _mil(2.0 * math.pi * np.abs(f), speed, height, SPAN)  # noqa: E731, per Hz
        expected = spectrum(f) + sum(spectrum(k * rate + f) + spectrum(k * rate - f) for k in range(1, folds))
        expected += 2.0 * spectrum(np.full_like(f, folds * rate)) * folds**2 * (1.0 / (folds - 0.5))
        ratio = (power[low:high].T / expected).mean(axis=1)
        np.testing.assert_allclose(ratio, 1.0, atol=4.5 * math.sqrt(1.94 / (high - low)) + 0.005)
    # covariances: by the spectrum itself for the variances; r goes with the change of v, q against that of w; no other pair
    fast = np.geomspace(1e-4, 1e6, 20_001) * speed / SPAN
    form = _mil(fast, speed, height, SPAN)
    variance = ((form[:, 1:] + form[:, :-1]) / 2.0 * np.diff(fast)).sum(axis=1)
    spread = ((form[:, 1:] ** 2 + form[:, :-1] ** 2) / 2.0 * np.diff(fast)).sum(axis=1)  # of the estimate: 2 pi/T int Phi^2
    deviation = np.sqrt(2.0 * math.pi * spread / (COUNT * period))
    measured = seen.T @ seen / COUNT
    assert np.all(np.abs(np.diag(measured) - variance) < 4.5 * deviation + 0.002 * variance)
    for i, j in ((0, 1), (0, 2), (1, 2), (3, 0), (3, 1), (3, 2), (3, 4), (3, 5), (0, 4), (0, 5), (1, 4), (2, 5)):
        overlap = (form[i, 1:] * form[j, 1:] * np.diff(fast)).sum()
        assert abs(measured[i, j]) < 4.5 * math.sqrt(math.pi * overlap / (COUNT * period)), (i, j)
    # E[w (w - c)] / K = E[w^2] (1 - P13') / K, with the lag K: integral of Phi (K Omega)^2 / (1 + (K Omega)^2) / K
    for rotation, velocity, lag, sign in ((4, 2, 4.0, -1.0), (5, 1, 3.0, 1.0)):
        k = lag * SPAN / math.pi
        lagging = form[velocity] * (k * fast / speed) ** 2 / (1.0 + (k * fast / speed) ** 2) / k
        mean = ((lagging[1:] + lagging[:-1]) / 2.0 * np.diff(fast)).sum()
        wide = 4.5 * math.sqrt(2.0 * math.pi * (form[rotation, 1:] * form[velocity, 1:] * np.diff(fast)).sum() / (COUNT * period))
        assert measured[rotation, velocity] == pytest.approx(sign * mean, abs=wide + 0.002 * mean)
