"""Which program drives a new twin.

| the robot | program |
|---|---|
| floats, and has wheels that are driven | `wheeled` |
| floats, and has legs that are driven | `legged` |
| anything else with drives | `joints`: it holds its posture |
"""

from __future__ import annotations

from dataclasses import dataclass

from didymos.control.leg_finder import Leg, find_legs
from didymos.control.wheel_finder import find_wheels
from didymos.control.wheeled import wheel_damping
from didymos.control.wheels import Wheels
from didymos.describe.new.drives import Drives
from didymos.model import RobotModel

__all__ = ["Program", "choose_program", "idle_joints", "wheel_dampings"]

_STEP = 0.002  # [s]
_LEGGED_STEP = 0.001  # [s]: feet meet the ground hard
_RATE = 500.0  # [Hz]
_WHEELED_RATE = 100.0  # [Hz]


@dataclass(frozen=True)
class Program:
    """A program's name (None for no program), and the physics step [s] and the rate [Hz] that it is given."""

    name: str | None
    step: float
    rate: float
    legs: tuple[Leg, ...] = ()
    wheels: Wheels | None = None
    why: str = ""
    efforts: bool = False
    """Whether it reads the efforts of the legs' drives."""


def choose_program(model: RobotModel, drives: Drives, *, floating: bool, legged: bool, walks: bool = True) -> Program:
    """The program for a robot whose model is given; `legged`: it can stand on limbs (`limbs.py`); `walks`: it is to use them."""
    wheels = find_wheels(model, drives.joints) if floating else None
    if wheels is not None:
        return Program("wheeled", _STEP, _WHEELED_RATE, wheels=wheels, why=f"{wheels.kind} base")
    legs = find_legs(model) if floating and legged and walks else ()
    if legs and all(joint in drives.joints for leg in legs for joint in leg.joints):
        return Program("legged", _LEGGED_STEP, _RATE, legs, why=f"{len(legs)} legs", efforts=True)
    if drives.joints:
        return Program("joints", _LEGGED_STEP if floating and legged else _STEP, _RATE, why=f"{len(drives.joints)} driven joints")
    return Program(None, _STEP, _RATE)


def idle_joints(model: RobotModel) -> set[str]:
    """The joints of casters and of rollers, which nobody drives."""
    wheels = find_wheels(model)
    if wheels is None:
        return set()
    idle = {wheel.joint for wheel in wheels.casters} | {wheel.joint for wheel in wheels.wheels if not wheel.driven}
    idle |= {wheel.steering.joint for wheel in wheels.casters if wheel.steering is not None}
    rims = {wheel.link for wheel in wheels.wheels if wheel.has_rollers}
    return idle | {name for name in model.joints if model.joint(name).parent in rims}


def wheel_dampings(model: RobotModel, program: Program, drives: Drives) -> dict[str, float]:
    """kd [N m s/rad] of the servos of wheels, by joint."""
    if program.wheels is None:
        return {}
    return {
        wheel.joint: wheel_damping(model, program.wheels, wheel.joint)
        for wheel in program.wheels.driven if wheel.joint in drives.served
    }  # fmt: skip
