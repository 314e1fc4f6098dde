"""CMA-ES against functions whose least is known."""

from __future__ import annotations

import numpy as np
import pytest

from didymos.fitting.evolution import evolve


class Least:
    """Keeps the least of a function, as a search does."""

    def __init__(self, function: object) -> None:
        self.function, self.loss, self.point = function, np.inf, np.zeros(0)

    def __call__(self, points: np.ndarray) -> np.ndarray:
        losses = np.array([self.function(point) for point in points.T])  # type: ignore[operator]
        best = int(np.argmin(losses))
        if losses[best] < self.loss:
            self.loss, self.point = float(losses[best]), points[:, best].copy()
        return losses


def test_a_narrow_bent_valley_is_followed_to_its_end() -> None:
    def rosenbrock(u: np.ndarray) -> float:
        x = 4.0 * u - 2.0
        return float(np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2))

    least = Least(rosenbrock)
    evolve(least, np.full(4, 0.3), rng=np.random.default_rng(0), generations=400, enough=1e-7)
    assert least.point == pytest.approx(np.full(4, 0.75), abs=1e-3)


def test_the_least_may_lie_at_a_bound() -> None:
    least = Least(lambda u: float(np.sum((u - np.array([-0.5, 0.5, 2.0])) ** 2)))
    evolve(least, np.full(3, 0.5), rng=np.random.default_rng(0), generations=150)
    assert least.point == pytest.approx([0.0, 0.5, 1.0], abs=5e-3)


def test_only_the_order_counts() -> None:
    def wall(u: np.ndarray) -> float:
        return 1e6 * (1.0 + u[0]) if u[0] > 0.4 else float((u[0] - 0.9) ** 2 + (u[1] - 0.2) ** 2)

    least = Least(wall)
    evolve(least, np.array([0.9, 0.9]), rng=np.random.default_rng(0), generations=100, enough=1e-6)
    assert least.point == pytest.approx([0.4, 0.2], abs=1e-3)
