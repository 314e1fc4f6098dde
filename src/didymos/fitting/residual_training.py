"""Train a learned function on some cells of the recordings: what all folds share is worked out once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from didymos.fitting.equation_error import EquationError, equation_error, force_sizes
from didymos.fitting.learned_function import LearnedFunction
from didymos.fitting.multiple_shooting import linearize, refine
from didymos.fitting.quadratic import Quadratic, choose_ridge, ridge_weights, total
from didymos.fitting.residual_cells import Cell
from didymos.fitting.residual_runs import ResidualRuns
from didymos.fitting.small_network import first_network, train_network

__all__ = ["Trained", "Trainer"]

_Array = NDArray[np.float64]
_AMPLE = 3.0  # times the largest force of the training: the bound where nobody gives one
_WIDE = 30.0  # times the size of what is left over: the bound while nothing is known yet


@dataclass(frozen=True, eq=False)
class Trained:
    """A learned function, its bounds by path, and features and forces at the samples it was trained with, [n, k] and [n, o]."""

    function: LearnedFunction
    limits: Mapping[str, float]
    features: _Array
    forces: _Array

    @property
    def is_empty(self) -> bool:
        """Whether no output has a weight."""
        return not (self.function.linear.any() or self.function.from_units.any())


class Trainer:
    """Trains on cells. `units` hidden ones, none for a linear function; `bounds` [N or N m] by path where they are given."""

    def __init__(
        self, runs: ResidualRuns, cells: Sequence[Cell], *, units: int, bounds: Mapping[str, float], refined: bool
    ) -> None:
        self._runs, self._cells, self._units, self._bounds, self._refined = runs, cells, units, bounds, refined
        self._features = [runs.features(i) for i in range(len(runs.recordings))]
        self._in_windows = bool(cells[0].short)
        self._errors: list[EquationError] = []
        chosen = [segment for cell in cells for segment in (cell.short if self._in_windows else cell.segments)]
        self._forces = force_sizes(runs, chosen)
        if self._in_windows:
            every = equation_error(runs, chosen, self._forces, self._features)
            ends = np.cumsum([0, *(len(cell.short) for cell in cells)])
            self._errors = [every[int(a) : int(b)] for a, b in pairwise(ends)]
        self._said = self._linearized() if not units and (refined or not self._in_windows) else []

    def train(self, chosen: Sequence[int]) -> Trained:
        """A function from some cells, by number; of the others nothing is known to it."""
        cells = [self._cells[i] for i in chosen]
        features = np.concatenate([self._seen(cell) for cell in cells])
        function = self._first(chosen, features.min(axis=0), features.max(axis=0))
        if self._refined or not self._in_windows:
            wide = self._limits(function(features), self._forces)
            said = [self._said[i] for i in chosen] if self._said else []
            function = refine(self._runs, cells, function, wide, self._forces, said)
        forces = function(features)
        return Trained(function, self._limits(forces, np.zeros(len(self._forces))), features, forces)

    def _linearized(self) -> list[Quadratic]:
        """What the segments that are judged say of a linear function, from where it has no weights: the same for all folds."""
        features = np.concatenate([self._seen(cell) for cell in self._cells])
        low, high = features.min(axis=0), features.max(axis=0)
        nothing = LearnedFunction.of_linear(np.zeros((len(self._forces), 1 + len(low))), low, high)
        return linearize(self._runs, self._cells, nothing, self._limits(nothing(features), self._forces), self._forces)

    def _first(self, chosen: Sequence[int], low: _Array, high: _Array) -> LearnedFunction:
        shape = (len(self._forces), 1 + len(low))
        if self._in_windows and self._units:
            return train_network([self._errors[i] for i in chosen], self._units, low, high)
        if self._units:
            return first_network(len(self._forces), low, high, self._units)
        if not self._in_windows:
            return LearnedFunction.of_linear(np.zeros(shape), low, high)
        parts = [self._errors[i].quadratic() for i in chosen]
        weights = ridge_weights(total(parts), choose_ridge(parts))
        return LearnedFunction.of_linear(weights.reshape(shape), low, high)

    def _seen(self, cell: Cell) -> _Array:
        """The features at the samples of a cell's segments."""
        clock = self._runs.recordings[cell.recording].channels[0].time
        seen = np.zeros(len(clock), dtype=bool)
        for segment in cell.segments:
            part = segment.samples[0]
            seen[max(part.start - int(segment.measured), 0) : part.stop] = True
        return self._features[cell.recording][seen]

    def _limits(self, forces: _Array, sizes: _Array) -> dict[str, float]:
        """Bounds by path: those that are given, else ample ones; several outputs may share one."""
        largest = np.maximum(_AMPLE * np.abs(forces).max(axis=0), _WIDE * sizes)
        found: dict[str, float] = {}
        for path, value in zip(self._runs.part.limits, largest.tolist(), strict=True):
            found[path] = max(found.get(path, 0.0), value)
        return {**found, **{path: value for path, value in self._bounds.items() if path in found}}
