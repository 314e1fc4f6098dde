"""What may be wrong with a robot: the declared causes that an alarm chooses from.

A cause is a change of one size theta that begins at some time: of parameters by path, of a sensor's readings (bias, delay), or of
the inputs (delay). `scale` is how large it usually is when it happens; the comparison of causes takes it as the standard
deviation of theta beforehand, so that an absurd size of one cause does not win against a plain one of another.

| cause | of | changes | theta |
|---|---|---|---|
| mass | a floating robot, or a link | mass at the root link by a share of the whole; mass and inertia of a link | share |
| friction | a joint or part | all its friction, dry and viscous, in proportion; where it has none, dry friction | share, N m |
| actuator | a part | its `health`: torque or thrust that arrives | share |
| bias | a signal | adds to what a sensor says | unit of it |
| delay | a sensor, or `inputs` | readings or commands come later | s |
| wind | an axis | velocity of the air | m/s |

Parts say by the names of their parameters what friction (`coulomb`, `stribeck`, `viscous`, `damping`, `friction`, `drag_...`) and
health they have; so parts of a user's own take part.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from didymos.describe.names import movable_joints
from didymos.describe.parameters import INERTIA_AXES
from didymos.describe.twin import Twin
from didymos.parts.part import Motion
from didymos.shadow.channels import Bias, Channel

__all__ = ["Cause", "causes_of"]

_FRICTION = ("coulomb", "stribeck", "viscous", "friction", "damping", "drag_x", "drag_y", "drag_z")
_STEP = 0.05  # share by which a parameter is moved to see what it does
_LIGHT = 0.02  # share of the robot's mass below which a link is not looked at by itself
_BIASES = {
    "m": 0.5, "rad": 0.05, "rev": 0.05, "m/s": 0.3, "rad/s": 0.05, "rev/s": 0.1, "m/s^2": 0.5, "N m": 0.1, "T": 1e-6, "Pa": 50.0,
}  # fmt: skip
"""Usual sizes of a bias, by unit."""
_STUCK = 0.05  # share of a joint's effort that friction is tried with where there is none


@dataclass(frozen=True)
class Cause:
    """A cause: its name, what it is of, the unit and usual size of theta.

    Attributes:
        values: parameters by path as they are with a theta; empty for a cause of sensors or inputs.
        channels: places of the channels whose readings it changes.
        step: theta with which its effect is looked at.
        tolerance: standard deviation of theta in a healthy robot: what is no fault.
        sign: 1 or -1 where theta can only be positive or negative: nothing comes early, no motor is stronger than it is.
    """

    name: str
    of: str
    unit: str
    scale: float
    step: float = _STEP
    values: Callable[[float], Mapping[str, float]] | None = field(default=None, compare=False)
    channels: tuple[int, ...] = ()
    axis: int = 0
    sign: int = 0
    tolerance: float = 0.0

    @property
    def title(self) -> str:
        """Name and what it is of."""
        return f"{self.name} of {self.of}" if self.of else self.name


def causes_of(twin: Twin, channels: Sequence[Channel], biases: Sequence[Bias] = ()) -> tuple[Cause, ...]:
    """All causes that can be declared for a twin whose readings are these."""
    return (*_masses(twin), *_frictions(twin), *_actuators(twin), *_winds(twin), *_sensors(channels, biases))


def _scaled(twin: Twin, paths: Sequence[str]) -> Callable[[float], Mapping[str, float]]:
    base = {path: twin.parameters[path].value for path in paths}
    return lambda theta: {path: value * (1.0 + theta) for path, value in base.items()}


def _moved(path: str, base: float, per_theta: float) -> Callable[[float], Mapping[str, float]]:
    return lambda theta: {path: base + per_theta * theta}


def _masses(twin: Twin) -> list[Cause]:
    masses = {name: twin.parameters[f"links.{name}.mass"].value for name in twin.description.links}
    whole = sum(masses.values())
    if twin.description.floating:
        root = twin.description.root
        path = f"links.{root}.mass"
        return [Cause("mass", "", "1", 0.2, values=_moved(path, masses[root], whole), tolerance=0.01)]
    movable = {twin.description.joints[name].child for name in movable_joints(twin.description)}
    found = []
    for link in twin.description.links:
        if link in movable and masses[link] > _LIGHT * whole:
            paths = [f"links.{link}.mass", *(f"links.{link}.inertia.{axis}" for axis in INERTIA_AXES)]
            found.append(Cause("mass", link, "1", 0.2, values=_scaled(twin, paths), tolerance=0.01))
    return found


def _frictions(twin: Twin) -> list[Cause]:
    """Of each joint with all that parts on it have, and of parts without a joint."""
    found = []
    by_joint: dict[str, list[str]] = {joint: [] for joint in movable_joints(twin.description)}
    alone: dict[str, list[str]] = {}
    for name, part in twin.file.parts.items():
        paths = [f"parts.{name}.{key}" for key in _FRICTION if f"parts.{name}.{key}" in twin.parameters]
        if part.joint in by_joint:
            by_joint[part.joint] += paths
        else:
            alone[name] = paths
    driven = {part.joint for part in twin.file.parts.values()}
    for joint, paths in by_joint.items():
        paths += [f"joints.{joint}.{key}" for key in ("friction", "damping") if f"joints.{joint}.{key}" in twin.parameters]
        acting = [path for path in paths if twin.parameters[path].value > 0.0 and twin.parameters[path].live]
        effort = twin.parameters.get(f"joints.{joint}.effort")
        if acting:
            found.append(Cause("friction", joint, "1", 0.5, values=_scaled(twin, acting), tolerance=0.05))
        elif joint in driven and effort is not None and effort.value > 0.0 and f"joints.{joint}.friction" in twin.parameters:
            values = _moved(f"joints.{joint}.friction", 0.0, 1.0)
            found.append(Cause("friction", joint, "N m", _STUCK * effort.value, _STUCK * effort.value, values))
    for name, paths in alone.items():
        acting = [path for path in paths if twin.parameters[path].value > 0.0 and twin.parameters[path].live]
        if acting:
            found.append(Cause("friction", name, "1", 0.5, values=_scaled(twin, acting), tolerance=0.05))
    return found


def _actuators(twin: Twin) -> list[Cause]:
    found = []
    for name in twin.file.parts:
        path = f"parts.{name}.health"
        if path in twin.parameters:
            values = _moved(path, twin.parameters[path].value, 1.0)
            found.append(Cause("actuator", name, "1", 0.2, -_STEP, values, sign=-1, tolerance=0.005))
    return found


def _winds(twin: Twin) -> list[Cause]:
    if not any(part.contract.motion == Motion.AIR for part in twin.file.parts.values()):
        return []
    paths = {axis: f"world.gusts.{axis}" for axis in "xyz"}
    return [
        Cause("wind", axis, "m/s", 3.0, 0.5, _moved(path, twin.parameters[path].value, 1.0), tolerance=0.3)
        for axis, path in paths.items()
    ]


def _sensors(channels: Sequence[Channel], biases: Sequence[Bias]) -> list[Cause]:
    found = []
    for i, channel in enumerate(channels):
        for axis in range(channel.size):
            name = f"{channel.name}.{'xyz'[axis]}" if channel.is_orientation else channel.name
            usual = max(20.0 * channel.sd, _BIASES.get(channel.unit, 0.0))
            wander = max((bias.sd for bias in biases if (bias.channel, bias.axis) == (i, axis)), default=0.0)
            found.append(Cause("bias", name, channel.unit, max(usual, 10.0 * wander), channels=(i,), axis=axis, tolerance=wander))
    for sensor in dict.fromkeys(channel.sensor for channel in channels):
        of = tuple(i for i, channel in enumerate(channels) if channel.sensor == sensor)
        found.append(Cause("delay", sensor, "s", 0.01, 0.01, channels=of, sign=1, tolerance=0.001))
    found.append(Cause("delay", "inputs", "s", 0.01, 0.01, sign=1, tolerance=0.001))
    return found
