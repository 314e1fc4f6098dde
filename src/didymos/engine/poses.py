"""Where everything was over the time of a log, in the engine's own coordinates: what pictures and films are drawn from."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.describe.twin import Twin
from didymos.record.log import Log

__all__ = ["poses"]

_POSE = (*(f"position.{axis}" for axis in "xyz"), *(f"orientation.{axis}" for axis in "wxyz"))


def poses(twin: Twin, model: mujoco.MjModel, root: int, log: Log) -> NDArray[np.float64]:
    """Positions of all joints of a model over the log's own time, shape [n, nq]; `root` is the number of the root body."""
    times = log["truth.position.x"].time
    found = np.tile(model.qpos0, (len(times), 1))
    if twin.description.floating:
        address = _address(model, root)
        found[:, address : address + 7] = np.column_stack([log[f"truth.{name}"].values for name in _POSE])
    for name, joint in twin.description.joints.items():
        if f"joints.{name}.position" in log:
            found[:, int(model.joint(joint.engine_joints[0]).qposadr[0])] = log[f"joints.{name}.position"].values
    for body in range(model.nbody):
        name = model.body(body).name.removeprefix("didymos:")
        if f"boxes.{name}.position.x" in log:
            columns = [log[f"boxes.{name}.{column}"] for column in _POSE]
            rows = np.clip(np.searchsorted(columns[0].time, times, side="right") - 1, 0, None)
            address = _address(model, body)
            found[:, address : address + 7] = np.column_stack([column.values for column in columns])[rows]
    return found


def _address(model: mujoco.MjModel, body: int) -> int:
    """Where the pose of a free body begins."""
    return int(model.jnt_qposadr[model.body_jntadr[body]])
