"""Objects that follow a trajectory: where they are, how fast and how they accelerate at every physics step.

A body that a trajectory moves has a free joint whose position and velocity are written anew before every physics step, so the
contacts of what stands on it see a moving surface, along it and across it, and friction carries it along. So that no contact can
hinder it, the joint has an armature A, which adds to the diagonal of the mass matrix and to nothing else (neither weight nor
momentum): A is 10^4 times the mass of all else, A r^2 about each axis with r the reach of the shape. The force

    f = A dv/dt,    tau = A r^2 dw/dt

lets the engine foresee the motion within a step (the stages of RK4, the reference of contacts). That A is finite shows as 10^-4
of the accelerations that contacts would give a body as heavy as all else, written over in the next step.

Trajectories, with t the time since the start, p0 and q0 the pose of the object, and W = 2 pi f:

    sine      p = p0 + a sin(W t + phi),                     q = q0 * exp(b sin(W t + phi))
    circle    p = p0 + r (cos(W t + phi), sin(W t + phi), 0),  q = q0, or q0 turned with it (`facing`)
    path      between the poses k and k+1, s = t - t_k:  p and the rotation vector u from q_k are cubic in s, q = q_k * exp(u(s));
              linear pieces (u along one axis), or smooth: p a cubic spline that begins and ends at rest, the rate w at the poses
              that of a rotation spline and continuous

The rate in the body's frame is that of the exponential map, with c = |u|:

    w = u' - (1 - cos c)/c^2 u x u' + (c - sin c)/c^3 u x (u x u')

and dw/dt its derivative. Range: the engine's contacts foresee accelerations of bodies, not that a turning surface bends paths. On
a turntable things creep outward at 0.95 T w^2 r / 2, with T the `contact_time`; else they stay, but for what friction gives way
under load, 0.05 T times the speed that they gain, and back when they lose it. Ends of a path are held. Linear paths jump in
velocity at their poses, and what they carry slips there. It is the loop that moves them: whoever steps the model with the engine
alone sees them go on at the speed that they had.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from didymos.compiled import kernel
from didymos.engine.layout import DATA
from didymos.native import doubles, longs, row_at, word

__all__ = ["MOVING", "PIECE", "MovingTables", "leave_out_moving", "move"]

MOVING = np.dtype([
    ("qpos", np.int64), ("dof", np.int64), ("body", np.int64),
    ("first", np.int64), ("pieces", np.int64),  # of a path; none where it swings
    ("begins", np.float64), ("ends", np.float64),  # [s], of a path
    ("repeats", np.int64),
    ("position", np.float64, 3), ("quaternion", np.float64, 4),  # about which it swings
    ("rate", np.float64),  # W [rad/s]
    ("amplitude", np.float64, 3), ("phase", np.float64, 3),  # [m], [rad] along each axis
    ("turn", np.float64, 3), ("turn_phase", np.float64),  # [rad]: rotation vector of a sine
    ("spin", np.float64),  # [rad/s] about the world's z: of a circle that faces
    ("armature", np.float64), ("turning_armature", np.float64),  # [kg], [kg m^2]
])  # fmt: skip
"""A body that a trajectory moves."""

PIECE = np.dtype([
    ("begins", np.float64),  # [s]
    ("position", np.float64, 12),  # coefficients of 1, s, s^2, s^3, three numbers each
    ("quaternion", np.float64, 4),
    ("turn", np.float64, 12),  # the same of the rotation vector
])  # fmt: skip
"""A piece of a path."""

_XFRC_APPLIED = DATA["xfrc_applied"]
_SMALL = 1e-3  # [rad], below which series stand for quotients: their error is the angle to the sixth power


class MovingTables(NamedTuple):
    """Bodies that trajectories move; what `move` reads."""

    moving: NDArray[Any]  # MOVING [n]
    pieces: NDArray[Any]  # PIECE [m]
    since: NDArray[np.float64]  # [1], [s]: time of the trajectories when the run's clock says 0
    energies: NDArray[np.int64]  # in sensordata: kinetic energy of everything, as often as it is measured


@kernel
def _cross(a: Any, b: Any, out: Any) -> None:
    x = a[1] * b[2] - a[2] * b[1]
    y = a[2] * b[0] - a[0] * b[2]
    z = a[0] * b[1] - a[1] * b[0]
    out[0], out[1], out[2] = x, y, z


@kernel
def _turn_rates(u: Any, du: Any, ddu: Any, rate: Any, change: Any) -> None:
    """Rate and its change in the body's frame of exp(u), from u and its derivatives; shape [3] each."""
    square, along = 0.0, 0.0
    for k in range(3):
        square += u[k] * u[k]
        along += u[k] * du[k]
    c = math.sqrt(square)
    if c < _SMALL:
        a, b = 0.5 - square / 24.0, 1.0 / 6.0 - square / 120.0
        a_over_c, b_over_c = -1.0 / 12.0 + square / 180.0, -1.0 / 60.0 + square / 1260.0  # (da/dc)/c, (db/dc)/c
    else:
        sine, cosine = math.sin(c), math.cos(c)
        a, b = (1.0 - cosine) / square, (c - sine) / (square * c)
        a_over_c = (c * sine - 2.0 * (1.0 - cosine)) / (square * square)
        b_over_c = (c * (1.0 - cosine) - 3.0 * (c - sine)) / (square * square * c)
    da, db = a_over_c * along, b_over_c * along
    first, second, inner, outer, twice = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    _cross(u, du, first)
    _cross(u, first, second)
    _cross(u, ddu, inner)
    _cross(u, inner, twice)
    _cross(du, first, outer)
    for k in range(3):
        rate[k] = du[k] - a * first[k] + b * second[k]
        change[k] = ddu[k] - da * first[k] - a * inner[k] + db * second[k] + b * (outer[k] + twice[k])


