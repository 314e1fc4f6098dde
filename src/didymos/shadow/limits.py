"""Limits that a look ahead watches: what a twin brings by itself, and what a user declares as `SIGNAL > VALUE`.

| kind | of | reached where |
|---|---|---|
| position | a joint with a range | its position is at an end of it |
| velocity | a joint with a velocity limit (`joints.NAME.velocity`) | its speed is at it |
| effort | a part that tells its `torque` or `effort` and has a limit, or its joint has (`joints.NAME.effort`) | 99.9 % of it |
| battery | a battery | its charge is 2 %, where its voltage collapses; without a capacity: its voltage is `empty_voltage` |
| tilt | a robot on feet or wheels that cannot fly; one that rotors lift | its root link leans by 60 deg; 90 deg |
| fall | a link of a standing robot that is neither foot nor wheel | it touches the ground |
| contact | a link and anything that is not of the robot | they touch; feet and wheels may touch the ground and terrain |
| declared | any signal of the log, angles of orientations included (`truth.tilt`) | the expression is true |

Torques are the motor's where the part tells the motor's (`drive`); the joint's limit is divided by the ratio then.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from didymos.errors import InputError, nearest
from didymos.parts.battery import Battery
from didymos.rotations import ANGLES

if TYPE_CHECKING:
    from didymos.describe.twin import Twin
    from didymos.engine.simulation import Simulation

__all__ = ["ContactLimit", "SignalLimit", "declared", "known_limits"]

_Array = NDArray[np.float64]
_EXPRESSION = re.compile(r"\s*(?P<signal>[^\s<>=]+)\s*(?P<sign>[<>])=?\s*(?P<value>\S+)\s*")
_REACHED = 0.999  # of an effort limit: what is held there swings by rounding
_EMPTY = 0.02  # charge below which the voltage of a battery collapses, see parts/battery.py
_STANDING, _HOVERING = math.radians(60.0), math.radians(90.0)
_UP = 0.7  # of a rotor's axis along z: 45 deg
_EFFORTS, _EFFORT_LIMITS = ("torque", "effort"), ("peak_torque", "torque_limit", "effort_limit")


@dataclass(frozen=True)
class SignalLimit:
    """A signal that may rise above a value, or fall below it.

    Where `size`, it is its size that may rise above it, either way; where `angle`, it is an angle of an orientation in the log.
    """

    name: str
    kind: str
    signal: str
    value: float
    unit: str = ""
    above: bool = True
    size: bool = False
    angle: bool = False

    @property
    def needs(self) -> tuple[str, ...]:
        """The columns of the log that it is made of."""
        stream = self.signal.rpartition(".")[0]
        return tuple(f"{stream}.orientation.{axis}" for axis in "wxyz") if self.angle else (self.signal,)

    def room(self, values: _Array) -> _Array:
        """How far values are from the limit; reached where this is not above zero."""
        values = np.abs(values) if self.size else values
        return self.value - values if self.above else values - self.value

    def first(self, times: _Array, values: _Array) -> float | None:
        """When [s] it is first reached, linear between two samples; None where it is not."""
        room = self.room(values)
        reached = np.flatnonzero(room <= 0.0)
        if not len(reached):
            return None
        at = int(reached[0])
        if at == 0:
            return float(times[0])
        share = room[at - 1] / (room[at - 1] - room[at])
        return float(times[at - 1] + share * (times[at] - times[at - 1]))

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class ContactLimit:
    """A link that may touch something."""

    name: str
    kind: str
    link: str
    other: str

    def __str__(self) -> str:
        return self.name


def declared(expression: str, known: Sequence[str]) -> SignalLimit:
    """A limit as a user writes it: `truth.position.z < 0.5`; `known` are the signals of a log."""
    found = _EXPRESSION.fullmatch(expression)
    if found is None:
        raise InputError(f"found {expression!r}, expected SIGNAL > VALUE or SIGNAL < VALUE", option="limits")
    try:
        value = float(found["value"])
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(f"found {found['value']!r} in {expression!r}, expected a finite number", option="limits")
    angle = found["signal"] not in known and found["signal"].rpartition(".")[2] in ANGLES
    name = " ".join((found["signal"], found["sign"], found["value"]))
    limit = SignalLimit(name, "declared", found["signal"], value, above=found["sign"] == ">", angle=angle)
    for name in limit.needs:
        if name not in known:
            raise InputError(f"no signal {limit.signal!r} in a log of this twin{nearest(limit.signal, known)}", option="limits")
    return limit


def known_limits(simulation: Simulation, standing: bool) -> Iterator[SignalLimit]:
    """All limits of signals that a twin brings; `standing`: it stands on feet or wheels."""
    twin = simulation.twin
    yield from _joint_limits(simulation)
    yield from _part_limits(twin)
    if twin.description.floating:
        rotors = simulation.robot.rotors
        lifts, stays = any(rotor.axis[2] > _UP for rotor in rotors), standing and not rotors
        if stays or lifts:
            bound = _STANDING if stays else _HOVERING
            name = f"{twin.description.root} leans by {math.degrees(bound):.0f} deg"
            yield SignalLimit(name, "tilt", "truth.tilt", bound, "rad", angle=True)


def _joint_limits(simulation: Simulation) -> Iterator[SignalLimit]:
    twin, model = simulation.twin, simulation.model
    for name, joint in twin.description.joints.items():
        if len(joint.engine_joints) != 1 or joint.kind.value not in ("revolute", "continuous", "prismatic"):
            continue
        unit = "m" if joint.kind.value == "prismatic" else "rad"
        number = int(model.joint(joint.engine_joints[0]).id)
        if model.jnt_limited[number]:
            low, high = (float(end) for end in model.jnt_range[number])
            signal = f"joints.{name}.position"
            yield SignalLimit(f"{name} at its lower end, {low:.4g} {unit}", "position", signal, low, unit, above=False)
            yield SignalLimit(f"{name} at its upper end, {high:.4g} {unit}", "position", signal, high, unit)
        fastest = _value(twin, f"joints.{name}.velocity")
        if fastest > 0.0:
            text = f"{name} at its velocity limit, {fastest:.4g} {unit}/s"
            yield SignalLimit(text, "velocity", f"joints.{name}.velocity", fastest, f"{unit}/s", size=True)


def _part_limits(twin: Twin) -> Iterator[SignalLimit]:
    for name, part in twin.file.parts.items():
        if issubclass(part.contract, Battery):
            about = f"battery {name} empty"
            if _value(twin, f"parts.{name}.capacity") > 0.0:
                yield SignalLimit(about, "battery", f"parts.{name}.charge", _EMPTY, "1", above=False)
            elif (lowest := _value(twin, f"parts.{name}.empty_voltage")) > 0.0:
                yield SignalLimit(about, "battery", f"parts.{name}.voltage", lowest, "V", above=False)
            continue
        told = [item for item in part.contract.outputs if item.recorded and item.size == 1 and item.names[0] in _EFFORTS]
        bounds = [_value(twin, f"parts.{name}.{limit}") for limit in _EFFORT_LIMITS]
        if part.joint is not None:
            bounds.append(_value(twin, f"joints.{part.joint}.effort") / (_value(twin, f"parts.{name}.ratio") or 1.0))
        smallest = min((bound for bound in bounds if bound > 0.0), default=0.0)
        for item in told if smallest > 0.0 else ():
            text = f"{name} at its {item.names[0]} limit, {smallest:.4g} {item.unit}"
            yield SignalLimit(text, "effort", f"parts.{name}.{item.names[0]}", _REACHED * smallest, item.unit, size=True)


def _value(twin: Twin, path: str) -> float:
    """The value of a parameter; 0, which means no limit, where there is none."""
    return twin.get(path) if path in twin.parameters else 0.0
