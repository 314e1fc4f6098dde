"""Which of the signals that a robot tells of are compared with its twin.

Readings of sensors that have errors in the twin's file, as real ones do; where none has, all of them. What drives report
(position, velocity, torque at the motor) where no sensor reads the joints. A column of a recording that only somebody outside can
know (a camera system's `truth.position`) where the recording has it. What a program makes of readings (`odom`, `control`) is not
compared: the twin's program is not asked.
"""

from __future__ import annotations

from collections.abc import Iterable

from didymos.describe.twin import Twin
from didymos.errors import InputError

__all__ = ["compared_signals"]

_NOT_COMPARED = ("inputs", "setpoints", "odom", "control", "clock", "tf")
_REPORTS = ("position", "velocity", "torque")
_OUTPUTS = ("output_position", "output_velocity")  # the same, at the output


def compared_signals(twin: Twin, told: Iterable[str]) -> tuple[str, ...]:
    """Of the signals that a robot tells of, those that are compared; none at all is an `InputError`."""
    names = [name for name in told if name.partition(".")[0] not in _NOT_COMPARED]
    sensors = {stream for name in names if (stream := name.partition(".")[0]) in twin.file.sensors}
    noisy = {stream for stream in sensors if _has_errors(twin, stream)}
    used = noisy or sensors
    found = [name for name in names if name.partition(".")[0] in used]
    if not any(twin.file.sensors[stream].contract.per_joint for stream in used):
        found += _reports(names)
    found += [name for name in names if name.startswith("truth.")]
    if not found:
        raise InputError("the robot tells of nothing that its twin could be compared with", option="robot")
    return tuple(dict.fromkeys(found))


def _has_errors(twin: Twin, sensor: str) -> bool:
    spec = twin.file.sensors[sensor]
    rate = spec.rate
    errors = [getattr(spec, item.name) for item in spec.contract.quantities]
    return any(max(error.variances(rate)) > 0.0 for error in errors)


def _reports(names: Iterable[str]) -> list[str]:
    """What drives report, once: at the motor, or else at the output."""
    listed = [name for name in names if name.startswith("parts.")]
    found = [name for name in listed if name.rpartition(".")[2] in _REPORTS]
    drives = {name.rpartition(".")[0] for name in found if name.endswith(".position")}
    found += [
        name for name in listed if name.rpartition(".")[2] in _OUTPUTS and name.rpartition(".")[0] not in drives
    ]  # fmt: skip
    return [name for name in listed if name in found]
