"""Joints of a description become joints and constraints of the engine."""

from __future__ import annotations

import mujoco
import numpy as np

from didymos.describe.description import Joint, JointKind
from didymos.describe.formats.engine_spec import unique
from didymos.describe.formats.import_report import ImportReport
from didymos.describe.formats.mechanism import JointSource
from didymos.errors import nearest

__all__ = ["add_joint", "add_loop", "add_mimic"]

_FAR = 1e9  # [rad] or [m], stands for the missing one of two limits
_HINGE, _SLIDE = mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE
_ONE_AXIS = {JointKind.REVOLUTE: _HINGE, JointKind.CONTINUOUS: _HINGE, JointKind.PRISMATIC: _SLIDE}


def add_joint(body: mujoco.MjsBody, source: JointSource, taken: set[str], *, top_level: bool) -> Joint:
    """Give a body the freedom of a joint; `top_level` says that the body stands in the world itself."""
    names: list[str] = []

    def add(kind: mujoco.mjtJoint, suffix: str = "", axis: np.ndarray | None = None) -> mujoco.MjsJoint:
        names.append(unique(source.name + suffix, taken))
        joint = body.add_joint(name=names[-1], type=kind, pos=source.anchor, axis=source.axis if axis is None else axis)
        joint.damping[0] = source.damping
        joint.frictionloss = source.friction
        return joint

    if source.kind in _ONE_AXIS:
        _set_limits(add(_ONE_AXIS[source.kind]), source)
    elif source.kind is JointKind.BALL:
        add(mujoco.mjtJoint.mjJNT_BALL)
    elif source.kind is JointKind.FLOATING and top_level:
        names.append(unique(source.name, taken))
        body.add_freejoint(name=names[-1])
    elif source.kind is JointKind.FLOATING:  # the engine has free joints in the world only
        for suffix, axis in zip(("_x", "_y", "_z"), np.eye(3), strict=True):
            add(_SLIDE, suffix, axis)
        add(mujoco.mjtJoint.mjJNT_BALL, "_ball")
    elif source.kind is JointKind.PLANAR:
        first, second = _plane_axes(source.axis)
        add(_SLIDE, "_x", first)
        add(_SLIDE, "_y", second)
        add(_HINGE, "_yaw")
    return table_row(source, tuple(names))


def add_mimic(spec: mujoco.MjSpec, source: JointSource, joints: dict[str, Joint], report: ImportReport) -> None:
    """Tie a joint to another one: q = multiplier * q(other) + offset."""
    mimic = source.mimic
    assert mimic is not None
    if mimic.joint not in joints:
        report.add(
            source.element,
            f"mimic of joint {mimic.joint!r} by joint {source.name!r} is not used: there is no "
            f"such joint{nearest(mimic.joint, joints)}",
        )
        return
    if mimic.joint == source.name:
        raise source.element.error(f"joint {source.name!r} mimics itself")
    own, other = joints[source.name], joints[mimic.joint]
    if own.kind not in _ONE_AXIS or not own.engine_joints or not (other.kind in _ONE_AXIS and other.engine_joints):
        report.add(
            source.element,
            f"mimic of joint {mimic.joint!r} by joint {source.name!r} is not used: one of them "
            "does not move about one axis",
        )
        return
    equality = spec.add_equality(
        name=f"{source.name}_mimic",
        type=mujoco.mjtEq.mjEQ_JOINT,
        objtype=mujoco.mjtObj.mjOBJ_JOINT,
        name1=own.engine_joints[0],
        name2=other.engine_joints[0],
    )
    equality.data[:5] = [mimic.offset, mimic.multiplier, 0, 0, 0]
    report.add(source.element, f"mimic of joint {mimic.joint!r} by joint {source.name!r} becomes an equality constraint")


def add_loop(spec: mujoco.MjSpec, source: JointSource, bodies: tuple[str, str], report: ImportReport) -> Joint:
    """Close a loop: points of the child are held where the same points of the parent are."""
    arms = {
        JointKind.FIXED: None,
        JointKind.BALL: [0.0],
        JointKind.REVOLUTE: [0.0, 0.1],
        JointKind.CONTINUOUS: [0.0, 0.1],
    }
    if source.kind not in arms:
        raise source.element.error(
            f"joint {source.name!r} closes a loop and is {source.kind.value}, expected fixed, "
            "revolute, continuous or ball"
        )
    points = arms[source.kind]
    if points is None:
        weld = spec.add_equality(
            name=f"{source.name}_loop",
            type=mujoco.mjtEq.mjEQ_WELD,
            objtype=mujoco.mjtObj.mjOBJ_BODY,
            name1=bodies[1],
            name2=bodies[0],
        )
        weld.data[10] = 1.0
    for index, along in enumerate(points or []):
        equality = spec.add_equality(
            name=f"{source.name}_loop{index}",
            type=mujoco.mjtEq.mjEQ_CONNECT,
            objtype=mujoco.mjtObj.mjOBJ_BODY,
            name1=bodies[1],
            name2=bodies[0],
        )
        equality.data[:3] = source.anchor + along * source.axis
    report.add(
        source.element,
        f"joint {source.name!r} closes a loop and becomes an equality constraint, without its "
        "limits, damping and friction",
    )
    return table_row(source, ())


def table_row(source: JointSource, engine_joints: tuple[str, ...]) -> Joint:
    """A joint as the table of a description holds it."""
    return Joint(
        source.name,
        source.kind,
        source.parent,
        source.child,
        source.axis,
        source.anchor,
        source.lower,
        source.upper,
        source.effort,
        source.velocity,
        source.damping,
        source.friction,
        engine_joints,
        source.welded,
    )


def _set_limits(joint: mujoco.MjsJoint, source: JointSource) -> None:
    if source.lower is not None or source.upper is not None:
        joint.range = [-_FAR if source.lower is None else source.lower, _FAR if source.upper is None else source.upper]
        joint.limited = mujoco.mjtLimited.mjLIMITED_TRUE
    if source.effort is not None:
        joint.actfrcrange = [-source.effort, source.effort]
        joint.actfrclimited = mujoco.mjtLimited.mjLIMITED_TRUE
    joint.stiffness[0] = source.stiffness
    joint.springref = source.spring_reference


def _plane_axes(normal: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Two axes that span the plane of a unit normal, the ones nearest to the frame's own (x and y for z)."""
    seed = np.eye(3)[0] if abs(normal[0]) < 0.9 else np.eye(3)[1]
    first = seed - normal * (seed @ normal)
    first /= np.linalg.norm(first)
    return first, np.cross(normal, first)
