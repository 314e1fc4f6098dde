"""A description as a second reader understands it: Drake's, which shares no code with ours or with the engine.

Drake has readers of its own for URDF and MJCF; SDF goes through libsdformat, the format's reference. Only xacro's macros are
expanded by us, with the `xacro` package. What a joint does, at its zero:

    X_parent_child = placement,    the axis through `anchor`, both in the child's frame

Shapes are taken out before URDF and SDF are read, so that no mesh has to be found, and so is what ties joints to others; an MJCF
may take masses from its shapes.
"""

from __future__ import annotations

import xml.etree.ElementTree as xml
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.describe.formats.format import DescriptionFile
from didymos.describe.formats.xacro_file import expand_xacro, is_xacro
from didymos.describe.formats.xml_file import read_xml
from didymos.rotations import Pose

__all__ = ["NotComparable", "SourceJoint", "SourceLink", "SourceReading", "load_into", "read_source", "source_text"]

Array = NDArray[np.float64]

_KINDS = {
    "weld": "fixed", "revolute": "revolute", "prismatic": "prismatic", "ball_rpy": "ball",
    "quaternion_floating": "free", "rpy_floating": "free",
}  # fmt: skip
_SUFFIXES = {"robot": "urdf", "sdf": "sdf", "mujoco": "xml"}
_NOT_READ = ("visual", "collision", "mimic")


class NotComparable(Exception):
    """A description, or a motion, that the second engine cannot take; the text says why."""


@dataclass(frozen=True, eq=False)
class SourceLink:
    """Mass [kg], centre of mass [m] in the link's frame, inertia about it [kg m^2] along the axes of that frame."""

    mass: float
    com: Array
    inertia: Array


@dataclass(frozen=True, eq=False)
class SourceJoint:
    """A joint: `kind` is fixed, revolute, prismatic, ball or free; `anchor` [m] and unit `axis` in the child's frame."""

    name: str
    kind: str
    parent: str
    child: str
    placement: Pose
    anchor: Array
    axis: Array
    damping: float


@dataclass(frozen=True, eq=False)
class SourceReading:
    """Links and joints by name; the parent of a tree's root is `world`."""

    links: dict[str, SourceLink]
    joints: dict[str, SourceJoint]


def read_source(file: DescriptionFile) -> SourceReading:
    """What a second reader finds in a description; `NotComparable` where it cannot read it."""
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import BodyIndex

    plant = MultibodyPlant(0.0)
    load_into(plant, file, shapes=False)
    plant.Finalize()
    links = {}
    for index in range(1, plant.num_bodies()):
        body = plant.get_body(BodyIndex(index))
        links[body.name()] = _link(body)
    joints = {}
    for index in plant.GetJointIndices():
        joint = _joint(plant, plant.get_joint(index))
        joints[joint.name] = joint
    return SourceReading(links, joints)


def source_text(file: DescriptionFile) -> tuple[str, str]:
    """The text of a description without macros, and the suffix of its format: urdf, sdf or xml."""
    root, text = read_xml(file.path), None
    if is_xacro(file.path, root):
        expanded = expand_xacro(file.path, file.arguments, file.packages)
        root, text = expanded.root, expanded.text
    if root.tag not in _SUFFIXES:
        raise NotComparable(f"Drake reads URDF, SDF and MJCF, not <{root.tag}>")
    return text if text is not None else Path(file.path).read_text(encoding="utf-8"), _SUFFIXES[root.tag]


def load_into(plant: Any, file: DescriptionFile, *, shapes: bool) -> Any:
    """Let Drake's reader put a description into a plant; its handle of what it added."""
    from pydrake.multibody.parsing import Parser

    text, suffix = source_text(file)
    parser = Parser(plant)
    for name, folder in file.packages.items():
        parser.package_map().Add(name, Path(folder).resolve())
    try:
        if suffix == "xml" and file.path.suffix != ".xacro":
            return parser.AddModels(file.path)[0]
        return parser.AddModelsFromString(text if shapes else _without_shapes(text), suffix)[0]
    except (RuntimeError, IndexError) as error:
        raise NotComparable(f"Drake cannot read the description: {_first_line(error)}") from None


def _without_shapes(text: str) -> str:
    root = xml.fromstring(text)
    for parent in list(root.iter()):
        for child in [child for child in parent if child.tag in _NOT_READ]:
            parent.remove(child)
    return xml.tostring(root, encoding="unicode")


def _first_line(error: Exception) -> str:
    """What a reader says, without the text or the path that it was given."""
    line = next(iter(str(error).splitlines()), type(error).__name__)
    return line.replace("<literal-string>", "description").rsplit("/", 1)[-1]


def _link(body: Any) -> SourceLink:
    inertia = body.default_spatial_inertia()
    mass = float(inertia.get_mass())
    com = np.array(inertia.get_com(), dtype=np.float64) if mass > 0.0 else np.zeros(3)
    about = inertia.Shift(inertia.get_com()).CalcRotationalInertia().CopyToFullMatrix3() if mass > 0.0 else np.zeros((3, 3))
    return SourceLink(mass, com, np.array(about, dtype=np.float64))


def _joint(plant: Any, joint: Any) -> SourceJoint:
    name, kind = joint.name(), joint.type_name()
    if kind not in _KINDS:
        raise NotComparable(f"joint {name!r} is {kind}: its coordinates differ between engines")
    parent, child = joint.parent_body(), joint.child_body()
    before, after = _pose(joint.frame_on_parent()), _pose(joint.frame_on_child())
    axis = np.zeros(3)
    if kind in ("revolute", "prismatic"):
        axis = after.rotation @ (joint.revolute_axis() if kind == "revolute" else joint.translation_axis())
    placement = before @ after.inverse()
    if kind == "weld":
        placement = before @ _rigid(joint.X_FM()) @ after.inverse()
    elif _KINDS[kind] == "free":
        placement = _rigid(plant.GetDefaultFloatingBaseBodyPose(child))
    damping = joint.default_damping_vector()
    rubs = float(damping[0]) if len(damping) else 0.0
    return SourceJoint(name, _KINDS[kind], parent.name(), child.name(), placement, after.position, axis, rubs)


def _pose(frame: Any) -> Pose:
    return _rigid(frame.GetFixedPoseInBodyFrame())


def _rigid(transform: Any) -> Pose:
    return Pose(np.array(transform.translation()), np.array(transform.rotation().matrix()))
