"""What might be, instead of what is thought to be: states and parameters drawn from their uncertainty.

    x_i = x (+) L z_i,    L L' = P,    z_i ~ N(0, 1)            displacements in the engine's tangent space
    theta_i ~ N(theta, Sigma), within the bounds of each parameter

Parameters are known by a standard deviation each, or by the covariance of a fit. Draw i is the same for the same seed, however
often it is asked for, and does not depend on how many are drawn: looks that follow each other differ by what the robot did.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from didymos.errors import InputError, nearest
from didymos.fitting.fitted import shared_values

if TYPE_CHECKING:
    from didymos.describe.twin import Twin
    from didymos.fitting.fitted import Fit, FittedParameter

__all__ = ["Uncertainty", "state_draws"]

_Array = NDArray[np.float64]
_STATE, _PARAMETERS = 0, 1  # streams
_NORMAL_95 = 1.959963984540054


@dataclass(frozen=True)
class Uncertainty:
    """How surely parameters are known.

    Attributes:
        paths: of the parameters.
        values: the most likely ones; shape [p].
        covariance: shape [p, p].
    """

    paths: tuple[str, ...]
    values: _Array
    covariance: _Array

    def __post_init__(self) -> None:
        count = len(self.paths)
        if self.values.shape != (count,) or self.covariance.shape != (count, count):
            found = f"{list(self.values.shape)} values and a covariance of {list(self.covariance.shape)}"
            raise InputError(f"found {found}, expected {count} and {count} by {count}", option="uncertainty")
        _root(self.covariance, "uncertainty")

    @classmethod
    def of(cls, twin: Twin, deviations: Mapping[str, float]) -> Uncertainty:
        """Independent parameters about the twin's own values, by path and standard deviation."""
        for path, deviation in deviations.items():
            if path not in twin.parameters:
                raise InputError(f"there is no such parameter{nearest(path, twin.parameters)}", path=path)
            if not 0.0 <= deviation < np.inf:
                raise InputError(f"found {deviation:g}, expected a standard deviation", path=path)
        values = np.array([twin.get(path) for path in deviations], dtype=np.float64)
        return cls(tuple(deviations), values, np.diag(np.square(np.array(list(deviations.values()), dtype=np.float64))))

    @classmethod
    def of_fit(cls, fit: Fit) -> Uncertainty:
        """What a fit found of parameters that belong to the twin, by its intervals and correlations.

        Parameters that its data say nothing about have no interval, and are left out.
        """
        known = [(i, item) for i, item in enumerate(fit.parameters[: len(fit.correlation)]) if item.interval is not None]
        shared = shared_values(fit.parameters)
        rows = [(i, item, path, factor) for i, item in known for path, factor in item.followers.items()
                if item.recording is None and path in shared]  # fmt: skip
        places = [i for i, *_ in rows]
        spread = np.array([factor * _deviation(item) for _, item, _, factor in rows], dtype=np.float64)
        correlation = np.asarray(fit.correlation)[np.ix_(places, places)]
        values = np.array([shared[path] for _, _, path, _ in rows], dtype=np.float64)
        return cls(tuple(path for _, _, path, _ in rows), values, correlation * np.outer(spread, spread))

    def draw(self, twin: Twin, seed: int, count: int) -> list[dict[str, float]]:
        """Values by path of each of so many draws, within the bounds that the twin has for them."""
        root = _root(self.covariance, "uncertainty")
        low, high = (np.array([_bound(twin, path, side) for path in self.paths]) for side in ("low", "high"))
        drawn = np.clip(self.values + _normal(seed, _PARAMETERS, count, len(self.paths)) @ root.T, low, high)
        return [dict(zip(self.paths, row.tolist(), strict=True)) for row in drawn]


def _deviation(item: FittedParameter) -> float:
    low, high = item.interval or (0.0, 0.0)
    return 0.5 * (high - low) / _NORMAL_95


def state_draws(covariance: _Array, states: int, seed: int, count: int) -> _Array:
    """Displacements of a state, shape [count, states]; the covariance may go on with biases, which are left out."""
    if covariance.ndim != 2 or covariance.shape[0] != covariance.shape[1] or len(covariance) < states:
        raise InputError(f"found {list(covariance.shape)}, expected at least {states} by {states}", option="covariance")
    root = _root(covariance[:states, :states], "covariance")
    return np.asarray(_normal(seed, _STATE, count, states) @ root.T)


def _bound(twin: Twin, path: str, side: str) -> float:
    bound = getattr(twin.parameters[path], side)
    return (-np.inf if side == "low" else np.inf) if bound is None else float(bound)


def _normal(seed: int, stream: int, count: int, width: int) -> _Array:
    rows: Sequence[_Array] = [np.random.default_rng([seed, stream, i]).standard_normal(width) for i in range(count)]
    return np.array(rows, dtype=np.float64).reshape(count, width)


def _root(covariance: _Array, option: str) -> _Array:
    """L with L L' = P, for one that may have directions without any uncertainty."""
    if not np.isfinite(covariance).all():
        raise InputError("found numbers that are not finite in a covariance", option=option)
    values, vectors = np.linalg.eigh(0.5 * (covariance + covariance.T)) if covariance.size else (np.empty(0), np.empty((0, 0)))
    if values.size and values[0] < -1e-6 * max(abs(values[-1]), 1e-300):
        raise InputError(f"found a covariance with the eigenvalue {values[0]:.3g}, expected none below zero", option=option)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))
