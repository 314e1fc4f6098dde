"""Cross-entropy: where rare failures lie, found by runs that come nearer and nearer to them.

Inputs are standard normal coordinates z, of which a run makes a score: above 0 it passed, and by how far; from 0 down it
failed. Wanted is

    P = integral of 1[score(z) <= 0] phi(z) dz,        phi = N(0, I)

too small to wait for. Runs are drawn from a proposal q instead, and each counts with its weight w = phi / q. The best q is phi
restricted to the failures; the mixture nearest to it in the sense of cross-entropy is the one of largest likelihood on weighted
runs (Rubinstein 1999). It is found in stages (Papaioannou, Geyer & Straub 2019): failure is first a soft thing, of share
Phi(-score / s), with the smallest s at which enough runs speak, until enough have failed outright. Every stage learns from all
runs so far, weighted by the mixture of all their proposals (Veach & Guibas' balance heuristic).

Then the proposal is frozen, and only runs that are drawn after that make the estimate: they are independent, so the mean of w
1[failed] has no bias and its interval is one of independent numbers (`failure_chance.py`). All proposals keep a share of phi
itself, which bounds every weight, and one of phi stretched, which keeps looking for failures in other directions (Owen & Zhou
2000).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp, ndtr

from didymos.studies.mixture import Mixture, effective_number, fit_mixture

__all__ = ["NOMINAL_SHARE", "CrossEntropy", "least_runs"]

_Array = NDArray[np.float64]

NOMINAL_SHARE = 0.1  # of every proposal that is phi itself, so no weight is above its inverse
_STRETCHED_SHARE = 0.1  # that is phi, stretched
_STRETCH = 2.0  # a failure 3.7 standard deviations away is met by 3 % of such runs
_WIDENED = 1.2  # of the fitted standard deviations: too wide costs little, too narrow much
_EVEN = 0.5  # of the fitted part that is dealt evenly to its components: a share that came out too small costs much
_FIRST = 2.0 / 15.0  # of all runs, half as they come and half stretched
_STAGE = 1.0 / 15.0
_STAGES = 5
_SPEAK = 100.0  # effective number of runs that a fit rests on,
_PART = 0.25  # or this part of all there are, where that is less
_LEAST = 300
_DRAWS, _FITS = 1, 2  # streams


def least_runs() -> int:
    """Fewer runs than this are too few to search and to count."""
    return _LEAST


class CrossEntropy:
    """Where to look next: `ask` gives points, `tell` takes what became of them, in turn.

    What is asked depends on the seed, `runs` and what was told, never on when or by whom.
    """

    def __init__(self, dimensions: int, *, runs: int, seed: int) -> None:
        self._dimensions, self._seed = dimensions, seed
        self._sizes = [round(_FIRST * runs)] + [round(_STAGE * runs)] * _STAGES
        unit, origin = np.eye(dimensions), np.zeros((2, dimensions))
        self._proposals = [Mixture(np.array([0.5, 0.5]), origin, np.array([unit, _STRETCH * unit]))]
        self._points = np.empty((0, dimensions))
        self._scores = np.empty(0)
        self._softness = np.inf

    @property
    def searching(self) -> int:
        """How many runs only search, before the first that counts."""
        return sum(self._sizes)

    def ask(self, count: int) -> tuple[_Array, _Array]:
        """At most `count` further points [n, d] and their weights [n]: NaN while it searches, as many as a stage has."""
        begun = len(self._points)
        stage = len(self._proposals) - 1
        frozen = stage == len(self._sizes)
        wanted = count if frozen else min(count, sum(self._sizes[: stage + 1]) - begun)
        streams = (np.random.default_rng([self._seed, _DRAWS, index]) for index in range(begun, begun + wanted))
        points = np.array([self._proposals[-1].draw(stream)[1] for stream in streams]).reshape(wanted, self._dimensions)
        if not frozen:
            return points, np.full(wanted, np.nan)
        return points, np.exp(_log_phi(points) - self._proposals[-1].log_density(points))

    def tell(self, points: _Array, scores: _Array) -> None:
        """What became of points, in the order in which they were asked."""
        self._points = np.vstack([self._points, points])
        self._scores = np.append(self._scores, scores)
        stage = len(self._proposals) - 1
        if stage < len(self._sizes) and len(self._points) == sum(self._sizes[: stage + 1]):
            self._proposals.append(self._next(stage))

    def _next(self, stage: int) -> Mixture:
        """The proposal of the next stage: the mixture that describes the failures so far, and what guards it."""
        drawn = [np.log(size / len(self._points)) for size in self._sizes[: stage + 1]]
        densities = [share + proposal.log_density(self._points) for share, proposal in zip(drawn, self._proposals, strict=True)]
        weights = np.exp(_log_phi(self._points) - logsumexp(densities, axis=0))
        chances = weights * (self._scores <= 0.0)
        enough = min(_SPEAK, _PART * len(weights))
        if effective_number(chances) < enough:
            chances = weights * self._soft(weights, enough)
        fitted = fit_mixture(self._points, chances, np.random.default_rng([self._seed, _FITS, stage]))
        unit, origin = np.eye(self._dimensions), np.zeros((2, self._dimensions))
        rest = 1.0 - NOMINAL_SHARE - _STRETCHED_SHARE
        shares = (1.0 - _EVEN) * fitted.shares + _EVEN / len(fitted.shares)
        return Mixture(
            np.concatenate([[NOMINAL_SHARE, _STRETCHED_SHARE], rest * shares]),
            np.concatenate([origin, fitted.means]),
            np.concatenate([np.array([unit, _STRETCH * unit]), _WIDENED * fitted.roots]),
        )

    def _soft(self, weights: _Array, enough: float) -> _Array:
        """How much of a failure each run is, with the smallest softness at which `enough` of them speak, never growing."""
        known = self._scores[np.isfinite(self._scores)]
        widest = float(np.abs(known).max(initial=1.0))
        low, high = 1e-9 * widest, min(10.0 * widest, self._softness)
        for _ in range(50):
            middle = np.sqrt(low * high)
            if effective_number(weights * ndtr(-self._scores / middle)) < enough:
                low = middle
            else:
                high = middle
        self._softness = high
        return np.asarray(ndtr(-self._scores / high), dtype=np.float64)


def _log_phi(points: _Array) -> _Array:
    return np.asarray(-0.5 * np.sum(points * points, axis=1) - 0.5 * points.shape[1] * np.log(2.0 * np.pi), dtype=np.float64)
