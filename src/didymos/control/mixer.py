"""Mixers: from (thrust, roll, pitch, yaw) to the inputs of the rotors, derived from where the rotors sit.

Each rotor's effect on the body (forward-left-up) at equal thrust is

    roll  +y_i,    pitch  -x_i,    yaw  -d_i        (times the rotor's upward axis component)

normalized by the largest in its row and divided by the number of rotors; the mixer is the Moore-Penrose inverse of those four
rows. For a quadcopter in X this is the inverse of the original's matrix, with its two wrong yaw entries corrected (they
must all be -1 or +1: a printed 0 and +1 leave one rotor out of the yaw moment and turn another against it).

A twin may state its mixer: a layout by name, or a matrix with a row (thrust, roll, pitch, yaw) per rotor, in the order of the
parts. It is held against the geometry, and one that contradicts it is refused:

    layout   rotors at the layout's angles from the nose, within 10 deg, neighbours turning against each other
    matrix   effects x matrix = diagonal and positive: each command does what it says, and 2 % of the others at most
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from didymos.control.controller import Rotor
from didymos.errors import InputError, nearest

__all__ = ["LAYOUTS", "Stated", "effect_matrix", "mixer", "mixer_without", "thrust_mixer"]

Stated = str | Sequence[Sequence[float]]
"""A layout by name, or rows (thrust, roll, pitch, yaw), one per rotor."""

LAYOUTS = {"quad_plus": (4, 0.0), "quad_x": (4, 45.0), "hexa_plus": (6, 0.0), "hexa_x": (6, 30.0)}
"""Number of rotors, and the angle [deg] of the first one from the nose."""

_COMMANDS = ("thrust", "roll", "pitch", "yaw")
_OFF = np.radians(10.0)  # how far a rotor may be from its place in a layout
_SHARE = 1e-3  # of the thrust, below which a rotor takes no part
_FIRST = 1e4  # how much more hovering weighs than the sum of squares
_LEAK = 0.02  # how much of a command may come out as another one: matrices are printed to two digits
_NOTHING = 1e-9  # of the largest effect of a command, below which an effect is rounding, whatever its sign


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


def mixer(rotors: Sequence[Rotor], stated: Stated | None = None) -> NDArray[np.float64]:
    """Inputs per (thrust, roll, pitch, yaw), shape [n, 4].

    Too few rotors to command all four, and a stated mixer that contradicts where they sit, is an `InputError`.
    """
    effects = effect_matrix(rotors)
    if isinstance(stated, str):
        _check_layout(rotors, stated)
    elif stated is not None:
        return _checked_matrix(rotors, effects, stated)
    return _inverse(effects)


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


def mixer_without(rotors: Sequence[Rotor], failed: int) -> NDArray[np.float64] | None:
    """The mixer when a rotor has failed, shape [n, 4]; None where the others cannot hover without turning over.

    The others that hover without a moment, with the least sum of squares, are found by non-negative least squares; of a
    hexacopter that leaves out the one across as well. They command thrust, roll and pitch; yaw is given up.
    """
    from scipy.optimize import nnls  # it takes half a second to import, and few programs survive a failed rotor

    effects = effect_matrix(rotors)
    others = [i for i in range(len(rotors)) if i != failed]
    hover = np.array([1.0, 0.0, 0.0, 0.0])
    both = np.vstack([_FIRST * effects[:, others], np.eye(len(others))])
    shares, _ = nnls(both, np.concatenate([_FIRST * hover, np.zeros(len(others))]))
    used = [i for i, share in zip(others, shares, strict=True) if share > _SHARE]
    rest = np.abs(effects[:, others] @ shares - hover).max()
    if rest > _SHARE or np.linalg.matrix_rank(effects[:3, used], tol=1e-9) < 3:
        return None
    found = np.zeros((len(rotors), 4))
    found[used, :3] = np.linalg.pinv(effects[:3, used])
    return found


def _mistake(text: str) -> InputError:
    return InputError(text, path="control.options.mixer")


def _check_layout(rotors: Sequence[Rotor], name: str) -> None:
    if name not in LAYOUTS:
        raise _mistake(f"found {name!r}, expected one of {', '.join(LAYOUTS)} or a matrix{nearest(name, LAYOUTS)}")
    count, first = LAYOUTS[name]
    if len(rotors) != count:
        raise _mistake(f"{name} has {count} rotors, found {len(rotors)}")
    position = np.array([rotor.position[:2] for rotor in rotors])
    position -= position.mean(axis=0)
    angles = np.arctan2(position[:, 1], position[:, 0])
    step = 2.0 * np.pi / count
    places = (angles - np.radians(first)) / step
    for rotor, place in zip(rotors, places, strict=True):
        if abs(place - round(place)) * step > _OFF:
            found = np.degrees(angles[list(places).index(place)])
            there = np.degrees(round(place) * step) + first
            raise _mistake(f"{rotor.input} sits {found:.0f} deg from the nose, where {name} has none (nearest: {there:.0f} deg)")
    order = np.argsort(places)
    for one, other in zip(order, np.roll(order, -1), strict=True):
        if rotors[one].direction == rotors[other].direction:
            names = f"{rotors[one].input} and {rotors[other].input}"
            raise _mistake(f"{names} are neighbours and turn the same way, where in {name} they turn against each other")


def _checked_matrix(
    rotors: Sequence[Rotor], effects: NDArray[np.float64], stated: Sequence[Sequence[float]]
) -> NDArray[np.float64]:
    if len(stated) != len(rotors) or any(len(row) != len(_COMMANDS) for row in stated):
        raise _mistake(f"expected {len(rotors)} rows, one per rotor, of four numbers: {', '.join(_COMMANDS)}")
    matrix = np.array(stated, dtype=np.float64)
    does = effects @ matrix
    for j, command in enumerate(_COMMANDS):
        shares = effects[j] * matrix[:, j]  # of each rotor in what the command does
        largest = max(np.abs(does[:, j]).max(), np.abs(shares).max())
        if does[j, j] <= _NOTHING * largest:
            wrong = int(np.argmax(shares <= shares.min() + _NOTHING * largest))  # the first of those that are equally wrong
            raise _mistake(f"{command} does the opposite, or nothing, with these rotors; look at {rotors[wrong].input} first")
        for i, other in enumerate(_COMMANDS):
            if i != j and abs(does[i, j]) > _LEAK * does[j, j]:
                share = abs(does[i, j]) / does[j, j]
                raise _mistake(f"{command} would also command {other}, {share:.0%} as much, as these rotors sit and turn")
    return matrix
