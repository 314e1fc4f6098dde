"""Which inputs of an aircraft roll, pitch, yaw and push it: named by a program's options, checked against the robot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from didymos.control.controller import Robot
from didymos.errors import InputError, nearest

__all__ = ["AXES", "MOST_SURFACES", "Surfaces"]

AXES = ("roll", "pitch", "yaw", "throttle")
MOST_SURFACES = 16
"""Inputs that an axis may have."""


class Surfaces:
    """Inputs by what they do: roll right, pitch up, yaw right, throttle."""

    def __init__(self, named: Mapping[str, Sequence[str] | str]) -> None:
        for key in named:
            if key not in AXES:
                raise InputError(f"expected one of {', '.join(AXES)}{nearest(key, AXES)}", path=f"control.options.surfaces.{key}")
        self.writes: dict[str, tuple[str, ...]] = {}
        """The inputs of each axis."""
        for axis in AXES:
            names = named.get(axis, ())
            self.writes[axis] = (names,) if isinstance(names, str) else tuple(names)
            if len(self.writes[axis]) > MOST_SURFACES:
                found = f"found {len(self.writes[axis])} inputs, expected at most {MOST_SURFACES}"
                raise InputError(found, path=f"control.options.surfaces.{axis}")

    def check(self, robot: Robot) -> None:
        """Refuse inputs that the robot does not have."""
        for axis, names in self.writes.items():
            for name in names:
                if name not in robot.inputs:
                    raise InputError(
                        f"there is no input {name!r}{nearest(name, robot.inputs)}", path=f"control.options.surfaces.{axis}"
                    )
