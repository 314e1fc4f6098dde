"""A learned function as training sees it: the equations of `parts/learned.py` on arrays, and its numbers by path."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from didymos.fitting.residual_part import ResidualPart

__all__ = ["LearnedFunction", "normal"]

_Array = NDArray[np.float64]


def normal(features: _Array, low: _Array, high: _Array) -> _Array:
    """Features from -1 at the lower to 1 at the upper end of their range, 0 where that is a point."""
    width = high - low
    return np.asarray(np.where(width > 0.0, (2.0 * features - high - low) / np.where(width > 0.0, width, 1.0), 0.0))


@dataclass(frozen=True, eq=False)
class LearnedFunction:
    """Constants and weights of features, shape [o, 1 + k]; into units [j, 1 + k]; from units [o, j]; the trained range [k] each;
    over o outputs, k features, j hidden units, none of a linear function."""

    linear: _Array
    into_units: _Array
    from_units: _Array
    low: _Array
    high: _Array

    @classmethod
    def of_linear(cls, linear: _Array, low: _Array, high: _Array) -> LearnedFunction:
        """One without hidden units."""
        outputs, inputs = linear.shape
        return cls(linear, np.zeros((0, inputs)), np.zeros((outputs, 0)), low, high)

    def __call__(self, features: _Array) -> _Array:
        """What it says before it is bounded, at features of shape [n, k]: shape [n, o]."""
        held = np.clip(features, self.low, self.high)
        fired = np.tanh(self.into_units[:, 0] + normal(held, self.low, self.high) @ self.into_units[:, 1:].T)
        return np.asarray(self.linear[:, 0] + held @ self.linear[:, 1:].T + fired @ self.from_units.T)

    @property
    def units(self) -> int:
        """How many hidden units it has."""
        return len(self.into_units)

    @property
    def weights(self) -> _Array:
        """All that is trained, in one row."""
        return np.concatenate([self.linear.ravel(), self.into_units.ravel(), self.from_units.ravel()])

    def with_weights(self, weights: _Array) -> LearnedFunction:
        """The same with other weights."""
        first, second = self.linear.size, self.linear.size + self.into_units.size
        return replace(
            self, linear=weights[:first].reshape(self.linear.shape),
            into_units=weights[first:second].reshape(self.into_units.shape),
            from_units=weights[second:].reshape(self.from_units.shape),
        )  # fmt: skip

    def without_output(self) -> LearnedFunction:
        """The same that says nothing; its hidden units stay as they are."""
        return replace(self, linear=np.zeros_like(self.linear), from_units=np.zeros_like(self.from_units))

    def weight_sizes(self, forces: _Array) -> _Array:
        """By how much each weight changes the output by a force of some size, shape [o]; 0 of one that changes nothing."""
        half = 0.5 * (self.high - self.low)
        reach = np.where(half > 0.0, 1.0 / np.where(half > 0.0, half, 1.0), 0.0)
        linear = forces[:, None] * np.concatenate([[1.0], reach])
        into = np.tile(np.concatenate([[1.0], (half > 0.0).astype(float)]), (self.units, 1))
        return np.concatenate([linear.ravel(), into.ravel(), np.repeat(forces, self.units)])

    def weight_paths(self, part: ResidualPart) -> tuple[str, ...]:
        """The path of each weight."""
        return (*part.linear_paths(), *part.network_paths(self.units))

    def settings(self, part: ResidualPart, limits: Mapping[str, float]) -> dict[str, float]:
        """All numbers of the part but the weights, by path."""
        on = {part.path("scale"): 1.0, part.path("hidden_units"): float(self.units)}
        return {**on, **limits, **part.ranges(self.low, self.high)}

    def values(self, part: ResidualPart, limits: Mapping[str, float]) -> dict[str, float]:
        """All numbers of the part by path, those of a weight that is 0 left out."""
        weights = zip(self.weight_paths(part), self.weights.tolist(), strict=True)
        return {**self.settings(part, limits), **{path: weight for path, weight in weights if weight != 0.0}}
