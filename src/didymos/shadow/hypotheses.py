"""Which cause it is: short branches of the twin with each cause in it, run over what was just seen.

The generalised likelihood ratio is linear in the size of a cause. Friction that turns round, or a change that is not small, is
not. So the likeliest causes are tried as they are: a second observer begins where the first one stood before the change, with the
cause in its twin or its readings taken off the cause, and runs over the same stretches. Its log-likelihood

    log p = -1/2 sum (nu' S^-1 nu + log det S)

says how well the cause explains them. Sizes are tried around the linear estimate, and refined by parabolas.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.errors import InputError, RunError
from didymos.shadow.causes import Cause
from didymos.shadow.feed import Stretch
from didymos.shadow.observer import Observer, Reading

__all__ = ["Branches", "Explained"]

_Array = NDArray[np.float64]
_GROWTH, _MOST_SIZES = 2.0, 6  # of sizes that are tried, beginning with the linear estimate
_REFINED = 2  # parabolas
_PLAUSIBLE = 5.0  # usual sizes of a cause, beyond which it is not thought of
_WORST = -1e300


@dataclass(frozen=True)
class Explained:
    """A cause (its number), the size that explains most and its log-likelihood less that of no cause."""

    cause: int
    size: float
    gain: float


class Branches:
    """Runs stretches again with causes in the twin."""

    def __init__(self, observer: Observer) -> None:
        self._observer = observer
        self._branch: Observer | None = None

    def explain(
        self, saved: Any, stretches: Sequence[Stretch], since: int, tried: Sequence[tuple[int, float]]
    ) -> list[Explained]:
        """Causes (number, size) over stretches from a saved state; they begin with stretch `since`. The best first."""
        plain = self._run(saved, stretches, since, None, 0.0)
        found = []
        for number, size in tried:
            found.append(self._best(saved, stretches, since, number, size, plain))
        return sorted(found, key=lambda one: -one.gain)

    def _best(self, saved: Any, stretches: Sequence[Stretch], since: int, number: int, size: float, plain: float) -> Explained:
        """The size of a cause that explains most: doubled and doubled again while that helps, then refined by a parabola."""
        cause = self._observer.causes[number]
        known: dict[float, float] = {}

        def gain(one: float) -> float:
            # what the cause is usually like counts as well, as in the linear ratio
            if abs(one) > _PLAUSIBLE * cause.scale:
                return _WORST
            if one not in known:
                known[one] = self._run(saved, stretches, since, cause, one) - plain - 0.5 * (one / cause.scale) ** 2
            return known[one]

        size = best = float(np.clip(size, -_PLAUSIBLE * cause.scale, _PLAUSIBLE * cause.scale))
        while len(known) < _MOST_SIZES and gain(_GROWTH * best) > gain(best):
            best *= _GROWTH
        if best == size:
            gain(size / _GROWTH)
        for _ in range(_REFINED):
            around = sorted(known, key=lambda one: -known[one])[:3]
            top = _vertex(around, [known[one] for one in around])
            if top is None or top in known:
                break
            gain(top)
        if not known:
            return Explained(number, size, _WORST)
        best = max(known, key=lambda one: known[one])
        return Explained(number, best, known[best])

    def _run(self, saved: Any, stretches: Sequence[Stretch], since: int, cause: Cause | None, size: float) -> float:
        """The log-likelihood of stretches."""
        source = self._observer
        if self._branch is None:
            self._branch = Observer(
                source.twin, source.stepper.signals, calibration=source.calibration, causes=(), refresh=source.refresh
            )
        branch = self._branch
        branch.restore(saved)
        branch.looseness = 1.0
        total, changed = 0.0, False
        used = stretches if cause is None else _without(stretches, since, cause, size, branch.stepper.period)
        try:
            for i, stretch in enumerate(used):
                if cause is not None and i == since and cause.values is not None:
                    branch.stepper.set(cause.values(size))
                    branch.forget_linear()
                    changed = True
                frame = branch.step(stretch.inputs, stretch.readings, stretch.doubt)
                if branch.residual is not None:
                    total += 0.5 * branch.residual.log_det_inverse - 0.5 * frame.nis
        except (RunError, InputError, np.linalg.LinAlgError):
            return _WORST
        finally:
            if changed and cause is not None and cause.values is not None:
                branch.stepper.set(cause.values(0.0))
                branch.forget_linear()
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
    at = np.arange(len(known)) - np.where(np.arange(len(known)) >= since * ticks, size / period, 0.0)
    low = np.clip(np.floor(at).astype(np.int64), 0, len(known) - 1)
    high, share = np.minimum(low + 1, len(known) - 1), (at - np.floor(at))[:, None]
    late = (1.0 - share) * known[low] + share * known[high]
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
