"""An actuator: what drives a joint of the robot, and how a program commands it.

A part of the twin file (a servo, a drive, ...) or an actuator of an MJCF description. `way` says what it makes of a command (see
`parts/actuation.py`); an actuator of the engine is always

    tau = gain u + offset + position_gain q + velocity_gain v         at the joint, u its input

(`affine`: motors, position and velocity servos and their like, and parts that take an effort).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

__all__ = ["Actuator"]


@dataclass(frozen=True)
class Actuator:
    """What drives a joint. At the joint: [rad, N m, kg m^2], of a slider [m, N, kg]; infinite where there is no limit."""

    joint: str
    name: str
    """Of the part, or of the actuator in the description."""
    kind: str
    """Of the part (`servo`, `drive`, ...); `actuator` for one of the description."""
    way: Literal["impedance", "drive", "affine", "speed"]
    inputs: Mapping[str, str] = field(default_factory=dict)
    """The robot's inputs by the field of a joint command that each is (`control/actuation.py: JOINT_COMMAND`)."""
    kp: float = 0.0
    """[N m/rad] of the loop that it closes itself."""
    kd: float = 0.0
    """[N m s/rad], the same; infinite where it moves the joint whatever that takes."""
    effort: float = math.inf
    """The least of its own limit and the joint's."""
    velocity: float = math.inf
    lower: float = -math.inf
    """Of the joint."""
    upper: float = math.inf
    input_range: tuple[float, float] = (-math.inf, math.inf)
    """Of the one input of an affine or speed actuator."""
    gain: float = 1.0
    offset: float = 0.0
    position_gain: float = 0.0
    velocity_gain: float = 0.0
    ratio: float = 1.0
    """Turns of the motor per turn of the joint, of a drive."""
    delay: float = 0.0
    """[s] from a command to its effect."""
    armature: float = 0.0
    """Inertia of motor and gear at the joint, beside that of the description."""
    friction: float = 0.0
    """Dry friction of motor, gear and joint together."""
    viscous: float = 0.0
    """[N m s/rad], the same."""
    belt: str | None = None
    """A joint that its belt runs over: it turns the sum of both angles."""
    prismatic: bool = False

    @property
    def closes_loop(self) -> bool:
        """Whether it holds a position by itself."""
        return self.kp > 0.0
