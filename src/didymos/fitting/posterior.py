"""Intervals by sampling: points of the unit cube in proportion to their posterior density, by `emcee`.

    p(x) ~ exp(-F(x) / 2)   within the cube, 0 outside,      F of `likelihood.py`, with all priors

Flat in the coordinates of the search: values between their bounds, log-Cholesky coordinates of bodies (`body.py`). Walkers move
together, so that each step is one batch of runs. Half of the steps are those of differential evolution (ter Braak, Statistics and
Computing 16, 2006), which need to know nothing of p; half are drawn from what the slopes at the optimum say of p, with tails of
Student's t of four degrees, and accepted by Metropolis & Hastings: where the twin is nearly linear these are nearly independent.
Where they are not, they are drawn from what the samples so far say, and the walk begins anew, twice at most.

Neighbours in a walk are alike over the integrated autocorrelation time tau [steps]; N samples tell as much as N / tau independent
ones. It is the longest of all coordinates and of being in their tails (2.5 % on either side), about the mean of all walkers, so
that one that is stuck in a tail is seen (tail effective sample size: Vehtari et al., Bayesian Analysis 16, 2021). The walk ends
after 50 tau, as `emcee` advises, with 1,000 of these, and says so where it does not come there. Ends of 95 % intervals are then
known to 0.09 standard deviations: sqrt(0.025 * 0.975 / 1000) over the normal distribution's density there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.errors import InputError
from didymos.fitting.likelihood import Likelihood

__all__ = ["Chain", "autocorrelation_time", "check_emcee", "sample"]

_Array = NDArray[np.float64]
_WALKERS = 32  # at least, and four for each coordinate
_STEPS, _CHUNK = 2000, 50  # at most, and those after which is looked at how it goes
_TIMES, _ENOUGH = 50.0, 1000.0  # steps in autocorrelation times, and effective samples, of a walk that is long enough
_ALIKE, _ANEW = 5.0, 2  # steps of autocorrelation from which on draws are fitted to the samples, and how often
_TAILS, _WINDOW = (0.025, 0.975), 5.0
_BURN_IN = 5.0  # autocorrelation times that are left out at the begin
_FREEDOM, _WIDER = 4.0, 1.1  # of the drawn steps
_UNIFORM = 0.29  # standard deviation of what is the same everywhere in the cube
_DRAWS = 200  # of the first walkers, until their runs do not fail


@dataclass(frozen=True, eq=False)
class Chain:
    """Samples, shape [count, n], and how they came to be; autocorrelation time in steps."""

    points: _Array
    walkers: int
    steps: int
    autocorrelation: float
    effective: float
    acceptance: float
    converged: bool


def check_emcee() -> None:
    """An `InputError` with what to do where `emcee` is not installed."""
    try:
        import emcee  # noqa: F401
    except ImportError:
        text = "posterior sampling needs emcee; install it with: pip install 'didymos[fit]'"
        raise InputError(text, option="intervals") from None


def sample(likelihood: Likelihood, optimum: _Array, seed: int) -> Chain:
    """Samples of the posterior, from about the optimum; the same seed gives the same. An interrupt keeps those so far."""
    import emcee

    count = len(optimum)
    walkers = 2 * ((max(_WALKERS, 4 * count) + 1) // 2)
    _, triangle = likelihood.at_optimum(optimum)
    drawn = _Drawn.about(optimum, triangle[:, :-1])
    first = _first(likelihood, drawn, walkers, np.random.default_rng([seed, 1]))

    def log_density(points: _Array) -> _Array:
        inside = np.all((points >= 0.0) & (points <= 1.0), axis=1)
        found = np.full(len(points), -np.inf)
        if inside.any():
            found[inside] = -0.5 * likelihood.squares(points[inside].T)
        return found

    moves = [(emcee.moves.DEMove(), 0.5), (emcee.moves.MHMove(drawn.propose), 0.5)]
    sampler = emcee.EnsembleSampler(walkers, count, log_density, moves=moves, vectorize=True)
    sampler.random_state = np.random.RandomState(seed).get_state()
    state: Any = first
    begun = 0
    try:
        while sampler.iteration < _STEPS:
            state = sampler.run_mcmc(state, _CHUNK, skip_initial_state_check=True)
            found = _chain(sampler)
            if found.converged:
                break
            if begun < _ANEW and found.autocorrelation > _ALIKE:
                begun += 1
                drawn.fit(found.points)
                sampler.reset()
    except KeyboardInterrupt:
        if sampler.iteration == 0:
            raise
    return _chain(sampler)


def _chain(sampler: Any) -> Chain:
    """What a sampler has so far."""
    steps = int(sampler.iteration)
    time = autocorrelation_time(sampler.get_chain(discard=steps // 10))
    left_out = min(int(np.ceil(_BURN_IN * time)), steps // 2)
    points = sampler.get_chain(discard=left_out, flat=True)
    effective = len(points) / max(time, 1.0)
    return Chain(
        points, int(sampler.nwalkers), steps, time, effective, float(np.mean(sampler.acceptance_fraction)),
        converged=steps >= _TIMES * time and effective >= _ENOUGH,
    )  # fmt: skip


def autocorrelation_time(chain: _Array) -> float:
    """The longest one [steps] of coordinates and of their tails, from a chain of shape [steps, walkers, n]."""
    steps = len(chain)
    low, high = np.quantile(chain, _TAILS, axis=(0, 1))
    series = np.concatenate([chain, (chain < low) * 1.0, (chain > high) * 1.0], axis=2)
    series = series - series.mean(axis=(0, 1))
    spectrum = np.fft.rfft(series, 2 * steps, axis=0)
    alike = np.fft.irfft(np.abs(spectrum) ** 2, axis=0)[:steps].mean(axis=1)  # [lags, 3 n]
    times = 2.0 * np.cumsum(alike / np.maximum(alike[0], 1e-300), axis=0) - 1.0
    beyond = np.arange(steps)[:, None] >= _WINDOW * times  # Sokal's window: as short as five times what it holds
    window = np.where(beyond.any(axis=0), np.argmax(beyond, axis=0), steps - 1)
    return float(np.max(times[window, np.arange(times.shape[1])]))


class _Drawn:
    """Student's t about a centre [n], with a root [n, n] of the scale matrix."""

    def __init__(self, centre: _Array, root: _Array) -> None:
        self._take(centre, root)

    @classmethod
    def about(cls, point: _Array, slopes: _Array) -> _Drawn:
        """With the covariance that the slopes [m, n] of errors at a point say, but no wider than the cube."""
        _, values, axes = np.linalg.svd(slopes)
        values = np.append(values, np.zeros(len(axes) - len(values)))
        return cls(point, axes.T * (_WIDER / np.maximum(values, 1.0 / _UNIFORM)))

    def fit(self, points: _Array) -> None:
        """Take mean and covariance of points [count, n]."""
        covariance = np.atleast_2d(np.cov(points, rowvar=False)) + 1e-12 * np.eye(points.shape[1])
        self._take(points.mean(axis=0), np.asarray(_WIDER * np.linalg.cholesky(covariance), dtype=np.float64))

    def _take(self, centre: _Array, root: _Array) -> None:
        self.centre, self._root, self._inverse = centre, root, np.linalg.inv(root)

    def draw(self, count: int, rng: Any) -> _Array:
        """Points [count, n] by a generator of either kind of numpy's."""
        n = len(self.centre)
        scale = np.sqrt(rng.chisquare(_FREEDOM, (count, 1)) / _FREEDOM)
        return np.asarray(self.centre + rng.standard_normal((count, n)) / scale @ self._root.T)

    def log_density(self, points: _Array) -> _Array:
        """But for a constant, shape [count]."""
        away = (points - self.centre) @ self._inverse.T
        return np.asarray(-0.5 * (_FREEDOM + len(self.centre)) * np.log1p(np.einsum("ij,ij->i", away, away) / _FREEDOM))

    def propose(self, points: _Array, rng: Any) -> tuple[_Array, _Array]:
        """New points, whatever the old ones are, and the logarithms of how much likelier the way back is."""
        new = self.draw(len(points), rng)
        return new, self.log_density(points) - self.log_density(new)


def _first(likelihood: Likelihood, drawn: _Drawn, walkers: int, rng: np.random.Generator) -> _Array:
    """Where walkers begin: draws about the optimum, within the cube, whose runs do not fail."""
    found: list[_Array] = []
    for _ in range(_DRAWS):
        points = drawn.draw(walkers, rng)
        points = np.where(points < 0.0, -points, np.where(points > 1.0, 2.0 - points, points))  # mirrored at the faces
        points = points[np.all((points > 0.0) & (points < 1.0), axis=1)]
        if len(points):
            found += list(points[np.isfinite(likelihood.squares(points.T))])
        if len(found) >= walkers:
            return np.array(found[:walkers])
    raise InputError("almost every run about the optimum fails, so that nothing can be sampled there", option="intervals")
