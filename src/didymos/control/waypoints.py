"""A path through way-points: a spline within limits of velocity and acceleration, as fast as they allow where no time is given.

    cubic     C2: velocities at the way-points such that accelerations agree on both sides; at rest at both ends
    quintic   the same velocities; accelerations at the way-points those of the cubic, zero at both ends: no jump anywhere

Durations that nobody gave begin at what the straight way takes, and are stretched, each by how far its stretch exceeds a limit
(v / V, or the root of a / A), until none does. A time that was given stays: one that is too short for the limits is an error.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.control.path_layout import MOST_AXES, MOST_STRETCHES, PATH
from didymos.errors import InputError

__all__ = ["SPLINES", "plan_path", "read_waypoints"]

SPLINES = ("cubic", "quintic")
_ROUNDS, _CLOSE = 200, 1e-3
_GRID = np.linspace(0.0, 1.0, 33)

Array = NDArray[np.float64]


def read_waypoints(folder: Path, name: str, path: str) -> list[dict[str, Any]]:
    """Way-points of a CSV file in a folder: a column `time` [s], empty where it is to be found, and one per axis."""
    file = folder / name
    if not file.resolve().is_relative_to(folder.resolve()):
        raise InputError(f"the file {name!r} lies outside the twin's folder", path=path)
    try:
        with file.open(newline="", encoding="utf-8") as stream:
            rows = list(csv.DictReader(stream))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"cannot read the way-points of {file.name}: {error}", path=path) from None
    found: list[dict[str, Any]] = []
    for number, row in enumerate(rows, 2):
        try:
            point = {key.strip(): float(value) for key, value in row.items() if key is not None and (value or "").strip()}
        except ValueError as error:
            raise InputError(f"{file.name}:{number}: {error}", path=path) from None
        time = point.pop("time", None)
        found.append({"positions": point} | ({} if time is None else {"time": time}))
    return found


def plan_path(
    first: Sequence[float],
    points: Sequence[tuple[float | None, Mapping[int, float]]],
    velocity: Sequence[float],
    acceleration: Sequence[float],
    *,
    spline: str = "quintic",
    repeat: bool = False,
    names: Sequence[str] = (),
    path: str = "control.options.waypoints",
) -> Any:
    """A record of `PATH` from where it begins through points: a time [s] or None each, and the axes that move, by number.

    `velocity` and `acceleration` are the limits of each axis, infinite for none. A path that repeats goes back to its begin.
    """
    given: list[float | None] = [0.0]
    knots = [np.array(first, dtype=np.float64)]
    for time, axes in points:
        here = knots[-1].copy()
        for axis, value in axes.items():
            here[axis] = value
        given.append(time)
        knots.append(here)
    if repeat and not np.allclose(knots[0], knots[-1], atol=1e-12):
        given.append(None)
        knots.append(knots[0])
    if len(knots) > 2 and given[1] == 0.0:  # the first point says where to begin
        del given[0], knots[0]
    if len(knots) - 1 > MOST_STRETCHES or len(first) > MOST_AXES:
        raise InputError(f"found {len(knots)} way-points of {len(first)} axes, expected at most {MOST_STRETCHES}, {MOST_AXES}",
                         path=path)  # fmt: skip
    at, limits = np.array(knots), (np.array(velocity, dtype=np.float64), np.array(acceleration, dtype=np.float64))
    terms, durations = _timed(at, _stretches(given, path), limits, spline, names, path)
    made = np.zeros((), dtype=PATH)
    made["stretches"], made["axes"], made["repeat"] = len(durations), len(first), float(repeat)
    made["begin"][: len(durations)] = np.concatenate(([0.0], np.cumsum(durations)[:-1]))
    made["end"] = durations.sum()
    made["terms"][: len(durations), : len(first)] = terms
    return made[()]


def _stretches(given: Sequence[float | None], path: str) -> list[tuple[int, int, float | None]]:
    """Groups of stretches between times that are given: first way-point, last one, and the time between them or None."""
    groups: list[tuple[int, int, float | None]] = []
    last = 0
    for i in range(1, len(given)):
        now, before = given[i], given[last]
        if now is not None and before is not None:
            if now <= before:
                raise InputError(f"found the time {now:g} s of way-point {i}, expected later than {before:g} s", path=path)
            groups.append((last, i, now - before))
            last = i
    if last < len(given) - 1:
        groups.append((last, len(given) - 1, None))
    return groups


def _timed(
    at: Array,
    groups: list[tuple[int, int, float | None]],
    limits: tuple[Array, Array],
    spline: str,
    names: Sequence[str],
    path: str,
) -> tuple[Array, Array]:
    """Terms of the polynomials [stretches, axes, 6] and durations [s] that keep the limits."""
    way = np.abs(np.diff(at, axis=0))
    durations = np.maximum((way / limits[0]).max(axis=1), np.sqrt(way / limits[1]).max(axis=1))
    durations = np.maximum(durations, 1e-3)
    for first, last, span in groups:
        if span is not None:
            durations[first:last] *= span / durations[first:last].sum()
    free = np.zeros(len(durations), dtype=bool)
    for first, last, span in groups:
        free[first:last] = span is None
    terms = _spline(at, durations, spline)
    for _ in range(_ROUNDS):
        excess = _excess(terms, durations, limits).max(axis=1)
        if not np.any(free) or abs(excess[free].max() - 1.0) < _CLOSE:
            break
        durations[free] *= np.where(excess[free] > 1.0, excess[free], np.maximum(excess[free], 0.9) ** 0.5)
        terms = _spline(at, durations, spline)
    excess = _excess(terms, durations, limits)
    if np.any(free) and excess[free].max() > 1.0:
        durations[free] *= excess[free].max()
        terms = _spline(at, durations, spline)
        excess = _excess(terms, durations, limits)
    stretch, axis = divmod(int(np.argmax(excess)), excess.shape[1])
    if excess.max() > 1.0 + 10 * _CLOSE:
        name = names[axis] if axis < len(names) else f"axis {axis}"
        raise InputError(
            f"way-point {stretch + 1} comes too early for {name}: its limits need {excess.max():.2f} times as long", path=path
        )
    return terms, durations


def _spline(at: Array, durations: Array, spline: str) -> Array:
    """Polynomials through points [n + 1, axes] with these durations [n], at rest at both ends."""
    count = len(durations)
    velocity = np.zeros_like(at)
    if count > 1:  # accelerations agree at inner points: a tridiagonal system for the velocities there
        system, right = np.zeros((count - 1, count - 1)), np.zeros((count - 1, at.shape[1]))
        for i in range(1, count):
            before, after = durations[i - 1], durations[i]
            system[i - 1, i - 1] = 2.0 * (1.0 / before + 1.0 / after)
            if i > 1:
                system[i - 1, i - 2] = 1.0 / before
            if i < count - 1:
                system[i - 1, i] = 1.0 / after
            right[i - 1] = 3.0 * ((at[i] - at[i - 1]) / before**2 + (at[i + 1] - at[i]) / after**2)
        velocity[1:-1] = np.linalg.solve(system, right)
    terms = np.zeros((count, at.shape[1], 6))
    h = durations[:, None]
    way, begin, end = at[1:] - at[:-1], velocity[:-1], velocity[1:]
    cubic2, cubic3 = (3.0 * way / h - 2.0 * begin - end) / h, (begin + end - 2.0 * way / h) / h**2
    terms[:, :, 0], terms[:, :, 1] = at[:-1], begin
    if spline == "cubic":
        terms[:, :, 2], terms[:, :, 3] = cubic2, cubic3
        return terms
    acceleration = np.zeros_like(at)
    acceleration[1:-1] = 2.0 * cubic2[1:]
    a0, a1 = acceleration[:-1], acceleration[1:]
    terms[:, :, 2] = a0 / 2.0
    terms[:, :, 3] = (20.0 * way - (8.0 * end + 12.0 * begin) * h - (3.0 * a0 - a1) * h**2) / (2.0 * h**3)
    terms[:, :, 4] = (-30.0 * way + (14.0 * end + 16.0 * begin) * h + (3.0 * a0 - 2.0 * a1) * h**2) / (2.0 * h**4)
    terms[:, :, 5] = (12.0 * way - 6.0 * (end + begin) * h - (a0 - a1) * h**2) / (2.0 * h**5)
    return terms


def _excess(terms: Array, durations: Array, limits: tuple[Array, Array]) -> Array:
    """How much longer each stretch had to be for each axis to keep its limits [stretches, axes]; below 1 where it does."""
    s = _GRID[:, None, None] * durations[None, :, None]
    c = [terms[None, :, :, k] for k in range(6)]
    v = c[1] + s * (2.0 * c[2] + s * (3.0 * c[3] + s * (4.0 * c[4] + s * 5.0 * c[5])))
    a = 2.0 * c[2] + s * (6.0 * c[3] + s * (12.0 * c[4] + s * 20.0 * c[5]))
    return np.maximum(np.abs(v).max(axis=0) / limits[0], np.sqrt(np.abs(a).max(axis=0) / limits[1]))
