"""Apply a mixer: shares of thrust, roll, pitch and yaw become the inputs of the rotors."""

from __future__ import annotations

from typing import Any

from didymos.compiled import kernel
from didymos.control.angles import limit
from didymos.control.controller import Robot
from didymos.errors import InputError

__all__ = ["MOST_ROTORS", "mix", "rotor_inputs"]

MOST_ROTORS = 16
"""Rotors that a program can drive."""


def rotor_inputs(robot: Robot) -> list[str]:
    """The inputs of a robot's rotors, in their order; more rotors than a program can drive are an `InputError`."""
    if len(robot.rotors) > MOST_ROTORS:
        raise InputError(f"found {len(robot.rotors)} rotors, expected at most {MOST_ROTORS}", path="control.program")
    return [rotor.input for rotor in robot.rotors]


@kernel
def mix(mixer: Any, rotors: int, thrust: float, roll: float, pitch: float, yaw: float, inputs: Any) -> None:
    """Write the inputs in [0, 1] of so many rotors; `mixer` has a row (thrust, roll, pitch, yaw) for each, shape [n, 4]."""
    for i in range(rotors):
        inputs[i] = limit(mixer[i, 0] * thrust + mixer[i, 1] * roll + mixer[i, 2] * pitch + mixer[i, 3] * yaw, 0.0, 1.0)
