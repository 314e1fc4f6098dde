"""The search: from one or several starts to valleys of the loss, the lowest first.

Parameters that a recording has for itself and that have many valleys (`grid`) are first tried on a grid, in all recordings at
once: they do not know of each other. That is done again after a search; where it finds something lower, the search goes on there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from didymos.fitting.methods import METHODS, Ending
from didymos.fitting.parameterization import Group
from didymos.fitting.problem import Problem

__all__ = ["Outcome", "Valley", "search"]

_Array = NDArray[np.float64]
_ROUNDS = 4  # of grid and search
_LOWER = 1e-3  # share of the loss by which a grid has to be better to be worth another search
_APART = 0.02  # distance in units of the bounds from which on two points are two valleys
_DRAWS = 20  # of a start, until its runs do not fail
_CHUNK = 64  # points of a grid at a time


@dataclass(frozen=True, eq=False)
class Valley:
    """A place where the loss is least among its neighbours."""

    loss: float
    point: _Array
    ending: Ending


@dataclass(frozen=True, eq=False)
class Outcome:
    """Valleys, the lowest first, and whether the user interrupted."""

    valleys: tuple[Valley, ...]
    interrupted: bool


def search(problem: Problem, start: _Array, method: str, starts: int, seed: int) -> Outcome:
    """Search from the start and from points drawn within the bounds. An interrupt ends it; the problem has the best so far."""
    rng = np.random.default_rng([seed, 0])
    drawn = [_drawn(problem, rng, len(start)) for _ in range(starts - 1)]
    points = [start, *(point for point in drawn if point is not None)]
    valleys: list[Valley] = []
    try:
        for point in points:
            valleys.append(_descend(problem, point, method, seed))
    except KeyboardInterrupt:
        ending = Ending(problem.best, False, 0, "interrupted")
        return Outcome(tuple(_distinct([*valleys, Valley(problem.best_loss, problem.best, ending)])), True)
    return Outcome(tuple(_distinct(valleys)), False)


def _drawn(problem: Problem, rng: np.random.Generator, size: int) -> _Array | None:
    """A point within the bounds from which the twin runs, if there are any: a box may hold values that no robot can have."""
    for _ in range(_DRAWS):
        point = rng.uniform(0.05, 0.95, size)
        if not problem.residuals_or_failed(point)[1].any():
            return point
    return None


def _descend(problem: Problem, point: _Array, method: str, seed: int) -> Valley:
    gridded = [group for group in problem.parameters.own if group.grid > 1]
    found: Valley | None = None
    for _ in range(_ROUNDS):
        for group in gridded:
            point = _on_grid(problem, point, group)
        if found is not None and float(problem.losses(point)[0]) > found.loss * (1.0 - _LOWER):
            break
        ending = METHODS[method](problem, point, seed)
        point = ending.point
        found = Valley(float(problem.losses(point)[0]), point, ending)
        if not gridded:
            break
    assert found is not None
    return found


def _on_grid(problem: Problem, point: _Array, group: Group) -> _Array:
    """A point whose coordinate of a group is, in each recording, the best of a grid, unless it is better where it is."""
    places = [problem.parameters.stretch(group, i).start for i in range(len(problem.recordings))]
    grid = (np.arange(group.grid) + 0.5) / group.grid
    tried = np.tile(point[:, None], (1, 1 + len(grid)))
    tried[places, 1:] = grid
    losses = np.hstack(
        [problem.losses_by_recording(tried[:, i : i + _CHUNK]) for i in range(0, tried.shape[1], _CHUNK)]
    )  # fmt: skip
    best = point.copy()
    for recording, place in enumerate(places):
        best[place] = tried[place, int(np.argmin(losses[recording]))]
    return best


def _distinct(valleys: list[Valley]) -> list[Valley]:
    kept: list[Valley] = []
    for valley in sorted(valleys, key=lambda item: item.loss):
        if all(np.abs(valley.point - other.point).max() > _APART for other in kept):
            kept.append(valley)
    return kept
