"""Which parameters matter, and where runs begin to fail."""

from __future__ import annotations

import math

import numpy as np
import pytest

from didymos.studies.boundary import fit_boundary
from didymos.studies.influence import regression, sobol_indices
from didymos.studies.sampling import sample


def columns(runs: int, sampling: str, low: float = 0.0, high: float = 1.0) -> dict[str, np.ndarray]:
    drawn = sample(dict.fromkeys("abc", (low, high)), runs=runs, seed=1, sampling=sampling)
    return {path: np.array([values[path] for values in drawn]) for path in "abc"}


def test_coefficients_of_a_sum_are_the_shares_of_its_spread() -> None:
    given = columns(4000, "latin")
    found = regression(given, 3.0 * given["a"] - 4.0 * given["b"])
    assert found is not None
    assert found.explained == pytest.approx(1.0)
    assert found.by_path["a"][0] == pytest.approx(0.6, abs=0.02)  # 3 / 5, but for the chance correlation of 1 / sqrt(4000)
    assert found.by_path["b"][0] == pytest.approx(-0.8, abs=0.02)
    assert found.by_path["c"][0] == pytest.approx(0.0, abs=1e-9)


def test_the_interval_of_a_coefficient_holds_it_and_noise_is_not_believed() -> None:
    given, held = columns(200, "random"), 0
    for seed in range(100):
        noise = np.random.default_rng(seed).normal(0.0, 1.0, 200)
        found = regression(given, given["a"] + noise)
        assert found is not None
        assert not found.tells  # a alone is a twelfth of the variance
        low, high = found.by_path["c"][1:]
        held += low <= 0.0 <= high
    assert held >= 88  # of 100 at 95 %, fewer come once in 1,000 times


def test_what_cannot_be_told_is_not_told() -> None:
    given = columns(8, "latin")
    assert regression(given, given["a"]) is None  # too few
    assert regression(columns(100, "latin"), np.ones(100)) is None
    assert regression({}, np.arange(100.0)) is None


def test_sobol_indices_are_those_of_ishigamis_function() -> None:
    pytest.importorskip("SALib")
    given = columns(1024 * 5, "saltelli", -math.pi, math.pi)
    a, b, c = given.values()
    found = sobol_indices(list(given), np.sin(a) + 7.0 * np.sin(b) ** 2 + 0.1 * c**4 * np.sin(a), seed=0)
    assert found is not None
    assert found.total is not None
    for path, first, total in (("a", 0.3139, 0.5576), ("b", 0.4424, 0.4424), ("c", 0.0, 0.2437)):  # Ishigami & Homma 1990
        assert found.by_path[path][0] == pytest.approx(first, abs=0.03)
        assert found.total[path][0] == pytest.approx(total, abs=0.03)


def test_what_is_not_linear_is_told_by_what_each_parameter_does_alone() -> None:
    given = columns(4000, "latin", -math.pi, math.pi)
    a, b, c = given.values()
    found = regression(given, np.sin(a) + 7.0 * np.sin(b) ** 2 + 0.1 * c**4 * np.sin(a))
    assert found is not None
    assert not found.tells  # all of b is symmetric: its coefficient is nothing
    assert abs(found.by_path["b"][0]) < 0.05
    assert max(found.strength, key=lambda path: found.strength[path]) == "b"
    for path, first in (("a", 0.3139), ("b", 0.4424), ("c", 0.0)):
        assert found.strength[path] == pytest.approx(first, abs=0.03)


def test_runs_that_were_not_all_made_have_no_sobol_indices() -> None:
    result = np.arange(20.0)
    result[3] = np.nan
    assert sobol_indices(["a", "b", "c"], result, seed=0) is None
    assert sobol_indices(["a", "b", "c"], np.arange(19.0), seed=0) is None


def test_a_straight_and_a_round_boundary_are_found() -> None:
    stream = np.random.default_rng(0)
    x, y = stream.uniform(-1.0, 1.0, (2, 2000))
    axis = np.linspace(-1.0, 1.0, 41)
    straight = fit_boundary(x, y, x + y > 0.5)
    assert straight is not None
    away = [sum(place) - 0.5 for piece in straight.segments(axis, axis) for place in piece]
    assert np.abs(away).max() < 0.1
    round_one = fit_boundary(x, y, np.hypot(x, y) > 0.7)
    assert round_one is not None
    radii = [math.hypot(*place) for piece in round_one.segments(axis, axis) for place in piece]
    assert radii
    assert radii == pytest.approx([0.7] * len(radii), abs=0.05)
    assert fit_boundary(x, y, np.zeros(2000, dtype=bool)) is None
