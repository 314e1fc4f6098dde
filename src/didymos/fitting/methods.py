"""Ways to a smaller loss, all within bounds: least squares, pattern search, and a global search for rough starts.

`least_squares` is the engine's own solver (`mujoco.minimize`, the one under `mujoco.sysid`): Gauss-Newton with a trust parameter
and box bounds, which asks for all columns of a Jacobian at once. Of `mujoco.sysid` itself the parameters and residuals do not
serve: they know the engine's model, not parts, programs, delays and scenarios; ours stand in `problem.py`.

`pattern_search` (Torczon, SIAM J. Optim. 7, 1997) is what the identification of Meldog used. `evolution` is CMA-ES (Hansen, The
CMA Evolution Strategy: A Tutorial, 2016) with its standard constants, points outside drawn back to the bounds.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from mujoco import minimize
from numpy.typing import NDArray

from didymos.fitting.problem import Problem

__all__ = ["DIFFERENCE", "METHODS", "Method"]

_Array = NDArray[np.float64]
Method = Callable[[Problem, _Array, int], None]

DIFFERENCE = 1e-3  # step of finite differences, as a part of the range between the bounds
_ENOUGH = 1e-5  # steps below this part of the range are no news


def least_squares(problem: Problem, start: _Array, seed: int) -> None:
    """Bounded nonlinear least squares from a start in the unit cube; the problem keeps the best point."""
    n = len(start)
    minimize.least_squares(
        np.clip(start, 0.0, 1.0),
        problem.residuals,
        bounds=[np.zeros(n), np.ones(n)],
        eps=DIFFERENCE,
        xtol=_ENOUGH,
        gtol=1e-7,
        max_iter=60,
        x_scale="jac",
        verbose=minimize.Verbosity.SILENT,
    )


def pattern_search(problem: Problem, start: _Array, seed: int) -> None:
    """Poll both ways along each parameter, go to the best, double the mesh; halve it where nothing is better."""
    centre, mesh = np.clip(start, 0.0, 1.0), 0.125
    loss = float(problem.losses(centre)[0])
    moves = np.hstack([np.eye(len(start)), -np.eye(len(start))])
    while mesh > 4.0 * _ENOUGH:
        polled = np.clip(centre[:, None] + mesh * moves, 0.0, 1.0)
        losses = problem.losses(polled)
        best = int(np.argmin(losses))
        if losses[best] < loss * (1.0 - 1e-9):
            centre, loss, mesh = polled[:, best], float(losses[best]), min(2.0 * mesh, 0.25)
        else:
            mesh *= 0.5


def evolution(problem: Problem, start: _Array, seed: int) -> None:
    """CMA-ES from a wide cloud round the start, then least squares from the best point found."""
    n = len(start)
    rng = np.random.default_rng([seed, 1])
    count = 4 + int(3 * math.log(n + 1))
    weights = np.log(count / 2 + 0.5) - np.log(np.arange(1, count // 2 + 1))
    weights /= weights.sum()
    mass = 1.0 / float(weights @ weights)
    c_path = (4 + mass / n) / (n + 4 + 2 * mass / n)
    c_sigma = (mass + 2) / (n + mass + 5)
    c_one = 2 / ((n + 1.3) ** 2 + mass)
    c_mass = min(1 - c_one, 2 * (mass - 2 + 1 / mass) / ((n + 2) ** 2 + mass))
    damping = 1 + 2 * max(0.0, math.sqrt((mass - 1) / (n + 1)) - 1) + c_sigma
    length = math.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n))
    mean, sigma, spread = np.clip(start, 0.0, 1.0), 0.25, np.eye(n)
    path, path_sigma = np.zeros(n), np.zeros(n)
    for generation in range(1, 40 + 20 * n):
        scales, axes = np.linalg.eigh(spread)
        scales = np.sqrt(np.maximum(scales, 1e-20))
        steps = (axes * scales) @ rng.standard_normal((n, count))
        inside = np.clip(mean[:, None] + sigma * steps, 0.0, 1.0)
        outside = ((mean[:, None] + sigma * steps - inside) ** 2).sum(axis=0)
        order = np.argsort(problem.losses(inside) * (1.0 + outside), kind="stable")[: len(weights)]
        move = ((inside - mean[:, None]) / sigma)[:, order]
        step = move @ weights
        mean = mean + sigma * step
        path_sigma = (1 - c_sigma) * path_sigma + math.sqrt(c_sigma * (2 - c_sigma) * mass) * (axes @ ((axes.T @ step) / scales))
        size = float(np.linalg.norm(path_sigma))
        goes = size / math.sqrt(1 - (1 - c_sigma) ** (2 * generation)) < (1.4 + 2 / (n + 1)) * length
        path = (1 - c_path) * path + (math.sqrt(c_path * (2 - c_path) * mass) * step if goes else 0.0)
        spread = (1 - c_one - c_mass) * spread + c_one * np.outer(path, path) + c_mass * (move * weights) @ move.T
        sigma *= math.exp((c_sigma / damping) * (size / length - 1))
        if sigma * float(scales.max()) < 1e-3:
            break
    least_squares(problem, problem.best, seed)


METHODS: dict[str, Method] = {"least-squares": least_squares, "pattern": pattern_search, "global": evolution}
