"""A surrogate: a Gaussian process through what runs have shown, which says where others may be worse.

The values y of runs at points x of the unit cube are taken for a draw of a process with a covariance of Matern's kind,

    k(x, x') = s^2 (1 + a + a^2 / 3) exp(-a) + n^2 [x = x'],   a = sqrt(5) |(x - x') / l|

with a length l for each coordinate, a size s and a roughness n, which are those that make the values likeliest, given a weak
prior on them (Rasmussen & Williams 2006, 5.4). Then at any other point the value is normal with

    mean k(x, X) K^-1 y,   variance s^2 - k(x, X) K^-1 k(X, x).

Values have long tails (a run that falls over is far worse than any that does not), so they are measured in their own spread
around their median, and squeezed: y -> arsinh((y - median) / spread).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg
import scipy.optimize
from numpy.typing import NDArray

__all__ = ["Surrogate", "squeezed"]

Array = NDArray[np.float64]

_MOST = 240  # points that a process is fitted to: its cost grows with their cube
_LENGTH, _SIZE, _ROUGHNESS = np.log(0.5), 0.0, np.log(0.05)  # medians of the priors, as logarithms
_SPREADS = (0.8, 0.5, 1.5)  # standard deviations of these
_JITTER = 1e-8


def squeezed(values: Array) -> Array:
    """Values in their own spread around their median, with short tails."""
    middle = np.median(values)
    spread = np.median(np.abs(values - middle)) or np.std(values) or 1.0
    return np.asarray(np.arcsinh((values - middle) / spread))


@dataclass(frozen=True)
class Surrogate:
    """A Gaussian process through points [n, d] of the unit cube and their squeezed values [n]."""

    points: Array
    values: Array
    hyper: Array
    """Logarithms of the lengths, of the size and of the roughness, shape [d + 2]."""

    @staticmethod
    def fitted(points: Array, values: Array) -> Surrogate:
        """The process of the likeliest lengths; of very many points, the worst and the latest are taken."""
        if len(points) > _MOST:
            worst = np.argsort(values, kind="stable")[: _MOST // 2]
            latest = np.setdiff1d(np.arange(len(points)), worst)[-_MOST // 2 :]
            kept = np.sort(np.concatenate([worst, latest]))
            points, values = points[kept], values[kept]
        dimension = points.shape[1]
        prior = np.array([_LENGTH + 0.5 * np.log(dimension)] * dimension + [_SIZE, _ROUGHNESS])
        width = np.array([_SPREADS[0]] * dimension + list(_SPREADS[1:]))
        bounds = [(centre - 4.0 * sd, centre + 3.0 * sd) for centre, sd in zip(prior, width, strict=True)]
        found = scipy.optimize.minimize(
            _unlikeliness, prior, (points, values, prior, width), "L-BFGS-B", jac=True, bounds=bounds, options={"maxiter": 40}
        )
        return Surrogate(points, values, found.x)

    def with_point(self, point: Array) -> Surrogate:
        """The process once a run at a point has shown what is expected there: what is left is what other points can tell."""
        mean, _ = self.at(point[None, :])
        return Surrogate(np.vstack([self.points, point]), np.append(self.values, mean), self.hyper)

    def at(self, points: Array) -> tuple[Array, Array]:
        """Mean and standard deviation at other points [m, d], shape [m] each."""
        factor = scipy.linalg.cholesky(_covariance(self.points, self.hyper)[0], lower=True)
        cross, _ = _matern(points, self.points, self.hyper)
        weights = scipy.linalg.cho_solve((factor, True), self.values)
        across = scipy.linalg.solve_triangular(factor, cross.T, lower=True)
        variance = np.exp(2.0 * self.hyper[-2]) - np.sum(across**2, axis=0)
        return cross @ weights, np.sqrt(np.maximum(variance, 0.0))


def _matern(one: Array, other: Array, hyper: Array) -> tuple[Array, Array]:
    """Covariances between two sets of points, without roughness, and their scaled squared differences [d, n, m]."""
    scaled = [(points / np.exp(hyper[:-2])).T for points in (one, other)]
    squares = (scaled[0][:, :, None] - scaled[1][:, None, :]) ** 2
    a = np.sqrt(5.0 * squares.sum(axis=0))
    return np.exp(2.0 * hyper[-2] - a) * (1.0 + a + a**2 / 3.0), squares


def _covariance(points: Array, hyper: Array) -> tuple[Array, Array, Array]:
    """Covariance of the values at points, the part of it that is smooth, and the scaled squared differences."""
    smooth, squares = _matern(points, points, hyper)
    rough = np.exp(2.0 * hyper[-1]) + _JITTER
    return smooth + rough * np.eye(len(points)), smooth, squares


def _unlikeliness(hyper: Array, points: Array, values: Array, prior: Array, width: Array) -> tuple[float, Array]:
    """Minus the logarithm of the likelihood of the values times the prior of the numbers, and its slopes."""
    whole, smooth, squares = _covariance(points, hyper)
    factor = scipy.linalg.cholesky(whole, lower=True)
    inverse = scipy.linalg.cho_solve((factor, True), np.eye(len(points)))
    weights = inverse @ values
    pull = inverse - np.outer(weights, weights)
    a = np.sqrt(5.0 * squares.sum(axis=0))
    steep = np.exp(2.0 * hyper[-2] - a) * (1.0 + a) * 5.0 / 3.0  # dk/dlog l = steep (x - x')^2 / l^2
    slopes = [0.5 * np.sum(pull * steep * one) for one in squares]
    slopes += [np.sum(pull * smooth), np.exp(2.0 * hyper[-1]) * np.trace(pull)]
    away = (hyper - prior) / width
    loss = 0.5 * values @ weights + np.sum(np.log(np.diag(factor))) + 0.5 * np.sum(away**2)
    return float(loss), np.array(slopes) + away / width
