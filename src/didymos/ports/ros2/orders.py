"""What ROS 2 may ask of a twin, and how a message becomes an order.

    /cmd_vel             geometry_msgs/Twist         linear.{x,y,z} -> wanted.{vx,vy,vz}, angular.{x,y,z} -> wanted.{wx,wy,wz};
                                                     counts wanted.alive, by which a program knows that its driver lives
    /set/wanted/NAME     std_msgs/Float64            a set-point of the control program
    /set/inputs/NAME     std_msgs/Float64            what is added to an input
    /set/wanted, ...     std_msgs/Float64MultiArray  all set-points, inputs, or those of a group such as wanted.wheels.*, in order
    /step                std_msgs/UInt64             let so many ticks pass (step-locked)

The names under /set are those of the log, which itself is published without that prefix: /wanted/z is what holds, /set/wanted/z
is what is asked for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from didymos.errors import InputError
from didymos.ports.ros2.names import spell

__all__ = ["ALIVE", "STEP", "Intake", "Order", "intakes"]

STEP = "/step"
ALIVE = "wanted.alive"

_TWIST = {
    "wanted.vx": ("linear", "x"), "wanted.vy": ("linear", "y"), "wanted.vz": ("linear", "z"),
    "wanted.wx": ("angular", "x"), "wanted.wy": ("angular", "y"), "wanted.wz": ("angular", "z"),
}  # fmt: skip


@dataclass(frozen=True)
class Order:
    """Set-points and inputs by handle (`wanted.z`), as one message asked for them; `alive`: a sign of life as well."""

    values: tuple[tuple[str, float], ...]
    alive: bool = False


@dataclass(frozen=True)
class Intake:
    """A topic that the twin listens to: its name, its message type, and how a message becomes an order."""

    topic: str
    type_name: str
    read: Callable[[Any], Order]


def intakes(handles: Sequence[str]) -> Iterator[Intake]:
    """Every topic that a twin with these handles listens to."""
    steered = {handle: place for handle, place in _TWIST.items() if handle in handles}
    if steered:
        yield Intake("/cmd_vel", "geometry_msgs/msg/Twist", lambda message: _from_twist(message, steered))
    groups = _groups(handles)
    names = spell((*(f"set.{handle}" for handle in handles), *(f"set.{group}" for group in groups)))
    for handle in handles:
        yield Intake(names[f"set.{handle}"], "std_msgs/msg/Float64", _one(handle))
    for group, members in groups.items():
        yield Intake(names[f"set.{group}"], "std_msgs/msg/Float64MultiArray", _many(members))


def _groups(handles: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Prefixes of handles that are no handle themselves, and what is below each, in order."""
    found: dict[str, list[str]] = {}
    for handle in handles:
        parts = handle.split(".")
        for cut in range(1, len(parts)):
            found.setdefault(".".join(parts[:cut]), []).append(handle)
    return {group: tuple(members) for group, members in found.items() if group not in handles}


def _from_twist(message: Any, steered: dict[str, tuple[str, str]]) -> Order:
    values = ((handle, getattr(getattr(message, part), axis)) for handle, (part, axis) in steered.items())
    return replace(_order(values), alive=True)


def _one(handle: str) -> Callable[[Any], Order]:
    return lambda message: _order([(handle, message.data)])


def _many(members: tuple[str, ...]) -> Callable[[Any], Order]:
    def read(message: Any) -> Order:
        if len(message.data) != len(members):
            raise InputError(f"found {len(message.data)} numbers, expected {len(members)}: {', '.join(members)}")
        return _order(zip(members, message.data, strict=True))

    return read


def _order(values: Any) -> Order:
    found = tuple((handle, float(value)) for handle, value in values)
    for handle, value in found:
        if not math.isfinite(value):
            raise InputError(f"found {value}, expected a finite number for {handle}")
    return Order(found)
