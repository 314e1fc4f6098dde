"""Which intervals a fit reports.

    sandwich    from the slopes at the optimum: symmetric, generalised least squares over all that the noise may be, or the
                sandwich where that is wider than chance explains (`confidence.py`); costs nothing more
    profile     how far each number can go before the recordings object (`profile.py`): as lopsided as the twin is
    posterior   samples of all parameters together (`posterior.py`)

A number that the slopes do not determine has no interval by any of them; neither have the values of a twin that is refuted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from didymos.errors import InputError
from didymos.fitting.confidence import Confidence
from didymos.fitting.differences import linearise
from didymos.fitting.fitted import FittedParameter
from didymos.fitting.likelihood import Likelihood, adjusted_likelihood
from didymos.fitting.methods import DIFFERENCE
from didymos.fitting.posterior import check_emcee, sample
from didymos.fitting.problem import Problem
from didymos.fitting.profile import End, profile_ends
from didymos.fitting.reported import reported_slopes
from didymos.fitting.samples import Samples

__all__ = ["INTERVALS", "Intervals", "check_intervals", "find_intervals", "usual_runs"]

_Array = NDArray[np.float64]
INTERVALS = ("sandwich", "profile", "posterior")
_TAILS = (0.025, 0.975)


@dataclass(frozen=True, eq=False)
class Intervals:
    """Parameters with their intervals, correlations [n, n], by what they were found, samples, and what has to be told."""

    parameters: tuple[FittedParameter, ...]
    correlation: _Array
    by: str = "sandwich"
    samples: Samples | None = None
    warnings: tuple[str, ...] = ()


def check_intervals(name: str) -> None:
    """An `InputError` where there are no such intervals, or what they need is not installed."""
    if name not in INTERVALS:
        raise InputError(f"found {name!r}, expected one of {', '.join(INTERVALS)}", option="intervals")
    if name == "posterior":
        check_emcee()


def usual_runs(name: str, count: int) -> int:
    """How many runs intervals of so many numbers usually take."""
    return {"sandwich": 0, "profile": 6 * count * (count + 2), "posterior": 5000}[name]


def find_intervals(
    name: str, problem: Problem, parameters: Sequence[FittedParameter], certainty: Confidence, jacobian: _Array, residual: _Array,
    *, seed: int = 0,
) -> Intervals:
    """Intervals of what was fitted, from those by the slopes, the Jacobian and the residual at the best point; that one stays.

    An interrupt leaves the intervals by the slopes, and says so.
    """  # fmt: skip
    plain = Intervals(tuple(parameters), certainty.correlation)
    likelihood = None if name == "sandwich" else _likelihood(problem, jacobian, residual)
    if likelihood is None:
        return plain
    best, loss = problem.best, problem.best_loss
    try:
        if name == "profile":
            return _by_profile(problem, best, plain, certainty, likelihood)
        return _by_samples(problem, best, plain, likelihood, seed)
    except KeyboardInterrupt:
        return replace(plain, warnings=(f"interrupted: the intervals are those of the sandwich, not of the {name}",))
    finally:
        problem.best, problem.best_loss = best, loss


def _likelihood(problem: Problem, jacobian: _Array, residual: _Array) -> Likelihood | None:
    best = problem.best
    return adjusted_likelihood(
        problem.residuals_or_failed, lambda points, steps: linearise(problem, points, best, steps), jacobian, residual,
        problem.blocks(), priors=slice(problem.samples, problem.samples + len(problem.prior_slopes())), belief=problem.noise,
        longest=DIFFERENCE,
    )  # fmt: skip


def _values(problem: Problem, point: _Array) -> _Array:
    """All that is reported at a point."""
    parts = [group.reported(point[problem.parameters.stretch(group, i)]) for group, i in problem.parameters.entries()]
    return np.concatenate(parts)


def _by_profile(
    problem: Problem, best: _Array, plain: Intervals, certainty: Confidence, likelihood: Likelihood
) -> Intervals:
    def numbers(point: _Array) -> tuple[_Array, _Array]:
        return _values(problem, point), reported_slopes(problem.parameters, point)

    found, warnings = [], []
    ends = profile_ends(likelihood, best, numbers, certainty.half_width.tolist())
    for item, both in zip(plain.parameters, ends, strict=True):
        if item.interval is None:
            found.append(item)
            continue
        low, high = (_end(end, plain_end, outer) for end, plain_end, outer in zip(both, item.interval, (min, max), strict=True))
        opened = both[0].open, both[1].open
        found.append(replace(item, interval=None if all(opened) else (low, high), open=opened))
        warnings += _told(item, both)
    return Intervals(tuple(found), plain.correlation, "profile", warnings=tuple(warnings))


def _end(end: End, plain: float, outer: Callable[[float, float], float]) -> float:
    """Where an interval ends; where the profile could not be followed, no nearer than the `plain` one."""
    if end.value is None:
        return plain
    return end.value if end.followed else outer(end.value, plain)


def _told(item: FittedParameter, both: tuple[End, End]) -> list[str]:
    name, warnings = item.full_name, []
    for end, side, bound in zip(both, ("lower", "upper"), item.bounds, strict=True):
        if end.open and not (both[0].open and both[1].open):
            warnings.append(f"{name}: the recordings allow all up to its {side} bound, {bound:g} {item.unit}".rstrip())
        elif not end.followed:
            text = "its likelihood has a step, or is too rough to be followed, towards the"
            warnings.append(f"{name}: {text} {side} end, which is no nearer than that of the sandwich")
    return warnings


def _by_samples(problem: Problem, best: _Array, plain: Intervals, likelihood: Likelihood, seed: int) -> Intervals:
    chain = sample(likelihood, best, seed)
    values = np.array([_values(problem, point) for point in chain.points])
    ends = np.quantile(values, _TAILS, axis=0).T.tolist()
    parameters = tuple(
        item if item.interval is None else replace(item, interval=(low, high))
        for item, (low, high) in zip(plain.parameters, ends, strict=True)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        correlation = np.nan_to_num(np.atleast_2d(np.corrcoef(values, rowvar=False)))
    np.fill_diagonal(correlation, 1.0)
    names = tuple(item.full_name for item in parameters)
    samples = Samples(
        names, values, chain.walkers, chain.steps, chain.autocorrelation, chain.effective, chain.acceptance, chain.converged
    )  # fmt: skip
    return Intervals(parameters, correlation, "posterior", samples, () if chain.converged else (samples.text,))
