"""Rare failures: their probability and its interval, against closed forms."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from didymos.engine.verdict import Verdict
from didymos.errors import InputError
from didymos.studies.cross_entropy import NOMINAL_SHARE, CrossEntropy
from didymos.studies.distribution import Normal
from didymos.studies.failure_chance import FailureChance, failure_chance
from didymos.studies.margin import margin, spreads, worst
from didymos.studies.mixture import Mixture, fit_mixture
from didymos.studies.rare_plan import RarePlan
from didymos.studies.trial import Trial

RARE = 1e-4
AWAY = float(-ndtri(RARE))  # standard deviations
Score = Callable[[NDArray[np.float64]], NDArray[np.float64]]


def searched(score: Score, dimensions: int, *, seed: int, runs: int = 3000) -> FailureChance:
    search = CrossEntropy(dimensions, runs=runs, seed=seed)
    weights, failed = np.empty(0), np.empty(0, dtype=bool)
    while len(weights) < runs:
        points, more = search.ask(runs - len(weights))
        scores = score(points)
        search.tell(points, scores)
        weights, failed = np.append(weights, more), np.append(failed, scores <= 0.0)
    return failure_chance(weights, failed)


def plane(points: NDArray[np.float64]) -> NDArray[np.float64]:
    return AWAY - points.sum(axis=1) / math.sqrt(points.shape[1])


def two_tails(points: NDArray[np.float64]) -> NDArray[np.float64]:
    return -ndtri(0.5 * RARE) - np.abs(points[:, 0])


def corner(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Two uniform numbers whose product is below e: P = e (1 - ln e), which is 1e-4 at this e."""
    return ndtr(points[:, 0]) * ndtr(points[:, 1]) - 7.839220e-06


@pytest.mark.parametrize(("score", "dimensions"), [(plane, 2), (plane, 6), (two_tails, 3), (corner, 2)])
def test_one_in_ten_thousand_is_found_with_3000_runs(score: Score, dimensions: int) -> None:
    for seed in range(3):
        found = searched(score, dimensions, seed=seed)
        assert found.certain
        assert found.estimate == pytest.approx(RARE, rel=0.2)  # five standard errors or more


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    held = [found.low <= RARE <= found.high for found in (searched(plane, 2, seed=seed, runs=600) for seed in range(40))]
    assert sum(held) >= 33  # of 40 at 95 %, fewer come once in 1,000 times


def test_what_fails_often_is_counted_as_well() -> None:
    found = searched(lambda points: points[:, 0] + 0.5, 2, seed=0, runs=1500)
    assert found.low <= ndtr(-0.5) <= found.high


def test_where_nothing_fails_only_an_upper_bound_is_said() -> None:
    found = searched(lambda points: np.full(len(points), 1.0), 2, seed=0, runs=600)
    assert not found.certain
    assert found.failures == 0
    assert found.high == pytest.approx((1.0 - 0.05 ** (1.0 / found.runs)) / NOMINAL_SHARE)


def test_too_few_failures_are_not_believed() -> None:
    weights = np.full(500, 0.01)
    failed = np.arange(500) < 20
    assert not failure_chance(weights, failed).certain
    believed = failure_chance(weights, np.arange(500) < 40)
    assert believed.certain
    assert believed.estimate == pytest.approx(40 * 0.01 / 500)
    assert failure_chance(np.append(weights, np.nan), np.append(np.arange(500) < 40, True)) == believed  # it only searched


def test_no_weight_is_above_what_the_nominal_share_allows() -> None:
    search = CrossEntropy(3, runs=1500, seed=1)
    for _ in range(7):
        points, weights = search.ask(700)
        search.tell(points, plane(points))
    assert not np.isnan(weights).any()
    assert weights.max() <= 1.0 / NOMINAL_SHARE


def test_two_heaps_of_points_become_two_components() -> None:
    stream = np.random.default_rng(0)
    points = np.concatenate([stream.normal(-3.0, 0.5, (300, 2)), stream.normal(3.0, 0.5, (100, 2))])
    fitted = fit_mixture(points, np.ones(400), np.random.default_rng(1))
    order = np.argsort(fitted.means[:, 0])
    assert fitted.shares[order] == pytest.approx([0.75, 0.25], abs=1e-6)
    assert fitted.means[order] == pytest.approx(np.array([[-3.0, -3.0], [3.0, 3.0]]), abs=0.15)  # 3 x 0.5 / sqrt(100)


