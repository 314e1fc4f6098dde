"""What the signals of a log are, by their names: vectors, quaternions, poses, commands, heights, motors.

Logs of others carry no types: `px, py, pz`, `est_stateEstimate_x`, `imu.gyro.x`, `vehicle_attitude.q.0`. Signals of one stream
whose names differ in an axis letter alone belong together; with a fourth, w, and a length of one, they are a quaternion. Words
decide the rest: a set-point or a controller's output may leap, a position may not. A wrong guess makes a test looser; no signal
is lost. What a twin computed (its truth, its parts) has no noise and may do anything.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from didymos.record.bad_samples import Nature
from didymos.record.log import Log
from didymos.record.stream import Kind

__all__ = ["COMMANDS", "Quantity", "heights", "motors", "quantities", "rates", "tokens"]

COMMANDS = {
    "sp", "setpoint", "setpoints", "target", "ctrltarget", "cmd", "command", "commanded", "desired", "des", "ref", "reference",
    "goal", "pid", "controller", "rc", "rccommand", "axisp", "axisi", "axisd", "axisf",
}  # fmt: skip
_MOTIONS = {
    "gyro", "acc", "accel", "accelerometer", "acceleration", "mag", "magnetometer", "vel", "velocity", "speed", "rate", "rates",
    "angular", "force", "torque", "field", "thrust", "linear", "twist", "wrench", "flow",
}  # fmt: skip
_MOTORS = {"motor", "motors", "rotor", "rotors", "esc", "propeller", "propellers", "pwm", "thruster"}
_HEIGHTS = {"altitude", "alt", "height"}
_ROTATIONS = {"q", "quat", "quaternion", "orientation", "attitude"}
_COMPUTED = {"truth", "joints", "tf", "tf_static", "setpoints", "inputs", "parts", "air"}  # of a twin: nobody measures them
_TOKEN = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_AXIS = re.compile(r"(?<![a-zA-Z])(?P<of>[a-z]{0,2})(?P<axis>[wxyz])(?![a-zA-Z])")  # x, px, vx_vicon, imu.gyro.x
_CAMEL = re.compile(r"(?<=[a-z])(?P<axis>[WXYZ])(?![a-zA-Z])")  # gyroX
_INDEX = re.compile(r"\.(?P<axis>\d)$")  # q.0
_UNIT_LENGTH = 0.05
_FEWEST_MOTORS = 3


@dataclass(frozen=True)
class Quantity:
    """Signals of one stream that belong together: `name` for people, and what they are."""

    name: str
    signals: tuple[str, ...]
    nature: Nature

    def values(self, log: Log) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Stamps [s], shape [n], and values, shape [n, signals]."""
        parts = [log[name] for name in self.signals]
        return parts[0].time, np.column_stack([part.values for part in parts])


def quantities(log: Log, signals: Collection[str] | None = None) -> tuple[Quantity, ...]:
    """Every signal of a log, or of those that are asked for, in exactly one quantity."""
    found, ours = [], "twin" in log.metadata
    for i, layout in enumerate(log.layouts):
        _, rows = log.rows(i)
        columns = {name: rows[:, k] for k, name in enumerate(layout.signals) if signals is None or name in signals}
        if layout.kind is Kind.LASER_SCAN:
            if columns:
                found.append(Quantity(layout.name, tuple(columns), "scan"))
            continue
        done: set[str] = set()
        for group in (*_groups(columns), *((name,) for name in columns)):
            if not done.intersection(group):
                done.update(group)
                computed = ours and layout.name in _COMPUTED
                found.append(Quantity(_title(group), group, "command" if computed else _nature(group)))
    order = {name: k for k, name in enumerate(log.signals)}
    return tuple(sorted(found, key=lambda quantity: min(order[name] for name in quantity.signals)))


def heights(log: Log) -> tuple[str, ...]:
    """Signals that say how high something is: the last axis of a position, or what is called so."""
    found = [q.signals[2] for q in quantities(log) if q.nature == "pose" and len(q.signals) == 3]
    named = [name for name in log.signals if _HEIGHTS & set(tokens(name)) and not COMMANDS & set(tokens(name))]
    return tuple(dict.fromkeys((*found, *named)))


