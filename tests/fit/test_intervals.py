"""Intervals by profile likelihood and by samples of the posterior, against closed forms and integrals over a grid."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.optimize import least_squares
from scipy.signal import lfilter

from didymos.fitting.blocks import Block
from didymos.fitting.confidence import confidence
from didymos.fitting.likelihood import Likelihood, adjusted_likelihood
from didymos.fitting.posterior import Chain, autocorrelation_time, sample
from didymos.fitting.profile import End, profile_ends

NORMAL = 1.959963984540054
RISE = NORMAL**2
CLOSE = 0.01  # a profile ends where the next step is a hundredth of the way from the optimum
SAMPLED = 4 * 0.085  # standard deviations: four errors of a 2.5 % quantile of 1,000 samples, sqrt(.025 .975 / 1000) / 0.0584


class Fitted:
    """A model of points of the unit cube, fitted to data with noise of a known size; priors are (index, mean, sd)."""

    def __init__(
        self,
        model: Callable[[np.ndarray], np.ndarray],
        data: np.ndarray,
        sd: float | None,
        start: list[float],
        priors: list[tuple[int, float, float]] | None = None,
    ) -> None:
        self.model, self.data, self.priors = model, data, priors or []
        self.best = least_squares(lambda x: self.residual(x) / self.sizes(sd), start, bounds=(0.0, 1.0), xtol=1e-12).x
        (slopes,) = self.linearise(self.best[:, None], np.full(len(self.best), 1e-6))
        blocks = [Block(0, "y", 0.01 * np.arange(len(data)), 0, 0, sd)]
        self.width = confidence(slopes[1], slopes[0], blocks).half_width
        found = adjusted_likelihood(
            lambda points: (np.column_stack([self.residual(x) for x in points.T]), np.zeros(points.shape[1], dtype=bool)),
            self.linearise, slopes[1], slopes[0], blocks, priors=slice(len(data), len(data) + len(self.priors)), belief=1.0,
            longest=1e-3,
        )  # fmt: skip
        assert found is not None
        self.likelihood: Likelihood = found

    def sizes(self, sd: float | None) -> np.ndarray:
        return np.concatenate([np.full(len(self.data), sd or 1.0), np.ones(len(self.priors))])

    def residual(self, x: np.ndarray) -> np.ndarray:
        return np.concatenate([self.model(x) - self.data, [(x[i] - mean) / sd for i, mean, sd in self.priors]])

    def linearise(self, points: np.ndarray, steps: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        found = []
        for x in points.T:
            moves = zip(np.diag(steps), steps, strict=True)
            slopes = np.column_stack([(self.residual(x + d) - self.residual(x - d)) / (2.0 * s) for d, s in moves])
            found.append((self.residual(x), slopes))
        return found

    def ends(self) -> list[tuple[End, End]]:
        return profile_ends(self.likelihood, self.best, lambda x: (x.copy(), np.eye(len(x))), self.width.tolist())

    def samples(self, seed: int = 0) -> Chain:
        return sample(self.likelihood, self.best, seed)


def noisy(values: np.ndarray, sd: float, seed: int = 0) -> np.ndarray:
    return values + sd * np.random.default_rng(seed).standard_normal(len(values))


@pytest.fixture(scope="module")
def line() -> tuple[Fitted, np.ndarray]:
    """A straight line of two numbers with noise of a known size, and their standard deviations in closed form."""
    slopes = np.column_stack([np.ones(60), np.linspace(-0.5, 1.0, 60)])
    found = Fitted(lambda x: slopes @ x, noisy(slopes @ [0.4, 0.5], 0.2), 0.2, [0.5, 0.5])
    return found, 0.2 * np.sqrt(np.diag(np.linalg.inv(slopes.T @ slopes)))


def test_the_profile_of_a_linear_model_is_the_textbook_interval(line: tuple[Fitted, np.ndarray]) -> None:
    found, size = line
    assert found.width == pytest.approx(NORMAL * size, rel=1e-4)  # of the sandwich, which all others are measured by
    for (low, high), best, sd in zip(found.ends(), found.best, size, strict=True):
        assert best - low.value == pytest.approx(NORMAL * sd, rel=CLOSE)
        assert high.value - best == pytest.approx(NORMAL * sd, rel=CLOSE)
        assert not low.open
        assert not high.open


def test_samples_of_a_linear_model_are_those_of_the_normal_distribution(line: tuple[Fitted, np.ndarray]) -> None:
    found, size = line
    chain = found.samples()
    assert chain.converged
    assert chain.effective >= 1000
    ends = np.quantile(chain.points, (0.025, 0.975), axis=0)
    assert np.abs((ends - found.best) / size - [[-NORMAL], [NORMAL]]).max() < SAMPLED
    slopes = np.column_stack([np.ones(60), np.linspace(-0.5, 1.0, 60)])
    expected = np.linalg.inv(slopes.T @ slopes)
    correlation = np.corrcoef(chain.points, rowvar=False)[0, 1]
    closed = expected[0, 1] / np.sqrt(expected[0, 0] * expected[1, 1])
    assert correlation == pytest.approx(closed, abs=4.0 * (1.0 - closed**2) / np.sqrt(1000))


def test_the_autocorrelation_time_is_that_of_the_process_and_sees_a_walker_that_is_stuck() -> None:
    rng = np.random.default_rng(0)
    steps = rng.standard_normal((4000, 32, 1))
    steps[1:] *= np.sqrt(1.0 - 0.8**2)
    walk = lfilter([1.0], [1.0, -0.8], steps, axis=0)
    assert autocorrelation_time(walk) == pytest.approx((1.0 + 0.8) / (1.0 - 0.8), rel=0.15)  # 128,000 samples
    stuck = rng.standard_normal((4000, 32, 1))
    assert autocorrelation_time(stuck) < 1.5
    stuck[:2000, 5] = 3.0
    assert autocorrelation_time(stuck) > 100.0


def test_the_same_seed_gives_the_same_samples_and_another_does_not(line: tuple[Fitted, np.ndarray]) -> None:
    found, _ = line
    one, again, other = found.samples(3).points, found.samples(3).points, found.samples(4).points
    assert np.array_equal(one, again)
    assert not np.array_equal(one[: len(other)], other[: len(one)])


def test_unknown_noise_of_few_samples_widens_all_intervals_alike() -> None:
    slopes = np.ones((8, 1))
    found = Fitted(lambda x: slopes @ x, noisy(slopes @ [0.5], 0.02, 2), None, [0.5])
    ((low, high),) = found.ends()
    assert high.value - found.best[0] == pytest.approx(found.width[0], rel=CLOSE)
    assert found.best[0] - low.value == pytest.approx(found.width[0], rel=CLOSE)
    spread = float(np.std(found.data, ddof=1)) / np.sqrt(8)
    assert found.width[0] > NORMAL * spread  # Student's t, and noise that may be slow


def reciprocal(seed: int = 0, count: int = 40) -> Fitted:
    """A model that knows a number by its inverse only, such as a mass by what a force does to it."""
    return Fitted(lambda x: np.full(count, 1.0 / x[0]), noisy(np.full(count, 1.0 / 0.3), 4.0, seed), 4.0, [0.5])


def test_the_profile_of_a_reciprocal_has_the_inverse_ends() -> None:
    found = reciprocal()
    ((low, high),) = found.ends()
    mean, half = float(np.mean(found.data)), NORMAL * 4.0 / np.sqrt(40)
    expected = 1.0 / (mean + half), 1.0 / (mean - half)
    assert found.best[0] - low.value == pytest.approx(found.best[0] - expected[0], rel=2 * CLOSE)
    assert high.value - found.best[0] == pytest.approx(expected[1] - found.best[0], rel=2 * CLOSE)
    rise = [((1.0 / (found.best[0] + side * found.width[0]) - mean) * np.sqrt(40) / 4.0) ** 2 for side in (-1.0, 1.0)]
    assert rise[0] > 1.5 * RISE  # the symmetric interval holds on one side what the data deny,
    assert rise[1] < 0.75 * RISE  # and on the other denies what they allow


def test_profiles_hold_the_truth_exactly_when_those_of_the_inverse_do() -> None:
    held = 0
    for seed in range(60):
        found = reciprocal(seed)
        ((low, high),) = found.ends()
        distance = (np.mean(found.data) - 1.0 / 0.3) * np.sqrt(40) / 4.0
        if abs(abs(distance) - NORMAL) > 5 * CLOSE:  # none so near that the end's own accuracy decides
            assert (low.value < 0.3 < high.value) == (abs(distance) < NORMAL)
        held += low.value < 0.3 < high.value
    assert held >= 51  # fewer once in 1,800, if each holds 95 of 100


def test_samples_of_a_reciprocal_are_those_of_its_density() -> None:
    found = reciprocal()
    x = np.linspace(0.02, 1.0, 100_001)
    density = np.exp(-0.5 * ((1.0 / x - np.mean(found.data)) * np.sqrt(40) / 4.0) ** 2)
    ends = np.interp((0.025, 0.975), np.cumsum(density) / density.sum(), x)
    errors = np.sqrt(0.025 * 0.975 / 1000) / (np.interp(ends, x, density) / (density.sum() * (x[1] - x[0])))
    chain = found.samples()
    assert chain.converged
    assert np.all(np.abs(np.quantile(chain.points[:, 0], (0.025, 0.975)) - ends) < 4.0 * errors)


def test_a_product_with_one_factor_half_known_has_the_profile_and_density_of_a_grid() -> None:
    count, sd = 30, 0.05
    found = Fitted(lambda x: np.full(count, x[0] * x[1]), noisy(np.full(count, 0.15), sd), sd, [0.5, 0.5], [(1, 0.5, 0.09)])
    mean = float(np.mean(found.data))
    a, b = np.meshgrid(np.linspace(0.0, 1.0, 1001), np.linspace(0.0, 1.0, 1001), indexing="ij")
    squares = ((a * b - mean) * np.sqrt(count) / sd) ** 2 + ((b - 0.5) / 0.09) ** 2
    allowed = a[:, 0][squares.min(axis=1) - squares.min() < RISE]
    low, high = found.ends()[0]
    assert (low.value, high.value) == pytest.approx((allowed[0], allowed[-1]), abs=CLOSE * (allowed[-1] - allowed[0]) + 1e-3)
    assert high.value - found.best[0] > 1.3 * (found.best[0] - low.value)  # symmetric it is not
    density = np.exp(-0.5 * squares).sum(axis=1)
    ends = np.interp((0.025, 0.975), np.cumsum(density) / density.sum(), a[:, 0])
    errors = np.sqrt(0.025 * 0.975 / 1000) / (np.interp(ends, a[:, 0], density) / (density.sum() * 1e-3))
    chain = found.samples()
    assert chain.converged
    assert np.all(np.abs(np.quantile(chain.points[:, 0], (0.025, 0.975)) - ends) < 4.0 * errors)


def test_an_end_that_meets_the_bound_is_open_and_the_other_is_right() -> None:
    count, sd, beyond = 25, 0.5, 0.06
    slopes = np.ones((count, 1))
    data = noisy(np.full(count, 0.0), sd)
    found = Fitted(lambda x: slopes @ x, data - data.mean() - beyond, sd, [0.2])
    assert found.best[0] < 1e-6
    ((low, high),) = found.ends()
    assert low == End(pytest.approx(0.0, abs=1e-6), True)
    assert high.value == pytest.approx(np.sqrt(beyond**2 + RISE * sd**2 / count) - beyond, rel=2 * CLOSE)
    assert not high.open
    x = np.linspace(0.0, 1.0, 10_001)
    density = np.exp(-0.5 * count * ((x + beyond) / sd) ** 2)
    top = float(np.interp(0.975, np.cumsum(density) / density.sum(), x))
    error = np.sqrt(0.025 * 0.975 / 1000) / (np.interp(top, x, density) / (density.sum() * 1e-4))
    assert float(np.quantile(found.samples().points[:, 0], 0.975)) == pytest.approx(top, abs=4.0 * error)


def test_a_likelihood_with_a_step_is_not_followed_across_it_and_says_so() -> None:
    slopes = np.linspace(0.5, 1.5, 40)
    found = Fitted(lambda x: slopes * x[0] + 5.0 * (x[0] > 0.52), noisy(0.5 * slopes, 0.2), 0.2, [0.45])
    ((low, high),) = found.ends()
    assert low.followed
    assert not high.followed
    assert 0.52 - 2.5 * CLOSE * found.width[0] < high.value <= 0.52  # a last step of a hundredth, 0.4 of one that was too long
    assert found.best[0] + found.width[0] > 0.53  # the step is what ends it


def test_what_no_sample_sees_has_no_ends_and_is_sampled_from_bound_to_bound() -> None:
    slopes = np.column_stack([np.linspace(-1.0, 1.0, 50), np.zeros(50)])
    found = Fitted(lambda x: slopes @ x, noisy(slopes @ [0.5, 0.5], 0.1), 0.1, [0.4, 0.5])
    assert np.isinf(found.width[1])
    assert found.ends()[1] == (End(None), End(None))
    assert found.ends()[0][0].value == pytest.approx(found.best[0] - found.width[0], rel=CLOSE)
    blind = found.samples().points[:, 1]
    assert np.quantile(blind, (0.1, 0.9)) == pytest.approx((0.1, 0.9), abs=4.0 * np.sqrt(0.09 / 1000))
