"""The cubic pieces of a path through timed poses (see moving.py)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation, RotationSpline

from didymos.describe.object_spec import MotionSpec
from didymos.engine.moving import PIECE
from didymos.engine.start import quaternion_from_rpy

__all__ = ["path_pieces"]

Array = NDArray[np.float64]


def path_pieces(motion: MotionSpec) -> NDArray[Any]:
    """One `PIECE` from each pose to the next."""
    times = np.array([pose.time for pose in motion.poses])
    places = np.array([list(pose.position) for pose in motion.poses])
    turns = np.array([quaternion_from_rpy(*pose.orientation) for pose in motion.poses])
    rows = np.zeros(len(times) - 1, dtype=PIECE)
    rows["begins"], rows["quaternion"] = times[:-1], turns[:-1]
    steps = Rotation.from_quat(turns, scalar_first=True)
    if motion.interpolation == "smooth":
        ends = "periodic" if motion.repeat else "clamped"
        position = CubicSpline(times, places, bc_type=ends).c  # [order, piece, axis], the highest first
        turn = _turn_coefficients(times, steps, motion.repeat)
    else:
        position, turn = np.zeros((4, len(rows), 3)), np.zeros((4, len(rows), 3))
        lengths = np.diff(times)[:, None]
        position[2], position[3] = np.diff(places, axis=0) / lengths, places[:-1]
        turn[2] = (steps[:-1].inv() * steps[1:]).as_rotvec() / lengths
    rows["position"] = position[::-1].transpose(1, 0, 2).reshape(len(rows), 12)
    rows["turn"] = turn[::-1].transpose(1, 0, 2).reshape(len(rows), 12)
    return rows


def _turn_coefficients(times: Array, turns: Rotation, repeat: bool) -> Array:
    """Coefficients [order, piece, axis], the highest first, of the rotation vector from each pose to the next.

    Rates at the poses are those of scipy's rotation spline, of a path that repeats over three rounds, else 0 at both ends; a
    cubic leads from rate to rate.
    """
    if repeat:
        around = np.concatenate([times[:-1] - times[-1], times[:-1], times + times[-1]])
        rates = RotationSpline(around, Rotation.concatenate([turns[:-1], turns[:-1], turns]))(times, 1)
        rates[-1] = rates[0]
    else:
        rates = RotationSpline(times, turns)(times, 1)
        rates[0] = rates[-1] = 0.0
    whole, length = (turns[:-1].inv() * turns[1:]).as_rotvec(), np.diff(times)[:, None]
    start = rates[:-1]
    end = np.array([np.linalg.solve(_rate_matrix(u), rate) for u, rate in zip(whole, rates[1:], strict=True)])
    cubic = (length * (start + end) - 2.0 * whole) / length**3
    square = (3.0 * whole - length * (2.0 * start + end)) / length**2
    return np.stack([cubic, square, start, np.zeros_like(start)])


def _rate_matrix(u: Array) -> Array:
    """From the derivative of a rotation vector to the rate in the body's frame; shape [3, 3]."""
    c = float(np.linalg.norm(u))
    skew = np.array([[0.0, -u[2], u[1]], [u[2], 0.0, -u[0]], [-u[1], u[0], 0.0]])
    first, second = ((1.0 - np.cos(c)) / c**2, (c - np.sin(c)) / c**3) if c > 1e-4 else (0.5, 1.0 / 6.0)
    return np.asarray(np.eye(3) - first * skew + second * skew @ skew)
