"""What healthy recordings say of a robot and its twin: noise of the readings, accelerations that the twin does not know of.

The likelihood of the innovations of healthy recordings,

    log p = -1/2 sum (nu' S^-1 nu + log det S)

is maximised over the densities q of unknown accelerations, one for each kind of degree of freedom, by trying factors one after
the other. The noise of a channel follows from what its innovations have beyond the prediction: var nu = (S - R) + R. What is left
(colours of noise, what the twin does not have) shows as d^2 / J of the causes that is larger than chance has it. The largest of N
independent values of chi-square with one degree of freedom is about 2 log N; a cause whose largest is k times that gets the
inflation k, and its alarms need as much more.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from ruamel.yaml import YAML

from didymos.errors import InputError, RunError

if TYPE_CHECKING:
    from didymos.shadow.estimate import Frame
    from didymos.shadow.feed import Stretch
    from didymos.shadow.observer import Observer
    from didymos.shadow.shadow import Shadow
    from didymos.shadow.source import SourceOptions
    from didymos.twin import Twin

__all__ = ["Calibration", "calibrate"]

_DENSITY = {"linear": 0.001, "angular": 0.003, "hinge": 0.02, "slide": 0.002}
_FACTORS = (0.1, 0.3, 3.0, 10.0, 30.0, 100.0)
_LONGEST = 20.0  # [s] of a recording that the densities are found by
_LEAST, _MOST = 0.2, 100.0  # of a channel's stated noise
_WARM_UP = 1.0  # [s]


@dataclass(frozen=True)
class Calibration:
    """Numbers of an observer that a healthy recording gives.

    Attributes:
        density: of unknown accelerations [m/s^2/sqrt(Hz), rad/s^2/sqrt(Hz)] of a floating base (linear, angular) and of joints.
        noise: standard deviations of channels, by name.
        inflation: of each cause, by title: how much larger d^2 / J is on healthy recordings than chance has it.
    """

    density: Mapping[str, float] = field(default_factory=lambda: dict(_DENSITY))
    noise: Mapping[str, float] = field(default_factory=dict)
    inflation: Mapping[str, float] = field(default_factory=dict)

    def save(self, file: Path) -> None:
        """Write it as YAML."""
        plain = {
            name: {key: float(f"{value:.6g}") for key, value in getattr(self, name).items()}
            for name in ("density", "noise", "inflation")
        }
        with file.open("w", encoding="utf-8") as stream:
            YAML().dump(plain, stream)

    @classmethod
    def load(cls, file: Path) -> Calibration:
        """Read what `save` wrote; what is none is an `InputError`."""
        try:
            plain = YAML(typ="safe").load(file.read_text(encoding="utf-8"))
            parts = {name: {str(k): float(v) for k, v in dict(plain[name]).items()} for name in ("density", "noise", "inflation")}
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", file=file) from None
        except Exception:
            raise InputError("is no calibration of a shadow: density, noise and inflation by name", file=file) from None
        if not set(parts["density"]) <= set(_DENSITY) or not all(v > 0.0 for part in parts.values() for v in part.values()):
            raise InputError(f"expected numbers above 0 and densities of: {', '.join(_DENSITY)}", file=file)
        return cls({**_DENSITY, **parts["density"]}, parts["noise"], parts["inflation"])


@dataclass
class _Course:
    """A healthy recording as an observer takes it: where it begins, its stretches."""

    begin: Any
    stretches: list[Stretch]


class _Collector:
    """Keeps the stretches of a shadow, and what its causes look like."""

    def __init__(self) -> None:
        self.course: _Course | None = None
        self.largest: dict[str, float] = {}
        self.looks = 0

    def frame(self, frame: Frame, shadow: Shadow) -> None:
        step = shadow.last_step
        if self.course is None or shadow.found_anew:
            self.course = _Course(step.saved, [])
        self.course.stretches.append(step.stretch)
        glr = shadow.observer.glr
        if frame.time - shadow.begun > 2.0 * _WARM_UP and glr.begins:
            _, ratios = glr.ratios()
            self.looks += 1
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

    found = Calibration()
    collected = [_collect(twin, robot, found, scenario, signals, options) for robot in robots]
    told = progress or (lambda share: None)
    told(0.2)
    names = collected[0][1]
    courses = [collector.course for collector, _ in collected if collector.course is not None]
    if not courses:
        raise InputError("the recordings are too short to find the robot in them", option="calibrate")
    made = Observer(twin, names, scenario=scenario, causes=())
    for number, kind in enumerate(kinds := sorted(set(made.kinds))):
        found = _best_density(made, courses, found, kind)
        told(0.2 + 0.4 * (number + 1) / len(kinds))
    for _ in range(2):
        found = replace(found, noise=_noise(made, courses, found))
    told(0.7)
    final = [_collect(twin, robot, found, scenario, signals, options)[0] for robot in robots]
    inflation: dict[str, float] = {}
    for collector in final:
        chance = 2.0 * math.log(max(collector.looks, 10))
        for title, value in collector.largest.items():
            inflation[title] = max(inflation.get(title, 1.0), value / chance)
    told(1.0)
    return replace(found, inflation={title: value for title, value in inflation.items() if value > 1.0})


def _collect(
    twin: Twin, robot: str, calibration: Calibration, scenario: str | None, signals: Sequence[str], options: SourceOptions | None
) -> tuple[_Collector, tuple[str, ...]]:
    from didymos.shadow.shadow import Shadow

    shadow = Shadow(twin, robot, scenario=scenario, calibration=calibration, signals=signals, options=options, judged=False)
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


def _likelihood(observer: Observer, courses: Sequence[_Course], calibration: Calibration) -> float:
    observer.recalibrate(calibration)
    total = 0.0
    for course in courses:
        observer.restore(course.begin)
        observer.forget_linear()
        period = observer.stepper.period * len(course.stretches[0].inputs)
        first, last = round(_WARM_UP / period), round((_WARM_UP + _LONGEST) / period)
        for i, stretch in enumerate(course.stretches[:last]):
            try:
                frame = observer.step(stretch.inputs, stretch.readings, stretch.doubt)
            except RunError:
                return -math.inf
            if i >= first and observer.residual is not None:
                total += 0.5 * observer.residual.log_det_inverse - 0.5 * frame.nis
    return total


def _best_density(observer: Observer, courses: Sequence[_Course], calibration: Calibration, kind: str) -> Calibration:
    """Try other densities of a kind of degree of freedom; the best."""
    best, likelihood = calibration, _likelihood(observer, courses, calibration)
    for direction in (sorted(f for f in _FACTORS if f > 1.0), sorted((f for f in _FACTORS if f < 1.0), reverse=True)):
        for factor in direction:
            tried = replace(calibration, density={**calibration.density, kind: factor * calibration.density[kind]})
            value = _likelihood(observer, courses, tried)
            if value <= likelihood:
                break
            best, likelihood = tried, value
    return best


def _noise(observer: Observer, courses: Sequence[_Course], calibration: Calibration) -> dict[str, float]:
    """Standard deviations of the channels, as the innovations have them."""
    observer.recalibrate(calibration)
    squares, predicted = np.zeros(len(observer.names)), np.zeros(len(observer.names))
    counts = np.zeros(len(observer.names))
    for course in courses:
        observer.restore(course.begin)
        observer.forget_linear()
        period = observer.stepper.period * len(course.stretches[0].inputs)
        for i, stretch in enumerate(course.stretches[: round((_WARM_UP + _LONGEST) / period)]):
            try:
                frame = observer.step(stretch.inputs, stretch.readings, stretch.doubt)
            except RunError:  # of the best densities as well: what was seen until then counts
                break
            if i * period >= _WARM_UP and observer.residual is not None:
                rows = observer.residual.rows
                squares[rows] += np.minimum(frame.innovations**2, 25.0 * frame.sigmas**2)
                predicted[rows] += frame.sigmas**2
                counts[rows] += 1.0
    found = {}
    for number, channel in enumerate(observer.channels):
        own = slice(int(observer.first[number]), int(observer.first[number + 1]))
        n = counts[own].sum()
        if n >= 20:
            beyond = (squares[own].sum() - predicted[own].sum()) / n + channel.sd**2
            found[channel.name] = math.sqrt(min(max(beyond, (_LEAST * channel.sd) ** 2), (_MOST * channel.sd) ** 2))
    return found
