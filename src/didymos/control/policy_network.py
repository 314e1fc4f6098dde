"""What a policy answers: a small network of dense layers around normalised observations, compiled.

    x   = limit((o - mean) / scale, -clip, clip)                           each observation, in single precision
    h_0 = [x(t - (k - 1) T), ..., x(t - T), x(t)]
    h_i = f_i(W_i h_(i-1) + b_i)                                           tanh, relu, elu or identity
    y   = limit(h_n, low, high)                                            each output, in single precision
    a   = (least (1 - y) + most (1 + y)) / 2                               each action: what -1 and 1 stand for

One layer of identity is a linear policy. The last k observations are stacked, the newest last. Observations and outputs are
rounded to single precision, in which environments hand them over; training and the program `policy` call the same function, so
both give the same bits.

Memory: the numbers of a network stand in one row, layer by layer, W_i (row by row) before b_i; `LAYER` says where each begins.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.compiled import kernel
from didymos.control.angles import limit

__all__ = ["ACTION", "ACTIVATIONS", "LAYER", "NORMAL", "layer_rows", "respond", "respond_all"]

ACTIVATIONS = ("identity", "tanh", "relu", "elu")

LAYER = np.dtype([("inputs", np.int64), ("outputs", np.int64), ("activation", np.int64), ("start", np.int64)])
"""Memory layout of a layer: its size, the place of its activation in `ACTIVATIONS`, where its numbers begin."""

NORMAL = np.dtype([("mean", np.float64), ("scale", np.float64), ("clip", np.float64)])
"""Memory layout of what normalises an observation."""

ACTION = np.dtype([("least", np.float64), ("most", np.float64), ("low", np.float64), ("high", np.float64)])
"""Memory layout of what leads from an output of the network to an action: what -1 and 1 stand for, and the output's limits."""

_TANH, _RELU, _ELU = (ACTIVATIONS.index(name) for name in ("tanh", "relu", "elu"))


def layer_rows(sizes: Sequence[int], activations: Sequence[str]) -> NDArray[Any]:
    """The table of layers of a network; `sizes` from its inputs to its outputs."""
    rows = np.zeros(len(activations), dtype=LAYER)
    start = 0
    for row, inputs, outputs, activation in zip(rows, sizes, sizes[1:], activations, strict=False):
        row["inputs"], row["outputs"], row["start"] = inputs, outputs, start
        row["activation"] = ACTIVATIONS.index(activation)
        start += (inputs + 1) * outputs
    return rows


@kernel
def respond(layers: Any, numbers: Any, normal: Any, actions: Any, stacked: Any, outputs: Any) -> None:
    """The outputs [actions] to stacked observations [k observations]."""
    width = stacked.size
    for i in range(layers.size):
        width = max(width, layers[i].outputs)
    given, made = np.empty(width), np.empty(width)
    for i in range(stacked.size):
        row = normal[i % normal.size]
        given[i] = limit((np.float64(np.float32(stacked[i])) - row.mean) / row.scale, -row.clip, row.clip)
    for i in range(layers.size):
        layer = layers[i]
        bias = layer.start + layer.inputs * layer.outputs
        for row in range(layer.outputs):
            first = layer.start + row * layer.inputs
            total = numbers[bias + row]
            for column in range(layer.inputs):
                total += numbers[first + column] * given[column]
            if layer.activation == _TANH:
                total = math.tanh(total)
            elif layer.activation == _RELU:
                total = max(total, 0.0)
            elif layer.activation == _ELU and total < 0.0:
                total = math.expm1(total)
            made[row] = total
        given, made = made, given
    for i in range(actions.size):
        value, limits = np.float64(np.float32(given[i])), actions[i]
        outputs[i] = limit(value, limits.low, limits.high) if math.isfinite(value) else value  # nonsense shall be seen


@kernel
def respond_all(layers: Any, numbers: Any, normal: Any, actions: Any, stacked: Any, outputs: Any) -> None:
    """As `respond` for many robots at once, each with numbers of its own.

    Args:
        numbers: shape [robots, numbers of the network].
        stacked: observations, [robots, k observations]; outputs: [robots, actions].
    """
    for i in range(len(stacked)):
        respond(layers, numbers[i], normal, actions, stacked[i], outputs[i])
