"""What a user says about the wheels, over what was found: which joints are wheels, their radius, place and rollers."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np

from didymos.control.wheel_finder import find_wheels
from didymos.control.wheel_tree import read_hinges
from didymos.control.wheels import Kind, Wheel, Wheels
from didymos.errors import InputError, nearest
from didymos.model.robot_model import RobotModel

__all__ = ["WheelOptions", "choose_wheels"]

WheelOptions = Mapping[str, Mapping[str, float]]
"""By joint: radius, x, y [m], roller [rad]; none of them must be given."""

_KEYS = ("radius", "x", "y", "roller")


def choose_wheels(
    model: RobotModel, driven: Collection[str], kind: Kind | None, radius: float | None, wheels: WheelOptions | None
) -> Wheels:
    """The wheels of a robot; where `wheels` names any, those and no others."""
    given = dict(wheels or {})
    for joint, numbers in given.items():
        if joint not in model.joints:
            raise InputError(f"there is no joint {joint!r}{nearest(joint, model.joints)}", path=f"control.options.wheels.{joint}")
        for key in numbers:
            if key not in _KEYS:
                what = f"found {key!r}, expected one of {', '.join(_KEYS)}{nearest(key, _KEYS)}"
                raise InputError(what, path=f"control.options.wheels.{joint}")
    found = find_wheels(model, driven, kind=kind, only=given or None)
    known = {} if found is None else {wheel.joint: wheel for wheel in found.wheels}
    for joint in given:
        if joint not in known:
            known[joint] = _unseen(model, joint, given[joint].get("radius", radius or 0.0), joint in driven)
    if not any(wheel.driven for wheel in known.values()):
        raise InputError(_nothing(model, driven), path="control.options.wheels")
    chosen = tuple(_overridden(wheel, given.get(name, {}), radius) for name, wheel in known.items())
    found = found or Wheels(kind or "differential", (), root=model.root)
    return replace(found, wheels=chosen)


def _nothing(model: RobotModel, driven: Collection[str]) -> str:
    undriven = find_wheels(model)
    if undriven is not None:
        names = ", ".join(wheel.joint for wheel in undriven.wheels)
        return f"nothing drives the wheels ({names}): expected a part of kind servo, or another actuator, on their joints"
    return (
        "found no wheels: expected at least two joints without limits whose level axles carry round collision shapes on the"
        " ground; name them here, {JOINT: {radius: ...}}, where the description says less"
    )


def _unseen(model: RobotModel, joint: str, radius: float, driven: bool) -> Wheel:
    """A wheel that only the user sees."""
    hinge = next((hinge for hinge in read_hinges(model)[0] if hinge.joint == joint and hinge.turns), None)
    if hinge is None or math.hypot(hinge.axis[0], hinge.axis[1]) < 0.5:
        raise InputError(f"joint {joint!r} has no level axle", path=f"control.options.wheels.{joint}")
    if radius <= 0.0:
        what = f"nothing round turns with joint {joint!r} on the ground: expected its radius [m]"
        raise InputError(what, path=f"control.options.wheels.{joint}.radius")
    return Wheel(joint, hinge.link, radius, 0.0, hinge.position, hinge.axis, driven=driven)


def _overridden(wheel: Wheel, numbers: Mapping[str, float], radius: float | None) -> Wheel:
    position = np.array([numbers.get("x", wheel.position[0]), numbers.get("y", wheel.position[1]), wheel.position[2]])
    size = numbers.get("radius", wheel.radius if radius is None else radius)
    if not size > 0.0:
        raise InputError(f"found a radius of {size:g} m, expected more than 0", path=f"control.options.wheels.{wheel.joint}")
    return replace(wheel, radius=size, position=position, roller=numbers.get("roller", wheel.roller))
