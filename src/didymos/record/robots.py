"""Robots of a world in one log: whose a signal is, and where robots and their links were."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from didymos.errors import InputError
from didymos.record.log import Log

__all__ = ["robot_of", "track"]

Array = NDArray[np.float64]


def robot_of(signal: str, robots: Collection[str]) -> str:
    """The robot whose signal it is (`drone.imu.gyro.x`, `tf.drone/body.position.x`); empty for those of the world itself."""
    head, _, rest = signal.partition(".")
    robot = rest.partition("/")[0] if head == "tf" else head
    return robot if robot in robots else ""


def track(log: Log, end: str) -> tuple[Array, Array]:
    """Times [s], shape [n], and positions [m], shape [n, 3], of a robot's root link, or of a link as ROBOT.LINK."""
    robot, _, link = end.partition(".")
    signal = f"tf.{robot}/{link}.position" if link else f"{robot}.truth.position"
    if f"{signal}.x" not in log:
        raise InputError(f"no run records {signal!r}")
    axes = [log[f"{signal}.{axis}"] for axis in "xyz"]
    return axes[0].time, np.column_stack([axis.values for axis in axes])
