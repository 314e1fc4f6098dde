"""Generalised least squares over all that the noise may be: draws of it, and the mixture of normals that they make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from didymos.fitting.noise_unit import NoiseUnit

__all__ = ["Mixture", "mixture"]

_Array = NDArray[np.float64]
_DRAWS = 512
_SWEEPS, _KEPT = 10, 6  # of Gibbs, and the last of them that count
_HALVINGS = 30
_ALIKE = 1e-6  # by how much two channels differ at least


@dataclass(frozen=True, eq=False)
class Mixture:
    """Normals of equal weight: means [draws, q] and covariances [draws, q, q]."""

    mean: _Array
    covariance: _Array

    def interval(self, basis: _Array, level: float) -> tuple[_Array, _Array]:
        """Both ends [n] of the central interval of each combination that `basis` [n, q] makes."""
        centre = self.mean @ basis.T
        spread = np.sqrt(np.maximum(np.einsum("iq,dqr,ir->di", basis, self.covariance, basis), 1e-300))
        return tuple(_quantile(centre, spread, probability) for probability in (0.5 - level / 2, 0.5 + level / 2))  # type: ignore[return-value]

    def moments(self) -> tuple[_Array, _Array]:
        """Mean [q] and covariance [q, q] of the whole, each draw weighed by its precision so that the widest do not rule it."""
        weight = 1.0 / np.trace(self.covariance, axis1=1, axis2=2)
        weight /= weight.sum()
        mean = weight @ self.mean
        away = self.mean - mean
        return mean, np.einsum("d,dqr->qr", weight, self.covariance) + (away * weight[:, None]).T @ away


def mixture(units: Sequence[NoiseUnit], precision: _Array, pull: _Array, seed: int = 0) -> Mixture:
    """From all units of noise and a prior's precision [q, q] and pull [q] (precision times the prior's mean).

    The first draws take every channel by itself; Gibbs sweeps over all of them (parameters, covariances, processes) follow.
    """
    rng = np.random.default_rng(seed)
    guesses = [unit.first_guess(_DRAWS, rng) for unit in units]
    chosen = [guess for guess, _ in guesses]
    weights = [_diagonal(1.0 / np.maximum(variance, 1e-300)) for _, variance in guesses]
    products = [unit.products(guess) for unit, guess in zip(units, chosen, strict=True)]
    mean, covariance = _solve(products, weights, precision, pull)
    kept = []
    for _ in range(_SWEEPS):
        noise = rng.standard_normal((_DRAWS, len(pull), 1))
        step = np.matmul(np.linalg.cholesky(covariance), noise)[:, :, 0]
        after = np.concatenate([mean + step, np.ones((_DRAWS, 1))], axis=1)
        for i, unit in enumerate(units):
            left = np.einsum("dw,dcewv,dv->dce", after, products[i], after, optimize=True)
            if unit.known is not None:
                continue
            weights[i] = _wishart(left, unit.samples, rng)
            chosen[i] = unit.redraw(chosen[i], weights[i], after, rng)
            products[i] = unit.products(chosen[i])
        mean, covariance = _solve(products, weights, precision, pull)
        kept.append((mean, covariance))
    means, covariances = zip(*kept[-_KEPT:], strict=True)
    return Mixture(np.concatenate(means), np.concatenate(covariances))


def _solve(
    products: Sequence[_Array], weights: Sequence[_Array], precision: _Array, pull: _Array
) -> tuple[_Array, _Array]:
    """Means [draws, q] and covariances of d under each draw's covariance between channels, given by its inverse [draws, C, C]."""
    q = len(pull)
    whole = sum(np.einsum("dce,dcewv->dwv", weight, product) for weight, product in zip(weights, products, strict=True))
    covariance = np.linalg.inv(whole[:, :q, :q] + precision)
    return np.einsum("dqr,dr->dq", covariance, pull - whole[:, :q, q]), covariance


def _diagonal(values: _Array) -> _Array:
    return values[:, :, None] * np.eye(values.shape[1])


def _wishart(left: _Array, samples: int, rng: np.random.Generator) -> _Array:
    """Draws of Sigma^-1 [draws, C, C] given the errors' squares [draws, C, C] over so many samples."""
    draws, count = left.shape[:2]
    own = np.einsum("dcc->dc", left)
    if samples < 3 * count:  # too few to tell what channels share
        return _diagonal(rng.chisquare(samples, (draws, count)) / np.maximum(own, 1e-300))
    scatter = left + (_ALIKE * own + 1e-300)[:, :, None] * np.eye(count)
    root = np.linalg.inv(np.linalg.cholesky(scatter))  # root^T root is the inverse
    bartlett = np.tril(rng.standard_normal((draws, count, count)), -1)
    for c in range(count):
        bartlett[:, c, c] = np.sqrt(rng.chisquare(samples - count - c, draws))
    half = np.matmul(bartlett.transpose(0, 2, 1), root)
    return np.matmul(half.transpose(0, 2, 1), half)


def _quantile(centre: _Array, spread: _Array, probability: float) -> _Array:
    """Of mixtures of normals of equal weight, [draws, n] -> [n], by bisection."""
    low, high = (centre - 9.0 * spread).min(axis=0), (centre + 9.0 * spread).max(axis=0)
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        below = ndtr((middle - centre) / spread).mean(axis=0) < probability
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return 0.5 * (low + high)