def test_the_density_of_a_mixture_is_that_of_its_draws() -> None:
    roots = np.array([np.eye(2), [[0.5, 0.0], [0.3, 2.0]]])
    mixture = Mixture(np.array([0.3, 0.7]), np.array([[0.0, 0.0], [2.0, 1.0]]), roots)
    stream = np.random.default_rng(3)
    drawn = np.array([mixture.draw(stream)[1] for _ in range(4000)])
    assert drawn.mean(axis=0) == pytest.approx([1.4, 0.7], abs=0.12)  # 4 standard errors
    axis = np.linspace(-8.0, 10.0, 181)
    grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    assert np.exp(mixture.log_density(grid)).sum() * 0.1**2 == pytest.approx(1.0, abs=1e-3)


def verdict(value: float | None, low: float | None, high: float | None) -> Verdict:
    ok = None if value is None else (low is None or value >= low) and (high is None or value <= high)
    return Verdict("x", value, low, high, ok)


def test_a_margin_is_the_distance_from_the_nearer_bound() -> None:
    assert margin(verdict(3.0, 1.0, 10.0)) == 2.0
    assert margin(verdict(9.5, 1.0, 10.0)) == 0.5
    assert margin(verdict(12.0, None, 10.0)) == -2.0
    assert margin(verdict(math.nan, 1.0, 10.0)) == margin(verdict(math.nan, None, 10.0)) == -math.inf
    assert math.isnan(margin(verdict(None, 1.0, None)))


def test_margins_are_compared_by_their_spread_and_failed_runs_are_below_zero() -> None:
    table = np.array([[1.0, 100.0], [2.0, 300.0], [3.0, -200.0], [math.nan, math.nan]])
    failed = np.array([False, False, True, True])
    spread = spreads(table[:2])
    assert spread == pytest.approx([0.7413 * 0.5, 0.7413 * 100.0])
    found = worst(table, spread, failed)
    assert found[:3] == pytest.approx([100.0 / spread[1], 300.0 / spread[1], -200.0 / spread[1]])
    assert found[3] == -math.inf


def thrown(values: Any, seed: int) -> Trial:
    """A run whose outcome is the sum of its two values."""
    found = verdict(values["a"] + values["b"], None, 0.0)
    return Trial(seed, values, (found,), None)


def planned(plan: RarePlan) -> list[tuple[float | None, Trial]]:
    made: list[tuple[float | None, Trial]] = []
    while asked := plan.ask():
        trials = [thrown(draw.values, len(made) + index) for index, draw in enumerate(asked)]
        plan.tell(trials)
        made += [(draw.weight, trial) for draw, trial in zip(asked, trials, strict=True)]
    return made


BELLS = {"a": Normal(-3.0 * AWAY, 3.0), "b": Normal(-2.0 * AWAY, 4.0)}  # their sum fails beyond 5 AWAY of 5: P = RARE


def test_a_plan_of_rare_failures_counts_by_the_distributions_of_the_user() -> None:
    made = planned(RarePlan(BELLS, runs=2000, seed=2))
    weights = np.array([np.nan if weight is None else weight for weight, _ in made])
    found = failure_chance(weights, np.array([not trial.ok for _, trial in made]))
    assert len(made) == 2000
    assert found.certain
    assert found.estimate == pytest.approx(RARE, rel=0.2)
    assert found.low <= RARE <= found.high
    assert planned(RarePlan(BELLS, runs=2000, seed=2)) == made


def test_a_plan_of_rare_failures_stops_when_it_knows_enough() -> None:
    made = planned(RarePlan(BELLS, runs=3000, seed=0, until=0.15))
    assert 1400 < len(made) < 2000
    few = [weight for weight, _ in made if weight is not None]
    assert [weight for weight, _ in planned(RarePlan(BELLS, runs=3000, seed=0))[: len(made)] if weight is not None] == few


def test_a_plan_that_cannot_be_is_refused() -> None:
    with pytest.raises(InputError, match="at least 300"):
        RarePlan(BELLS, runs=100)
    with pytest.raises(InputError, match="nothing to search in"):
        RarePlan({}, runs=1000)
    with pytest.raises(InputError, match="a share of the probability"):
        RarePlan(BELLS, runs=1000, until=2.0)
