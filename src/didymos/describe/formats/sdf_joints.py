"""The joints of an SDF file, once all of its frames are known."""

from __future__ import annotations

import math

import numpy as np

from didymos.describe.description import JointKind
from didymos.describe.formats.import_report import ImportReport
from didymos.describe.formats.joint_limits import bounds, checked_axis, not_negative, welded
from didymos.describe.formats.mechanism import WORLD, JointSource, Mimic
from didymos.describe.formats.sdf_frames import FrameGraph, Reference, join
from didymos.describe.formats.xml_file import Element
from didymos.describe.formats.xml_values import flag, number_in_text, parse_numbers, text_of
from didymos.errors import nearest

__all__ = ["read_sdf_joint"]

_KINDS = {
    "fixed": JointKind.FIXED,
    "revolute": JointKind.REVOLUTE,
    "hinge": JointKind.REVOLUTE,
    "continuous": JointKind.CONTINUOUS,
    "prismatic": JointKind.PRISMATIC,
    "ball": JointKind.BALL,
}
_WITHOUT_ENGINE = ("universal", "screw", "revolute2", "gearbox")


def read_sdf_joint(
    name: str, element: Element, scope: str, graph: FrameGraph, version: tuple[int, ...], report: ImportReport
) -> JointSource:
    """A joint between two links, or the world and a link."""
    kind = _kind(element, name)
    parent, child = _links(element, name, scope, graph)
    to_child = graph.in_world(child).inverse()
    anchor = (to_child @ graph.in_world(name)).position
    pose = graph.in_world(parent).inverse() @ graph.in_world(child)
    if kind in (JointKind.FIXED, JointKind.BALL):
        return JointSource(name, element, kind, parent, child, pose, anchor=anchor)
    axis = element.needed("axis")
    direction = to_child.rotation @ _axis_in_world(axis, name, scope, graph, version)
    limits, dynamics = axis.at_most_one("limit"), axis.at_most_one("dynamics")
    lower, upper = None, None
    if limits is not None and kind is not JointKind.CONTINUOUS:
        lower, upper = bounds(limits, _value(limits, "lower", -math.inf), _value(limits, "upper", math.inf), name)
    if kind is JointKind.REVOLUTE and lower is None and upper is None:
        kind = JointKind.CONTINUOUS
    joint = JointSource(
        name,
        element,
        kind,
        parent,
        child,
        pose,
        checked_axis(axis, direction, name),
        anchor,
        lower,
        upper,
        effort=_magnitude(limits, "effort", name, report),
        velocity=_magnitude(limits, "velocity", name, report),
        damping=not_negative(axis, _value(dynamics, "damping", 0.0), "damping", name),
        friction=not_negative(axis, _value(dynamics, "friction", 0.0), "friction", name),
        stiffness=not_negative(axis, _value(dynamics, "spring_stiffness", 0.0), "spring stiffness", name),
        spring_reference=_value(dynamics, "spring_reference", 0.0),
        mimic=_mimic(axis, scope),
    )
    if lower is not None and lower == upper:
        report.add(
            element,
            f"joint {name!r} is {text_of(element, 'type')} between {lower:g} and {upper:g}, which leaves "
            "no room to move: it is welded",
        )
        return welded(joint, lower)
    return joint


def _links(element: Element, joint: str, scope: str, graph: FrameGraph) -> tuple[str, str]:
    """Parent and child."""
    parent, child = (
        graph.link_of(graph.find(Reference(scope, element.needed(role).text.strip()), element))
        for role in ("parent", "child")
    )
    if child == WORLD:
        raise element.error(f"joint {joint!r} has the world as its child, expected a link")
    if parent == child:
        raise element.error(f"joint {joint!r} joins link {child!r} to itself")
    return parent, child


def _kind(element: Element, name: str) -> JointKind:
    text = text_of(element, "type")
    if text in _WITHOUT_ENGINE:
        raise element.error(
            f"joint {name!r} is a {text} joint, which the engine has not; expected one of {', '.join(_KINDS)}"
        )
    if text not in _KINDS:
        raise element.error(
            f"joint {name!r} has the type {text!r}, expected one of {', '.join(_KINDS)}" + nearest(text, _KINDS)
        )
    return _KINDS[text]


def _axis_in_world(axis: Element, joint: str, scope: str, graph: FrameGraph, version: tuple[int, ...]) -> np.ndarray:
    xyz = axis.at_most_one("xyz")
    direction = np.array([0.0, 0.0, 1.0]) if xyz is None else parse_numbers(xyz, xyz.text, "the text", 3)
    frame = joint
    # Until SDF 1.4 an axis was given in the model's frame, from 1.5 to 1.6 where asked for.
    in_model = axis.at_most_one("use_parent_model_frame")
    if version < (1, 5) or (in_model is not None and flag(in_model)):
        frame = scope
    expressed_in = "" if xyz is None else xyz.attributes.get("expressed_in", "").strip()
    if expressed_in and xyz is not None:
        frame = graph.find(Reference(scope, expressed_in), xyz)
    return graph.in_world(frame).rotation @ direction


def _value(element: Element | None, tag: str, default: float) -> float:
    child = None if element is None else element.at_most_one(tag)
    return default if child is None else number_in_text(child, infinite=math.isinf(default))


def _magnitude(limits: Element | None, tag: str, joint: str, report: ImportReport) -> float | None:
    """The largest effort or velocity; None where there is none, which SDF also writes as a number below zero."""
    value = _value(limits, tag, math.inf)
    if value == 0 and limits is not None:
        report.add(limits, f"joint {joint!r} has a limit of {tag} 0, which is read as no limit")
    return value if 0 < value < 1e9 else None


def _mimic(axis: Element, scope: str) -> Mimic | None:
    mimic = axis.at_most_one("mimic")
    if mimic is None:
        return None
    multiplier = _value(mimic, "multiplier", 1.0)
    offset = _value(mimic, "offset", 0.0) - multiplier * _value(mimic, "reference", 0.0)
    return Mimic(join(scope, text_of(mimic, "joint")), multiplier, offset)
