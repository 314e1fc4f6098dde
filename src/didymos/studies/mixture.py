"""Mixtures of normal distributions in several dimensions, and their fit to weighted points.

    q(z) = sum_k a_k N(z; m_k, S_k)

The fit is expectation-maximisation on weighted points (Dempster, Laird & Rubin 1977), begun at points that lie far from each
other (k-means++). Covariances are drawn towards the unit matrix, the more the fewer points speak for them; the number of
components is the one with the best Bayesian information criterion, in which points count by their effective number, (sum w)^2 /
sum w^2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

__all__ = ["Mixture", "effective_number", "fit_mixture"]

_Array = NDArray[np.float64]

_COMPONENTS = 4  # most that are tried
_BEGINNINGS = 2  # of each number of components but one
_ROUNDS = 30
_ENOUGH = 1e-4  # gain of the mean log-likelihood in one round below which a fit is over
_LEAST_VARIANCE = 1e-3


@dataclass(frozen=True)
class Mixture:
    """Normal distributions with shares: `shares` [k], `means` [k, d], `roots` [k, d, d] (lower Cholesky factors)."""

    shares: _Array
    means: _Array
    roots: _Array

    def log_densities(self, points: _Array) -> _Array:
        """Logarithm of a_k N(z; m_k, S_k) at `points` [n, d]; shape [k, n]."""
        rows = []
        for share, mean, root in zip(self.shares, self.means, self.roots, strict=True):
            away = np.einsum("ij,nj->in", np.linalg.inv(root), points - mean)  # a few dimensions: threads of BLAS would only wait
            scale = np.log(np.diag(root)).sum() + 0.5 * len(mean) * np.log(2.0 * np.pi)
            rows.append(np.log(share) - 0.5 * np.sum(away * away, axis=0) - scale)
        return np.array(rows)

    def log_density(self, points: _Array) -> _Array:
        """Logarithm of q at `points` [n, d]; shape [n]."""
        summed: _Array = logsumexp(self.log_densities(points), axis=0)
        return summed

    def draw(self, stream: np.random.Generator) -> tuple[int, _Array]:
        """Which component is drawn from, and one point of it, shape [d]."""
        chosen = min(int(np.searchsorted(np.cumsum(self.shares), stream.random())), len(self.shares) - 1)
        return chosen, self.means[chosen] + self.roots[chosen] @ stream.standard_normal(self.means.shape[1])


def effective_number(weights: _Array) -> float:
    """How many points of equal weight say as much: (sum w)^2 / sum w^2."""
    largest = weights.max(initial=0.0)
    if not largest > 0.0:
        return 0.0
    scaled = weights / largest  # squares of small weights would be lost
    return float(scaled.sum() ** 2 / np.sum(scaled * scaled))


def fit_mixture(points: _Array, weights: _Array, stream: np.random.Generator) -> Mixture:
    """The mixture that describes `points` [n, d] best, each counted by its weight [n]."""
    chosen = weights > 0.0
    points, weights = points[chosen], weights[chosen] / weights.max()
    weights = weights / weights.sum()
    best: tuple[float, Mixture] | None = None
    for components in range(1, min(_COMPONENTS, len(points)) + 1):
        for _ in range(1 if components == 1 else _BEGINNINGS):
            tried = _fit(points, weights, components, stream)
            if best is None or tried[0] > best[0]:
                best = tried
    assert best is not None
    return best[1]


def _fit(points: _Array, weights: _Array, components: int, stream: np.random.Generator) -> tuple[float, Mixture]:
    """The criterion and the mixture that expectation-maximisation comes to."""
    number, size = effective_number(weights), points.shape[1]
    belongs = _begin(points, weights, components, stream)
    before = -np.inf
    for _ in range(_ROUNDS):
        mixture = _maximise(points, weights[:, None] * belongs, number)
        parts = mixture.log_densities(points)
        whole = logsumexp(parts, axis=0)
        now = float(np.sum(weights * whole))
        belongs = np.exp(parts - whole).T
        if now - before < _ENOUGH:
            break
        before = now
    numbers = components * (1 + size + size * (size + 1) / 2) - 1
    return now - 0.5 * numbers * np.log(max(number, 2.0)) / max(number, 2.0), mixture


def _begin(points: _Array, weights: _Array, components: int, stream: np.random.Generator) -> _Array:
    """Which component each point belongs to at first [n, k]: the one whose centre is nearest."""
    away = np.full((components, len(points)), np.inf)
    chances = weights
    for index in range(components):
        centre = points[stream.choice(len(points), p=chances / chances.sum())]
        away[index] = np.sum((points - centre) ** 2, axis=1)
        farther = weights * away[: index + 1].min(axis=0)
        chances = farther if farther.any() else weights
    return np.eye(components)[away.argmin(axis=0)]


def _maximise(points: _Array, counts: _Array, number: float) -> Mixture:
    """The mixture whose components have the means and covariances of what belongs to them, `counts` [n, k]."""
    size = points.shape[1]
    shares = counts.sum(axis=0) + 1e-12
    means = counts.T @ points / shares[:, None]
    roots = []
    for share, mean, count in zip(shares, means, counts.T, strict=True):
        away = points - mean
        pull = (size + 2) / (number * share + size + 2)
        spread = (1.0 - pull) * (count[:, None] * away).T @ away / share + (pull + _LEAST_VARIANCE) * np.eye(size)
        roots.append(np.linalg.cholesky(spread))
    return Mixture(shares / shares.sum(), means, np.array(roots))
