"""What a scenario expects, as a log keeps it: the keys of its expectations as JSON in the metadata, under EXPECTED.

A log may come from anybody: what does not fit is left out. A curve that is held against bounds has limits: lines from a time to
another, and where the curve must not be on one side of them, that side.

    max_error high     between target - high and target + high        max high    below        final    at the end of the run
    min low            above                                          others      a line, if any
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from didymos.errors import InputError, RunError
from didymos.measures import MEASURES
from didymos.record.log import Log
from didymos.record.relations import SPANS, distance_of, relative_of
from didymos.record.verdict import Series, Verdict, measure, series_of

__all__ = ["EXPECTED", "Expectation", "Limit", "expectations", "expected_text", "verdicts"]

EXPECTED = "expected"
"""Name under which a log's metadata has what the scenario expects, as JSON."""

_LINES = ("max_error", "rmse", "min", "max", "mean", "final")
_NUMBERS = ("target", "after", "before", "low", "high")


@dataclass(frozen=True)
class Limit:
    """A value that a curve is held against, from a time on and until another [s], or at the end of the run.

    `side` is where the curve must not be: 1 above, -1 below, 0 where it may be on both sides.
    """

    value: float
    after: float = 0.0
    before: float = math.inf
    at_end: bool = False
    side: int = 0


@dataclass(frozen=True)
class Expectation:
    """One expectation, as `ExpectationSpec` and `WorldExpectationSpec` have it."""

    name: str
    signal: str | None = None
    measure: str = "max_error"
    target: float = 0.0
    point: tuple[float, float, float] | None = None
    stl: str | None = None
    after: float = 0.0
    before: float | None = None
    low: float | None = None
    high: float | None = None
    distance: tuple[str, ...] = ()
    relative: Mapping[str, Any] = field(default_factory=dict)

    def series(self, log: Log) -> Series:
        """What is looked at, unless it is a formula; an `InputError` where the log does not have it."""
        if self.distance:
            return distance_of(self.distance, log, {})
        if self.relative:
            from didymos.describe.world_file import RelativeSpec
            from didymos.spec import Vector

            place = None if self.point is None else Vector(**dict(zip("xyz", self.point, strict=True)))
            return relative_of(RelativeSpec.model_validate(self.relative), place, log, {})
        return series_of(self, log)

    def verdict(self, log: Log, series: Series | None = None) -> Verdict | None:
        """What the log says of it; None where nothing can be measured."""
        try:
            found = measure(self, log, None, series)
        except (RunError, ValueError):
            return None
        return None if found.value is not None and not math.isfinite(found.value) else found

    @property
    def limits(self) -> set[Limit]:
        """What the curve is held against, as far as that is a line."""
        if self.stl is not None or self.measure not in _LINES:
            return set()
        before, at_end = math.inf if self.before is None else self.before, self.measure == "final"
        length = self.relative.get("along", "space") in SPANS if self.relative else bool(self.point or self.distance)
        both = self.measure in ("max_error", "rmse") and not length
        found = set()
        for bound, key in ((self.low, "low"), (self.high, "high")):
            if bound is None:
                continue
            for sign in (-1, 1) if both else (1,):
                side = sign if key == "high" else -sign
                known = (self.measure, key) in (("max_error", "high"), ("max", "high"), ("min", "low")) or at_end
                found.add(Limit(self.target + sign * bound, self.after, before, at_end, side if known else 0))
        return found


def expected_text(items: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """What a log's metadata says of expectations; figures of the twin, which no log shows, are left out."""
    shown = [item for item in items if item.get("signal") is not None or item.get("stl") is not None]
    return {EXPECTED: json.dumps(shown, separators=(",", ":"))} if shown else {}


def expectations(log: Log) -> tuple[Expectation, ...]:
    """What the scenario of a log expects; nothing where the log does not say. Of one robot of a world, what is asked of it."""
    try:
        raw = json.loads(log.metadata.get(EXPECTED, "[]"))
    except (ValueError, RecursionError):
        return ()
    robot = log.metadata.get("robot", "") if not log.robots else ""
    found = []
    for item in raw if isinstance(raw, list) else []:
        try:
            own = _of_robot(item, robot) if robot else item
            if own is not None:
                found.append(_expectation(own))
        except (InputError, AttributeError, KeyError, TypeError, ValueError):
            continue
    return tuple(found)


def verdicts(log: Log) -> list[Verdict]:
    """What the log says of all that its scenario expects."""
    found = []
    for item in expectations(log):
        try:
            found.append(item.verdict(log, None if item.stl is not None else item.series(log)))
        except (InputError, KeyError, TypeError, ValueError):
            continue  # the log does not have it
    return [verdict for verdict in found if verdict is not None]


def _expectation(item: Mapping[str, Any]) -> Expectation:
    numbers = {key: float(item[key]) for key in _NUMBERS if item.get(key) is not None}
    if not all(map(math.isfinite, numbers.values())):
        raise ValueError("no number")
    point, about = item.get("point"), item.get("relative")
    signal = None if item.get("stl") is not None else str(item["signal"])
    kind = str(item.get("measure", "max_error"))
    if kind not in MEASURES or (about is not None and not isinstance(about, dict)):
        raise ValueError("an unknown measure")
    ends = tuple(str(end) for end in item.get("distance") or ())
    if len(ends) == 1 or (item.get("stl") is None and not {"low", "high"} & numbers.keys()):
        raise ValueError("nothing to hold against")
    stl = None if item.get("stl") is None else str(item["stl"])
    return Expectation(
        str(item.get("name", stl or signal)), signal, kind, point=None if point is None else _place(point), stl=stl,
        distance=ends, relative=about or {}, **numbers,
    )  # fmt: skip


def _place(point: Any) -> tuple[float, float, float]:
    """The coordinates of a point, by axis or in a row."""
    x, y, z = (float(value) for value in ([point.get(axis, 0.0) for axis in "xyz"] if isinstance(point, dict) else point))
    if not np.isfinite((x, y, z)).all():
        raise ValueError("no place")
    return x, y, z


def _of_robot(item: Mapping[str, Any], robot: str) -> dict[str, Any] | None:
    """An expectation of a world in the words of one of its robots; None where it is of others."""
    if item.get("stl") is not None:
        own = re.sub(rf"(?<![\w.']){re.escape(robot)}\.", "", str(item["stl"]))
        return {**item, "stl": own} if own != item["stl"] else None
    signal = str(item["signal"])
    return {**item, "signal": signal.removeprefix(f"{robot}.")} if signal.startswith(f"{robot}.") else None
