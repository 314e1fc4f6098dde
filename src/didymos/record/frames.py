"""Frames that people log in, turned into ours (REP 103): world ENU, body FLU, quaternions w first.

A frame is named by where its axes x, y, z point: `NED` north, east, down; `FRD` forward, right, down. With A the matrix whose
columns are a frame's axes, written in ours,

    v_ENU = A_world v_world,    v_FLU = A_body v_body,    R_ENU,FLU = A_world R_world,body A_body^T

so a quaternion q (body to world) becomes q(A_world) q q(A_body)^*. For NED and FRD that is v = (y, x, -z) and v = (x, -y, -z).
World letters are N S E W U D, body letters F B L R U D; axes that are not right-handed, or not at right angles, are refused.
Arrays have one row per sample. An orientation may come as quaternion (`wxyz`, `xyzw`) or as roll, pitch, yaw [rad] about the
fixed axes x, y, z of its own frames, R = Rz(yaw) Ry(pitch) Rx(roll), which is aerospace's z-y'-x'' as well.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from didymos.errors import InputError, nearest
from didymos.rotations import matrix_to_quaternion, quaternion_product

__all__ = [
    "ORDERS", "body_to_flu", "euler_to_quaternion", "orientation_to_enu_flu", "quaternion_to_wxyz", "without_sign_flips",
    "world_to_enu",
]  # fmt: skip

_Array = NDArray[np.float64]

ORDERS = ("wxyz", "xyzw")
"""How the parts of a quaternion may stand in a row."""

_WORLD = {"E": (1, 0, 0), "W": (-1, 0, 0), "N": (0, 1, 0), "S": (0, -1, 0), "U": (0, 0, 1), "D": (0, 0, -1)}
_BODY = {"F": (1, 0, 0), "B": (-1, 0, 0), "L": (0, 1, 0), "R": (0, -1, 0), "U": (0, 0, 1), "D": (0, 0, -1)}
_USUAL_WORLDS, _USUAL_BODIES = ("ENU", "NED", "NWU"), ("FLU", "FRD", "RFU")


def world_to_enu(vectors: ArrayLike, frame: str) -> _Array:
    """Vectors of a world frame such as `NED` in ENU, shape [n, 3]."""
    return _rows(vectors, 3) @ _world_axes(frame).T


def body_to_flu(vectors: ArrayLike, frame: str) -> _Array:
    """Vectors of a body frame such as `FRD` in FLU, shape [n, 3]; forces, rates and accelerations alike."""
    return _rows(vectors, 3) @ _body_axes(frame).T


def quaternion_to_wxyz(quaternions: ArrayLike, order: str) -> _Array:
    """Quaternions, shape [n, 4], with w first; their lengths stay."""
    if order not in ORDERS:
        raise InputError(f"{order!r} is no order of a quaternion, expected {' or '.join(ORDERS)}{nearest(order, ORDERS)}")
    return _rows(quaternions, 4)[:, [order.index(part) for part in "wxyz"]]


def euler_to_quaternion(rpy: ArrayLike) -> _Array:
    """Unit quaternions, w first, shape [n, 4], of roll, pitch, yaw [rad], shape [n, 3]: Rz(yaw) Ry(pitch) Rx(roll)."""
    half = 0.5 * _rows(rpy, 3)
    (cr, cp, cy), (sr, sp, sy) = np.cos(half).T, np.sin(half).T
    parts = (
        cr * cp * cy + sr * sp * sy, sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy, cr * cp * sy - sr * sp * cy,
    )  # fmt: skip
    return np.stack(parts, axis=1)


def orientation_to_enu_flu(quaternions: ArrayLike, world: str = "ENU", body: str = "FLU") -> _Array:
    """Orientations of a body frame in a world frame as those of FLU in ENU; quaternions, w first, shape [n, 4].

    Their lengths stay, so that one which is no unit can still be seen. No sign flips from one to the next.
    """
    given = _rows(quaternions, 4)
    left, right = matrix_to_quaternion(_world_axes(world)), matrix_to_quaternion(_body_axes(body).T)
    return without_sign_flips(quaternion_product(quaternion_product(left[None, :], given), right[None, :]))


def without_sign_flips(quaternions: ArrayLike) -> _Array:
    """The same rotations, each with the sign that is nearer to the one before it, shape [n, 4]; rows with a NaN stay."""
    made = _rows(quaternions, 4).copy()
    whole = np.flatnonzero(np.isfinite(made).all(axis=1))
    if len(whole) > 1:
        products = np.sum(made[whole[1:]] * made[whole[:-1]], axis=1)
        made[whole[1:]] *= np.cumprod(np.where(products < 0.0, -1.0, 1.0))[:, None]
    return made


def _rows(values: ArrayLike, width: int) -> _Array:
    rows = np.asarray(values, np.float64)
    if rows.ndim != 2 or rows.shape[1] != width:
        raise InputError(f"found an array of shape {rows.shape}, expected [n, {width}]")
    return rows


@lru_cache(maxsize=64)
def _world_axes(frame: str) -> _Array:
    return _axes(frame, _WORLD, _USUAL_WORLDS, "world")


@lru_cache(maxsize=64)
def _body_axes(frame: str) -> _Array:
    return _axes(frame, _BODY, _USUAL_BODIES, "body")


def _axes(frame: str, letters: dict[str, tuple[int, int, int]], usual: tuple[str, ...], of: str) -> _Array:
    """The axes of a frame as columns, shape [3, 3]."""
    name = frame.upper()
    if len(name) != 3 or not set(name) <= set(letters):
        hint = nearest(name, usual)
        raise InputError(f"{frame!r} is no {of} frame, expected three letters of {' '.join(letters)} such as {usual[1]}{hint}")
    axes = np.array([letters[letter] for letter in name], np.float64).T
    if np.linalg.det(axes) < 0.5:
        raise InputError(f"the axes of the {of} frame {frame!r} are not right-handed, expected one such as {usual[1]}")
    axes.flags.writeable = False
    return axes
