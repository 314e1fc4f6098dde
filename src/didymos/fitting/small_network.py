"""A small network trained on the equation error: linear, with up to eight hidden units of tanh beside.

    F_i = s_i (a_i + sum_k A_ik n_k + sum_j V_ij tanh(b_j + sum_k B_jk n_k)),       minimize  loss(F) + d L |numbers|^2

n are features from -1 to 1 over the range of the training windows, s the size of the force that is left over, loss that of
`equation_error.py`, L what a force of its own for each window would explain; what goes into hidden units counts a hundredth in
the penalty. Levenberg and Marquardt's method with slopes written out: some hundred numbers need no more. It begins without much
weight decay d, which then grows step by step, each from the numbers of the last; the d that is taken is chosen by cross-
validation, in two halves of the cells. Hidden units begin at numbers drawn by a seed, so that they bend all over the range,
outputs at zero: the same data give the same network.

References: Marquardt, J. SIAM 11 (1963); Hagan & Menhaj, IEEE Trans. Neural Networks 5 (1994); Nguyen & Widrow, IJCNN (1990).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from didymos.fitting.equation_error import EquationError
from didymos.fitting.learned_function import LearnedFunction, normal

__all__ = ["first_network", "train_network"]

_Array = NDArray[np.float64]
_DECAYS = (1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
_INTO = 1e-2  # of the decay: that of what goes into hidden units
_STARTS = 3  # draws of hidden units
_ROUNDS = 60
_ENOUGH = 1e-5  # share of the loss by which a round has to be better to go on
_MOST_WINDOWS = 2000  # that a network of this size is trained with; evenly taken of more


def train_network(
    cells: Sequence[EquationError], units: int, low: _Array, high: _Array, seed: int = 0
) -> LearnedFunction:
    """A network of so many hidden units, from cells of the data with features in a range; one that says nothing where cells that
    it was not trained with are better off without."""
    halves, everything = [_joined(cells[first::2]) for first in (0, 1)], _joined(cells)
    size = _size(everything)
    first = first_network(len(size), low, high, units, seed)
    if not size.any():
        return first
    paths = [_Training(half, size, first).path() for half in halves]
    scores = [
        sum(_change(other, path[i]) for path, other in zip(paths, reversed(halves), strict=True)) for i in range(len(_DECAYS))
    ]
    if min(scores) >= 0.0:
        return first
    best = int(np.argmin(scores))
    tried = [
        _Training(everything, size, first_network(len(size), low, high, units, seed + k)).path()[best] for k in range(_STARTS)
    ]
    return min(tried, key=lambda function: _change(everything, function))


def first_network(outputs: int, low: _Array, high: _Array, units: int, seed: int = 0) -> LearnedFunction:
    """A network that says nothing yet: hidden units that bend all over the range, outputs zero."""
    rng, inputs = np.random.default_rng([seed, units]), max(len(low), 1)
    reach = 0.7 * units ** (1.0 / inputs)
    slopes = rng.standard_normal((units, len(low)))
    slopes *= reach / np.maximum(np.linalg.norm(slopes, axis=1, keepdims=True), 1e-12)
    into = np.column_stack([rng.uniform(-reach, reach, units), slopes])
    return LearnedFunction(np.zeros((outputs, 1 + len(low))), into, np.zeros((outputs, units)), low, high)


def _joined(cells: Sequence[EquationError]) -> EquationError:
    return EquationError(
        *(np.concatenate([getattr(cell, name) for cell in cells]) for name in ("features", "curvature", "slope", "loss"))
    )


def _size(data: EquationError) -> _Array:
    """The size of the force that is left over: that of one constant force for each output which explains as much as all do."""
    curvature = np.einsum("naa->a", data.curvature)
    return np.sqrt(_explainable(data) / np.where(curvature > 0.0, curvature, np.inf) / data.slope.shape[1])


def _explainable(data: EquationError) -> float:
    """By how much the loss would fall if each window had a force of its own."""
    forces = np.array([np.linalg.lstsq(a, -b, rcond=1e-10)[0] for a, b in zip(data.curvature, data.slope, strict=True)])
    return -float(np.einsum("na,na->", data.slope, forces))


def _change(data: EquationError, network: LearnedFunction) -> float:
    """By how much a network changes the loss."""
    force = network(data.features)
    return float(np.einsum("na,nab,nb->", force, data.curvature, force) + 2.0 * np.einsum("na,na->", data.slope, force))


class _Shape:
    """Where the numbers lie in one row of them: linear [o, 1 + k], into units [j, 1 + k], from units [o, j]."""

    def __init__(self, outputs: int, features: int, units: int) -> None:
        self.outputs, self.inputs, self.units = outputs, 1 + features, units
        self.ends = np.cumsum([outputs * self.inputs, units * self.inputs, outputs * units])

    def split(self, numbers: _Array) -> tuple[_Array, _Array, _Array]:
        linear, into, out = np.split(numbers, self.ends[:2])
        shapes = (self.outputs, self.inputs), (self.units, self.inputs), (self.outputs, self.units)
        return linear.reshape(shapes[0]), into.reshape(shapes[1]), out.reshape(shapes[2])

    def evaluate(self, numbers: _Array, inputs: _Array, size: _Array) -> tuple[_Array, _Array]:
        """Forces [n, o] and their slopes [n, o, numbers] at inputs [n, 1 + k], the first of which is 1."""
        linear, into, out = self.split(numbers)
        fired = np.tanh(inputs @ into.T)
        force = inputs @ linear.T + fired @ out.T
        slopes = np.zeros((len(inputs), self.outputs, len(numbers)))
        bend = np.einsum("nj,oj,ni->noji", 1.0 - fired**2, out, inputs).reshape(len(inputs), self.outputs, -1)
        slopes[:, :, self.ends[0] : self.ends[1]] = bend
        for o in range(self.outputs):
            slopes[:, o, o * self.inputs : (o + 1) * self.inputs] = inputs
            first = self.ends[1] + o * self.units
            slopes[:, o, first : first + self.units] = fired
        return force * size, slopes * size[:, None]


class _Training:
    """Data and where training begins; hidden units and the range are those of a first network."""

    def __init__(self, data: EquationError, size: _Array, first: LearnedFunction) -> None:
        self._data = data = data[:: -(-len(data.loss) // _MOST_WINDOWS)]
        self._size, self._first = size, first
        self._inputs = np.column_stack([np.ones(len(data.loss)), normal(data.features, first.low, first.high)])
        self._shape = _Shape(len(size), self._inputs.shape[1] - 1, first.units)
        counts = np.ones(self._shape.ends[-1])
        counts[self._shape.ends[0] : self._shape.ends[1]] = _INTO
        self._penalty = _explainable(data) * counts

    def path(self) -> list[LearnedFunction]:
        """The networks of growing decays."""
        numbers = np.zeros(self._shape.ends[-1])
        numbers[self._shape.ends[0] : self._shape.ends[1]] = self._first.into_units.ravel()
        found = []
        for decay in _DECAYS:
            numbers = self._descend(numbers, decay * self._penalty)
            found.append(_in_units(*self._shape.split(numbers), self._size, self._first.low, self._first.high))
        return found

    def _at(self, numbers: _Array, penalty: _Array) -> tuple[float, _Array, _Array]:
        """The loss with its penalty, its gradient and curvature, both halved."""
        data = self._data
        force, slopes = self._shape.evaluate(numbers, self._inputs, self._size)
        pull = np.einsum("nab,nb->na", data.curvature, force)
        loss = float(np.einsum("na,na->", force, pull + 2.0 * data.slope) + penalty @ numbers**2)
        flat = slopes.reshape(-1, len(numbers))
        weighted = (data.curvature @ slopes).reshape(-1, len(numbers))
        return loss, flat.T @ (pull + data.slope).ravel() + penalty * numbers, flat.T @ weighted + np.diag(penalty)

    def _descend(self, numbers: _Array, penalty: _Array) -> _Array:
        """Levenberg and Marquardt from some numbers to where the loss is least."""
        loss, gradient, hessian = self._at(numbers, penalty)
        damping = 1e-3
        for _ in range(_ROUNDS):
            step = np.linalg.solve(hessian + damping * np.diag(np.diag(hessian)), -gradient)
            tried = self._at(numbers + step, penalty)
            if tried[0] < loss:
                gain = loss - tried[0]
                numbers, (loss, gradient, hessian), damping = numbers + step, tried, max(damping / 5.0, 1e-9)
                if gain < _ENOUGH * abs(loss):
                    break
            else:
                damping *= 5.0
                if damping > 1e9:
                    break
        return numbers


def _in_units(
    linear: _Array, into: _Array, out: _Array, size: _Array, low: _Array, high: _Array
) -> LearnedFunction:
    """The numbers for features as they are."""
    width = high - low
    slope = np.where(width > 0.0, 2.0 / np.where(width > 0.0, width, 1.0), 0.0)
    weights = size[:, None] * linear[:, 1:] * slope
    constants = size * linear[:, 0] - weights @ (0.5 * (high + low))
    return LearnedFunction(np.column_stack([constants, weights]), into, size[:, None] * out, low, high)
