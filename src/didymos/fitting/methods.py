"""Ways to a smaller loss, all within bounds: least squares, pattern search, and a global search for rough starts.

`least_squares` is scipy's trust-region reflective solver (Branch, Coleman & Li, SIAM J. Sci. Comput. 21, 1999) on our residual
and its differences, all columns of which are found at once. It asks of them nothing but products, so it is given the triangle
that has the same ones, and the many rows are never held (`tall_skinny.py`); all of them where starts are estimated, which are
eliminated row by row. The parameters and residuals of `mujoco.sysid` do not serve: they
know the engine's model, not parts, programs, delays, recordings and scenarios.

`pattern_search` (Torczon, SIAM J. Optim. 7, 1997) is what the identification of Meldog used. `evolution` is CMA-ES
(`evolution.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

from didymos.fitting.evolution import evolve
from didymos.fitting.problem import Problem
from didymos.fitting.tall_skinny import turned

__all__ = ["DIFFERENCE", "METHODS", "Ending", "Method"]

_Array = NDArray[np.float64]

DIFFERENCE = 1e-3  # step of finite differences, as a part of the range between the bounds
_ENOUGH = 1e-5  # steps below this part of the range are no news
_MOST = 60  # iterations of least squares
_INSIDE = 1e-9  # how far inside its bounds a start has to lie


@dataclass(frozen=True)
class Ending:
    """How a search ended: the point, whether it converged, after how many iterations, and why it ended."""

    point: _Array
    converged: bool
    iterations: int
    why: str


Method = Callable[[Problem, _Array, int], Ending]


def least_squares(problem: Problem, start: _Array, seed: int) -> Ending:
    """Bounded nonlinear least squares from a start in the unit cube."""
    problem.settle(start, anew=True)

    def residual(point: _Array) -> _Array:
        if problem.estimates_starts:
            return problem.residuals(point)
        return np.append(np.sqrt(problem.losses(point)), np.zeros(len(point)))

    def jacobian(point: _Array) -> _Array:
        if problem.estimates_starts:
            return problem.jacobian(point, DIFFERENCE)
        return turned(problem.triangle(point, DIFFERENCE))[1]

    done = optimize.least_squares(
        residual,
        np.clip(start, problem.low + _INSIDE, problem.high - _INSIDE),
        jac=jacobian,
        bounds=(problem.low, problem.high),
        method="trf",
        x_scale="jac",
        xtol=0.1 * _ENOUGH,
        ftol=1e-9,
        gtol=1e-12,
        max_nfev=_MOST,
    )
    return Ending(done.x, done.status > 0, int(done.njev), str(done.message))


def pattern_search(problem: Problem, start: _Array, seed: int) -> Ending:
    """Poll both ways along each parameter, go to the best, double the mesh; halve it where nothing is better."""
    centre, mesh = np.clip(start, 0.0, 1.0), 0.125
    loss = float(problem.losses(centre)[0])
    moves = np.hstack([np.eye(len(start)), -np.eye(len(start))])
    polls = 0
    while mesh > 4.0 * _ENOUGH:
        polls += 1
        polled = np.clip(centre[:, None] + mesh * moves, 0.0, 1.0)
        losses = problem.losses(polled)
        best = int(np.argmin(losses))
        if losses[best] < loss * (1.0 - 1e-9):
            centre, loss, mesh = polled[:, best], float(losses[best]), min(2.0 * mesh, 0.25)
        else:
            mesh *= 0.5
    return Ending(centre, True, polls, "the mesh is fine enough")


def evolution(problem: Problem, start: _Array, seed: int) -> Ending:
    """CMA-ES from a wide cloud round the start, then least squares from the best point found."""
    evolve(problem.losses, start, rng=np.random.default_rng([seed, 1]), generations=39 + 20 * len(start))
    return least_squares(problem, problem.best, seed)


METHODS: dict[str, Method] = {"least-squares": least_squares, "pattern": pattern_search, "global": evolution}