@kernel
def _turned(q: Any, u: Any, out: Any) -> None:
    """out = q * exp(u)."""
    c = math.sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2])
    half = 0.5 * c
    s = math.sin(half) / c if c > 1e-12 else 0.5
    w, x, y, z = math.cos(half), s * u[0], s * u[1], s * u[2]
    a, b, c, d = q[0], q[1], q[2], q[3]
    out[0] = a * w - b * x - c * y - d * z
    out[1] = a * x + b * w + c * z - d * y
    out[2] = a * y - b * z + c * w + d * x
    out[3] = a * z + b * y - c * x + d * w


@kernel
def _swing(row: Any, t: float, p: Any, v: Any, a: Any, u: Any, du: Any, ddu: Any) -> None:
    """Position, rotation vector from the row's quaternion and their derivatives of a sine or circle at a time [s]."""
    for k in range(3):
        angle = row.rate * t + row.phase[k]
        sine, cosine = math.sin(angle), math.cos(angle)
        p[k] = row.position[k] + row.amplitude[k] * sine
        v[k] = row.amplitude[k] * row.rate * cosine
        a[k] = -row.amplitude[k] * row.rate * row.rate * sine
    angle = row.rate * t + row.turn_phase
    sine, cosine = math.sin(angle), math.cos(angle)
    for k in range(3):
        u[k] = row.turn[k] * sine
        du[k] = row.turn[k] * row.rate * cosine
        ddu[k] = -row.turn[k] * row.rate * row.rate * sine


