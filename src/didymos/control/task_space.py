"""Task space: inertia of an end effector, and the efforts of a chain of joints that accelerate it and nothing else.

    Lambda = (J M^-1 J^T + r D)^-1,    J^T Lambda x''     efforts of a task acceleration x''
    N = 1 - J^T Lambda J M^-1                             leaves of other efforts what does not move the end effector

M and J are those of the chain's joints; all else is held. D = diag(J M^-1 J^T); r grows from 0 to 0.005 as the arm comes near a
singularity, where a direction would need joints without bound: its inertia stays below D^-1 / r, so that efforts do.
A task may have fewer axes than six; a chain of fewer joints than axes moves as far as it can.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from didymos.compiled import kernel
from didymos.control.small_linear import factor, solve

__all__ = ["AXES", "project", "task_inertia"]

AXES = 6
_DAMPING = 0.005  # r at a singularity
_NEAR = 0.01


@kernel
def task_inertia(jacobian: Any, on: Any, mass_factor: Any, count: int, through: Any, inverse_factor: Any) -> None:
    """M^-1 J^T into `through` [count, 6] and the Cholesky factor of the inverse inertia into `inverse_factor` [6, 6].

    `jacobian` [6, count]; rows that are not `on` are no part of the task; `mass_factor` is that of M.
    """
    column = np.zeros(count)
    for axis in range(AXES):
        for k in range(count):
            column[k] = jacobian[axis, k]
        solve(mass_factor, count, column, column)
        for k in range(count):
            through[k, axis] = column[k]
    damping = 0.0
    for _ in range(2):
        for i in range(AXES):
            for k in range(AXES):
                total = 0.0
                if on[i] > 0.5 and on[k] > 0.5:
                    for j in range(count):
                        total += jacobian[i, j] * through[j, k]
                inverse_factor[i, k] = total
            column_own = inverse_factor[i, i]
            inverse_factor[i, i] = 1.0 if on[i] < 0.5 else column_own * (1.0 + damping) + 1e-12
        diagonal = np.zeros(AXES)
        for i in range(AXES):
            diagonal[i] = inverse_factor[i, i]
        factor(inverse_factor, AXES)
        near = 1.0  # what is left of an axis where those before it are held; nothing at a singularity
        for i in range(AXES):
            near = min(near, inverse_factor[i, i] * inverse_factor[i, i] / diagonal[i])
        if damping > 0.0 or near >= _NEAR:
            break
        damping = _DAMPING * (1.0 - near / _NEAR) ** 2


@kernel
def project(jacobian: Any, on: Any, through: Any, inverse_factor: Any, count: int, efforts: Any) -> None:
    """N: take from efforts [count] what moves the end effector."""
    task = np.zeros(AXES)
    for axis in range(AXES):
        if on[axis] > 0.5:
            for k in range(count):
                task[axis] += through[k, axis] * efforts[k]
    solve(inverse_factor, AXES, task, task)
    for k in range(count):
        for axis in range(AXES):
            if on[axis] > 0.5:
                efforts[k] -= jacobian[axis, k] * task[axis]
