"""Mixers: from (thrust, roll, pitch, yaw) to the inputs of rotors that lift, derived from where they sit: how they hover.

Each rotor's effect on the body (forward-left-up) at equal thrust is

    roll  +y_i,    pitch  -x_i,    yaw  -d_i        (times the rotor's upward axis component)

normalized by the largest in its row and divided by the number of rotors; the mixer is the Moore-Penrose inverse of those four
rows. For a quadcopter in X this is the inverse of the original's matrix, with its two wrong yaw entries corrected (they
must all be -1 or +1: a printed 0 and +1 leave one rotor out of the yaw moment and turn another against it).

Matrices here have a row (thrust, roll, pitch, yaw) per rotor, in the order of the parts, and count in forward-left-up: positive
pitch is nose down, positive yaw nose left. `rotor_allocation` turns both to the axes of an `Allocation`.

A twin may state its allocation: a layout by name, or weights. It is held against the geometry, and one that contradicts it is
refused:

    layout   rotors at the layout's angles from the nose, within 10 deg, neighbours turning against each other
    weights  effects x matrix = diagonal and positive: each command does what it says, and 2 % of the others at most
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from didymos.control.allocation import HOVER_PRIORITY, Allocation
from didymos.control.nonnegative import nonnegative_least_squares
from didymos.control.rotor_place import Rotor
from didymos.errors import InputError, nearest

__all__ = [
    "LAYOUTS", "MOST_ROTORS", "Stated", "effect_matrix", "mixer", "mixer_without", "nose_up_mixer", "rotor_allocation",
    "rotor_inputs", "stated_matrix", "thrust_mixer",
]  # fmt: skip

MOST_ROTORS = 16
"""Rotors that a program can drive."""

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


def rotor_inputs(rotors: Sequence[Rotor]) -> list[str]:
    """The inputs of rotors, in their order; more than a program can drive are an `InputError`."""
    if len(rotors) > MOST_ROTORS:
        raise InputError(f"found {len(rotors)} rotors, expected at most {MOST_ROTORS}", path="control.program")
    return [rotor.input for rotor in rotors]


def rotor_allocation(
    rotors: Sequence[Rotor],
    matrix: NDArray[np.float64],
    priority: tuple[tuple[str, ...], ...] = HOVER_PRIORITY,
    low: float = 0.0,
    high: float = 1.0,
) -> Allocation:
    """The allocation of a matrix of this module, in the axes of aircraft: nose up, nose right."""
    count = len(rotors)
    weights = {"thrust": matrix[:, 0], "roll": matrix[:, 1], "pitch": -matrix[:, 2], "yaw": -matrix[:, 3]}
    ends = np.full(count, low), np.full(count, high)
    return Allocation(tuple(rotor_inputs(rotors)), weights, *ends, np.zeros(count), priority)


def stated_matrix(rotors: Sequence[Rotor], allocation: Allocation) -> list[list[float]]:
    """The weights of an allocation of rotors alone as a matrix of this module."""
    nothing = np.zeros(len(allocation.inputs))
    signs = {"thrust": 1.0, "roll": 1.0, "pitch": -1.0, "yaw": -1.0}
    columns = [sign * allocation.weights.get(axis, nothing) for axis, sign in signs.items()]
    order = [allocation.inputs.index(rotor.input) for rotor in rotors]
    matrix: list[list[float]] = np.column_stack(columns)[order].tolist()
    return matrix


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


def nose_up_mixer(rotors: Sequence[Rotor], stated: Stated | None = None) -> NDArray[np.float64]:
    """The same for rotors that push along the nose, of a robot that hovers with its nose up; about the body's axes.

    In the frame in which it hovers, x is -z and z is x of the body: its yaw is the body's roll, its roll against the body's yaw.
    """

    def turned(vector: tuple[float, float, float]) -> tuple[float, float, float]:
        return -vector[2], vector[1], vector[0]

    found = mixer([replace(each, position=turned(each.position), axis=turned(each.axis)) for each in rotors], stated)
    return np.column_stack([found[:, 0], found[:, 3], found[:, 2], -found[:, 1]])


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
    effects = effect_matrix(rotors)
    others = [i for i in range(len(rotors)) if i != failed]
    hover = np.array([1.0, 0.0, 0.0, 0.0])
    both = np.vstack([_FIRST * effects[:, others], np.eye(len(others))])
    shares = nonnegative_least_squares(both, np.concatenate([_FIRST * hover, np.zeros(len(others))]))
    used = [i for i, share in zip(others, shares, strict=True) if share > _SHARE]
    rest = np.abs(effects[:, others] @ shares - hover).max()
    if rest > _SHARE or np.linalg.matrix_rank(effects[:3, used], tol=1e-9) < 3:
        return None
    found = np.zeros((len(rotors), 4))
    found[used, :3] = np.linalg.pinv(effects[:3, used])
    return found


def _mistake(text: str) -> InputError:
    return InputError(text, path="allocation")


def _check_layout(rotors: Sequence[Rotor], name: str) -> None:
    if name not in LAYOUTS:
        raise _mistake(f"found {name!r}, expected one of {', '.join(LAYOUTS)} or weights{nearest(name, LAYOUTS)}")
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
