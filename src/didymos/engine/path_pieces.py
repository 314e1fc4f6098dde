"""The cubic pieces of a path through timed poses (see moving.py)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.describe.object_spec import MotionSpec
from didymos.engine.moving import PIECE
from didymos.engine.smooth_rates import position_rates, rate_matrix, turn_rates
from didymos.engine.start import quaternion_from_rpy
from didymos.rotations import rotation_error

__all__ = ["path_pieces"]

Array = NDArray[np.float64]


def path_pieces(motion: MotionSpec) -> NDArray[Any]:
    """One `PIECE` from each pose to the next."""
    times = np.array([pose.time for pose in motion.poses])
    places = np.array([list(pose.position) for pose in motion.poses])
    turns = np.array([quaternion_from_rpy(*pose.orientation) for pose in motion.poses])
    rows = np.zeros(len(times) - 1, dtype=PIECE)
    rows["begins"], rows["quaternion"] = times[:-1], turns[:-1]
    steps = rotation_error(turns[:-1], turns[1:])
    if motion.interpolation == "smooth":
        velocities = position_rates(times, places, motion.repeat)
        position = _cubics(times, np.diff(places, axis=0), velocities[:-1], velocities[1:])
        position[3] = places[:-1]
        turn = _turn_coefficients(times, steps, motion.repeat)
    else:
        position, turn = np.zeros((4, len(rows), 3)), np.zeros((4, len(rows), 3))
        lengths = np.diff(times)[:, None]
        position[2], position[3] = np.diff(places, axis=0) / lengths, places[:-1]
        turn[2] = steps / lengths
    rows["position"] = position[::-1].transpose(1, 0, 2).reshape(len(rows), 12)
    rows["turn"] = turn[::-1].transpose(1, 0, 2).reshape(len(rows), 12)
    return rows


def _turn_coefficients(times: Array, turns: Array, repeat: bool) -> Array:
    """Coefficients [order, piece, axis], the highest first, of the rotation vector from each pose to the next.

    A path that repeats has the rates of the second of three rounds, any other the rate 0 at both ends.
    """
    if repeat:
        around = np.concatenate([times[:-1] - times[-1], times[:-1], times + times[-1]])
        pieces = len(turns)
        rates = turn_rates(around, np.tile(turns, (3, 1)))[pieces : 2 * pieces + 1]
        rates[-1] = rates[0]
    else:
        rates = turn_rates(times, turns)
        rates[0] = rates[-1] = 0.0
    end = np.asarray(np.linalg.solve(rate_matrix(turns), rates[1:, :, None])[..., 0], np.float64)
    return _cubics(times, turns, rates[:-1], end)


def _cubics(times: Array, whole: Array, start: Array, end: Array) -> Array:
    """Coefficients [order, piece, axis], the highest first, of cubics from 0 to `whole` with these rates at their ends."""
    length = np.diff(times)[:, None]
    cubic = (length * (start + end) - 2.0 * whole) / length**3
    square = (3.0 * whole - length * (2.0 * start + end)) / length**2
    return np.stack([cubic, square, start, np.zeros_like(start)])
