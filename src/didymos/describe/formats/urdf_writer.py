"""A description as URDF, for readers of `/robot_description`: links with inertials and shapes, joints with limits, and
named frames as links without mass.

What a joint does is written as URDF has it: with T(q) the pose of the child in its parent, a the anchor and u the axis of the
joint in the child's frame,

    T(q) = T(q0) Trans(a) Rot(u, q - q0) Trans(-a),    of a slider    T(q) = T(q0) Trans(u (q - q0))

URDF lets a joint turn about the origin of its child, so a joint with an anchor away from it gets a link of its own there
(`JOINT_frame`), to which the child is fixed; so does every joint but the last of a link that moves by several (MJCF). q0 is
where the file draws the joint: zero, or the `ref` of an MJCF.

Where one link stands on top it is the root, and what lets it move in the world is left to the tree of frames (`odom -> base`);
where several do (a robot and its target in one file) the root is `world`, and joints lead from there to all of them. A ball
joint, which URDF lacks, is `floating`. Limits that a description leaves open, and URDF wants, are 1e6.
"""

from __future__ import annotations

from dataclasses import dataclass
from xml.etree import ElementTree

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.describe.description import Description, Joint, JointKind, Link
from didymos.describe.formats.engine_spec import check_compiles, unique
from didymos.describe.formats.urdf_geometry import add_shapes, origin
from didymos.rotations import Pose, axis_angle_to_matrix, quaternion_to_matrix

__all__ = ["WORLD", "joint_frames", "parents", "urdf_text"]

WORLD = "world"
_OPEN = 1e6  # [N m, N, rad/s, m/s] where a description sets no limit and URDF needs one
_TYPES = {JointKind.BALL: "floating"}
_ONE_NUMBER = (JointKind.REVOLUTE, JointKind.CONTINUOUS, JointKind.PRISMATIC)
_LIMITED = (JointKind.REVOLUTE, JointKind.PRISMATIC)


def urdf_text(description: Description) -> str:
    """The URDF of a robot; the very text of its file where that is a plain URDF."""
    described = description.as_read
    if described.source.suffix.lower() == ".urdf":
        return described.source.read_text(encoding="utf-8", errors="replace")
    return _Writer(described).text()


def parents(description: Description) -> dict[str, str | None]:
    """The link that carries each link; None where it stands in the world."""
    described = description.as_read
    links = {link.body: link.name for link in described.links.values()}
    found: dict[str, str | None] = {}
    for link in described.links.values():
        body = described.spec.body(link.body)
        body = None if body is None or link.body == WORLD else body.parent
        while body is not None and body.name not in links and body.name != WORLD:
            body = body.parent
        found[link.name] = None if body is None else links.get(body.name)
    return found


def joint_frames(description: Description) -> dict[str, tuple[str, NDArray[np.float64]]]:
    """Links that the URDF has for joints with an anchor away from their child: the child, and the anchor [m] in its frame.

    Only those that are rigid with their child: the last joint's of each link.
    """
    described = description.as_read
    taken = {*described.links, *described.frames}
    found = {}
    for link in described.links:
        joints = _joints_of(described, link)
        for joint in joints:
            name = unique(f"{joint.name}_frame", taken)
            if joint is joints[-1] and np.any(joint.anchor):
                found[name] = (link, joint.anchor)
    return found


def _joints_of(description: Description, link: str) -> list[Joint]:
    """The joints that move a link in its parent, in the order in which the engine applies them."""
    return [joint for joint in description.joints.values() if joint.child == link and joint.kind is not JointKind.FIXED]