@kernel
def _follow(row: Any, pieces: int, t: float, q: Any, p: Any, v: Any, a: Any, u: Any, du: Any, ddu: Any) -> None:
    """The same of a path, and the quaternion that the rotation vector counts from."""
    length = row.ends - row.begins
    if row.repeats != 0:
        t = t - math.floor(t / length) * length
    held = t < row.begins or t >= row.ends
    t = min(max(t, row.begins), row.ends)
    low, high = 0, row.pieces - 1
    while low < high:  # the last piece that has begun
        middle = (low + high + 1) // 2
        if row_at(pieces, row.first + middle, PIECE).begins <= t:
            low = middle
        else:
            high = middle - 1
    piece = row_at(pieces, row.first + low, PIECE)
    s = t - piece.begins
    for k in range(4):
        q[k] = piece.quaternion[k]
    for k in range(3):
        c = piece.position
        p[k] = c[k] + s * (c[3 + k] + s * (c[6 + k] + s * c[9 + k]))
        v[k] = 0.0 if held else c[3 + k] + s * (2.0 * c[6 + k] + s * 3.0 * c[9 + k])
        a[k] = 0.0 if held else 2.0 * c[6 + k] + s * 6.0 * c[9 + k]
        c = piece.turn
        u[k] = c[k] + s * (c[3 + k] + s * (c[6 + k] + s * c[9 + k]))
        du[k] = 0.0 if held else c[3 + k] + s * (2.0 * c[6 + k] + s * 3.0 * c[9 + k])
        ddu[k] = 0.0 if held else 2.0 * c[6 + k] + s * 6.0 * c[9 + k]


@kernel
def move(tables: Any, engine: Any, time: float) -> None:
    """Put all bodies that trajectories move where they are at a time [s], with velocity and the force of their acceleration."""
    qpos, qvel = doubles(engine.qpos), doubles(engine.qvel)
    for i in range(tables.moving_count):
        row = row_at(tables.moving, i, MOVING)
        t = time + doubles(tables.since)[0]
        p, v, a, u, du, ddu = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
        base, q, rate, change = np.empty(4), np.empty(4), np.empty(3), np.empty(3)
        if row.pieces > 0:
            _follow(row, tables.pieces, t, base, p, v, a, u, du, ddu)
        else:
            half = 0.5 * row.spin * t
            w, z = math.cos(half), math.sin(half)
            o = row.quaternion
            base[0], base[1] = w * o[0] - z * o[3], w * o[1] - z * o[2]
            base[2], base[3] = w * o[2] + z * o[1], w * o[3] + z * o[0]
            _swing(row, t, p, v, a, u, du, ddu)
        _turned(base, u, q)
        _turn_rates(u, du, ddu, rate, change)
        # the world's z in the body's frame, about which a circle that faces turns
        rate[0] += row.spin * 2.0 * (q[1] * q[3] - q[0] * q[2])
        rate[1] += row.spin * 2.0 * (q[2] * q[3] + q[0] * q[1])
        rate[2] += row.spin * (1.0 - 2.0 * (q[1] * q[1] + q[2] * q[2]))
        force = doubles(word(engine.data + _XFRC_APPLIED) + 48 * row.body)
        for k in range(3):
            qpos[row.qpos + k], qvel[row.dof + k], qvel[row.dof + 3 + k] = p[k], v[k], rate[k]
            force[k] = row.armature * a[k]
        for k in range(4):
            qpos[row.qpos + 3 + k] = q[k]
        # the torque is the world's: R dw/dt
        cross, twice = np.empty(3), np.empty(3)
        _cross(q[1:], change, cross)
        _cross(q[1:], cross, twice)
        for k in range(3):
            force[3 + k] = row.turning_armature * (change[k] + 2.0 * (q[0] * cross[k] + twice[k]))


@kernel
def leave_out_moving(tables: Any, engine: Any) -> None:
    """Take the armature's part out of the kinetic energy of everything, where the engine has just computed that."""
    readings, qvel = doubles(engine.sensordata), doubles(engine.qvel)
    for n in range(tables.energies_count):
        place = longs(tables.energies)[n]
        for i in range(tables.moving_count):
            row = row_at(tables.moving, i, MOVING)
            for k in range(3):
                readings[place] -= 0.5 * row.armature * qvel[row.dof + k] ** 2
                readings[place] -= 0.5 * row.turning_armature * qvel[row.dof + 3 + k] ** 2
