"""Signals of a log for the page: the last seconds of a growing one, thinned out to what a plot can show."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from didymos.cockpit.robots import WORLD
from didymos.record.log import Log
from didymos.record.robots import robot_of
from didymos.rotations import ANGLES, angle

__all__ = ["MOST_POINTS", "heights", "holders", "is_there", "names", "pairs", "tail", "together", "unit"]

MOST_POINTS = 400
_AXES = {"vx": "velocity.x", "vy": "velocity.y", "vz": "velocity.z", "wz": "angular_velocity.z", "heading": "yaw",
         "height": "position.z", "altitude": "position.z"}  # fmt: skip
Array = NDArray[np.float64]


def names(log: Log, holder: str = "") -> tuple[str, ...]:
    """All signals of a log, and the angles of its streams with an orientation; of a world's log those of a holder."""
    turned = [name.removesuffix(".orientation.w") for name in log.signals if name.endswith(".orientation.w")]
    angles = [f"{stream}.{kind}" for stream in turned if not stream.startswith("tf.") for kind in ANGLES]
    if not holder:
        return (*log.signals, *angles)
    robots = set(log.robots)
    return tuple(name for name in (*log.signals, *angles) if (robot_of(name, robots) or WORLD) == holder)


def holders(log: Log) -> tuple[str, ...]:
    """Whose signals a log has: a twin alone has no name; of a world its robots, and WORLD where it has signals of its own."""
    robots = log.robots
    if not robots:
        return ("",)
    known = set(robots)
    return (*robots, *((WORLD,) if not all(robot_of(name, known) for name in log.signals) else ()))


def is_there(log: Log, name: str) -> bool:
    """Whether a log has a signal, or the orientation that an angle is computed from."""
    stream, _, last = name.rpartition(".")
    return name in log or (last in ANGLES and f"{stream}.orientation.w" in log)


def heights(log: Log) -> tuple[str, ...]:
    """The height of each robot of a world that has one."""
    return tuple(name for robot in log.robots if (name := f"{robot}.truth.position.z") in log)


def unit(log: Log, name: str) -> str:
    """Unit of a signal, empty for pure numbers."""
    for layout in log.layouts:
        if name in layout.signals:
            unit = layout.units[layout.signals.index(name)]
            return "" if unit == "1" else unit
    return "rad"


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


def together(curves: list[tuple[Array, Array]]) -> tuple[Array, ...]:
    """Several curves over one time axis of at most MOST_POINTS points: time, then the values of each, held between rows."""
    filled = [times for times, _ in curves if len(times)]
    if not filled:
        return (np.zeros(1), *(np.full(1, np.nan) for _ in curves))
    longest = max(filled, key=len)
    time = longest[:: -(-len(longest) // MOST_POINTS)]
    values = []
    for times, curve in curves:
        rows = np.searchsorted(times, time + 1e-9, side="right") - 1
        values.append(np.where(rows >= 0, curve[np.maximum(rows, 0)], np.nan) if len(times) else np.full(len(time), np.nan))
    return (time, *values)


def pairs(available: tuple[str, ...], robot: str = "") -> list[tuple[str, str]]:
    """Set-points beside what they are about: (`setpoints.z`, `truth.position.z`); in a world, those of a robot."""
    if robot:
        own = tuple(name.removeprefix(f"{robot}.") for name in available if name.startswith(f"{robot}."))
        return [(f"{robot}.{setpoint}", f"{robot}.{about}") for setpoint, about in pairs(own)]
    beside = []
    for setpoint in (name for name in available if name.startswith("setpoints.")):
        last = setpoint.partition(".")[2]
        guesses = [f"truth.{last}", f"truth.position.{last}", f"truth.{_AXES.get(last, last)}", f"joints.{last}.position"]
        guesses += [name for name in available if name.startswith("parts.") and name.endswith(f".{last}")]
        guess = next((guess for guess in guesses if guess in available), None)
        if guess is not None:
            beside.append((setpoint, guess))
    return beside
