"""What an experiment may not exceed: limits of joints and drives, what the scenario expects, and what the user says.

A joint stays within the positions of its description. Its velocity and the effort of what drives it stay a twentieth below the
description's and the drive's own limits, because robots stop by themselves at those. The motor of a drive stays below its
continuous torque in the root mean square. Of the scenario's expectations those count that hold a signal down over the whole
run: the measures `max` with a `high`, `min` with a `low`, `max_error` with a `high`. What the user says of a signal takes the
place of all others.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from didymos.describe.names import movable_joints
from didymos.describe.schema import ExpectationSpec
from didymos.describe.twin import Twin
from didymos.errors import InputError, nearest

__all__ = ["BELOW", "Limit", "limits_of"]

_Array = NDArray[np.float64]
BELOW = 0.95
"""Of the velocity and effort at which a robot stops itself."""
_EFFORTS = ("torque", "effort")  # outputs of parts


@dataclass(frozen=True)
class Limit:
    """A signal, what it may be, and who says so; infinite where a side is free. `rms`: of the root of its mean square."""

    signal: str
    low: float
    high: float
    why: str
    rms: bool = False

    def reached(self, values: _Array) -> tuple[float, float]:
        """The least and the largest that a run, shape [n], came to."""
        if self.rms:
            size = float(np.sqrt(np.mean(np.square(values))))
            return size, size
        return float(values.min()), float(values.max())

    def excess(self, values: _Array) -> float:
        """By how much a run exceeds it, relative to its size; 0 where it does not."""
        least, most = self.reached(values)
        size = max((abs(end) for end in (self.low, self.high) if math.isfinite(end)), default=1.0) or 1.0
        return max(0.0, (most - self.high) / size, (self.low - least) / size)

    @property
    def expectations(self) -> list[dict[str, float | str]]:
        """What a scenario expects of a run that keeps it, as plain data of a twin file."""
        name = f"{self.signal} {'rms' if self.rms else 'within'}"
        if self.rms:
            return [{"name": name, "signal": self.signal, "measure": "rmse", "high": self.high}]
        made: list[dict[str, float | str]] = []
        if math.isfinite(self.high):
            made.append({"name": f"{self.signal} high", "signal": self.signal, "measure": "max", "high": self.high})
        if math.isfinite(self.low):
            made.append({"name": f"{self.signal} low", "signal": self.signal, "measure": "min", "low": self.low})
        return made


def limits_of(
    twin: Twin, scenario: str | None, given: Mapping[str, tuple[float, float]], recorded: Collection[str]
) -> tuple[Limit, ...]:
    """All limits; one that is given of a signal that no run records, or the wrong way round, is an `InputError`."""
    for signal, (low, high) in given.items():
        if signal not in recorded:
            raise InputError(f"no run records {signal!r}{nearest(signal, recorded)}", option="limits")
        if not low < high:
            raise InputError(f"found {signal}={low:g}:{high:g}, expected the lower one first", option="limits")
    found = [limit for limit in (*_of_joints(twin), *_of_parts(twin), *_expected(twin, scenario)) if limit.signal in recorded]
    said = [Limit(signal, low, high, "given") for signal, (low, high) in given.items()]
    return (*(limit for limit in found if limit.signal not in given), *said)


def _of_joints(twin: Twin) -> Iterator[Limit]:
    for name in movable_joints(twin.description):
        joint = twin.description.joints[name]
        low, high = (_or(value, sign) for value, sign in ((joint.lower, -1.0), (joint.upper, 1.0)))
        if math.isfinite(low) or math.isfinite(high):
            yield Limit(f"joints.{name}.position", low, high, "the joint's positions")
        speed = _velocity(twin, name)
        if math.isfinite(speed):
            yield Limit(f"joints.{name}.velocity", -BELOW * speed, BELOW * speed, "velocity of the joint or its drive")


def _velocity(twin: Twin, joint: str) -> float:
    """The velocity [rad/s or m/s] at which a joint or one of its drives stops."""
    demands = (part.contract.at_most(part) for part in twin.file.parts.values() if part.joint == joint and part.belt is None)
    return min([_or(twin.description.joints[joint].velocity or None, 1.0), *(item.velocity for item in demands if item)])


def _of_parts(twin: Twin) -> Iterator[Limit]:
    for name, part in twin.file.parts.items():
        output = next((item.name for item in part.contract.outputs if item.name in _EFFORTS and item.size == 1), None)
        demand = part.contract.at_most(part)
        if output is None or demand is None or part.joint is None:
            continue
        borne = _or(twin.description.joints[part.joint].effort or None, 1.0)
        effort = min(demand.effort, borne) / getattr(part, "ratio", 1.0)
        if math.isfinite(effort):
            yield Limit(f"parts.{name}.{output}", -BELOW * effort, BELOW * effort, "effort of the drive or its joint")
        continuous = getattr(part, "continuous_torque", 0.0)
        if continuous > 0.0:
            yield Limit(f"parts.{name}.{output}", 0.0, continuous, "continuous torque of the drive", rms=True)


def _expected(twin: Twin, scenario: str | None) -> Iterator[Limit]:
    for item in twin.scenarios[scenario].expect if scenario is not None else ():
        limit = _held_down(item)
        if limit is not None:
            yield limit


def _held_down(item: ExpectationSpec) -> Limit | None:
    """The limit that an expectation is, None where it is something else."""
    if item.signal is None or item.point is not None or item.after > 0.0 or item.before is not None:
        return None
    why = f"the scenario expects {item.name!r}"
    if item.measure == "max" and item.high is not None:
        return Limit(item.signal, -math.inf, item.target + item.high, why)
    if item.measure == "min" and item.low is not None:
        return Limit(item.signal, item.target + item.low, math.inf, why)
    if item.measure == "max_error" and item.high is not None:
        return Limit(item.signal, item.target - item.high, item.target + item.high, why)
    return None


def _or(value: float | None, sign: float) -> float:
    return sign * math.inf if value is None else value
