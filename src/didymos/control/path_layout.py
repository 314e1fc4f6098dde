"""Memory layout of a path through way-points: polynomials of fifth degree, a row of them per stretch, and how they are read.

    x(t) = sum_k c_k s^k,     s = t - begin of the stretch
"""

from __future__ import annotations

from typing import Any

import numpy as np

from didymos.compiled import kernel

__all__ = ["MOST_AXES", "MOST_STRETCHES", "PATH", "path_point"]

MOST_AXES, MOST_STRETCHES, _TERMS = 32, 128, 6

PATH = np.dtype(
    [
        ("stretches", np.float64),
        ("axes", np.float64),
        ("end", np.float64),  # [s]
        ("repeat", np.float64),  # 1 where it begins anew at its end
        ("begin", np.float64, MOST_STRETCHES),  # [s] of each stretch
        ("terms", np.float64, (MOST_STRETCHES, MOST_AXES, _TERMS)),
    ]
)
"""Memory layout of a path."""


@kernel
def path_point(path: Any, axis: int, time: float) -> tuple[float, float, float]:
    """Position, velocity and acceleration of an axis at a time [s] of the path; at rest beyond its end."""
    if path.repeat > 0.5 and path.end > 0.0:
        time %= path.end
    t = min(max(time, 0.0), path.end)
    low, high = 0, int(path.stretches) - 1
    while low < high:
        middle = (low + high + 1) // 2
        if path.begin[middle] <= t:
            low = middle
        else:
            high = middle - 1
    c, s = path.terms[low, axis], t - path.begin[low]
    x = c[0] + s * (c[1] + s * (c[2] + s * (c[3] + s * (c[4] + s * c[5]))))
    if time != t:
        return x, 0.0, 0.0
    v = c[1] + s * (2.0 * c[2] + s * (3.0 * c[3] + s * (4.0 * c[4] + s * 5.0 * c[5])))
    a = 2.0 * c[2] + s * (6.0 * c[3] + s * (12.0 * c[4] + s * 20.0 * c[5]))
    return x, v, a
