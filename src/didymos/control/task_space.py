"""Task space: inertia of an end effector, and the efforts of a chain of joints that accelerate it and nothing else.

    Lambda = (J M^-1 J^T)^+,    J^T Lambda x''     efforts of a task acceleration x''
    N = 1 - J^T Lambda J M^-1                      leaves of other efforts what does not move the end effector

M and J are those of the chain's joints; all else is held. The pseudo-inverse is taken of S J M^-1 J^T S with ones on its
diagonal, S its scale, by its eigenvalues: a direction whose eigenvalue is below 0.008 fades out of the task, and is none below
0.002. So at a singularity (an arm that is stretched, a wrist whose axes align) nothing is asked of joints that they cannot give,
and what they are free to do there is kept calm by the posture, which acts in what the task leaves. A task may have fewer axes
than six; a chain of fewer joints than axes moves as far as it can.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from didymos.compiled import kernel
from didymos.control.small_linear import eigen, solve

__all__ = ["AXES", "project", "task_inertia"]

AXES = 6
_NONE, _ALL = 0.002, 0.008  # eigenvalues from which a direction is part of the task, and wholly so


@kernel
def task_inertia(jacobian: Any, on: Any, mass_factor: Any, count: int, through: Any, inertia: Any) -> None:
    """M^-1 J^T into `through` [count, 6] and Lambda into `inertia` [6, 6].

    `jacobian` [6, count]; rows that are not `on` are no part of the task, and zero in both; `mass_factor` is that of M.
    """
    column = np.zeros(count)
    for axis in range(AXES):
        for k in range(count):
            column[k] = jacobian[axis, k] if on[axis] > 0.5 else 0.0
        solve(mass_factor, count, column, column)
        for k in range(count):
            through[k, axis] = column[k]
    scaled, scale, vectors = np.zeros((AXES, AXES)), np.zeros(AXES), np.zeros((AXES, AXES))
    for i in range(AXES):
        own = 0.0
        for j in range(count):
            own += jacobian[i, j] * through[j, i]
        scale[i] = 1.0 / math.sqrt(own) if own > 1e-12 else 0.0
    for i in range(AXES):
        for k in range(AXES):
            for j in range(count):
                scaled[i, k] += scale[i] * jacobian[i, j] * through[j, k] * scale[k]
    eigen(scaled, AXES, vectors)
    for n in range(AXES):
        value = scaled[n, n]
        share = min(max((value - _NONE) / (_ALL - _NONE), 0.0), 1.0)
        if share > 0.0:
            for i in range(AXES):
                for k in range(AXES):
                    inertia[i, k] += share / value * scale[i] * vectors[i, n] * vectors[k, n] * scale[k]


@kernel
def project(jacobian: Any, through: Any, inertia: Any, count: int, efforts: Any) -> None:
    """N: take from efforts [count] what moves the end effector."""
    task = np.zeros(AXES)
    for axis in range(AXES):
        for k in range(count):
            task[axis] += through[k, axis] * efforts[k]
    for axis in range(AXES):
        force = 0.0
        for k in range(AXES):
            force += inertia[axis, k] * task[k]
        for k in range(count):
            efforts[k] -= jacobian[axis, k] * force
