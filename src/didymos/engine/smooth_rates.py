"""Rates at the poses of a path, such that accelerations do not jump at any of them.

Positions: a cubic spline's slopes s over pieces of length h and differences d,

    s_(k-1) / h_(k-1) + 2 s_k (1 / h_(k-1) + 1 / h_k) + s_(k+1) / h_k = 3 (d_(k-1) / h_(k-1)^2 + d_k / h_k^2)

Orientations: the same for rates w in the body's frame, where the rotation vector u from a pose to the next is a cubic over time,

    2 A^-1(u_(k-1)) w_(k-1) / h_(k-1) + 4 w_k (1 / h_(k-1) + 1 / h_k) + 2 A(u_k) w_(k+1) / h_k
        = 6 (u_(k-1) / h_(k-1)^2 + u_k / h_k^2) - n(u_(k-1), A(u_(k-1)) w_k)

with du/dt = A(u) w, and n the part of the angular acceleration that is quadratic in du/dt (N. Mayorov, Smooth attitude
interpolation, 2019). n couples the equations weakly: they are solved again with the rates found until these stay.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["position_rates", "rate_matrix", "turn_rates"]

Array = NDArray[np.float64]
_ROUNDS = 10
_STAYS = 1e-9
_SMALL = 1e-4  # [rad] below it functions of an angle are their series


def position_rates(times: Array, places: Array, repeat: bool) -> Array:
    """Velocities at the poses, shape [n, 3]: 0 at both ends, or those of a path that begins again where it ends."""
    count, h = len(times), np.diff(times)
    slopes = np.diff(places, axis=0) / h[:, None] ** 2
    matrix, right = np.zeros((count, count)), np.zeros((count, 3))
    for k in range(1, count - 1):
        matrix[k, k - 1 : k + 2] = 1.0 / h[k - 1], 2.0 / h[k - 1] + 2.0 / h[k], 1.0 / h[k]
        right[k] = 3.0 * (slopes[k - 1] + slopes[k])
    matrix[-1, -1] = 1.0
    if repeat:
        matrix[-1, 0] = -1.0
        matrix[0, 0], matrix[0, 1] = 2.0 / h[-1] + 2.0 / h[0], 1.0 / h[0]
        matrix[0, count - 2] += 1.0 / h[-1]
        right[0] = 3.0 * (slopes[-1] + slopes[0])
    else:
        matrix[0, 0] = 1.0
    return np.asarray(np.linalg.solve(matrix, right))


def turn_rates(times: Array, turns: Array) -> Array:
    """Rates [rad/s] in the body's frame at the poses, shape [n, 3], of rotation vectors [rad] from each to the next, [n - 1, 3].

    At both ends the rate is the mean one of the piece there.
    """
    h = np.diff(times)[:, None]
    ends = turns / h
    if len(turns) == 1:
        return np.concatenate([ends, ends])
    rate, inverse = rate_matrix(turns), np.linalg.inv(rate_matrix(turns))
    below, above = 2.0 * rate / h[:, None], 2.0 * inverse / h[:, None]
    diagonal = 4.0 * (1.0 / h[:-1] + 1.0 / h[1:])
    known = 6.0 * (turns[:-1] / h[:-1] ** 2 + turns[1:] / h[1:] ** 2)
    known[0] -= below[0] @ ends[0]
    known[-1] -= above[-1] @ ends[-1]
    inner = ends[:-1].copy()
    for _ in range(_ROUNDS):
        before = inner
        moving = np.einsum("kij,kj->ki", inverse[:-1], inner)
        inner = _solve(below[1:-1], diagonal, above[1:-1], known - _quadratic(turns[:-1], moving))
        if np.all(np.abs(inner - before) < _STAYS * (1.0 + np.abs(inner))):
            break
    return np.concatenate([ends[:1], inner, ends[-1:]])


def rate_matrix(turns: Array) -> Array:
    """From the derivative of rotation vectors [n, 3] to the rate in the body's frame: A^-1, shape [n, 3, 3]."""
    c = np.linalg.norm(turns, axis=1)
    x, y, z = turns.T
    skew = np.zeros((len(turns), 3, 3))
    skew[:, 0, 1], skew[:, 0, 2], skew[:, 1, 2] = -z, y, -x
    skew -= skew.transpose(0, 2, 1)
    far = np.where(c > _SMALL, c, 1.0)
    first = np.where(c > _SMALL, (1.0 - np.cos(far)) / far**2, 0.5 - c**2 / 24.0)
    second = np.where(c > _SMALL, (far - np.sin(far)) / far**3, 1.0 / 6.0 - c**2 / 120.0)
    return np.asarray(np.eye(3) - first[:, None, None] * skew + second[:, None, None] * skew @ skew)


def _quadratic(turns: Array, moving: Array) -> Array:
    """n(u, du/dt) [rad/s^2], shape [n, 3]."""
    c = np.linalg.norm(turns, axis=1, keepdims=True)
    far = np.where(c > _SMALL, c, 1.0)
    first = np.where(c > _SMALL, (2.0 - 2.0 * np.cos(far) - far * np.sin(far)) / far**4, 1.0 / 12.0)
    second = np.where(c > _SMALL, (3.0 * np.sin(far) - 2.0 * far - far * np.cos(far)) / far**5, -1.0 / 60.0)
    third = np.where(c > _SMALL, (far - np.sin(far)) / far**3, 1.0 / 6.0)
    across = np.cross(turns, moving)
    along = np.sum(turns * moving, axis=1, keepdims=True)
    return np.asarray(along * (first * across + second * np.cross(turns, across)) + third * np.cross(moving, across))


def _solve(below: Array, diagonal: Array, above: Array, right: Array) -> Array:
    """Equations in blocks of three, each with its neighbours: forward, then back."""
    blocks = [diagonal[0, 0] * np.eye(3)]
    sums = [right[0]]
    for k in range(1, len(right)):
        share = below[k - 1] @ np.linalg.inv(blocks[-1])
        blocks.append(diagonal[k, 0] * np.eye(3) - share @ above[k - 1])
        sums.append(right[k] - share @ sums[-1])
    found = [np.linalg.solve(blocks[-1], sums[-1])]
    for k in range(len(right) - 2, -1, -1):
        found.append(np.linalg.solve(blocks[k], sums[k] - above[k] @ found[-1]))
    return np.array(found[::-1])
