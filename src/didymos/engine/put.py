"""Put a free body elsewhere between two ticks: the root link of a robot that floats, or a free object of the world.

    position [m], orientation (quaternion, w first), velocity [m/s], angular velocity [rad/s]; all in the world's frame

The velocity is that of the body's origin. The engine keeps a free joint's rate of turn in the frame of its body,

    omega_body = R^T omega,    R of the new orientation

and everything that hangs on the body comes along: joints keep their positions and their speeds.
"""

from __future__ import annotations

import math

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.engine.build import Built
from didymos.engine.objects import OBJECTS, object_of
from didymos.errors import InputError, nearest

__all__ = ["STATE", "free_joint", "free_joints", "put", "state_of"]

_FREE_BODY = np.dtype([(name, np.float64, size) for name, size in
                       {"position": 3, "orientation": 4, "velocity": 3, "angular_velocity": 3}.items()])  # fmt: skip

STATE = _FREE_BODY.itemsize // 8
"""Numbers of the state of a free body."""

_FREE = int(mujoco.mjtJoint.mjJNT_FREE)
_UNIT = 1e-3  # how far from 1 the length of a quaternion may be by rounding, also of 32 bits


def free_joints(built: Built) -> dict[str, int]:
    """The free joints of a robot and its world by the paths that an intervention knows them by: `robot`, `objects.NAME`."""
    model = built.assembly.model
    found = {}
    root = built.assembly.links.root_body(model)
    if built.twin.description.floating:
        found["robot"] = int(model.body_jntadr[root])
    objects = built.twin.file.world.objects
    moving = {name for name, thing in objects.items() if thing.motion is not None}  # a trajectory has them
    for joint in range(model.njnt):
        body = object_of(str(model.joint(joint).name))
        if body is not None and int(model.jnt_type[joint]) == _FREE and body not in moving:
            found[f"{OBJECTS}.{body}"] = joint
    return found


def free_joint(built: Built, path: str) -> int:
    """The free joint of a path; an `InputError` says why there is none."""
    found = free_joints(built)
    if path not in found:
        if path == "robot":
            raise InputError("its root link is held in the world, so it cannot be put elsewhere", path=path)
        raise InputError(f"there is no such free body{nearest(path, found)}", path=path)
    return found[path]


def state_of(model: mujoco.MjModel, data: mujoco.MjData, joint: int) -> NDArray[np.float64]:
    """Position, orientation, velocity and angular velocity of the body of a free joint, world frame; shape [13]."""
    q, v = int(model.jnt_qposadr[joint]), int(model.jnt_dofadr[joint])
    rate = np.zeros(3)
    mujoco.mju_rotVecQuat(rate, data.qvel[v + 3 : v + 6], data.qpos[q + 3 : q + 7])
    return np.concatenate([data.qpos[q : q + 7], data.qvel[v : v + 3], rate])


def put(built: Built, path: str, value: tuple[float, ...]) -> None:
    """Give the free body of a path (`robot`, `objects.NAME`) a state."""
    model, data, joint = built.assembly.model, built.data, free_joint(built, path)
    state = np.array(value).view(_FREE_BODY)[0]
    length = math.hypot(*state["orientation"].tolist())
    if abs(length - 1.0) > _UNIT:
        raise InputError(f"found a quaternion of length {length:.4g}, expected 1", path=path)
    boundary = built.context.timing.boundary
    if (np.abs(state["position"]) > boundary).any():
        raise InputError(f"found a position outside of the world, whose boundary is {boundary:g} m", path=path)
    q, v = int(model.jnt_qposadr[joint]), int(model.jnt_dofadr[joint])
    data.qpos[q : q + 3], data.qpos[q + 3 : q + 7] = state["position"], state["orientation"] / length
    back, rate = np.zeros(4), np.zeros(3)
    mujoco.mju_negQuat(back, data.qpos[q + 3 : q + 7])
    mujoco.mju_rotVecQuat(rate, np.array(state["angular_velocity"]), back)
    data.qvel[v : v + 3], data.qvel[v + 3 : v + 6] = state["velocity"], rate
    data.qacc_warmstart[v : v + 6] = 0.0
