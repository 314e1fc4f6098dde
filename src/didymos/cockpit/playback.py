"""A playback: the log of a run, or of a real robot, as poses of a twin over time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from didymos.engine.simulation import Simulation
from didymos.errors import InputError
from didymos.record.log import Log

__all__ = ["Playback"]

Array = NDArray[np.float64]
_POSE = (*(f"position.{axis}" for axis in "xyz"), *(f"orientation.{axis}" for axis in "wxyz"))


class Playback:
    """Positions of all joints of the engine over time [s], shape [n, nq], from whatever the log knows of them.

    The root link's pose comes from the stream `truth`, or else from the first stream that holds a whole pose; joints from
    signals that end in `JOINT.position`. A joint that the log does not mention stays where the twin has it.
    """

    def __init__(self, simulation: Simulation, log: Log) -> None:
        self.log = log
        curves = _joints(simulation, log)
        if simulation.twin.description.floating:
            curves |= _root(simulation, log)
        if not curves:
            raise InputError(f"this log holds no pose and no joint position of {simulation.twin.name}")
        self.time = max((times for times, _ in curves.values()), key=len)
        self.poses = np.tile(simulation.model.qpos0, (len(self.time), 1))
        for address, (times, values) in curves.items():
            places = np.clip(np.searchsorted(times, self.time + 1e-9, side="right") - 1, 0, len(times) - 1)
            self.poses[:, address] = values[places]

    @property
    def end(self) -> float:
        """When the log ends [s]."""
        return float(self.time[-1])

    def at(self, time: float) -> Array:
        """Positions of the joints at a time [s], held between rows and beyond the ends."""
        return self.poses[min(max(int(np.searchsorted(self.time, time, side="right")) - 1, 0), len(self.time) - 1)]


def _root(simulation: Simulation, log: Log) -> dict[int, tuple[Array, Array]]:
    prefixes = ["truth", *(name.removesuffix(".orientation.w") for name in log.signals if name.endswith(".orientation.w"))]
    for prefix in prefixes:
        if all(f"{prefix}.{column}" in log for column in _POSE) and len(log[f"{prefix}.position.x"].time):
            root = simulation.links.root_body(simulation.model)
            first = int(simulation.model.jnt_qposadr[simulation.model.body_jntadr[root]])
            signals = [log[f"{prefix}.{column}"] for column in _POSE]
            return {first + i: (signal.time, signal.values) for i, signal in enumerate(signals)}
    return {}


def _joints(simulation: Simulation, log: Log) -> dict[int, tuple[Array, Array]]:
    found = {}
    for name, joint in simulation.twin.description.joints.items():
        if len(joint.engine_joints) != 1:
            continue
        ending = f"{name}.position"
        signal = next((item for item in log.signals if item == f"joints.{ending}"), None) or next(
            (item for item in log.signals if item == ending or item.endswith(f".{ending}")), None
        )
        if signal is not None and len(log[signal].time):
            found[int(simulation.model.joint(joint.engine_joints[0]).qposadr[0])] = (log[signal].time, log[signal].values)
    return found
