"""Which program drives a new twin, and the scenarios that show it at work.

| the robot | program |
|---|---|
| floats, and has legs that are driven | `legged` |
| floats, and has wheels that are driven | `wheeled` |
| anything else with drives | `joints`: it holds its posture |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from didymos.control.leg_finder import Leg, find_legs
from didymos.describe.description import Description
from didymos.describe.new.drives import Drives
from didymos.model import RobotModel

__all__ = ["Program", "choose_program"]

_STEP = 0.002  # [s]
_LEGGED_STEP = 0.001  # [s]: feet meet the ground hard
_RATE = 500.0  # [Hz]


@dataclass(frozen=True)
class Program:
    """A program's name (None for no program), the physics step [s] and the rate [Hz] that it is given, and scenarios by name."""

    name: str | None
    step: float
    rate: float
    scenarios: Mapping[str, Mapping[str, Any]]
    legs: tuple[Leg, ...] = ()
    wheels: tuple[str, ...] = ()
    why: str = ""
    efforts: bool = field(default=False)
    """Whether it reads the efforts of the legs' drives."""


def choose_program(description: Description, model: RobotModel, drives: Drives, *, floating: bool) -> Program:
    """The program for a robot whose model is given."""
    legs = find_legs(model) if floating else ()
    if legs and all(joint in drives.joints for leg in legs for joint in leg.joints):
        return Program("legged", _LEGGED_STEP, _RATE, _LEGGED, legs, why=f"{len(legs)} legs", efforts=True)
    if drives.joints:
        return Program("joints", _STEP, _RATE, _hold(description, drives), why=f"{len(drives.joints)} driven joints")
    return Program(None, _STEP, _RATE, _REST)


_REST = {"rest": {"title": "Let go and see", "seconds": 2}}
_LEGGED = {
    "stand": {"title": "Stand", "seconds": 3, "setpoints": {"mode": 1}},
    "trot": {"title": "Stand, then trot ahead at 0.3 m/s", "seconds": 10, "stimuli": [
        {"target": "setpoints.mode", "kind": "step", "at": 1, "from": 1, "to": 3},
        {"target": "setpoints.vx", "kind": "step", "at": 2, "to": 0.3},
    ]},
}  # fmt: skip


def _hold(description: Description, drives: Drives) -> dict[str, dict[str, Any]]:
    del description, drives
    return {"hold": {"title": "Hold the posture", "seconds": 2}}
