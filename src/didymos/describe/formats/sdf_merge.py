"""``<include merge="true">`` of SDF: what the included model holds becomes the including model's own, without a scope between.

As SDFormat defines it: a proxy frame, ``_merged__NAME__model__``, stands where the model's own frame would, attached to its
canonical link; whatever was posed in the model's frame, by name (``__model__``) or by default, is posed in the proxy. Links,
joints, frames, nested models, grippers and plugins are taken over; what says something about the model as a whole (``static``,
``self_collide``, ...) is the including model's to say.
"""

from __future__ import annotations

from didymos.describe.formats.import_report import ImportReport
from didymos.describe.formats.mechanism import WORLD
from didymos.describe.formats.packages import Packages
from didymos.describe.formats.sdf_frames import Reference
from didymos.describe.formats.sdf_model import ModelReader, first_link
from didymos.describe.formats.xml_file import Element
from didymos.describe.formats.xml_values import name_of
from didymos.rotations import matrix_to_quaternion

__all__ = ["merged"]

_MODEL = "__model__"
_TAKEN = ("link", "joint", "frame", "model", "gripper", "plugin")
_OF_THE_MODEL = ("pose", "static", "self_collide", "allow_auto_disable", "enable_wind")


def merged(model: Element, packages: Packages, report: ImportReport) -> list[Element]:
    """The elements that an included model becomes in the model that merges it, its proxy frame first."""
    name = f"_merged__{name_of(model)}__model__"
    canonical = model.attributes.get("canonical_link", "").strip() or first_link(model)
    if canonical is None:
        raise model.error(f"{model} has no <link>, which it needs")
    proxy = Element("frame", {"name": name, "attached_to": canonical}, model.file, model.line)
    proxy.children = [_pose_of_model(model, packages)]
    elements = [proxy]
    for child in model.children:
        if child.tag in _TAKEN:
            _pose_in_proxy(child, name)
            elements.append(child)
        elif child.tag not in _OF_THE_MODEL:
            report.add(child, f"{child} of the merged {model} is not used")
        elif child.tag != "pose":
            report.add(child, f"{child} of the merged {model} is not used: the model that merges it decides")
    return elements


def _pose_of_model(model: Element, packages: Packages) -> Element:
    """The pose of the model's frame in the model that merges it, a placement frame resolved."""
    given = model.at_most_one("pose")
    pose = Element("pose", {}, model.file, model.line)
    if given is not None:
        pose.attributes, pose.text = dict(given.attributes), given.text
    relative_to = pose.attributes.pop("relative_to", "").strip() or _MODEL
    if model.attributes.get("placement_frame", "").strip():
        alone = Element("model", model.attributes, model.file, model.line)
        alone.children = [pose, *(child for child in model.children if child.tag != "pose")]
        reader = ModelReader(packages, ImportReport())
        reader.add_model(alone, "", Reference("", WORLD), tribe=0)
        there = reader.graph.in_world("")
        w, x, y, z = matrix_to_quaternion(there.rotation)
        pose = Element("pose", {"rotation_format": "quat_xyzw"}, model.file, model.line)
        pose.text = " ".join(repr(float(number)) for number in (*there.position, x, y, z, w))
    pose.attributes["relative_to"] = relative_to
    return pose


def _pose_in_proxy(element: Element, proxy: str) -> None:
    """Let the proxy frame stand for the model's frame in one element of the model."""
    pose = element.first("pose")
    if element.tag in ("link", "model"):
        if pose is None:
            pose = Element("pose", {}, element.file, element.line)
            element.children.append(pose)
        if pose.attributes.get("relative_to", "").strip() in ("", _MODEL):
            pose.attributes["relative_to"] = proxy
        return
    if element.tag == "frame" and element.attributes.get("attached_to", "").strip() in ("", _MODEL):
        element.attributes["attached_to"] = proxy
    if pose is not None:
        _rename(pose, "relative_to", proxy)
    for end in (element.first("parent"), element.first("child")):
        if end is not None and end.text.strip() == _MODEL:
            end.text = proxy
    for tag in ("axis", "axis2"):
        axis = element.first(tag)
        direction = None if axis is None else axis.first("xyz")
        if direction is not None:
            _rename(direction, "expressed_in", proxy)


def _rename(element: Element, attribute: str, proxy: str) -> None:
    if element.attributes.get(attribute, "").strip() == _MODEL:
        element.attributes[attribute] = proxy
