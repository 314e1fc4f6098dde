"""Signals of a log for the page: which there are, their units, and the last seconds of a growing one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from didymos.cockpit.robots import WORLD
from didymos.record.log import Log
from didymos.record.robots import robot_of
from didymos.rotations import ANGLES, angle

__all__ = ["heights", "is_there", "last", "names", "tail", "units"]

Array = NDArray[np.float64]


def names(log: Log, holder: str = "") -> tuple[str, ...]:
    """All signals of a log, and the angles of its streams with an orientation; of a world's log those of a holder."""
    turned = [name.removesuffix(".orientation.w") for name in log.signals if name.endswith(".orientation.w")]
    angles = [f"{stream}.{kind}" for stream in turned if not stream.startswith("tf.") for kind in ANGLES]
    if not holder:
        return (*log.signals, *angles)
    robots = set(log.robots)
    return tuple(name for name in (*log.signals, *angles) if (robot_of(name, robots) or WORLD) == holder)


def is_there(log: Log, name: str) -> bool:
    """Whether a log has a signal, or the orientation that an angle is computed from."""
    stream, _, last = name.rpartition(".")
    return name in log or (last in ANGLES and f"{stream}.orientation.w" in log)


def heights(log: Log) -> tuple[str, ...]:
    """The height of each robot of a world that has one."""
    return tuple(name for robot in log.robots if (name := f"{robot}.truth.position.z") in log)


def units(log: Log) -> dict[str, str]:
    """Unit of each recorded signal, empty for pure numbers."""
    both = [pair for layout in log.layouts for pair in zip(layout.signals, layout.units, strict=True)]
    return {name: "" if unit == "1" else unit for name, unit in both}


def tail(log: Log, name: str, begin: float) -> tuple[Array, Array]:
    """Times [s] and values of a signal since a time, while another thread may add rows."""
    stream, _, last = name.rpartition(".")
    if name not in log and last in ANGLES:
        parts = [tail(log, f"{stream}.orientation.{axis}", begin) for axis in "wxyz"]
        count = min(len(times) for times, _ in parts)
        return parts[0][0][:count], angle(last, np.column_stack([values[:count] for _, values in parts]))
    signal = log[name]
    count = min(len(signal.time), len(signal.values))
    first = int(np.searchsorted(signal.time[:count], begin))
    return signal.time[first:count], signal.values[first:count]


def last(log: Log, name: str) -> float:
    """The latest value of a signal, NaN where there is none yet; at the cost of one row."""
    stream, _, end = name.rpartition(".")
    if name not in log and end in ANGLES:
        parts = [last(log, f"{stream}.orientation.{axis}") for axis in "wxyz"]
        return float(angle(end, np.array([parts]))[0])
    values = log[name].values
    return float(values[-1]) if len(values) else float("nan")
