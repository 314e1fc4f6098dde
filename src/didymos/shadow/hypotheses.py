"""Which cause it is: short branches of the twin with each cause in it, run over what was just seen.

The generalised likelihood ratio is linear in the size of a cause. Friction that turns round, or a change that is not small, is
not. So the likeliest causes are tried as they are: a second observer begins where the first one stood before the change, with the
cause in its twin or its readings taken off the cause, and runs over the same stretches. Its log-likelihood

    log p = -1/2 sum (nu' S^-1 nu + log det S)

says how well the cause explains them. Sizes are tried around the linear estimate and the usual one, and refined by parabolas.
All of it goes in pieces of one stretch each: beside a running robot they are made between updates.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.errors import InputError, RunError
from didymos.shadow.causes import Cause
from didymos.shadow.feed import Stretch
from didymos.shadow.observer import Observer, Reading

__all__ = ["Branches", "Explained"]

_Number = Generator[None, None, float]
"""A number that is found in pieces."""
_Pieces = Generator[None, None, None]
_Array = NDArray[np.float64]
_GROWTH, _MOST_SIZES = 2.0, 6  # of sizes that are tried, beginning with the linear estimate
_REFINED = 2  # parabolas
_CLOSER = 3  # causes whose sizes are refined
_PLAUSIBLE = 5.0  # usual sizes of a cause, beyond which it is not thought of
_WORST = -1e300


@dataclass(frozen=True)
class Explained:
    """A cause (its number), size and begin (a stretch) that explain most, and their log-likelihood less that of no cause."""

    cause: int
    size: float
    since: int
    gain: float


class _Trial:
    """Sizes of a cause that were tried, and how much each explains.

    `gain` runs a branch with a size and the stretch at which the cause begins.
    """

    def __init__(self, cause: Cause, number: int, since: int, gain: Callable[[Cause, float, int], _Number]) -> None:
        self._cause, self._number, self._since, self._gain = cause, number, since, gain
        self._known: dict[float, float] = {}

    def begin(self, linear: float) -> _Pieces:
        """Try the size by the linear ratio, and the usual one."""
        cause = self._cause
        most = _PLAUSIBLE * cause.scale
        usual = math.copysign(cause.scale, cause.sign or linear)
        wrong = linear == 0.0 or linear * cause.sign < 0.0
        for size in [usual] if wrong else [float(np.clip(linear, -most, most)), usual]:
            yield from self._try(size)

    @property
    def best(self) -> Explained:
        """The size that explains most."""
        size = max(self._known, key=lambda one: self._known[one])
        return Explained(self._number, size, self._since, self._known[size])

    def refine(self, begins: Sequence[int]) -> _Pieces:
        """Sizes doubled, or halved, as long as that helps; then other begins, then parabolas of the size."""
        doubled = yield from self._try(_GROWTH * self.best.size)
        factor = _GROWTH if doubled >= self.best.gain else 1.0 / _GROWTH
        while len(self._known) < _MOST_SIZES:
            best = self.best
            found = yield from self._try(factor * best.size)
            if found <= best.gain:  # as large where the twin cannot follow at any size
                break
        for since in begins:
            if since != self._since:
                yield from self._try_begin(since)
        for _ in range(_REFINED):
            around = sorted(self._known, key=lambda one: -self._known[one])[:3]
            top = _vertex(around, [self._known[one] for one in around])
            if top is None or top in self._known:
                break
            yield from self._try(top)

    def _try(self, size: float) -> _Number:
        """How much a size explains."""
        if abs(size) > _PLAUSIBLE * self._cause.scale or size * self._cause.sign < 0.0:
            return _WORST
        if size not in self._known:
            self._known[size] = yield from self._explained(size, self._since)
        return self._known[size]

    def _try_begin(self, since: int) -> _Pieces:
        """Take another begin if the best size explains more from there; sizes that were tried are looked at anew."""
        best = self.best
        found = yield from self._explained(best.size, since)
        if found > best.gain:
            self._since, self._known = since, {}
            for size in (best.size, best.size / _GROWTH**0.5, best.size * _GROWTH**0.5):
                yield from self._try(size)

    def _explained(self, size: float, since: int) -> _Number:
        """What the cause is usually like counts as well, as in the linear ratio."""
        gain = yield from self._gain(self._cause, size, since)
        return gain - 0.5 * (size / self._cause.scale) ** 2


class Branches:
    """Runs stretches again with causes in the twin."""

    def __init__(self, observer: Observer) -> None:
        self._observer = observer
        self._branch: Observer | None = None

    @property
    def branch(self) -> Observer:
        """The second observer, made when it is first asked for."""
        source = self._observer
        if self._branch is None:
            self._branch = Observer(
                source.twin, source.stepper.signals, scenario=source.scenario, calibration=source.calibration, causes=(),
                refresh=source.refresh,
            )  # fmt: skip
        return self._branch

    def explain(
        self, saved: Any, stretches: Sequence[Stretch], begins: Sequence[int], tried: Sequence[tuple[int, float]]
    ) -> Generator[None, None, list[Explained]]:
        """Causes (number, size) over stretches from a saved state; the best first. In pieces.

        They begin with one of the stretches `begins`, the likeliest of these first. Each is tried with its linear size and its
        usual one from there; sizes and begins of the best few are refined.
        """
        plain = yield from self._run(saved, stretches, begins[0], None, 0.0)

        def gain(cause: Cause, size: float, since: int) -> _Number:
            found = yield from self._run(saved, stretches, since, cause, size)
            return found - plain

        trials = [_Trial(self._observer.causes[number], number, begins[0], gain) for number, _ in tried]
        for trial, (_, size) in zip(trials, tried, strict=True):
            yield from trial.begin(size)
        for trial in sorted(trials, key=lambda one: -one.best.gain)[:_CLOSER]:
            yield from trial.refine(begins)
        return sorted((trial.best for trial in trials), key=lambda one: -one.gain)

    def _run(self, saved: Any, stretches: Sequence[Stretch], since: int, cause: Cause | None, size: float) -> _Number:
        """The log-likelihood of stretches; the twin is linearised at the same times whatever the cause."""
        branch = self.branch
        branch.restore(saved)
        branch.forget_linear()
        branch.looseness = 1.0
        total, changed = 0.0, False
        used = stretches if cause is None else _without(stretches, since, cause, size, branch.stepper.period)
        try:
            for i, stretch in enumerate(used):
                if i == since:
                    if cause is not None and cause.values is not None:
                        branch.stepper.set(cause.values(size))
                        changed = True
                    branch.forget_linear()
                frame = branch.step(stretch.inputs, stretch.readings, stretch.doubt)
                if branch.residual is not None:
                    total += 0.5 * branch.residual.log_det_inverse - 0.5 * frame.nis
                yield
        except (RunError, InputError, np.linalg.LinAlgError):
            return _WORST
        finally:
            if changed and cause is not None and cause.values is not None:
                branch.stepper.set(cause.values(0.0))
        return total if math.isfinite(total) else _WORST


def _without(stretches: Sequence[Stretch], since: int, cause: Cause, size: float, period: float) -> Sequence[Stretch]:
    """Stretches with readings as they would be without a cause of sensors, or with inputs as late as one of inputs has them."""
    if cause.values is not None:
        return stretches
    if cause.name == "bias":
        return [stretch if i < since else _unbiased(stretch, cause, size) for i, stretch in enumerate(stretches)]
    if cause.channels:
        return _earlier(stretches, since, cause.channels, round(size / period))
    ticks = len(stretches[0].inputs)
    known = np.vstack([stretch.inputs for stretch in stretches])
    at = np.arange(len(known)) - np.where(np.arange(len(known)) >= since * ticks, round(size / period), 0)
    late = known[np.maximum(at, 0)]
    return [replace(stretch, inputs=late[i * ticks : (i + 1) * ticks]) for i, stretch in enumerate(stretches)]


def _unbiased(stretch: Stretch, cause: Cause, size: float) -> Stretch:
    readings = [
        (tick, number, values - size if number in cause.channels and len(values) == 1 else values)
        for tick, number, values in stretch.readings
    ]
    return replace(stretch, readings=readings)


def _earlier(stretches: Sequence[Stretch], since: int, channels: Sequence[int], ticks: int) -> list[Stretch]:
    """Readings of channels so many ticks earlier, from stretch `since` on; those that fall before the first are left out."""
    length = len(stretches[0].inputs)
    moved: list[list[Reading]] = [[] for _ in stretches]
    for i, stretch in enumerate(stretches):
        for tick, number, values in stretch.readings:
            if number not in channels or i < since:
                moved[i].append((tick, number, values))
                continue
            absolute = i * length + tick - ticks
            low = 1 if tick > 0 else 0  # of a stretch: readings of sensors are at 1 to length, others at 0 to length - 1
            target = (absolute - low) // length
            if 0 <= target < len(stretches):
                moved[target].append((absolute - target * length, number, values))
    return [replace(stretch, readings=readings) for stretch, readings in zip(stretches, moved, strict=True)]


def _vertex(sizes: Sequence[float], gains: Sequence[float]) -> float | None:
    """Where a parabola through three points is highest; None where it has no top between them or near."""
    if len(sizes) < 3 or min(gains) <= _WORST / 2.0 or len(set(sizes)) < 3 or not np.isfinite(gains).all():
        return None
    a, b, _ = np.polyfit(sizes, gains, 2)
    if a >= 0.0:
        return None
    top = float(-b / (2.0 * a))
    low, high = min(sizes), max(sizes)
    span = high - low
    return float(np.clip(top, low - span, high + span))