@dataclass
class _Writer:
    description: Description

    def __post_init__(self) -> None:
        spec = self.description.spec.copy()
        self.model, _ = check_compiles(spec, self.description.source)
        self.robot = ElementTree.Element("robot", name=self.description.name)
        self._placed = _at_reference(self.description, self.model)
        self._taken = {*self.description.links, *self.description.frames}
        self._joint_names = set(self.description.joints)
        self._parents = parents(self.description)

    def text(self) -> str:
        """The whole file."""
        tops = [name for name, parent in self._parents.items() if parent is None]
        alone = len(tops) == 1
        if not alone and WORLD not in self.description.links:
            ElementTree.SubElement(self.robot, "link", name=WORLD)
        for link in self.description.links.values():
            self._add_link(link)
        for name, parent in self._parents.items():
            if parent is not None or not (alone or name == WORLD):
                self._add_joints(name, parent or WORLD)
        for frame in self.description.frames.values():
            ElementTree.SubElement(self.robot, "link", name=frame.name)
            pose = Pose(np.asarray(frame.position), quaternion_to_matrix(frame.quaternion))
            self._joint(unique(f"{frame.name}_fixed", self._joint_names), "fixed", frame.link, frame.name, pose)
        ElementTree.indent(self.robot)
        return '<?xml version="1.0"?>\n' + ElementTree.tostring(self.robot, encoding="unicode") + "\n"

    def _add_link(self, link: Link) -> None:
        element = ElementTree.SubElement(self.robot, "link", name=link.name)
        if link.mass > 0.0:
            inertial = ElementTree.SubElement(element, "inertial")
            origin(inertial, Pose(np.asarray(link.com)))
            ElementTree.SubElement(inertial, "mass", value=repr(float(link.mass)))
            m = link.inertia
            named = {"ixx": m[0, 0], "ixy": m[0, 1], "ixz": m[0, 2], "iyy": m[1, 1], "iyz": m[1, 2], "izz": m[2, 2]}
            ElementTree.SubElement(inertial, "inertia", {key: repr(float(value)) for key, value in named.items()})
        add_shapes(element, self.description, self.model, link)

    def _add_joints(self, link: str, parent: str) -> None:
        """All that leads from a parent to a link: one joint, or several with links between them."""
        outer = self._placed.get(parent, Pose())
        pose = outer.inverse() @ self._placed[link]  # of what comes next in the link before, with joints at their reference
        joints = _joints_of(self.description, link)
        if not joints:
            fixed = [joint.name for joint in self.description.joints.values() if joint.child == link]
            name = fixed[0] if fixed else unique(f"{link}_fixed", self._joint_names)
            self._joint(name, "fixed", parent, link, pose)
            return
        for joint in joints:
            last, away = joint is joints[-1], bool(np.any(joint.anchor))
            own = unique(f"{joint.name}_frame", self._taken)
            child = link if last and not away else own
            if child is own:
                ElementTree.SubElement(self.robot, "link", name=own)
            anchor = Pose(np.asarray(joint.anchor))
            self._moving(joint, parent, child, pose @ anchor @ self._back_to_zero(joint))
            parent, pose = child, anchor.inverse()
        if parent != link:
            self._joint(unique(f"{link}_fixed", self._joint_names), "fixed", parent, link, pose)

    def _back_to_zero(self, joint: Joint) -> Pose:
        """From where the engine has the joint as the file draws it, at its reference, to where its position is zero."""
        if joint.kind not in _ONE_NUMBER or len(joint.engine_joints) != 1:
            return Pose()
        reference = float(self.model.qpos0[self.model.joint(joint.engine_joints[0]).qposadr[0]])
        if joint.kind is JointKind.PRISMATIC:
            return Pose(-reference * np.asarray(joint.axis))
        return Pose(rotation=axis_angle_to_matrix(joint.axis, -reference))

    def _moving(self, joint: Joint, parent: str, child: str, pose: Pose) -> None:
        kind = "fixed" if joint.welded else _TYPES.get(joint.kind, joint.kind.value)
        element = self._joint(joint.name, kind, parent, child, pose)
        if kind in ("fixed", "floating"):
            return
        ElementTree.SubElement(element, "axis", xyz=" ".join(repr(float(value)) for value in joint.axis))
        limits = {"effort": joint.effort, "velocity": joint.velocity}
        if joint.kind in _LIMITED:
            limits |= {"lower": joint.lower if joint.lower is not None else -_OPEN, "upper": joint.upper}
        if joint.kind in _LIMITED or any(value is not None for value in limits.values()):
            written = {key: repr(float(_OPEN if value is None else value)) for key, value in limits.items()}
            ElementTree.SubElement(element, "limit", written)
        dynamics = {"damping": repr(float(joint.damping)), "friction": repr(float(joint.friction))}
        ElementTree.SubElement(element, "dynamics", dynamics)
        self._add_mimic(element, joint)

    def _add_mimic(self, element: ElementTree.Element, joint: Joint) -> None:
        """What ties the joint to another one, where that is a straight line."""
        names = {one: own.name for own in self.description.joints.values() for one in own.engine_joints}
        for tie in self.description.spec.equalities:
            if tie.type == mujoco.mjtEq.mjEQ_JOINT and tie.name1 in joint.engine_joints and tie.name2 in names:
                offset, factor, *others = (float(value) for value in tie.data[:5])
                if not any(others):
                    about = {"joint": names[tie.name2], "multiplier": repr(factor), "offset": repr(offset)}
                    ElementTree.SubElement(element, "mimic", about)

    def _joint(self, name: str, kind: str, parent: str, child: str, pose: Pose) -> ElementTree.Element:
        element = ElementTree.SubElement(self.robot, "joint", name=name, type=kind)
        origin(element, pose)
        ElementTree.SubElement(element, "parent", link=parent)
        ElementTree.SubElement(element, "child", link=child)
        return element


def _at_reference(description: Description, model: mujoco.MjModel) -> dict[str, Pose]:
    """Where the engine has every link in the world with all joints as the file draws them."""
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    return {
        name: Pose(data.body(link.body).xpos.copy(), quaternion_to_matrix(data.body(link.body).xquat))
        for name, link in description.links.items()
    }
