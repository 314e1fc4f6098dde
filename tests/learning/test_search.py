"""Searches find known optima, stand where they stood when they are told the same, and depend on their seed alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from didymos.errors import InputError
from didymos.learning.normalizer import Moments
from didymos.learning.search import Search, new_search

pytest.importorskip("cma")
pytestmark = pytest.mark.quick


def sphere(x: Any) -> Any:
    return -((x - 1.0) ** 2).sum(axis=-1)


def rosenbrock(x: Any) -> Any:
    return -(100.0 * (x[..., 1:] - x[..., :-1] ** 2) ** 2 + (1.0 - x[..., :-1]) ** 2).sum(axis=-1)


def searched(search: Search, worth: Any, generations: int) -> Search:
    for _ in range(generations):
        search.tell(worth(search.ask()))
    return search


def test_cma_es_finds_the_bottom_of_a_bent_valley() -> None:
    found = searched(new_search("cma", np.zeros(4), seed=1), rosenbrock, 300).centre
    assert found == pytest.approx(np.ones(4), abs=1e-3)


def test_both_come_near_the_top_of_a_sphere() -> None:
    for method, more, left in (("cma", {}, 0.01), ("ars", {"step": 0.1}, 0.03)):  # ARS goes about the top in steps of one length
        found = searched(new_search(method, np.zeros(80), seed=1, **more), sphere, 400).centre
        assert -sphere(found) < left * 80  # of where it began


def test_ars_climbs_the_return_of_a_linear_quadratic_regulator_to_its_optimum() -> None:
    # x' = x + u + w, cost x^2 + u^2, u = -k x: the gain of the Riccati equation P = 1 + P / (1 + P) is P / (1 + P), 0.618
    def worth(gains: Any) -> Any:
        x, total = np.full(len(gains), 1.0), np.zeros(len(gains))
        for w in np.random.default_rng(0).normal(size=200) * 0.1:
            u = -gains[:, 0] * x
            total -= x**2 + u**2
            x = x + u + w
        return total

    found = searched(new_search("ars", np.zeros(1), seed=2, step=0.05), worth, 150).centre
    golden = (np.sqrt(5.0) - 1.0) / 2.0
    assert found[0] == pytest.approx(golden, abs=0.06)  # the return is flat: 200 steps say the gain to some 5 %


@pytest.mark.parametrize("method", ["cma", "ars"])
def test_told_the_same_again_it_stands_where_it_stood(method: str) -> None:
    one, told = new_search(method, np.zeros(5), seed=3), []
    for _ in range(10):
        told.append(sphere(one.ask()))
        one.tell(told[-1])
    other = new_search(method, np.zeros(5), seed=3)
    for returns in told:
        other.ask()
        other.tell(returns)
    assert (one.centre == other.centre).all()
    assert (one.ask() == other.ask()).all()
    assert (new_search(method, np.zeros(5), seed=4).ask() != new_search(method, np.zeros(5), seed=3).ask()).any()


def test_no_search_touches_the_random_numbers_of_others() -> None:
    np.random.seed(1)  # noqa: NPY002
    before = np.random.get_state()[1].copy()  # type: ignore[index,union-attr]  # noqa: NPY002
    searched(new_search("cma", np.zeros(5), seed=3), sphere, 3)
    assert (np.random.get_state()[1] == before).all()  # type: ignore[index]  # noqa: NPY002


def test_an_unknown_method_is_named() -> None:
    with pytest.raises(InputError, match="cma or ars"):
        new_search("sgd", np.zeros(2), seed=0)
    with pytest.raises(InputError, match="ars only"):
        new_search("cma", np.zeros(2), seed=0, step=0.1)


def test_moments_of_parts_are_those_of_the_whole() -> None:
    rows = np.random.default_rng(0).normal(size=(1000, 3)) * [1.0, 100.0, 0.0] + [0.0, 1e4, 5.0]
    whole = Moments.none(3)
    for first in range(0, 1000, 90):
        whole = whole + Moments.of(rows[first : first + 90])
    assert whole.mean == pytest.approx(rows.mean(axis=0), rel=1e-12)
    assert whole.scale == pytest.approx([rows[:, 0].std(), rows[:, 1].std(), 1.0], rel=1e-9)
