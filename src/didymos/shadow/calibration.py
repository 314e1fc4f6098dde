"""What healthy recordings say of a robot and its twin: noise of the readings, accelerations that the twin does not know of.

Densities of unknown accelerations and noise are those by which the innovations of healthy recordings are likeliest
(`noise_fit.py`). What is left (colours of noise, what the twin does not have) shows as d^2 / J of the causes that is larger than
chance has it. The largest of N independent values of chi-square with one degree of freedom is about 2 log N, and there is about
one in a second; a cause whose largest is k times that gets the inflation k, and its alarms need as much more. The tests without
causes get inflations of their own (`detector.py`). How far the mean of unknown accelerations moves within seconds is kept as it
is (`level.py`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ruamel.yaml import YAML

from didymos.errors import InputError
from didymos.shadow.noise_fit import WARM_UP, Course, fit_noise, loosened

if TYPE_CHECKING:
    from didymos.shadow.causes import Cause
    from didymos.shadow.estimate import Frame
    from didymos.shadow.shadow import Shadow
    from didymos.shadow.source import SourceOptions
    from didymos.twin import Twin

__all__ = ["Calibration", "calibrate"]

_DENSITY = {"linear": 0.001, "angular": 0.003, "hinge": 0.02, "slide": 0.002}
_APART, _LEAST = 1.0, 10.0  # [s] between two values of d^2 / J that have little in common, and how many there are at least
_PARTS = ("density", "noise", "inflation")
_LATER = ("level", "healthy")  # parts that a file of an older version does not have


@dataclass(frozen=True)
class Calibration:
    """Numbers of an observer that a healthy recording gives.

    Attributes:
        density: of unknown accelerations [m/s^2/sqrt(Hz), rad/s^2/sqrt(Hz)] of a floating base (linear, angular) and of joints.
        noise: standard deviations of channels, by name.
        inflation: of each cause, by title: how much larger d^2 / J is on healthy recordings than chance has it.
        level: how far the mean of unknown accelerations moved at most [m/s^2, rad/s^2], by degree of freedom.
        healthy: `seconds` of the recordings that say so.
    """

    density: Mapping[str, float] = field(default_factory=lambda: dict(_DENSITY))
    noise: Mapping[str, float] = field(default_factory=dict)
    inflation: Mapping[str, float] = field(default_factory=dict)
    level: Mapping[str, float] = field(default_factory=dict)
    healthy: Mapping[str, float] = field(default_factory=dict)

    def save(self, file: Path) -> None:
        """Write it as YAML."""
        plain = {name: {key: float(f"{value:.6g}") for key, value in getattr(self, name).items()} for name in (*_PARTS, *_LATER)}
        with file.open("w", encoding="utf-8") as stream:
            YAML().dump(plain, stream)

    @classmethod
    def load(cls, file: Path) -> Calibration:
        """Read what `save` wrote; what is none is an `InputError`."""
        try:
            plain = YAML(typ="safe").load(file.read_text(encoding="utf-8"))
            known: dict[str, Any] = {**{name: {} for name in _LATER}, **dict(plain)}
            parts = {name: {str(k): float(v) for k, v in dict(known[name]).items()} for name in (*_PARTS, *_LATER)}
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", file=file) from None
        except Exception:
            raise InputError("is no calibration of a shadow: density, noise and inflation by name", file=file) from None
        if not set(parts["density"]) <= set(_DENSITY) or not all(v > 0.0 for part in parts.values() for v in part.values()):
            raise InputError(f"expected numbers above 0 and densities of: {', '.join(_DENSITY)}", file=file)
        return cls(**{**parts, "density": {**_DENSITY, **parts["density"]}})


class _Collector:
    """Keeps the stretches of a shadow, and what its causes look like."""

    def __init__(self) -> None:
        self.course: Course | None = None
        self.largest: dict[str, float] = {}
        self.level: dict[str, float] = {}
        self.wildness: dict[str, float] = {}
        self.seconds = 0.0

    def frame(self, frame: Frame, shadow: Shadow) -> None:
        step = shadow.last_step
        if self.course is None or shadow.found_anew:
            self.course = Course(step.saved, [])
        self.course.stretches.append(step.stretch)
        self.seconds = shadow.summary.seconds
        for kind, value in shadow.observer.level.largest().items():
            self.level[kind] = max(self.level.get(kind, 0.0), value)
        glr, detector = shadow.observer.glr, shadow.judge.detector
        if shadow.found_anew:
            detector.begin(frame.time)
        detector.watch(frame)
        if frame.time - shadow.begun > 2.0 * WARM_UP and glr.begins:
            _, ratios = glr.ratios()
            for name, value in detector.wildness().items():
                self.wildness[name] = max(self.wildness.get(name, 0.0), value)
            for cause, value in zip(shadow.observer.causes, ratios.max(axis=0), strict=True):
                self.largest[cause.title] = max(self.largest.get(cause.title, 0.0), float(value))

    def alarm(self, alarm: object) -> None:
        pass

    def notice(self, text: str) -> None:
        pass


def calibrate(
    twin: Twin,
    robots: Sequence[str],
    *,
    scenario: str | None = None,
    signals: Sequence[str] = (),
    options: SourceOptions | None = None,
    progress: Callable[[float], None] | None = None,
) -> Calibration:
    """The calibration of a twin by healthy recordings (`log:FILE`, as a shadow takes them).

    `progress` is told the share that is done.
    """
    from didymos.shadow.observer import Observer

    found = loosened(Calibration())
    collected = [_collect(twin, robot, found, scenario, signals, options, causes=()) for robot in robots]
    told = progress or (lambda share: None)
    told(0.2)
    names = collected[0][1]
    courses = [collector.course for collector, _ in collected if collector.course is not None]
    if not courses:
        raise InputError("the recordings are too short to find the robot in them", option="calibrate")
    made = Observer(twin, names, scenario=scenario, causes=())
    found = fit_noise(made, courses, found, lambda share: told(0.2 + 0.4 * share))
    told(0.7)
    final = [_collect(twin, robot, found, scenario, signals, options)[0] for robot in robots]
    told(1.0)
    return replace(
        found, inflation=_inflation(final), level=_largest([one.level for one in final]),
        healthy={"seconds": sum(one.seconds for one in final)},
    )  # fmt: skip


def _inflation(collectors: Sequence[_Collector]) -> dict[str, float]:
    """By how much the largest d^2 / J of each cause, and each test without causes, is larger than chance has it, where it is."""
    seconds = sum(one.seconds for one in collectors)
    chance = 2.0 * math.log(max(seconds / _APART, _LEAST))
    shares = [{title: value / chance for title, value in one.largest.items()} | one.wildness for one in collectors]
    return {title: value for title, value in _largest(shares).items() if value > 1.0}


def _largest(found: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The largest of each name, where it is above zero."""
    names = dict.fromkeys(name for one in found for name in one)
    most = {name: max(one.get(name, 0.0) for one in found) for name in names}
    return {name: value for name, value in most.items() if value > 0.0}


def _collect(
    twin: Twin, robot: str, calibration: Calibration, scenario: str | None, signals: Sequence[str],
    options: SourceOptions | None, causes: Sequence[Cause] | None = None,
) -> tuple[_Collector, tuple[str, ...]]:  # fmt: skip
    from didymos.shadow.shadow import Shadow

    shadow = Shadow(
        twin, robot, scenario=scenario, calibration=calibration, signals=signals, options=options, causes=causes, judged=False,
    )  # fmt: skip
    if shadow.source.live:
        shadow.close()
        raise InputError(f"found {robot!r}, expected a recording: log:FILE", option="calibrate")
    collector = _Collector()
    shadow.listen(collector)
    try:
        shadow.run()
    finally:
        shadow.close()
    return collector, shadow.observer.stepper.signals
