"""How a part that turns a joint is commanded: in which of four ways, by which of its inputs, with which gains of its own.

| way | what the part makes of a command |
|---|---|
| impedance | tau = s_p kp (q* - q) + s_d kd (v* - v) + tau_ff, closed by the part itself |
| drive | the same in revolutions of a motor behind a gear, one command per beat |
| effort | tau = `per_input` times its input, whatever the joint does: the program has to close the loop |
| speed | turns the joint at the speed it is told |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

__all__ = ["JointActuation", "Way"]

Way = Literal["impedance", "drive", "effort", "speed"]


@dataclass(frozen=True)
class JointActuation:
    """How a part takes commands. Everything at the joint: [rad, N m, kg m^2], of a slider [m, N, kg]."""

    way: Way
    inputs: Mapping[str, str] = field(default_factory=dict)
    """Inputs of the part by the field of a joint command that goes there (`control/actuation.py`)."""
    kp: float = 0.0
    """[N m/rad] of the loop that the part closes itself, at scale 1."""
    kd: float = 0.0
    """[N m s/rad], the same; infinite where the part moves the joint whatever that takes."""
    per_input: float = 1.0
    """Effort at the joint per unit of the input, of a part commanded by effort."""
    ratio: float = 1.0
    """Turns of the motor per turn of the joint, of a drive."""
    delay: float = 0.0
    """[s] from a command to its effect."""
    armature: float = 0.0
    friction: float = 0.0
    viscous: float = 0.0
    """Inertia, dry and viscous friction of motor and gear, beside those of the description."""
