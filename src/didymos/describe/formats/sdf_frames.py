"""The frames of an SDF file: every model, link, joint and ``<frame>``, each posed in another one.

Names are absolute: ``arm::hand`` is `hand` in the model `arm`. A model's own frame has the model's name. A pose is
followed from frame to frame until the world; a frame that is posed in itself, however far around, is an `InputError`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from didymos.describe.formats.mechanism import WORLD
from didymos.describe.formats.xml_file import Element
from didymos.describe.formats.xml_values import parse_numbers
from didymos.errors import nearest
from didymos.rotations import Pose, quaternion_to_matrix, rpy_to_matrix

__all__ = ["FrameGraph", "FrameNode", "Reference", "join", "raw_pose"]


def join(scope: str, name: str) -> str:
    """The absolute name of something in a scope (a model's absolute name; "" is the file)."""
    return f"{scope}::{name}" if scope else name


def raw_pose(element: Element) -> tuple[Pose, str | None]:
    """The ``<pose>`` of an element as it is written, and the frame that it is relative to, None where it says none."""
    pose = element.at_most_one("pose")
    if pose is None or not (pose.text.strip() or pose.attributes):
        return Pose(), None
    relative_to = pose.attributes.get("relative_to", "").strip() or None
    if not pose.text.strip():
        return Pose(), relative_to
    if pose.attributes.get("rotation_format") == "quat_xyzw":
        numbers = parse_numbers(pose, pose.text, "the text", 7)
        x, y, z, w = numbers[3:]
        length = math.hypot(w, x, y, z)
        if abs(length - 1) > 1e-3:
            raise pose.error(f"the quaternion in <pose> of {element} has the length {length:.6g}, expected 1")
        return Pose(numbers[:3], quaternion_to_matrix(np.array([w, x, y, z]))), relative_to
    numbers = parse_numbers(pose, pose.text, "the text", 6)
    degrees = pose.attributes.get("degrees", "false").strip().lower() in ("true", "1")
    return Pose(numbers[:3], rpy_to_matrix(np.radians(numbers[3:]) if degrees else numbers[3:])), relative_to


@dataclass(frozen=True)
class Reference:
    """A frame as a file names it: a name, and the model (its absolute name) in which that name is to be looked up."""

    scope: str
    name: str


@dataclass(frozen=True, eq=False)
class FrameNode:
    """A frame: its pose in the frame `relative_to`, and the frame that it is attached to (None for a link).

    For a model with a placement frame, the pose is that frame's, and the model stands around it.
    """

    pose: Pose
    relative_to: Reference
    attached_to: Reference | None
    element: Element
    placement: Reference | None = None


class FrameGraph:
    """All frames of a file by their absolute names."""

    def __init__(self) -> None:
        self.nodes: dict[str, FrameNode] = {}
        self._in_world: dict[str, Pose] = {}

    def add(self, name: str, node: FrameNode) -> None:
        """Add a frame; an `InputError` where the name is taken."""
        if name in self.nodes:
            raise node.element.error(
                f"the name {name!r} stands here a second time, first in line {self.nodes[name].element.line}"
            )
        self.nodes[name] = node

    def find(self, reference: Reference, element: Element) -> str:
        """The absolute name that a reference means; an `InputError` that names the element where nothing has it."""
        scope, name = reference.scope, reference.name
        absolute = scope if name == "__model__" else join(scope, name.removesuffix("::__model__"))
        if absolute in self.nodes:
            return absolute
        if name == WORLD or absolute == "":
            return WORLD
        inside = [key.removeprefix(join(scope, "")) for key in self.nodes if key.startswith(join(scope, ""))]
        where = f"model {scope!r}" if scope else "the file"
        raise element.error(
            f"{element} refers to {name!r}, which is no link, joint or frame of {where}" + nearest(name, inside)
        )

    def in_world(self, name: str) -> Pose:
        """The pose of a frame in the world."""
        if name not in self._in_world:
            self._in_world[name] = self._follow(name, until=WORLD)
        return self._in_world[name]

    def link_of(self, name: str) -> str:
        """The link that a frame moves with, or the world."""
        passed: set[str] = set()
        while name != WORLD and (attached_to := self.nodes[name].attached_to) is not None:
            if name in passed:
                raise self.nodes[name].element.error(f"frame {name!r} is attached to itself, around {len(passed)} frames")
            passed.add(name)
            name = self.find(attached_to, self.nodes[name].element)
        return name

    def _follow(self, name: str, until: str) -> Pose:
        """The pose of a frame in another one that its chain of poses leads through."""
        pose, passed, start = Pose(), set[str](), name
        while name != until:
            if name in passed:
                raise self.nodes[name].element.error(
                    f"frame {start!r} is posed relative to itself, around {len(passed)} frames"
                )
            if name == WORLD:
                raise self.nodes[start].element.error(
                    f"frame {start!r} is not posed in the model whose placement it gives"
                )
            if until == WORLD and name in self._in_world:
                return self._in_world[name] @ pose
            passed.add(name)
            node = self.nodes[name]
            pose = self._own_pose(name, node) @ pose
            name = self.find(node.relative_to, node.element)
        return pose

    def _own_pose(self, name: str, node: FrameNode) -> Pose:
        if node.placement is None:
            return node.pose
        return node.pose @ self._follow(self.find(node.placement, node.element), until=name).inverse()
