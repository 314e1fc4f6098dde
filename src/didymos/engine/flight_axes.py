"""The axes by which an aircraft is commanded, and the inputs behind each: what a trim solves for, and what B is counted in.

An axis (roll, pitch, yaw, thrust) is a row of signed weights: a command c gives each of its inputs weight x c; several add up.
Roll right, pitch up and yaw right are positive and lie in [-1, 1], thrust lies in [0, 1]. The weights are those with which the
twin's programs command: those of its allocation, of flight on the wing or of hovering. Axes beside these four are held:
`tilt` at 1 in flight and 0 in hover, flaps and brakes at 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from didymos.control import Rotor
from didymos.describe.names import input_names
from didymos.describe.twin import Twin
from didymos.engine.actuators import actuators_of
from didymos.engine.allocations import AllocationFinder
from didymos.engine.assemble import Assembly
from didymos.errors import InputError, nearest

__all__ = ["AXES", "Airframe", "Axes", "airframe_of", "check_axes"]

AXES = ("roll", "pitch", "yaw", "thrust")
"""What a trim solves for."""

Axes = Mapping[str, Mapping[str, float]]
"""Weights of inputs by axis."""


@dataclass(frozen=True)
class Airframe:
    """Weights by axis, what inputs are where nothing is asked for, and the commands of axes that are held."""

    axes: Axes
    offset: Mapping[str, float] = field(default_factory=dict)
    held: Mapping[str, float] = field(default_factory=dict)


def airframe_of(twin: Twin, assembly: Assembly, rotors: Sequence[Rotor], kind: str | None = None) -> Airframe:
    """How a twin is commanded in `flight` or in `hover`, or as it usually is; one that cannot be is an `InputError`."""
    actuators = actuators_of(twin, assembly.model, assembly.own_actuators)
    finder = AllocationFinder(twin, assembly, rotors, actuators)
    allocation = finder.usual() if kind is None else finder.find(kind)
    axes = {
        axis: {name: float(weight) for name, weight in zip(allocation.inputs, weights, strict=True) if weight}
        for axis, weights in allocation.weights.items()
        if allocation.has(axis)
    }
    offset = {name: float(value) for name, value in zip(allocation.inputs, allocation.offset, strict=True) if value}
    return Airframe(axes, offset, {"tilt": 0.0 if kind == "hover" else 1.0})


def check_axes(twin: Twin, axes: Axes) -> None:
    """Refuse inputs that the twin does not have, and axes without which nothing can be trimmed."""
    known = input_names(twin)
    for axis, weights in axes.items():
        for name in weights:
            if name not in known:
                raise InputError(f"there is no input {name!r}{nearest(name, known)}", path=axis)
    if not axes.get("thrust") and not axes.get("pitch"):
        raise InputError(f"{twin.name} has neither a thrust nor a pitch input, so there is nothing to trim")
