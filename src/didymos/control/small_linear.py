"""Symmetric positive systems of a few unknowns, for compiled programs: Cholesky, without a library."""

from __future__ import annotations

import math
from typing import Any

from didymos.compiled import kernel

__all__ = ["factor", "solve"]


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
