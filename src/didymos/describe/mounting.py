"""Mounting: what becomes of a robot's description that is held by another one, or at a place.

Its root link loses the free joint that it may have, and stands in the frame where it is mounted; or it moves there by one joint
of its own, called `mount`, which is then a joint of the robot like any other.
"""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np

from didymos.describe.description import Description, Joint, JointKind
from didymos.describe.formats.engine_spec import check_compiles, unique
from didymos.describe.world_file import MountJointSpec
from didymos.errors import InputError

__all__ = ["MOUNT", "mounted"]

MOUNT = "mount"
"""Name of the joint by which a robot may be mounted."""

_KINDS = {
    "hinge": (mujoco.mjtJoint.mjJNT_HINGE, JointKind.REVOLUTE),
    "slide": (mujoco.mjtJoint.mjJNT_SLIDE, JointKind.PRISMATIC),
    "ball": (mujoco.mjtJoint.mjJNT_BALL, JointKind.BALL),
}


def mounted(description: Description, joint: MountJointSpec | None) -> Description:
    """The description of a robot whose root link is held in the frame in which the description begins, or moves in it by a joint.

    The description given is left as it is.
    """
    spec = description.spec.copy()
    body = spec.body(description.links[description.root].body)
    if description.floating:
        for own in list(body.joints):
            spec.delete(own)
        body.pos, body.quat = [0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]
    joints = dict(description.joints)
    if joint is not None:
        if body.joints:
            raise InputError(f"its root link moves by joint {body.joints[0].name!r} already, and cannot have another one")
        if MOUNT in joints:
            raise InputError(f"it has a joint {MOUNT!r} of its own already")
        joints[MOUNT] = _joint(spec, body, description.root, joint)
    check_compiles(spec, description.source)
    return replace(description, spec=spec, joints=joints, floating=False, held_by="it is mounted")


def _joint(spec: mujoco.MjSpec, body: mujoco.MjsBody, root: str, about: MountJointSpec) -> Joint:
    engine_kind, kind = _KINDS[about.kind]
    axis = np.array(list(about.axis))
    if not axis.any():
        raise InputError("found an axis of length 0, expected a direction", path="joint.axis")
    axis = axis / np.linalg.norm(axis)
    limited = about.lower is not None and about.upper is not None
    name = unique(MOUNT, {own.name for own in spec.joints})
    added = body.add_joint(name=name, type=engine_kind, axis=axis)
    added.damping[0], added.frictionloss = about.damping, about.friction
    if limited:
        added.limited, added.range = 1, [about.lower, about.upper]
    return Joint(
        MOUNT, JointKind.CONTINUOUS if kind is JointKind.REVOLUTE and not limited else kind, "", root, axis, np.zeros(3),
        about.lower if limited else None, about.upper if limited else None, None, None, about.damping, about.friction, (name,),
    )  # fmt: skip
