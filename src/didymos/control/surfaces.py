"""Which inputs of an aircraft roll, pitch, yaw and push it: named by a program's options, checked against the robot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from didymos.control.controller import Robot
from didymos.errors import InputError, nearest

__all__ = ["AXES", "Surfaces"]

AXES = ("roll", "pitch", "yaw", "throttle")


class Surfaces:
    """Inputs by what they do: roll right, pitch up, yaw right, throttle."""

    def __init__(self, named: Mapping[str, Sequence[str] | str]) -> None:
        for key in named:
            if key not in AXES:
                raise InputError(f"expected one of {', '.join(AXES)}{nearest(key, AXES)}", path=f"control.options.surfaces.{key}")
        lists = [named.get(axis, ()) for axis in AXES]
        self.groups = tuple((names,) if isinstance(names, str) else tuple(names) for names in lists)

    @property
    def writes(self) -> tuple[str, ...]:
        """All inputs, in the order roll, pitch, yaw, throttle."""
        return tuple(name for group in self.groups for name in group)

    @property
    def counts(self) -> list[float]:
        """How many inputs each axis has."""
        return [float(len(group)) for group in self.groups]

    def check(self, robot: Robot) -> None:
        """Refuse inputs that the robot does not have."""
        for axis, group in zip(AXES, self.groups, strict=True):
            for name in group:
                if name not in robot.inputs:
                    raise InputError(
                        f"there is no input {name!r}{nearest(name, robot.inputs)}", path=f"control.options.surfaces.{axis}"
                    )
