"""From a robot description to the model that its control program is given (`didymos.model`).

The spec is compiled as it is described, one body per link, and read: every body that moves takes in the links that fixed joints
join to it, at the poses and with the masses that the compiler made of them. Nothing of the engine stays in the model.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import mujoco
import numpy as np

from didymos.describe.description import Description, Joint
from didymos.describe.formats.engine_spec import check_compiles
from didymos.describe.model_left_out import left_out
from didymos.describe.model_sensors import base_reading, encoder_readings, fill_reading
from didymos.describe.model_shapes import model_shapes
from didymos.errors import InputError
from didymos.model import MODEL, ModelJoint, ModelLink, RobotModel
from didymos.model.layout import (
    BALL,
    FREE,
    HINGE,
    MOST_BODIES,
    MOST_DOFS,
    MOST_FRAMES,
    MOST_JOINTS,
    MOST_POSITIONS,
    SLIDE,
)
from didymos.model.reading import BaseReading
from didymos.rotations import Pose, quaternion_to_matrix
from didymos.sensors import SensorSpec

__all__ = ["robot_model"]

_KINDS = {
    int(mujoco.mjtJoint.mjJNT_HINGE): (HINGE, 1, 1),
    int(mujoco.mjtJoint.mjJNT_SLIDE): (SLIDE, 1, 1),
    int(mujoco.mjtJoint.mjJNT_BALL): (BALL, 4, 3),
    int(mujoco.mjtJoint.mjJNT_FREE): (FREE, 7, 6),
}  # kind of the engine -> ours, its numbers in q and in v


def robot_model(
    description: Description, *, gravity: float = 9.80665, sensors: Mapping[str, SensorSpec] | None = None
) -> RobotModel:
    """The model of a description under gravity [m/s^2]; `sensors` by name are those that `RobotModel.read` can read."""
    spec = description.spec.copy()
    if spec.compiler.inertiafromgeom != mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE:  # shapes for the eye have mass then
        spec.compiler.discardvisual = True  # their meshes take seconds
    engine, _ = check_compiles(spec, description.source)
    bodies = _Bodies(engine)
    frames = _frames(description, engine, bodies)
    _check_size(engine, bodies, len(frames), description)
    table = np.zeros(1, dtype=MODEL)
    model = table[0]
    model["bodies_count"], model["frames_count"] = len(bodies.moving), len(frames)
    model["nq"], model["nv"], model["gravity"] = engine.nq, engine.nv, gravity
    model["reference"][: engine.nq], model["armature"][: engine.nv] = engine.qpos0, engine.dof_armature
    for name in ("bodies", "placed"):
        model[name]["rotation"] = np.eye(3)
    _fill_bodies(model, description, engine, bodies)
    _fill_joints(model, engine)
    for row, (body, pose) in zip(model["frames"], frames.values(), strict=False):
        row["body"], row["position"], row["rotation"] = body, pose.position, pose.rotation
    base_joint = _base_joint(description, engine)
    joints = [made for joint in description.joints.values() if (made := _joint(joint, engine)) is not None]
    joints = [joint for joint in joints if base_joint is None or joint.position_index != base_joint.position_index]
    encoders, base = encoder_readings(joints, sensors or {}), BaseReading()
    if base_joint is not None:
        model["base"] = frames[description.root][0]
        base = base_reading(frames, description.root, sensors or {})
    fill_reading(model, joints, encoders, base)
    return RobotModel(
        table, root=description.root, frames=tuple(frames), links=_links(description, engine, joints), joints=joints,
        base_joint=base_joint, shapes=model_shapes(description, engine), encoders=encoders, base=base,
        left_out=left_out(engine),
    )  # fmt: skip


class _Bodies:
    """Which bodies of the engine move (the world first), the one that carries each, and where in that one it sits."""

    def __init__(self, engine: mujoco.MjModel) -> None:
        self.moving = [0, *(body for body in range(1, engine.nbody) if engine.body_jntnum[body] > 0)]
        self._numbers = {body: number for number, body in enumerate(self.moving)}
        self.number: list[int] = []
        self.pose: list[Pose] = []
        for body in range(engine.nbody):
            if body in self._numbers:
                self.number.append(self._numbers[body])
                self.pose.append(Pose())
            else:
                parent = int(engine.body_parentid[body])
                self.number.append(self.number[parent])
                self.pose.append(self.pose[parent] @ body_pose(engine, body))


def body_pose(engine: mujoco.MjModel, body: int) -> Pose:
    """Where a body sits in its parent, all joints at their reference."""
    return Pose(np.array(engine.body_pos[body]), quaternion_to_matrix(engine.body_quat[body]))


def _check_size(engine: mujoco.MjModel, bodies: _Bodies, frames: int, description: Description) -> None:
    sizes = (
        (len(bodies.moving) - 1, MOST_BODIES - 1, "moving bodies"), (engine.njnt, MOST_JOINTS, "joints"),
        (engine.nv, MOST_DOFS, "degrees of freedom"), (engine.nq, MOST_POSITIONS, "positions"),
        (frames, MOST_FRAMES, "links and frames"),
    )  # fmt: skip
    for count, most, what in sizes:
        if count > most:
            message = f"its model for control programs would have {count} {what}, and can have at most {most}"
            raise InputError(message, file=description.source)


def _fill_bodies(model: Any, description: Description, engine: mujoco.MjModel, bodies: _Bodies) -> None:
    rows = model["bodies"]
    for number, body in enumerate(bodies.moving):
        row = rows[number]
        if number:
            parent = int(engine.body_parentid[body])
            pose = bodies.pose[parent] @ body_pose(engine, body)
            row["parent"], row["position"], row["rotation"] = bodies.number[parent], pose.position, pose.rotation
            row["first_joint"], row["joints"] = engine.body_jntadr[body], engine.body_jntnum[body]
            row["first_dof"], row["dofs"] = engine.body_dofadr[body], engine.body_dofnum[body]
    for link in description.links.values():
        body = int(engine.body(link.body).id)
        row, pose, mass = rows[bodies.number[body]], bodies.pose[body], link.mass
        com = pose.position + pose.rotation @ link.com
        inertia = pose.rotation @ link.inertia @ pose.rotation.T + mass * (com @ com * np.eye(3) - np.outer(com, com))
        row["mass"] += mass
        row["moment"] += mass * com
        row["inertia"] += [inertia[i, k] for i, k in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    world = model["placed"][0]
    world["moment"], world["inertia"] = rows[0]["moment"], rows[0]["inertia"]


def _fill_joints(model: Any, engine: mujoco.MjModel) -> None:
    for joint in range(engine.njnt):
        row, anchor = model["joints"][joint], engine.jnt_pos[joint]
        row["kind"] = _KINDS[int(engine.jnt_type[joint])][0]
        row["position"], row["dof"] = engine.jnt_qposadr[joint], engine.jnt_dofadr[joint]
        row["axis"], row["anchor"], row["at_origin"] = engine.jnt_axis[joint], anchor, not np.any(anchor)
        if row["kind"] in (HINGE, SLIDE):
            row["reference"] = engine.qpos0[row["position"]]


def _frames(description: Description, engine: mujoco.MjModel, bodies: _Bodies) -> dict[str, tuple[int, Pose]]:
    """The body that carries every link and every frame, and the pose in it; a link wins over a frame of its name."""
    found = {}
    for name, link in description.links.items():
        body = int(engine.body(link.body).id)
        found[name] = bodies.number[body], bodies.pose[body]
    for name, frame in description.frames.items():
        if name not in found:
            body, pose = found.get(frame.link, (0, Pose()))  # a site of MJCF may stand in the world
            found[name] = body, pose @ Pose(np.array(frame.position), quaternion_to_matrix(np.asarray(frame.quaternion)))
    return found


def _links(description: Description, engine: mujoco.MjModel, joints: Iterable[ModelJoint]) -> list[ModelLink]:
    names = {int(engine.body(link.body).id): name for name, link in description.links.items()}
    made = []
    for body, name in names.items():
        link, parent = description.links[name], names.get(int(engine.body_parentid[body]))
        own = tuple(joint.name for joint in joints if joint.child == name)
        made.append(ModelLink(name, parent, own, link.mass, np.array(link.com), np.array(link.inertia)))
    return made


def _joint(joint: Joint, engine: mujoco.MjModel) -> ModelJoint | None:
    """A joint of the description in the model; None where it does not move."""
    if not joint.engine_joints:
        return None
    numbers = [int(engine.joint(name).id) for name in joint.engine_joints]
    first, dof = numbers[0], int(engine.jnt_dofadr[numbers[0]])
    sizes = [_KINDS[int(engine.jnt_type[number])] for number in numbers]
    parent = joint.parent if joint.parent != "world" else None
    return ModelJoint(
        name=joint.name, kind=joint.kind.value, parent=parent, child=joint.child, axis=np.array(joint.axis),
        anchor=np.array(joint.anchor), position_index=int(engine.jnt_qposadr[first]), velocity_index=dof,
        nq=sum(size[1] for size in sizes), nv=sum(size[2] for size in sizes),
        lower=_limit(joint.lower, -math.inf), upper=_limit(joint.upper, math.inf), effort=_limit(joint.effort, math.inf),
        velocity=_limit(joint.velocity, math.inf), armature=float(engine.dof_armature[dof]), damping=joint.damping,
        friction=joint.friction,
    )  # fmt: skip


def _limit(value: float | None, otherwise: float) -> float:
    return otherwise if value is None else float(value)


def _base_joint(description: Description, engine: mujoco.MjModel) -> ModelJoint | None:
    """The free joint of a floating root link; a file need not name it."""
    if not description.floating:
        return None
    number = int(engine.body_jntadr[engine.body(description.links[description.root].body).id])
    name = engine.joint(number).name
    inf, zero, up = math.inf, np.zeros(3), np.array([0.0, 0.0, 1.0])
    at, dof = int(engine.jnt_qposadr[number]), int(engine.jnt_dofadr[number])
    return ModelJoint(name, "floating", None, description.root, up, zero, at, dof, 7, 6, -inf, inf, inf, inf, 0.0, 0.0, 0.0)
