"""Put something elsewhere between two ticks: the root link of a robot that floats, a free object of the world, or a joint.

    position [m], orientation (quaternion, w first), velocity [m/s], angular velocity [rad/s]; all in the world's frame

The velocity is that of the body's origin. The engine keeps a free joint's rate of turn in the frame of its body,

    omega_body = R^T omega,    R of the new orientation

and everything that hangs on the body comes along: joints keep their positions and their speeds. A joint (`joints.NAME`) gets a
position [rad or m], within its limits, and a velocity, 0 where none is given; a ball joint a quaternion and a rate of turn
[rad/s].
"""

from __future__ import annotations

import math

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.engine.build import Built
from didymos.engine.objects import OBJECTS, object_of
from didymos.errors import InputError, nearest

__all__ = ["JOINTS", "STATE", "free_joint", "free_joints", "put", "state_of"]

_FREE_BODY = np.dtype([(name, np.float64, size) for name, size in
                       {"position": 3, "orientation": 4, "velocity": 3, "angular_velocity": 3}.items()])  # fmt: skip

STATE = _FREE_BODY.itemsize // 8
"""Numbers of the state of a free body."""

JOINTS = "joints."
"""What the path of a joint begins with."""

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
    """Give the free body of a path (`robot`, `objects.NAME`) a state, or the joint of one (`joints.NAME`)."""
    if path.startswith(JOINTS):
        _put_joint(built, path, value)
        return
    if len(value) != STATE:
        raise InputError(f"found {len(value)} numbers, expected {STATE}: position, quaternion and both velocities", path=path)
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


def engine_joint(built: Built, name: str) -> int:
    """The engine's joint of a joint that moves in one way; an `InputError` says why there is none."""
    model, joints = built.assembly.model, built.twin.description.joints
    if name not in joints:
        raise InputError(f"there is no such joint{nearest(name, joints)}", path=JOINTS + name)
    engine = joints[name].engine_joints
    if len(engine) != 1 or model.joint(engine[0]).type[0] == _FREE:
        raise InputError("a joint that moves in this way cannot be put elsewhere", path=JOINTS + name)
    return int(model.joint(engine[0]).id)


def _put_joint(built: Built, path: str, value: tuple[float, ...]) -> None:
    """Give a joint a position and a velocity."""
    model, data = built.assembly.model, built.data
    joint = engine_joint(built, path.removeprefix(JOINTS))
    q, v = int(model.jnt_qposadr[joint]), int(model.jnt_dofadr[joint])
    ball = int(model.jnt_type[joint]) == int(mujoco.mjtJoint.mjJNT_BALL)
    positions, speeds = (4, 3) if ball else (1, 1)
    if len(value) not in (positions, positions + speeds):
        raise InputError(f"found {len(value)} numbers, expected {positions}, or {positions + speeds} with its speed", path=path)
    position = np.array(value[:positions])
    length = math.hypot(*value[:positions])
    if ball and abs(length - 1.0) > _UNIT:
        raise InputError(f"found a quaternion of length {length:.4g}, expected 1", path=path)
    low, high = model.jnt_range[joint]
    if not ball and model.jnt_limited[joint] and not low <= value[0] <= high:
        raise InputError(f"found {value[0]:g}, expected {low:g} to {high:g}", path=path)
    data.qpos[q : q + positions] = position / length if ball else position
    data.qvel[v : v + speeds] = value[positions:] or 0.0
    data.qacc_warmstart[v : v + speeds] = 0.0
