"""Which values the runs of a sweep get."""

from __future__ import annotations

import hashlib
import itertools
import math

import numpy as np
import pytest
from scipy import stats

from didymos.errors import InputError
from didymos.studies.distribution import LogUniform, Normal, Uniform
from didymos.studies.sampling import sample

RANGES = {"a": (2.0, 4.0), "b": LogUniform(1e-3, 10.0), "c": Normal(5.0, 0.5)}


def column(path: str, **settings: object) -> np.ndarray:
    return np.array([values[path] for values in sample(RANGES, **settings)])  # type: ignore[arg-type]


def test_latin_draws_are_those_of_the_first_version() -> None:
    drawn = sample({"links.body.mass": (0.5, 0.7), "world.wind.speed": (0.0, 4.0)}, runs=6, seed=3)
    text = ",".join(repr(value) for values in drawn for value in values.values())
    assert hashlib.sha256(text.encode()).hexdigest()[:12] == "186f9b70d751"


@pytest.mark.parametrize("sampling", ["latin", "sobol", "random"])
def test_draws_follow_their_distribution(sampling: str) -> None:
    runs = 2048
    settings = {"runs": runs, "seed": 1, "sampling": sampling}
    for path, law in (("a", stats.uniform(2.0, 2.0)), ("b", stats.loguniform(1e-3, 10.0)), ("c", stats.norm(5.0, 0.5))):
        distance = stats.kstest(column(path, **settings), law.cdf)
        assert distance.pvalue > 1e-3
        if sampling != "random":  # every slice of 1/n is used once, so no step of the distribution is off by more than one
            assert distance.statistic <= 1.0 / runs + 1e-12


@pytest.mark.parametrize("sampling", ["sobol", "random"])
def test_a_longer_sweep_keeps_the_runs_it_has(sampling: str) -> None:
    long = sample(RANGES, runs=100, seed=5, sampling=sampling)
    assert sample(RANGES, runs=37, seed=5, sampling=sampling) == long[:37]
    assert sample(RANGES, runs=37, seed=6, sampling=sampling) != long[:37]


def test_sobol_points_are_even_in_two_parameters_together() -> None:
    drawn = sample({"a": (0.0, 1.0), "b": (0.0, 1.0)}, runs=64, seed=2, sampling="sobol")
    cells = {(int(8 * values["a"]), int(8 * values["b"])) for values in drawn}
    assert cells == set(itertools.product(range(8), range(8)))  # a (0, 6, 2)-net: one point in each of 64 squares


def test_a_grid_has_every_combination_and_both_ends() -> None:
    drawn = sample({"a": (0.0, 3.0), "b": LogUniform(1.0, 100.0)}, runs=14, sampling="grid")
    firsts, seconds = ({values[path] for values in drawn} for path in "ab")
    assert firsts == {0.0, 1.0, 2.0, 3.0}
    assert len(drawn) == 12
    assert sorted(seconds) == pytest.approx([1.0, 10.0, 100.0], rel=1e-12)
    bell = sample({"c": Normal(5.0, 0.5)}, runs=3, sampling="grid")
    assert [values["c"] for values in bell] == pytest.approx([4.0, 5.0, 6.0])


def test_crossed_runs_differ_from_their_base_in_one_parameter() -> None:
    drawn = sample(RANGES, runs=100, seed=4, sampling="saltelli")
    assert len(drawn) == 16 * 5  # the largest power of two of base points
    first, last = drawn[0], drawn[4]
    for index, path in enumerate(RANGES, start=1):
        assert drawn[index] == {**first, path: last[path]}
    with pytest.raises(InputError, match="at least 10"):
        sample(RANGES, runs=9, sampling="saltelli")


def test_a_normal_is_cut_off_at_the_bounds_of_its_parameter() -> None:
    cut = Normal(1.0, 0.5).within(0.0, None)
    chances = np.linspace(0.0, 1.0, 1001)
    expected = stats.truncnorm(-2.0, math.inf, 1.0, 0.5).ppf(chances[1:-1])
    assert cut.quantile(chances)[1:-1] == pytest.approx(expected, rel=1e-9)
    assert cut.quantile(chances).min() > 0.0
    assert np.isfinite(cut.quantile(chances)).all()
    with pytest.raises(InputError, match="a mean of 1"):
        Normal(1.0, 0.5).within(2.0, None)


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(InputError, match=r"latin, sobol, random, grid, saltelli, rare, did you mean 'sobol'"):
        sample(RANGES, runs=4, sampling="sobl")
    with pytest.raises(InputError, match="smaller number first"):
        Uniform(2.0, 1.0)
    with pytest.raises(InputError, match="above 0: it is drawn by its logarithm"):
        LogUniform(0.0, 1.0)
    with pytest.raises(InputError, match="a standard deviation of 0"):
        Normal(1.0, 0.0)
