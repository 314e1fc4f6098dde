"""Positions of all joints of the engine over the time of a log, a twin's or a robot's: what pictures, films and replays show.

The root link's pose comes from the stream `truth`, or else from the first stream that holds a whole pose; that of a joint from
`joints`, or else from a signal that ends in `JOINT.position`; those of a pilot's boxes from `boxes`, of objects of the world from
`objects`. What the log does not mention stays where the model has it; where it has no number (NaN), as while cameras lose
sight of a robot, the last pose holds, and before the first one that one.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.describe.twin import Twin
from didymos.engine.objects import is_object, object_of
from didymos.errors import InputError
from didymos.record.log import Log

__all__ = ["JointPositions", "joint_positions", "poses"]

Array = NDArray[np.float64]
_Curves = dict[int, tuple[Array, Array]]  # times [s] and values by place in `qpos`
_POSE = (*(f"position.{axis}" for axis in "xyz"), *(f"orientation.{axis}" for axis in "wxyz"))


@dataclass(frozen=True, eq=False)
class JointPositions:
    """Times [s], shape [n], and positions of all joints of a model, shape [n, nq]."""

    time: Array
    values: Array

    def at(self, time: float) -> Array:
        """The positions at a time [s], held between rows and beyond the ends, shape [nq]."""
        return self.values[min(max(int(np.searchsorted(self.time, time, side="right")) - 1, 0), len(self.time) - 1)]


def joint_positions(twin: Twin, model: mujoco.MjModel, root: int, log: Log) -> JointPositions:
    """All that a log knows of the joints of a twin's model with a body `root`; one that knows nothing is an `InputError`.

    The rows are those of `truth`, or else of the signal that has most.
    """
    curves = _of_joints(twin, model, log) | (_of_root(model, root, log) if twin.description.floating else {})
    if "truth.position.x" in log and len(log["truth.position.x"].time) and (curves or not twin.description.floating):
        times = log["truth.position.x"].time
    elif curves:
        times = max((times for times, _ in curves.values()), key=len)
    else:
        raise InputError(f"this log holds no pose and no joint position of {twin.name}")
    values = np.tile(model.qpos0, (len(times), 1))
    for place, (own_times, own_values) in (curves | _of_boxes(twin, model, log)).items():
        values[:, place] = own_values[np.clip(np.searchsorted(own_times, times + 1e-9, side="right") - 1, 0, len(own_times) - 1)]
    return JointPositions(times, values)


def poses(twin: Twin, model: mujoco.MjModel, root: int, log: Log) -> Array:
    """Positions of all joints of a model over the log's own time, shape [n, nq]."""
    return joint_positions(twin, model, root, log).values


def _of_root(model: mujoco.MjModel, root: int, log: Log) -> _Curves:
    streams = ["truth", *(name.removesuffix(".orientation.w") for name in log.signals if name.endswith(".orientation.w"))]
    for stream in streams:
        if f"{stream}.position.x" in log and all(f"{stream}.{column}" in log for column in _POSE):
            return _of_body(model, root, log, stream)
    return {}


def _of_boxes(twin: Twin, model: mujoco.MjModel, log: Log) -> _Curves:
    curves: _Curves = {}
    for body in range(model.nbody):
        name = str(model.body(body).name).removeprefix(twin.description.prefix)
        stream = f"objects.{object_of(name)}" if is_object(model, body) else f"boxes.{name.removeprefix('didymos:')}"
        if f"{stream}.position.x" in log:
            curves |= _of_body(model, body, log, stream)
    return curves


def _of_body(model: mujoco.MjModel, body: int, log: Log, stream: str) -> _Curves:
    """The pose of a free body, out of a stream; nothing where it has no rows."""
    first = int(model.jnt_qposadr[model.body_jntadr[body]])
    signals = [log[f"{stream}.{column}"] for column in _POSE]
    if all(np.array_equal(signal.time, signals[0].time) for signal in signals):  # known as a whole, or not at all
        times, rows = _known(signals[0].time, np.column_stack([signal.values for signal in signals]))
        columns = [(times, rows[:, i]) for i in range(len(_POSE))]
    else:
        columns = [_known(signal.time, signal.values) for signal in signals]
    return {first + i: column for i, column in enumerate(columns) if len(column[0])}


def _of_joints(twin: Twin, model: mujoco.MjModel, log: Log) -> _Curves:
    curves: _Curves = {}
    for name, joint in twin.description.joints.items():
        ending = f"{name}.position"
        known = [signal for signal in log.signals if signal == ending or signal.endswith(f".{ending}")]
        if len(joint.engine_joints) == 1 and known:
            signal = log[f"joints.{ending}" if f"joints.{ending}" in known else known[0]]
            times, values = _known(signal.time, signal.values)
            if len(times):
                curves[int(model.joint(joint.engine_joints[0]).qposadr[0])] = times, values
    return curves


def _known(times: Array, values: Array) -> tuple[Array, Array]:
    """The rows whose values, shape [n] or [n, columns], are all numbers."""
    known = np.isfinite(values).all(axis=tuple(range(1, values.ndim)))
    return (times, values) if known.all() else (times[known], values[known])
