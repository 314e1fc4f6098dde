"""Which set-point asks for which signal: `setpoints.z` for `truth.position.z`, `ctrltarget.x` for `stateEstimate.x`.

A twin's set-points are named by convention; those of others by words such as target or sp (`quantities.py`). A pair has one unit;
where a log names none, angles of which one reaches eight times as far as the other are taken as degrees and radians: no pair.
A set-point that is zero all the time asks for nothing: most programs have more of them than a scenario uses. One that a policy
commands is asked for by the policy (`control.action.setpoints.z`), whatever the scenario says.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

import numpy as np

from didymos.record.log import Log
from didymos.record.quantities import COMMANDS, tokens

__all__ = ["pairs", "setpoint_of", "setpoints_in_use"]

_NAMES = {
    **{f"truth.position.{axis}": (axis,) for axis in "xy"},
    "truth.position.z": ("z", "height", "altitude"),
    **{f"truth.{angle}": (angle,) for angle in ("roll", "pitch")},
    "truth.yaw": ("yaw", "heading"),
    **{f"truth.velocity.{axis}": (f"v{axis}",) for axis in "xyz"},
    "truth.angular_velocity.x": ("roll_rate", "wx"),
    "truth.angular_velocity.y": ("pitch_rate", "wy"),
    "truth.angular_velocity.z": ("yaw_rate", "wz"),
    "air.speed": ("airspeed", "speed"),
}
_OWN, _ANSWERS = "setpoints.", "control.action."  # of a twin; what a policy answers
_COMMANDED = _ANSWERS + _OWN
_ANGLES = ("truth.roll", "truth.pitch", "truth.yaw")  # computed where there is an orientation
_TURNS = {"roll", "pitch", "yaw", "heading", "angle"}
_FARTHER = 8.0  # a degree is 57 times a radian; nothing that follows an angle falls short of it by so much
_COMMON = {"state", "estimate", "estimated", "measured", "truth", "position", "pos", "pose", "local", "vehicle"}  # of others


def pairs(available: tuple[str, ...], robot: str = "") -> list[tuple[str, str]]:
    """Set-points beside what they ask for, by names alone: (`setpoints.z`, `truth.position.z`); in a world, those of a robot."""
    if robot:
        own = tuple(name.removeprefix(f"{robot}.") for name in available if name.startswith(f"{robot}."))
        return [(f"{robot}.{setpoint}", f"{robot}.{signal}") for setpoint, signal in pairs(own)]
    known, beside = set(available), []
    for setpoint in _asking(available):
        signal = next((name for name in _candidates(setpoint, available) if name in known), None)
        if signal is not None:
            beside.append((setpoint, signal))
    return beside


def setpoints_in_use(log: Log) -> dict[str, str]:
    """The signal that each set-point asks for, for those that ask for anything."""
    if "twin" not in log.metadata:
        return _pairs_of_others(log)
    found = {}
    for name in _asking(log.signals):
        if _in_use(log, name):
            signal = _signal_of(log, name)
            if signal is not None:
                found[name] = signal
    return found


def setpoint_of(log: Log, signal: str) -> str | None:
    """The set-point that asks for a signal; None without one, where it asks for nothing, or of what is an error itself."""
    if "error" in tokens(signal):
        return None
    for word in (*_NAMES.get(signal, ()), signal.rpartition(".")[2]):
        name = _COMMANDED + word if _COMMANDED + word in log else _OWN + word
        named = signal in _NAMES or not signal.startswith("truth.")
        if named and name in log and log[name].unit == log[signal].unit and _in_use(log, name):
            return name
    return None


def _asking(names: Sequence[str]) -> list[str]:
    """The set-points of a twin, but for those in whose place a policy's own answers stand."""
    known = set(names)
    own = [name for name in names if name.startswith(_OWN) and _COMMANDED + name.removeprefix(_OWN) not in known]
    return own + [name for name in names if name.startswith(_COMMANDED)]


def _candidates(setpoint: str, names: Iterable[str]) -> Iterator[str]:
    """What a set-point may ask for, the likeliest first: by convention, or the one quantity of that name."""
    word = setpoint.removeprefix(_COMMANDED).removeprefix(_OWN)
    yield from (signal for signal, words in _NAMES.items() if word in words)
    yield f"truth.{word}"
    yield f"joints.{word}.position"
    measured = (name for name in names if name.startswith(("parts.", "control.", "joints.")) and not name.startswith(_ANSWERS))
    alike = [name for name in measured if name.endswith(f".{word}")]
    if len(alike) == 1:
        yield alike[0]


def _signal_of(log: Log, setpoint: str) -> str | None:
    unit = log[setpoint].unit
    names = [name for name in log.signals if log[name].unit == unit]
    return next((name for name in _candidates(setpoint, names) if _knows(log, name) and log[name].unit == unit), None)


def _knows(log: Log, signal: str) -> bool:
    return signal in log or (signal in _ANGLES and "truth.orientation.w" in log)


def _pairs_of_others(log: Log) -> dict[str, str]:
    measured: dict[tuple[tuple[str, ...], str], list[str]] = {}
    asked = []
    for name in log.signals:
        words = tokens(name)
        if COMMANDS & set(words):
            asked.append((name, words))
        else:
            measured.setdefault((_telling(words), log[name].unit), []).append(name)
    found = {}
    for setpoint, words in asked:
        candidates = measured.get((_telling(words), log[setpoint].unit), [])
        unclear = log[setpoint].unit == "" and bool(_TURNS & set(words))
        signal = next((name for name in candidates if not unclear or _alike(log, setpoint, name)), None)
        if signal is not None and _in_use(log, setpoint):
            found[setpoint] = signal
    return found


def _alike(log: Log, one: str, other: str) -> bool:
    """Whether two signals may have one unit, by how far they reach."""
    values = (log[name].values for name in (one, other))
    low, high = sorted(float(np.max(np.abs(own), initial=0.0, where=np.isfinite(own))) for own in values)
    return low == 0.0 or high <= _FARTHER * low


def _telling(words: Collection[str]) -> tuple[str, ...]:
    return tuple(word for word in words if word not in COMMANDS and word not in _COMMON)


def _in_use(log: Log, setpoint: str) -> bool:
    values = log[setpoint].values
    return bool(np.any(np.isfinite(values) & (values != 0.0)))
