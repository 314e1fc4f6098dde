"""The surrogate is the Gaussian process that it says, and the search finds a narrow valley in fewer points than draws do."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize

from didymos.studies import surrogate
from didymos.studies.search import BATCH, Search
from didymos.studies.surrogate import Surrogate, squeezed


def test_the_slopes_of_the_likelihood_are_its_differences() -> None:
    draw = np.random.default_rng(0)
    points, values = draw.random((12, 3)), draw.standard_normal(12)
    prior, width = np.array([-0.5, -0.5, -0.5, 0.0, -3.0]), np.array([0.8, 0.8, 0.8, 0.5, 1.5])
    at = np.array([-0.9, -0.2, 0.3, 0.2, -1.5])
    loss, slopes = surrogate._unlikeliness(at, points, values, prior, width)
    found = scipy.optimize.approx_fprime(at, lambda x: surrogate._unlikeliness(x, points, values, prior, width)[0], 1e-6)
    assert np.isfinite(loss)
    assert slopes == pytest.approx(found, rel=1e-3, abs=1e-4)


def test_a_surrogate_goes_through_smooth_values_and_knows_where_it_knows_nothing() -> None:
    points = np.linspace(0.0, 0.5, 8)[:, None]
    process = Surrogate.fitted(points, np.sin(6.0 * points[:, 0]))
    mean, sd = process.at(np.array([[0.25], [0.1], [1.0]]))
    assert mean[:2] == pytest.approx(np.sin([1.5, 0.6]), abs=0.05)
    assert sd[2] > 5.0 * sd[0]
    _, after = process.with_point(np.array([1.0])).at(np.array([[1.0]]))
    assert after[0] < 0.5 * sd[2]


def test_squeezed_values_keep_their_order_and_lose_their_tails() -> None:
    values = np.array([-1e6, -2.0, 0.0, 1.0, 3.0])
    assert (np.diff(squeezed(values)) > 0.0).all()
    assert np.abs(squeezed(values)).max() < 20.0
    assert squeezed(np.ones(5)) == pytest.approx(np.zeros(5))


def valley(points: np.ndarray) -> np.ndarray:
    """Below zero in a ball of 0.4 % of the cube."""
    return np.asarray(1.0 - 1.3 / (1.0 + 0.5 * np.sum(((points - [0.31, 0.72, 0.55]) / [0.06, 0.1, 0.3]) ** 2, axis=-1)))


@pytest.mark.parametrize("seed", range(5))
def test_a_narrow_valley_is_found_in_few_points(seed: int) -> None:
    """By draws it takes 187 points for an even chance, and 5 of 5 within 48 would happen once in 5000 times."""
    first = np.random.default_rng(seed).random((16, 3))
    search, told = Search(first, valley(first), seed), 16
    least = valley(first).min()
    while least >= 0.0:
        points = search.ask()
        assert points.shape == (BATCH, 3)
        assert points.min() >= 0.0
        assert points.max() <= 1.0
        values = valley(points)
        search.tell(points, values)
        least, told = min(least, values.min()), told + BATCH
        assert told <= 48


def test_a_flat_cube_is_searched_on_and_on() -> None:
    search = Search(np.random.default_rng(0).random((16, 2)), np.ones(16), 0)
    for _ in range(3):
        points = search.ask()
        search.tell(points, np.ones(len(points)))
    assert len(np.unique(points, axis=0)) == BATCH


def test_very_many_points_are_thinned() -> None:
    points = np.random.default_rng(0).random((600, 2))
    process = Surrogate.fitted(points, squeezed(points[:, 0]))
    assert len(process.points) <= surrogate._MOST
    assert process.points[:, 0].min() == points[:, 0].min()
