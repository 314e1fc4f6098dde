"""Influence: which of the varied parameters matter for a result.

Standardised regression: of y = b_0 + sum_j b_j x_j + e by least squares, the coefficient of parameter j is

    c_j = b_j sd(x_j) / sd(y)

the share of the result's spread that goes with the parameter's, with its sign. Its interval is Student's. It tells only what is
linear: R^2 says how much of the result that is, and below `TELLS` it is not to be relied on. What a parameter does alone, in
whatever shape, is then told by the means of y over k equal shares of the runs in the order of x_j (Plischke, Borgonovo and Smith,
2013), less what chance has of it (epsilon squared, Kelley 1935):

    S_j = (sum_i n_i (mean_i - mean)^2 - (k - 1) s^2) / sum (y - mean)^2,    s^2 = sum_i sum (y - mean_i)^2 / (n - k)

Sobol indices, where runs were crossed for it (`sampling.py`, saltelli), tell of any function: S_j is the
share of the variance that x_j alone explains, T_j the share that is lost where all but x_j are known. Runs of other seeds are
noise to it: T_j counts it with every parameter.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from didymos.errors import InputError

__all__ = ["TELLS", "Influence", "regression", "sobol_indices"]

_Array = NDArray[np.float64]

TELLS = 0.5  # R^2 from which coefficients are believed
_SPARE = 5  # runs that there must be beyond the coefficients
_MOST_SHARES, _RUNS_A_SHARE = 20, 10


@dataclass(frozen=True)
class Influence:
    """What parameters do to a result, by path: value, low and high end of the 95 % interval, each.

    `explained` is R^2 of a regression, `alone` what each parameter explains by itself in whatever shape. `total` are Sobol's
    total indices where `by_path` are those of first order.
    """

    by_path: Mapping[str, tuple[float, float, float]]
    explained: float | None = None
    alone: Mapping[str, float] | None = None
    total: Mapping[str, tuple[float, float, float]] | None = None

    @property
    def tells(self) -> bool:
        """Whether it is to be believed."""
        return self.explained is None or self.explained >= TELLS

    @property
    def strength(self) -> dict[str, float]:
        """How much each parameter matters, without sign; where it is not linear, in whatever shape."""
        if self.alone is not None and not self.tells:
            return dict(self.alone)
        chosen = self.by_path if self.total is None else self.total
        return {path: abs(value[0]) for path, value in chosen.items()}


def regression(columns: Mapping[str, _Array], result: _Array) -> Influence | None:
    """Standardised regression coefficients; None where there are too few runs, or nothing differs between them."""
    paths = [path for path, column in columns.items() if np.ptp(column) > 0.0]
    known = np.isfinite(result)
    if known.sum() < len(paths) + 1 + _SPARE or not paths:
        return None
    y = result[known]
    x = np.column_stack([columns[path][known] for path in paths])
    if np.std(y) <= 1e-12 * np.abs(y).max() or not (np.std(x, axis=0) > 0.0).all():
        return None
    y, x = (y - y.mean()) / y.std(), (x - x.mean(axis=0)) / x.std(axis=0)
    found, _, rank, _ = np.linalg.lstsq(x, y, rcond=None)
    freedom = len(y) - len(paths) - 1
    if rank < len(paths):
        return None
    left = y - x @ found
    spread = np.sqrt(np.diag(np.linalg.inv(x.T @ x)) * (left @ left) / freedom)
    reach = float(stats.t.ppf(0.975, freedom)) * spread
    ends = {path: (float(b), float(b - r), float(b + r)) for path, b, r in zip(paths, found, reach, strict=True)}
    alone = {path: _alone(columns[path][known], y) for path in paths}
    return Influence(ends, explained=float(1.0 - left @ left / len(y)), alone=alone)


def _alone(column: _Array, y: _Array) -> float:
    """The share of the variance of y that goes with a column, in whatever shape; 0 where that is no more than chance has."""
    count = min(_MOST_SHARES, max(2, len(y) // _RUNS_A_SHARE))
    shares = np.array_split(y[np.argsort(column, kind="stable")], count)
    within = sum(float(((share - share.mean()) ** 2).sum()) for share in shares)
    whole = float(((y - y.mean()) ** 2).sum())
    return max(0.0, (whole - within - (count - 1) * within / (len(y) - count)) / whole)


def sobol_indices(paths: list[str], result: _Array, seed: int) -> Influence | None:
    """Sobol indices of runs in the order of `sampling.py`'s saltelli; None where some have no result or nothing differs."""
    whole = len(result) - len(result) % (len(paths) + 2)
    if whole != len(result) or not np.isfinite(result).all() or np.std(result) <= 1e-12 * np.abs(result).max():
        return None
    try:
        from SALib.analyze import sobol
    except ImportError:
        raise InputError("Sobol indices need SALib; install it with: pip install 'didymos[cluster]'") from None
    problem = {"num_vars": len(paths), "names": paths, "bounds": [[0.0, 1.0]] * len(paths)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of pandas and of divisions that give no number
        found = sobol.analyze(problem, result, calc_second_order=False, seed=seed)
    return Influence(_ends(paths, found["S1"], found["S1_conf"]), total=_ends(paths, found["ST"], found["ST_conf"]))


def _ends(paths: list[str], values: _Array, reach: _Array) -> dict[str, tuple[float, float, float]]:
    rows = zip(paths, values, reach, strict=True)
    return {path: (float(value), float(value - around), float(value + around)) for path, value, around in rows}
