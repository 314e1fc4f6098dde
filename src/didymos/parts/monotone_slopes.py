"""Slopes of a curve through points that never overshoots them (Fritsch and Butland 1984, as in PCHIP).

    d_k = 0                                             where the curve turns, or is level on one side
    (w1 + w2) / d_k = w1 / m_(k-1) + w2 / m_k           elsewhere;  w1 = 2 h_k + h_(k-1),  w2 = h_k + 2 h_(k-1)

h are the distances of the points, m the slopes of the straight lines between them. At the ends the slope is that of a parabola
through three points, held back where it would turn the curve.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["monotone_slopes"]

_Array = NDArray[np.float64]


def monotone_slopes(x: _Array, y: _Array) -> _Array:
    """Slopes at the points, shape of `y`; x rises, shape [n] with n > 1; y has the points along its first axis."""
    h = np.diff(x).reshape(-1, *[1] * (y.ndim - 1))
    m = np.diff(y, axis=0) / h
    if len(x) == 2:
        return np.concatenate([m, m])
    slopes = np.zeros_like(y)
    before, after = m[:-1], m[1:]
    w1, w2 = 2.0 * h[1:] + h[:-1], h[1:] + 2.0 * h[:-1]
    turns = (np.sign(before) != np.sign(after)) | (before == 0.0) | (after == 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = (w1 / before + w2 / after) / (w1 + w2)
        slopes[1:-1] = np.where(turns, 0.0, 1.0 / mean)
    slopes[0], slopes[-1] = _end(h[0], h[1], m[0], m[1]), _end(h[-1], h[-2], m[-1], m[-2])
    return slopes


def _end(h0: _Array, h1: _Array, m0: _Array, m1: _Array) -> _Array:
    """At an end: `h0`, `m0` belong to the piece there, `h1`, `m1` to the next one."""
    slope = ((2.0 * h0 + h1) * m0 - h0 * m1) / (h0 + h1)
    steep = (np.sign(m0) != np.sign(m1)) & (np.abs(slope) > 3.0 * np.abs(m0))
    return np.where(np.sign(slope) != np.sign(m0), 0.0, np.where(steep, 3.0 * m0, slope))