def motors(log: Log) -> tuple[str, ...]:
    """Signals of motors that may lift something: three or more."""
    other = _MOTIONS - {"thrust", "speed"}
    found = [name for name in log.signals if _MOTORS & set(tokens(name)) and not other & set(tokens(name))]
    return tuple(found) if len(found) >= _FEWEST_MOTORS else ()


def rates(log: Log, found: Collection[Quantity]) -> Iterator[tuple[Quantity, Quantity]]:
    """Positions and what by its name is their velocity, in the same stream and frame."""
    by_signals = {quantity.signals: quantity for quantity in found}
    layouts = {name: layout for layout in log.layouts for name in layout.signals}
    for quantity in found:
        if quantity.nature != "pose" or layouts[quantity.signals[0]].kind is Kind.ODOMETRY:
            continue  # of an odometry, the velocity is in the body's frame
        for like in (_velocity_letters, _velocity_words):
            velocity = by_signals.get(tuple(like(name) for name in quantity.signals))
            if velocity is not None and velocity is not quantity:
                yield quantity, velocity
                break


def tokens(name: str) -> list[str]:
    """The words of a name, in lower case: `stateEstimate.vx` -> state, estimate, vx."""
    return [token.lower() for token in _TOKEN.findall(name)]


def _groups(columns: Mapping[str, NDArray[np.float64]]) -> Iterator[tuple[str, ...]]:
    """Names that differ in their axis alone: quaternions, w first, and vectors of three."""
    members: dict[str, dict[str, str]] = {}
    for name in columns:
        matches = [match for pattern in (_INDEX, _CAMEL, _AXIS) for match in pattern.finditer(name)]
        if matches:
            low, high = matches[-1].span("axis")
            members.setdefault(f"{name[:low]}*{name[high:]}", {})[name[low:high].lower()] = name
    for axes in members.values():
        for letters in ("wxyz", "0123"):
            four = tuple(axes[letter] for letter in letters if letter in axes)
            named = letters == "wxyz" or _ROTATIONS & set(tokens(four[0] if four else ""))
            if len(four) == 4 and named and _has_unit_length([columns[name] for name in four]):
                yield four
        if {"x", "y", "z"} <= set(axes):
            yield axes["x"], axes["y"], axes["z"]
        elif set(axes) == {"0", "1", "2"}:
            yield axes["0"], axes["1"], axes["2"]


@np.errstate(over="ignore", invalid="ignore")
def _has_unit_length(columns: list[NDArray[np.float64]]) -> bool:
    length = np.sqrt(np.sum(np.square(columns), axis=0))
    length = length[np.isfinite(length)]
    return bool(len(length)) and abs(float(np.median(length)) - 1.0) < _UNIT_LENGTH


def _title(group: tuple[str, ...]) -> str:
    """The part that the names of a group share, without the axis."""
    if len(group) == 1:
        return group[0]
    first, last = group[-3], group[-1]  # x and z
    at = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    shared = (first[:at] + first[at + 1 :]).strip("._")
    return shared or "xyz"


def _nature(group: tuple[str, ...]) -> Nature:
    if len(group) == 4:
        return "quaternion"
    words = set(tokens(group[0]))
    if COMMANDS & words:
        return "command"
    axis = [match["of"] for match in _AXIS.finditer(group[0])]
    if len(group) == 3 and axis and axis[-1] in ("", "p") and not _MOTIONS & words:
        return "pose"
    return "measured"


def _velocity_letters(name: str) -> str:
    """`px` -> `vx`, `state.x` -> `state.vx`."""
    return re.sub(r"(?<![a-zA-Z])p?([xyz])(?![a-zA-Z])(?!.*(?<![a-zA-Z])p?[xyz](?![a-zA-Z]))", r"v\1", name)


def _velocity_words(name: str) -> str:
    """`position.x` -> `velocity.x`, `pos_x` -> `vel_x`."""
    return name.replace("position", "velocity").replace("pos_", "vel_")
