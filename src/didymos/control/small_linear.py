"""Symmetric matrices of a few rows, for compiled programs: Cholesky and Jacobi, without a library."""

from __future__ import annotations

import math
from typing import Any

from didymos.compiled import kernel

__all__ = ["eigen", "factor", "solve"]

_SWEEPS = 12


@kernel
def factor(matrix: Any, count: int) -> None:
    """A = L L^T: L takes the place of the lower half of A [count, count]."""
    for i in range(count):
        for k in range(i + 1):
            total = matrix[i, k]
            for j in range(k):
                total -= matrix[i, j] * matrix[k, j]
            if i == k:
                matrix[i, i] = math.sqrt(max(total, 1e-30))
            else:
                matrix[i, k] = total / matrix[k, k]


@kernel
def solve(lower: Any, count: int, right: Any, out: Any) -> None:
    """x of L L^T x = b [count]; `out` may be `right`."""
    for i in range(count):
        total = right[i]
        for k in range(i):
            total -= lower[i, k] * out[k]
        out[i] = total / lower[i, i]
    for i in range(count - 1, -1, -1):
        total = out[i]
        for k in range(i + 1, count):
            total -= lower[k, i] * out[k]
        out[i] = total / lower[i, i]


@kernel
def eigen(matrix: Any, count: int, vectors: Any) -> None:
    """Eigenvalues on the diagonal of a symmetric matrix [count, count], eigenvectors in the columns of `vectors`; Jacobi."""
    for i in range(count):
        for k in range(count):
            vectors[i, k] = 1.0 if i == k else 0.0
    for _ in range(_SWEEPS):
        off = 0.0
        for i in range(count):
            for k in range(i):
                off += matrix[i, k] * matrix[i, k]
        if off < 1e-24:
            return
        for p in range(count - 1):
            for q in range(p + 1, count):
                _rotate(matrix, count, vectors, p, q)


@kernel
def _rotate(matrix: Any, count: int, vectors: Any, p: int, q: int) -> None:
    """Turn the plane of two axes until the entry between them is zero."""
    if abs(matrix[p, q]) < 1e-300:
        return
    slope = (matrix[q, q] - matrix[p, p]) / (2.0 * matrix[p, q])
    t = math.copysign(1.0, slope) / (abs(slope) + math.sqrt(1.0 + slope * slope))
    c = 1.0 / math.sqrt(1.0 + t * t)
    s = t * c
    for k in range(count):
        a, b = matrix[k, p], matrix[k, q]
        matrix[k, p], matrix[k, q] = c * a - s * b, s * a + c * b
    for k in range(count):
        a, b = matrix[p, k], matrix[q, k]
        matrix[p, k], matrix[q, k] = c * a - s * b, s * a + c * b
    for k in range(count):
        a, b = vectors[k, p], vectors[k, q]
        vectors[k, p], vectors[k, q] = c * a - s * b, s * a + c * b
