"""Least squares of many rows, a stretch of them at a time: what a search has to know of a residual fits into a small triangle.

    [J r] = Q T,      T [n + 1, n + 1] upper triangular,      J^T J = R^T R,  J^T r = R^T t,  |r| = |t|,      T = [R t]

T of all rows is T of the triangles of some of them, one under the other (tall-skinny QR: Demmel, Grigori, Hoemmen & Langou, SIAM
J. Sci. Comput. 34, 2012), so that no more rows than those of one stretch are ever held. No products J^T J are made, which would
cost half of the digits.

A solver that sees a residual before its Jacobian, as scipy's does, is given both turned (by a reflection, Golub & Van Loan,
Matrix Computations, 5.1) to where the residual is its size along the first axis: that one is known before T is.

    H t = |r| e_1,        r -> (|r|, 0, ..),   J -> H R
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["reduced", "turned"]

_Array = NDArray[np.float64]


def reduced(triangle: _Array | None, rows: _Array) -> _Array:
    """T [n + 1, n + 1] of the rows [m, n + 1], a residual beside its Jacobian, and of those whose T is given."""
    width = rows.shape[1]
    above = np.zeros((width, width)) if triangle is None else triangle
    return np.asarray(np.linalg.qr(np.vstack([above, rows]), mode="r"))


def turned(triangle: _Array) -> tuple[float, _Array]:
    """|r| and H R [n + 1, n] of a triangle T."""
    slopes, errors = triangle[:, :-1], triangle[:, -1]
    size = float(np.linalg.norm(errors))
    mirror = errors.copy()
    rest = float(errors[1:] @ errors[1:])
    mirror[0] = -rest / (errors[0] + size) if errors[0] > 0.0 else errors[0] - size
    length = mirror[0] ** 2 + rest
    if length == 0.0:
        return size, slopes.copy()
    return size, slopes - np.outer(mirror, (2.0 / length) * (mirror @ slopes))
