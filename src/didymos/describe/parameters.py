"""The parameter tree: every number of a twin has a path, a unit, bounds, and may or may not change during a run."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from didymos.control import Controller
from didymos.describe.description import Description, JointKind
from didymos.describe.free_bodies import FREE_STATE, FreeBody
from didymos.describe.joint_units import of_part
from didymos.describe.object_spec import MotionSpec, ObjectSpec
from didymos.describe.parameter import Parameter
from didymos.describe.schema import ControlSpec, ScenarioSpec, StartSpec, TwinFile
from didymos.describe.start_parameters import start_parameters
from didymos.sensors import SensorSpec
from didymos.sensors.error import ErrorSpec
from didymos.spec import Spec, Vector, number_fields

__all__ = ["ARGUMENTS", "Parameter", "collect"]

ARGUMENTS = "description.arguments."
"""Where arguments of the description stand in the tree."""
INERTIA_AXES = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}

_LIMIT = "of what parts drive; 0 for none"


def collect(
    file: TwinFile, description: Description, program: type[Controller] | None, free: Iterable[FreeBody] = ()
) -> dict[str, Parameter]:
    """All parameters by path, in the order: links, joints, arguments of the description, then as in the file, then the start."""
    found = [*_links(description), *_joints(description), *_arguments(description), *_walk(file, "", "1")]
    found += start_parameters(file, description, free)
    if file.control is not None and program is not None:
        found += _gains(file.control, program)
    return {parameter.path: _at_joint(parameter, file, description) for parameter in found}


def _at_joint(parameter: Parameter, file: TwinFile, description: Description) -> Parameter:
    """A parameter of a part in the units of its joint, which may slide."""
    room, _, rest = parameter.path.partition(".")
    part = file.parts.get(rest.partition(".")[0]) if room == "parts" else None
    if part is None:
        return parameter
    return replace(parameter, unit=of_part(description, part, parameter.unit))


def _links(description: Description) -> Iterator[Parameter]:
    for name, link in description.links.items():
        yield Parameter(f"links.{name}.mass", link.mass, "kg", low=0.0, live=True)
        for axis, value in zip("xyz", link.com, strict=True):
            yield Parameter(f"links.{name}.com.{axis}", float(value), "m", live=True)
        for axes, (i, j) in INERTIA_AXES.items():
            low = 0.0 if i == j else None
            yield Parameter(f"links.{name}.inertia.{axes}", float(link.inertia[i, j]), "kg m^2", low=low, live=True)


def _joints(description: Description) -> Iterator[Parameter]:
    for name, joint in description.joints.items():
        if joint.kind in (JointKind.REVOLUTE, JointKind.CONTINUOUS, JointKind.PRISMATIC) and len(joint.engine_joints) == 1:
            force, speed = ("N", "m/s") if joint.kind is JointKind.PRISMATIC else ("N m", "rad/s")
            inertia = "kg" if joint.kind is JointKind.PRISMATIC else "kg m^2"
            yield Parameter(f"joints.{name}.damping", joint.damping, f"{force}/({speed})", low=0.0, live=True)
            yield Parameter(f"joints.{name}.friction", joint.friction, force, low=0.0, live=True)
            limited = joint.effort is not None or joint.velocity is not None
            yield Parameter(f"joints.{name}.effort", joint.effort or 0.0, force, low=0.0, live=limited, doc=_LIMIT)
            yield Parameter(f"joints.{name}.velocity", joint.velocity or 0.0, speed, low=0.0, live=limited, doc=_LIMIT)
            armature = description.spec.joint(joint.engine_joints[0]).armature
            yield Parameter(f"joints.{name}.armature", float(armature), inertia, low=0.0, live=True)


def _arguments(description: Description) -> Iterator[Parameter]:
    """Arguments of a xacro file that are numbers, whether the twin file gives them or they have the file's own default."""
    for name, text in description.arguments.items():
        with contextlib.suppress(ValueError):
            if "." not in name and math.isfinite(float(text)):
                yield Parameter(ARGUMENTS + name, float(text), "", doc="argument of the xacro file, in a unit of its own")


def _walk(spec: Spec, prefix: str, unit: str) -> Iterator[Parameter]:
    """Numbers of a record and of the records inside it; `unit` stands for the star in their units."""
    for name, about in number_fields(type(spec)):
        value = getattr(spec, name)
        text = about["unit"].replace("*", unit)
        if about["axes"] and isinstance(value, Vector):
            for axis, one in zip("xyz", value, strict=True):
                yield Parameter(f"{prefix}{name}.{axis}", one, text, about["low"], about["high"], about["live"], about["doc"])
        elif value is not None:
            yield Parameter(prefix + name, float(value), text, about["low"], about["high"], about["live"], about["doc"])
    for name in type(spec).model_fields:
        child = getattr(spec, name)
        if isinstance(child, ScenarioSpec | ControlSpec) or name == "scenarios" or isinstance(spec, ErrorSpec):
            continue
        if _is_elsewhere(spec, name):
            continue
        if isinstance(child, Spec):
            yield from _walk(child, f"{prefix}{name}.", _unit(spec, name, child))
        elif isinstance(child, dict):
            for key, item in child.items():
                if isinstance(item, Spec):
                    yield from _walk(item, f"{prefix}{name}.{key}.", unit)


def _unit(parent: Spec, name: str, child: Spec) -> str:
    """What the star in a unit stands for, inside a sensor's quantity or a vector of the start."""
    if isinstance(child, ErrorSpec) and isinstance(parent, SensorSpec):
        quantity = next(item for item in parent.contract.quantities if item.name == name)
        return "rad" if parent.contract.is_orientation(quantity) else quantity.unit
    if isinstance(child, Vector) and isinstance(parent, StartSpec | ObjectSpec | MotionSpec):
        units = {"size": "m", "amplitude": "m", "turn": "rad", "inertia": "kg m^2"}
        return (units | FREE_STATE).get(name, "1")
    return "1"


def _is_elsewhere(spec: Spec, name: str) -> bool:
    """Whether numbers below a key have another path: the state of free bodies is below `start`, a path has its own poses."""
    if isinstance(spec, StartSpec):
        return name == "objects"
    if isinstance(spec, ObjectSpec) and name in FREE_STATE:
        is_path = spec.motion is not None and spec.motion.kind == "path"
        return spec.is_free or is_path or name in ("velocity", "angular_velocity")
    return isinstance(spec, MotionSpec) and name in ("amplitude", "turn") and spec.kind != "sine"


def _gains(control: ControlSpec, program: type[Controller]) -> Iterator[Parameter]:
    yield Parameter("control.rate", control.rate, "Hz", low=0.01, high=100_000)
    given = flatten(control.gains)
    for gain in program.gain_table:
        value = given.get(gain.path, gain.value)
        yield Parameter(f"control.gains.{gain.path}", float(value), gain.unit, gain.low, gain.high, True, gain.doc)


def flatten(tree: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """A nested mapping as one of dotted paths."""
    found: dict[str, Any] = {}
    for key, value in tree.items():
        if isinstance(value, dict):
            found.update(flatten(value, f"{prefix}{key}."))
        else:
            found[prefix + key] = value
    return found
