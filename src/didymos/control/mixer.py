"""Mixers: from (thrust, roll, pitch, yaw) to the inputs of the rotors, derived from where the rotors sit.

Each rotor's effect on the body (forward-left-up) at equal thrust is

    roll  +y_i,    pitch  -x_i,    yaw  -d_i        (times the rotor's upward axis component)

normalized by the largest in its row and divided by the number of rotors; the mixer is the Moore-Penrose inverse of those four
rows. For a quadcopter in X this is the inverse of the original's matrix, with its two wrong yaw entries corrected (they
must all be -1 or +1: a printed 0 and +1 leave one rotor out of the yaw moment and turn another against it).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from didymos.control.controller import Rotor
from didymos.errors import InputError

__all__ = ["effect_matrix", "mixer", "thrust_mixer"]


def _effects(rotors: Sequence[Rotor]) -> NDArray[np.float64]:
    """What one newton of each rotor does: thrust [N], roll and pitch moment [N m], yaw moment over k_M / k_T [N]; [4, n]."""
    position = np.array([rotor.position for rotor in rotors])
    centre = position.mean(axis=0)
    up = np.array([rotor.axis[2] for rotor in rotors])
    direction = np.array([rotor.direction for rotor in rotors])
    return np.vstack([up, (position[:, 1] - centre[1]) * up, -(position[:, 0] - centre[0]) * up, -direction * up])


def effect_matrix(rotors: Sequence[Rotor]) -> NDArray[np.float64]:
    """Rows thrust, roll, pitch, yaw; one column per rotor; shape [4, n], unitless."""
    rows = _effects(rotors)
    largest = np.abs(rows).max(axis=1, keepdims=True)
    largest[largest < 1e-9] = 1.0
    return rows / largest / len(rotors)


def mixer(rotors: Sequence[Rotor]) -> NDArray[np.float64]:
    """Inputs per (thrust, roll, pitch, yaw), shape [n, 4]; too few rotors to command all four is an `InputError`."""
    return _inverse(effect_matrix(rotors))


def thrust_mixer(rotors: Sequence[Rotor]) -> NDArray[np.float64]:
    """Thrusts [N] per thrust [N], roll and pitch moment [N m] and yaw moment over k_M / k_T [N]; shape [n, 4]."""
    return _inverse(_effects(rotors))


def _inverse(effects: NDArray[np.float64]) -> NDArray[np.float64]:
    count = effects.shape[1]
    if count < 4:
        raise InputError(f"found {count} rotors, expected at least 4 to command thrust, roll, pitch and yaw", path="parts")
    if np.linalg.matrix_rank(effects, tol=1e-9) < 4:
        raise InputError("these rotors cannot command thrust, roll, pitch and yaw independently", path="parts")
    return np.asarray(np.linalg.pinv(effects), dtype=np.float64)
