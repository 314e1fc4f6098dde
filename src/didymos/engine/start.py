"""Put a twin and its world into the state in which a run begins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import mujoco
import numpy as np

from didymos.describe.free_bodies import FREE_STATE, FreeBody, free_bodies
from didymos.describe.parameter import Parameter
from didymos.describe.schema import StartSpec
from didymos.describe.set_value import with_value
from didymos.describe.twin import Twin
from didymos.errors import InputError, nearest
from didymos.rotations import rotation_vector_to_quaternion
from didymos.spec import Vector

__all__ = ["begin", "place_at_start", "quaternion_from_rpy"]


def quaternion_from_rpy(roll: float, pitch: float, yaw: float) -> np.ndarray:
    """Unit quaternion, w first, of the rotation Rz(yaw) Ry(pitch) Rx(roll)."""
    found = np.zeros(4)
    mujoco.mju_euler2Quat(found, np.array([roll, pitch, yaw]), "XYZ")
    return found


def begin(own: StartSpec, scenario: StartSpec, by_hand: Mapping[str, Parameter]) -> StartSpec:
    """A twin's start under a scenario's: what the scenario names counts, but for the paths (`start.position.z`) set by hand."""
    named: dict[str, Any] = own.model_dump(exclude_unset=True) | scenario.model_dump(exclude_unset=True)
    start = StartSpec.model_validate(named)
    for path, parameter in by_hand.items():
        start = with_value(start, _keys(path, parameter), parameter.value)
    return start


def _keys(path: str, parameter: Parameter) -> tuple[str, ...]:
    """The keys below `start` that lead to a number."""
    return parameter.place[1:] or tuple(path.split(".")[1:])


def _with_values(start: StartSpec, values: Mapping[str, float], known: Mapping[str, Parameter]) -> StartSpec:
    """A start in which single numbers are others."""
    for path, value in values.items():
        whole = f"start.{path.removeprefix('start.')}"
        if whole not in known:
            paths = [one.removeprefix("start.") for one in known if one.startswith("start.")]
            raise InputError(f"there is no such start value{nearest(path.removeprefix('start.'), paths)}", path=whole)
        start = with_value(start, _keys(whole, known[whole]), float(value))
    return start


def place_at_start(
    twin: Twin,
    root: int,
    model: mujoco.MjModel,
    data: mujoco.MjData,
    start: StartSpec,
    values: Mapping[str, float],
    *,
    objects: bool = True,
) -> None:
    """Pose and velocities of the root body (velocities in its own frame), of joints and of all free bodies.

    `values` by paths below `start` (`position.z`, `joints.elbow`) win over the record. Without `objects`, those of the world stay
    where they are: of several robots one places them.
    """
    if values:
        start = _with_values(start, values, twin.parameters)
    moved = start.model_fields_set & FREE_STATE.keys()
    if twin.description.floating:
        joint = int(model.body_jntadr[root])
        q, v = int(model.jnt_qposadr[joint]), int(model.jnt_dofadr[joint])
        if "position" in moved:
            data.qpos[q : q + 3] = list(start.position)
        if "orientation" in moved:
            data.qpos[q + 3 : q + 7] = quaternion_from_rpy(*start.orientation)
        _set_velocity(data, q, v, list(start.velocity), list(start.angular_velocity))
    elif any(any(getattr(start, key)) for key in moved):
        raise InputError("the root link is held in the world; set description.base to floating to move it", path="start")
    for name, value in start.joints.items():
        first = int(model.joint(twin.description.joints[name].engine_joints[0]).qposadr[0])
        if isinstance(value, Vector):
            data.qpos[first : first + 4] = rotation_vector_to_quaternion(np.array([list(value)]))[0]
        else:
            data.qpos[first] = value
    for name, value in start.joint_velocities.items():
        first = int(model.joint(twin.description.joints[name].engine_joints[0]).dofadr[0])
        if isinstance(value, Vector):
            data.qvel[first : first + 3] = list(value)
        else:
            data.qvel[first] = value
    for body in free_bodies(twin.file, twin.surroundings.free).values():
        if not objects and body.is_object:
            continue
        _place_free(model, data, body, start)


def _place_free(model: mujoco.MjModel, data: mujoco.MjData, body: FreeBody, start: StartSpec) -> None:
    """The state of a free body: as described, but for what the start says of it."""
    given, state = start.objects.get(body.name), {}
    for key in FREE_STATE:
        vector = getattr(given, key, None)
        own = zip("xyz", getattr(body, key), strict=True)
        state[key] = [
            getattr(vector, axis) if vector is not None and axis in vector.model_fields_set else value for axis, value in own
        ]
    joint = model.joint(body.joint)
    q, v = int(joint.qposadr[0]), int(joint.dofadr[0])
    if given is not None and given.position is not None:
        data.qpos[q : q + 3] = state["position"]
    if given is not None and given.orientation is not None:
        data.qpos[q + 3 : q + 7] = quaternion_from_rpy(*state["orientation"])
    _set_velocity(data, q, v, state["velocity"], state["angular_velocity"])


def _set_velocity(data: mujoco.MjData, q: int, v: int, velocity: list[float], rate: list[float]) -> None:
    """Velocities of a free joint, both given in the frame of its body; the engine keeps the linear one in the world's."""
    turned = np.zeros(3)
    mujoco.mju_rotVecQuat(turned, np.array(velocity), data.qpos[q + 3 : q + 7])
    data.qvel[v : v + 3] = turned
    data.qvel[v + 3 : v + 6] = rate
