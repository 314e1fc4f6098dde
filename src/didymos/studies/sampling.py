"""Sampling: which values the runs of a sweep get.

| name | what it is |
|---|---|
| `latin` | Latin hypercube: the range of each varied parameter is cut into as many equal slices as there are runs, every slice is used once, at a random place in it, in random order (McKay, Beckman & Conover 1979) |
| `sobol` | Sobol's sequence, scrambled (Owen 1998): even in all parameters together, best at a power of two of runs |
| `random` | independent draws |
| `grid` | every combination of as many levels per parameter as the number of runs allows, ends included |
| `saltelli` | two Sobol matrices and their crossings, from which `didymos report` computes Sobol indices (Saltelli 2010) |

Latin hypercubes cover each range evenly however many parameters vary, so the mean over runs errs less than that of independent
draws. Each parameter of `latin` and `random` draws from a stream of its own, keyed by its path: varying one more changes no
other. Which values run i gets depends on the seed and on i, for `latin`, `grid` and `saltelli` on the number of runs as well; never
on who works them off. So `sobol` and `random` may be made longer, and keep what they have.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.stats import qmc

from didymos.errors import InputError, nearest
from didymos.studies.distribution import Range, distributions

__all__ = ["SAMPLINGS", "path_stream", "sample"]

_Array = NDArray[np.float64]


def sample(ranges: Mapping[str, Range], *, runs: int, seed: int = 0, sampling: str = "latin") -> list[dict[str, float]]:
    """Values by path for each run, drawn from `ranges` by path; a grid and `saltelli` may hold fewer runs than `runs`."""
    if sampling not in SAMPLINGS:
        known = nearest(sampling, [*SAMPLINGS, "rare"])
        raise InputError(f"found {sampling!r}, expected one of {', '.join(SAMPLINGS)}, rare{known}", option="sampling")
    drawn_from = distributions(ranges)
    if not drawn_from:
        return [{} for _ in range(runs)]
    cube = SAMPLINGS[sampling](list(drawn_from), runs, seed)
    if sampling == "grid":
        least, most = np.array([given.reach for given in drawn_from.values()]).T
        cube = least + (most - least) * cube
    columns = {path: drawn_from[path].quantile(cube[:, index]) for index, path in enumerate(drawn_from)}
    return [{path: float(column[index]) for path, column in columns.items()} for index in range(len(cube))]


def path_stream(path: str, seed: int) -> np.random.Generator:
    """The random stream of a varied parameter."""
    return np.random.default_rng([seed, *path.encode()])


def _latin(paths: list[str], runs: int, seed: int) -> _Array:
    columns = []
    for path in paths:
        stream = path_stream(path, seed)
        columns.append((stream.permutation(runs) + stream.random(runs)) / runs)
    return np.column_stack(columns)


def _random(paths: list[str], runs: int, seed: int) -> _Array:
    return np.column_stack([path_stream(path, seed).random(runs) for path in paths])


def _sobol(paths: list[str], runs: int, seed: int) -> _Array:
    sequence = qmc.Sobol(len(paths), scramble=True, rng=np.random.default_rng([seed, len(paths)]))
    return sequence.random(runs) if runs & (runs - 1) == 0 else sequence.random(1 << runs.bit_length())[:runs]


def _grid(paths: list[str], runs: int, seed: int) -> _Array:
    """The largest grid of at most `runs` points: levels as equal as can be, more for the first parameters."""
    count = len(paths)
    each = max(int(np.floor(runs ** (1.0 / count) + 1e-9)), 1)
    levels = [each] * count
    for index in range(count):
        levels[index] += 1
        if np.prod(levels, dtype=float) > runs:
            levels[index] -= 1
            break
    axes = [np.linspace(0.0, 1.0, n) if n > 1 else np.array([0.5]) for n in levels]
    return np.stack([axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")], axis=1)


def _saltelli(paths: list[str], runs: int, seed: int) -> _Array:
    """Rows A, AB_1 ... AB_d, B of each base point in turn, the order in which `SALib` reads them."""
    count = len(paths)
    if runs < 2 * (count + 2):
        least = 2 * (count + 2)
        raise InputError(f"found {runs} runs, expected at least {least} to cross {count} parameters", option="runs")
    base = 1 << (runs // (count + 2)).bit_length() - 1
    both = qmc.Sobol(2 * count, scramble=True, rng=np.random.default_rng([seed, count])).random(base)
    rows = np.empty((base, count + 2, count))
    rows[:, 0], rows[:, -1] = both[:, :count], both[:, count:]
    for index in range(count):
        rows[:, index + 1] = both[:, :count]
        rows[:, index + 1, index] = both[:, count + index]
    return rows.reshape(-1, count)


SAMPLINGS: Mapping[str, Callable[[list[str], int, int], _Array]] = {
    "latin": _latin,
    "sobol": _sobol,
    "random": _random,
    "grid": _grid,
    "saltelli": _saltelli,
}
