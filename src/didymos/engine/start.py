"""Put a twin into the state in which a run begins."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import mujoco
import numpy as np

from didymos.describe.schema import StartSpec
from didymos.describe.twin import Twin
from didymos.errors import InputError, nearest

__all__ = ["begin", "place_at_start"]


def quaternion_from_rpy(roll: float, pitch: float, yaw: float) -> np.ndarray:
    """Unit quaternion, w first, of the rotation Rz(yaw) Ry(pitch) Rx(roll)."""
    found = np.zeros(4)
    mujoco.mju_euler2Quat(found, np.array([roll, pitch, yaw]), "XYZ")
    return found


def begin(own: StartSpec, scenario: StartSpec, by_hand: Collection[str]) -> StartSpec:
    """A twin's start under a scenario's: what the scenario names counts, but for the paths (`start.position.z`) set by hand."""
    named: dict[str, Any] = own.model_dump(exclude_unset=True) | scenario.model_dump(exclude_unset=True)
    for path in by_hand:
        _, key, *inner = path.split(".", 2)
        if inner:
            value = own.model_dump()[key][inner[0]]
            named[key] = {**named.get(key, {}), inner[0]: value}
    return StartSpec.model_validate(named)


def _with_values(start: StartSpec, values: Mapping[str, float]) -> StartSpec:
    """A start in which single numbers are others."""
    raw: dict[str, Any] = start.model_dump(exclude_unset=True)
    for path, value in values.items():
        key, _, name = path.removeprefix("start.").partition(".")
        if key not in StartSpec.model_fields or not name:
            raise InputError(f"there is no such start value{nearest(key, StartSpec.model_fields)}", path=f"start.{path}")
        raw[key] = {**(raw.get(key) or {}), name: float(value)}
    return StartSpec.model_validate(raw)


def place_at_start(
    twin: Twin, root: int, model: mujoco.MjModel, data: mujoco.MjData, start: StartSpec, values: Mapping[str, float]
) -> None:
    """Pose and velocities of the root body (velocities in its own frame) and positions and velocities of joints.

    `values` by paths below `start` (`position.z`, `joints.elbow`) win over the record.
    """
    if values:
        start = _with_values(start, values)
    moved = start.model_fields_set & {"position", "orientation", "velocity", "angular_velocity"}
    if twin.description.floating:
        joint = int(model.body_jntadr[root])
        q, v = int(model.jnt_qposadr[joint]), int(model.jnt_dofadr[joint])
        if "position" in moved:
            data.qpos[q : q + 3] = list(start.position)
        if "orientation" in moved:
            data.qpos[q + 3 : q + 7] = quaternion_from_rpy(*start.orientation)
        turned = np.zeros(3)
        mujoco.mju_rotVecQuat(turned, np.array(list(start.velocity)), data.qpos[q + 3 : q + 7])
        data.qvel[v : v + 3] = turned
        data.qvel[v + 3 : v + 6] = list(start.angular_velocity)
    elif any(any(getattr(start, key)) for key in moved):
        raise InputError("the root link is held in the world; set description.base to floating to move it", path="start")
    for name, value in start.joints.items():
        joint_name = twin.description.joints[name].engine_joints[0]
        data.qpos[model.joint(joint_name).qposadr[0]] = value
    for name, value in start.joint_velocities.items():
        joint_name = twin.description.joints[name].engine_joints[0]
        data.qvel[model.joint(joint_name).dofadr[0]] = value
