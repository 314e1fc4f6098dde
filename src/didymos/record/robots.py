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


def track(log: Log, end: str, quantity: str = "position") -> tuple[Array, Array]:
    """Times [s], shape [n], and positions [m], [n, 3], or orientations, [n, 4], of a robot's root link, of a link (ROBOT.LINK)
    or of an object of the world (objects.NAME).
    """
    robot, _, link = end.partition(".")
    signal = f"{robot}.truth.{quantity}"
    if robot == "objects":
        signal = f"{end}.{quantity}"
    elif link:
        signal = f"tf.{robot}/{link}.{quantity}"
    names = [f"{signal}.{axis}" for axis in ("wxyz" if quantity == "orientation" else "xyz")]
    if names[0] not in log:
        raise InputError(f"no run records {signal!r}")
    axes = [log[name] for name in names]
    return axes[0].time, np.column_stack([axis.values for axis in axes])
