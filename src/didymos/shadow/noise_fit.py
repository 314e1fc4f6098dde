"""Noise of the readings and unknown accelerations by which the innovations of healthy recordings are likeliest.

    log p = -1/2 sum (nu' S^-1 nu + log det S)

over the densities q of unknown accelerations, one for each kind of degree of freedom, and the noise of the channels. A filter
that trusts a wrong twin is lost, and its likelihood says nothing. So q begins large, where the filter follows whatever is read,
and is taken down, or up, by a constant factor for as long as that makes the innovations likelier. The noise of a channel follows
from what its innovations have beyond the prediction, var nu = (S - R) + R, before and after.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from didymos.errors import RunError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from didymos.shadow.calibration import Calibration
    from didymos.shadow.estimate import Frame
    from didymos.shadow.feed import Stretch
    from didymos.shadow.observer import Observer

__all__ = ["Course", "fit_noise", "loosened"]

_LOOSE = 100.0  # densities at the begin, of those by default
_FACTOR, _STEPS = math.sqrt(10.0), 8  # by which a density is changed at a time, how often at most
_LONGEST, _SHORTEST = 20.0, 3.0  # [s] of all recordings together that are looked at, and of each at least
_LEAST, _MOST = 1.0, 100.0  # of a channel's stated noise: a few seconds do not show that it is better than stated
_WILD = 5.0  # standard deviations beyond which an innovation counts as that
_ENOUGH = 20  # readings of a channel
WARM_UP = 1.0
"""Time [s] at the begin of a recording in which the state is found."""


@dataclass
class Course:
    """A healthy recording as an observer takes it: where it begins, its stretches."""

    begin: Any
    stretches: list[Stretch]


def loosened(calibration: Calibration) -> Calibration:
    """The same with unknown accelerations so large that a filter follows its readings."""
    return replace(calibration, density={kind: _LOOSE * value for kind, value in calibration.density.items()})


def fit_noise(observer: Observer, courses: Sequence[Course], begin: Calibration, told: Callable[[float], None]) -> Calibration:
    """Densities and noise; `begin` are those to begin with, `told` hears the share that is done."""
    stated = {channel.name: channel.sd for channel in observer.channels}
    found = replace(begin, noise=_noise(observer, courses, begin, stated))
    kinds = sorted(set(observer.kinds))
    for number, kind in enumerate(kinds):
        found = _best_density(observer, courses, found, kind)
        told((number + 1) / len(kinds))
    return replace(found, noise=_noise(observer, courses, found, stated))


def _frames(observer: Observer, courses: Sequence[Course], calibration: Calibration) -> Iterator[Frame]:
    """Updates with readings after the warm-up; a `RunError` where the twin cannot follow."""
    observer.recalibrate(calibration)
    seconds = WARM_UP + max(_LONGEST / len(courses), _SHORTEST)
    for course in courses:
        observer.restore(course.begin)
        observer.forget_linear()
        period = observer.stepper.period * len(course.stretches[0].inputs)
        for i, stretch in enumerate(course.stretches[: round(seconds / period)]):
            frame = observer.step(stretch.inputs, stretch.readings, stretch.doubt)
            if i * period >= WARM_UP and observer.residual is not None:
                yield frame


def _likelihood(observer: Observer, courses: Sequence[Course], calibration: Calibration) -> float:
    total = 0.0
    try:
        for frame in _frames(observer, courses, calibration):
            assert observer.residual is not None
            total += 0.5 * observer.residual.log_det_inverse - 0.5 * frame.nis
    except RunError:
        return -math.inf
    return total if math.isfinite(total) else -math.inf


def _best_density(observer: Observer, courses: Sequence[Course], calibration: Calibration, kind: str) -> Calibration:
    """The likeliest density of a kind of degree of freedom: smaller while that helps, or larger where it does not."""
    best, likelihood = calibration, _likelihood(observer, courses, calibration)
    for factor in (1.0 / _FACTOR, _FACTOR):
        before = best
        for _ in range(_STEPS):
            tried = replace(best, density={**best.density, kind: factor * best.density[kind]})
            value = _likelihood(observer, courses, tried)
            if value <= likelihood:
                break
            best, likelihood = tried, value
        if best is not before:
            break
    return best


def _noise(
    observer: Observer, courses: Sequence[Course], calibration: Calibration, stated: Mapping[str, float]
) -> dict[str, float]:
    """Standard deviations of the channels, as the innovations have them, within bounds of what was `stated` of them."""
    squares, predicted, counts = (np.zeros(len(observer.names)) for _ in range(3))
    try:
        for frame in _frames(observer, courses, calibration):
            assert observer.residual is not None
            rows = observer.residual.rows
            squares[rows] += np.minimum(frame.innovations**2, (_WILD * frame.sigmas) ** 2)
            predicted[rows] += frame.sigmas**2
            counts[rows] += 1.0
    except RunError:  # what was seen until then counts
        pass
    found = dict(calibration.noise)
    for number, channel in enumerate(observer.channels):
        own = slice(int(observer.first[number]), int(observer.first[number + 1]))
        n = counts[own].sum()
        if n >= _ENOUGH:
            beyond = (squares[own].sum() - predicted[own].sum()) / n + channel.sd**2
            found[channel.name] = min(
                max(math.sqrt(max(beyond, 0.0)), _LEAST * stated[channel.name]), _MOST * stated[channel.name]
            )
    return found
