"""What the Earth does to every body of a model (air/earth.py), beside the engine's uniform gravity, in every evaluation.

The engine's own gravity is the Earth's at the world's origin. What is missing at a body's centre of mass, and the torque on a
body that turns in a turning frame, are added as forces are: to `qfrc_applied`, so they are in each stage of RK4 and in no
sensor of the engine. Inertial sensors are told: a gyro turns with the Earth, an accelerometer feels what holds a body against
the gravity of its place. The engine's sensors of joint forces and torques leave out what is added here (some thousandths of the
weight).
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from didymos.air.earth import apparent, turning_torque
from didymos.compiled import kernel
from didymos.engine.generalized_force import add_generalized
from didymos.engine.layout import DATA, GRAVITY, MODEL
from didymos.native import doubles, integers, row_at, word

__all__ = ["GYRO", "INERTIAL", "act_of_earth", "feel_earth"]

INERTIAL = np.dtype(
    [
        ("gyro", np.int64),  # 1: it measures rates, 0: accelerations
        ("reading", np.int64),  # in the engine's sensordata
        ("site", np.int64),
        ("body", np.int64),
        ("tree", np.int64),
    ]
)
"""A sensor of the engine that measures against what does not turn."""

GYRO = int(mujoco.mjtSensor.mjSENS_GYRO)

_NBODY, _MASS, _INERTIA = MODEL["nbody"], MODEL["body_mass"], MODEL["body_inertia"]
_PARENT, _ROOT, _DOFS, _DOF = MODEL["body_parentid"], MODEL["body_rootid"], MODEL["body_dofnum"], MODEL["body_dofadr"]
_XIPOS, _XIMAT, _CVEL, _SUBTREE_COM = DATA["xipos"], DATA["ximat"], DATA["cvel"], DATA["subtree_com"]
_SITE_XPOS, _SITE_XMAT, _SENSORDATA = DATA["site_xpos"], DATA["site_xmat"], DATA["sensordata"]


@kernel
def _along(matrix: Any, axis: int, x: float, y: float, z: float) -> float:
    """Of a vector in the world, what lies along an axis of a frame whose axes are the columns of a matrix."""
    return matrix[axis] * x + matrix[3 + axis] * y + matrix[6 + axis] * z


@kernel
def _act_on_body(model: int, data: int, earth: Any, body: int, last_dof: int, mass: float) -> None:
    at, matrix = doubles(word(data + _XIPOS) + 24 * body), doubles(word(data + _XIMAT) + 72 * body)
    twist = doubles(word(data + _CVEL) + 48 * body)
    com = doubles(word(data + _SUBTREE_COM) + 24 * integers(word(model + _ROOT))[body])
    inertia = doubles(word(model + _INERTIA) + 24 * body)
    x, y, z = at[0] - com[0], at[1] - com[1], at[2] - com[2]
    u = twist[3] + twist[1] * z - twist[2] * y
    v = twist[4] + twist[2] * x - twist[0] * z
    w = twist[5] + twist[0] * y - twist[1] * x
    fx, fy, fz = apparent(earth, doubles(model + GRAVITY), at, u, v, w)
    fx, fy, fz = mass * fx, mass * fy, mass * fz
    tx, ty, tz = y * fz - z * fy, z * fx - x * fz, x * fy - y * fx
    rate = earth.rate
    if rate[1] != 0.0 or rate[2] != 0.0:
        a, b, c = turning_torque(
            inertia,
            _along(matrix, 0, twist[0], twist[1], twist[2]),
            _along(matrix, 1, twist[0], twist[1], twist[2]),
            _along(matrix, 2, twist[0], twist[1], twist[2]),
            _along(matrix, 0, rate[0], rate[1], rate[2]),
            _along(matrix, 1, rate[0], rate[1], rate[2]),
            _along(matrix, 2, rate[0], rate[1], rate[2]),
        )
        tx += matrix[0] * a + matrix[1] * b + matrix[2] * c
        ty += matrix[3] * a + matrix[4] * b + matrix[5] * c
        tz += matrix[6] * a + matrix[7] * b + matrix[8] * c
    add_generalized(model, data, last_dof, fx, fy, fz, tx, ty, tz)


@kernel
def act_of_earth(model: int, data: int, earth: Any) -> None:
    """Add what the Earth does to all bodies that move."""
    masses, parents = doubles(word(model + _MASS)), integers(word(model + _PARENT))
    counts, dofs = integers(word(model + _DOFS)), integers(word(model + _DOF))
    for body in range(1, word(model + _NBODY)):
        moved = body
        while moved > 0 and counts[moved] == 0:
            moved = parents[moved]
        if moved > 0 and masses[body] > 0.0:
            _act_on_body(model, data, earth, body, dofs[moved] + counts[moved] - 1, masses[body])


@kernel
def feel_earth(model: int, data: int, earth: Any, rows: int, count: int, rates: bool, accelerations: bool) -> None:
    """Tell inertial sensors, whose readings the engine has just made, of the Earth; `rows` is the address of `INERTIAL`s."""
    for i in range(count):
        row = row_at(rows, i, INERTIAL)
        reading = doubles(word(data + _SENSORDATA) + 8 * row.reading)
        matrix = doubles(word(data + _SITE_XMAT) + 72 * row.site)
        if row.gyro != 0:
            if rates:
                for axis in range(3):
                    reading[axis] += _along(matrix, axis, earth.rate[0], earth.rate[1], earth.rate[2])
        elif accelerations:
            at = doubles(word(data + _SITE_XPOS) + 24 * row.site)
            twist = doubles(word(data + _CVEL) + 48 * row.body)
            com = doubles(word(data + _SUBTREE_COM) + 24 * row.tree)
            x, y, z = at[0] - com[0], at[1] - com[1], at[2] - com[2]
            u = twist[3] + twist[1] * z - twist[2] * y
            v = twist[4] + twist[2] * x - twist[0] * z
            w = twist[5] + twist[0] * y - twist[1] * x
            gx, gy, gz = apparent(earth, doubles(model + GRAVITY), at, u, v, w)
            for axis in range(3):
                reading[axis] -= _along(matrix, axis, gx, gy, gz)
