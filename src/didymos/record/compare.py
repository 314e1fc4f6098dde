"""Compare: how far two logs are apart, signal by signal.

Signals of the same name are compared at the time stamps of the first log, where both have data; the second is
interpolated linearly in between. Angles differ by the short way round, quaternions up to their sign, since q and -q are
one attitude.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.errors import InputError, nearest
from didymos.record.compare_rank import Rank, ranked, that_matter, told_once
from didymos.record.log import Log, Signal

__all__ = ["Comparison", "SignalError", "compare"]

_SQUARED = 1e150
_TOLD = 10  # lines of a printed comparison
_ANGLES = ("yaw", "heading", "roll", "pitch", "angle")
_Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SignalError:
    """The difference of one signal between two logs, in its own unit.

    Attributes:
        rmse: root of the mean squared difference.
        max: largest absolute difference, and `time_of_max` [s] when it occurred.
        samples: number of stamps compared.
        time, a, b, error: stamps [s], the two signals there, and b - a; shape [samples] each.
    """

    name: str
    unit: str
    rmse: float
    max: float
    time_of_max: float
    samples: int
    time: _Array
    a: _Array
    b: _Array
    error: _Array

    @property
    def relative(self) -> float:
        """RMSE over the standard deviation of the first log's signal; unitless."""
        spread = float(np.std(self.a))
        return self.rmse / spread if spread > 0.0 else (np.inf if self.rmse > 0.0 else 0.0)


@dataclass(frozen=True, eq=False)
class Comparison:
    """Errors of all common signals, and the names of those that only one log has, or that never overlap in time.

    Attributes:
        limits: how far a signal may be away at most, by its name, in its own unit.
    """

    signals: Mapping[str, SignalError]
    only_in_a: tuple[str, ...]
    only_in_b: tuple[str, ...]
    no_overlap: tuple[str, ...]
    labels: tuple[str, str]
    limits: Mapping[str, float] = field(default_factory=dict)

    @cached_property
    def ranks(self) -> list[Rank]:
        """All signals, the one with the largest error over its own range first; see `compare_rank.py`."""
        return ranked(self.signals)

    @property
    def matter(self) -> list[str]:
        """The three signals that differ most for what they are, of different groups; fewer where fewer differ."""
        return that_matter(self.ranks, self.signals)

    @property
    def beyond(self) -> list[str]:
        """Signals that are further away than they may be."""
        return [name for name, limit in self.limits.items() if self.signals[name].max > limit]

    def to_json(self) -> dict[str, Any]:
        """`signals: {name: {rmse, max, samples, time_of_max}}`, ranks, limits, what was not compared; for `json.dumps`."""
        keys = ("rmse", "max", "samples", "time_of_max")
        return {
            "signals": {name: {key: getattr(error, key) for key in keys} for name, error in self.signals.items()},
            "only_in_a": list(self.only_in_a),
            "only_in_b": list(self.only_in_b),
            "no_overlap": list(self.no_overlap),
            "ranks": [{"signal": x.name, "share": x.share, "hidden": x.hidden or None} for x in self.ranks],
            "matter": self.matter,
            "limits": dict(self.limits),
            "beyond": self.beyond,
        }

    def __str__(self) -> str:
        """A line for each of the ten signals that differ most, what looks the same told once; of ten and fewer, for all."""
        names, rest = list(self.signals), ""
        if len(names) > _TOLD:
            ranks = sorted((rank for rank in self.ranks if not rank.hidden), key=lambda rank: rank.repeats)
            names = [group[0] for group in told_once(ranks, self.signals, _TOLD)]
            rest = f"{len(self.signals) - len(names)} more signals differ less, look the same, or do not differ: .signals has all"
        width = max((len(name) for name in names), default=0)
        errors = ((name, self.signals[name]) for name in names)
        lines = [f"{name:{width}}  rmse {e.rmse:10.4g}  max {e.max:10.4g} {e.unit or '-':5}  n {e.samples}" for name, e in errors]
        apart = len(self.only_in_a) + len(self.only_in_b) + len(self.no_overlap)
        alone = f"{apart} signals are in one log only or do not overlap" if apart else ""
        return "\n".join(line for line in (*lines, rest, alone) if line)

    def plot(self, path: str | Path) -> Path:
        """Draw both logs over each other, with the error below: the signals that matter, and those beyond their limits."""
        from didymos.record.compare_plot import plot_comparison

        return plot_comparison(self, path)


def compare(
    a: Log | str | Path,
    b: Log | str | Path,
    *,
    signals: Sequence[str] | None = None,
    rename: Mapping[str, str] | None = None,
    shift: float = 0.0,
    limits: Mapping[str, float] | None = None,
) -> Comparison:
    """Compare two logs, or files of logs.

    Args:
        a: the reference, at whose stamps the two are compared.
        b: the other log.
        signals: names or prefixes of signals of `a` to which to keep; all by default.
        rename: name in `b` -> name in `a`.
        shift: time [s] to add to the stamps of `b`.
        limits: how far signals of `a` may be away at most, by name, prefix or pattern; the least of those that fit holds.

    Raises:
        InputError: a name that does not exist, or logs that have no signal or no time in common.
    """
    log_a, log_b = (log if isinstance(log, Log) else Log.load(log) for log in (a, b))
    labels = tuple(
        letter if isinstance(log, Log) else Path(log).name for letter, log in zip("ab", (a, b), strict=True)
    )  # fmt: skip
    names_b = _renamed(log_b, rename or {})
    compared = log_a.signals if signals is None else tuple(s.name for pattern in signals for s in log_a.select(pattern))
    common = [name for name in compared if name in names_b]
    if not common:
        raise InputError(
            f"no common signal: a has {_some(compared)}; b has {_some(names_b)}; "
            "say which belong together with rename, name in b -> name in a"
        )
    errors = {name: _error(log_a, log_b, names_b, name, shift) for name in dict.fromkeys(common)}
    overlapping = {name: error for name, error in errors.items() if error is not None}
    if not overlapping:
        spans = [_span(log, names) for log, names in ((log_a, common), (log_b, [names_b[name] for name in common]))]
        raise InputError(f"no common time: a spans {spans[0]}, b spans {spans[1]}; move b with shift, now {shift:g} s")
    return Comparison(
        overlapping,
        tuple(name for name in compared if name not in names_b),
        tuple(old for new, old in names_b.items() if new not in log_a) if signals is None else (),
        tuple(name for name, error in errors.items() if error is None),
        (labels[0], labels[1]),
        _limits(log_a, overlapping, limits or {}),
    )


def _limits(log: Log, compared: Mapping[str, SignalError], limits: Mapping[str, float]) -> dict[str, float]:
    """The least limit of each signal that has one."""
    found: dict[str, float] = {}
    for pattern, limit in limits.items():
        try:
            names = [signal.name for signal in log.select(pattern)]
        except InputError as error:
            raise InputError(error.message, option="limits") from None
        left_out = [name for name in names if name not in compared]
        if left_out:
            raise InputError(f"{left_out[0]} is not compared: the other log has it not, or not then", option="limits")
        if not limit >= 0.0:
            raise InputError(f"found {limit:g} for {pattern}, expected a number of 0 or more", option="limits")
        found |= {name: min(limit, found.get(name, limit)) for name in names}
    return found


def _renamed(log: Log, rename: Mapping[str, str]) -> dict[str, str]:
    """Name in a -> name in b, for every signal of b."""
    for old in rename:
        if old not in log:
            raise InputError(f"rename: no signal {old!r} in b{nearest(old, log.signals)}")
    names: dict[str, str] = {}
    for old in log.signals:
        new = rename.get(old, old)
        if new in names:
            raise InputError(f"rename: {names[new]!r} and {old!r} of b both become {new!r}")
        names[new] = old
    return names


def _some(names: Sequence[str] | Mapping[str, str], limit: int = 6) -> str:
    shown = ", ".join(list(names)[:limit])
    return shown + (f" and {len(names) - limit} more" if len(names) > limit else "") if names else "none"


def _span(log: Log, names: Sequence[str]) -> str:
    times = [log[name].time for name in names if len(log[name].time)]
    return f"{min(t[0] for t in times):.6g} s to {max(t[-1] for t in times):.6g} s" if times else "nothing"


def _attitude(log: Log, names: Sequence[str]) -> _Array | None:
    """A quaternion over time, shape [n, 4]; nothing where a component is missing or has stamps of its own."""
    if any(name not in log for name in names):
        return None
    parts = [log[name] for name in names]
    if any(not np.array_equal(parts[0].time, part.time) for part in parts[1:]):
        return None
    return np.stack([part.values for part in parts], axis=1)


def _near_attitude(a: Log, b: Log, names: Mapping[str, str], name: str, times: _Array, shift: float) -> _Array | None:
    """A component of a quaternion of b at all stamps of a, with the sign that brings the whole of it nearest to a's.

    Args:
        times: stamps [s] of a, shape [n], as is the result; nothing where the signal is no part of a quaternion.
    """
    base, _, axis = name.rpartition(".")
    parts = [f"{base}.{part}" for part in "wxyz"]
    if axis not in tuple("wxyz") or any(part not in names for part in parts):
        return None
    ours, theirs = _attitude(a, parts), _attitude(b, [names[part] for part in parts])
    if ours is None or theirs is None:
        return None
    fine = np.isfinite(theirs).all(axis=1)
    theirs, stamps = theirs[fine], b[names[name]].time[fine] + shift
    if not len(stamps):
        return None
    turned = np.sum(theirs[1:] * theirs[:-1], axis=1) < 0.0
    theirs = theirs * np.cumprod(np.concatenate([[1.0], np.where(turned, -1.0, 1.0)]))[:, None]
    there = np.stack([np.interp(times, stamps, column) for column in theirs.T], axis=1)
    near = np.where(np.sum(ours * there, axis=1) < 0.0, -1.0, 1.0)
    return np.asarray(near * there[:, "wxyz".index(axis)])


def _error(a: Log, b: Log, names: Mapping[str, str], name: str, shift: float) -> SignalError | None:
    """The difference of a signal of a, and of the one in b that has its name; None where they never overlap in time."""
    attitude = _near_attitude(a, b, names, name, a[name].time, shift)
    return _difference(a[name], b[names[name]], shift, attitude)


def _difference(a: Signal, b: Signal, shift: float, attitude: _Array | None) -> SignalError | None:
    fine_a, fine_b = np.isfinite(a.values), np.isfinite(b.values)
    times_b, values_b = b.time[fine_b] + shift, b.values[fine_b]
    if not len(times_b):
        return None
    inside = fine_a & (a.time >= times_b[0]) & (a.time <= times_b[-1])
    times, values = a.time[inside], a.values[inside]
    if not len(times):
        return None
    is_angle = a.unit == "rad" and a.name.rpartition(".")[2].lower().endswith(_ANGLES)
    if attitude is not None:
        there = attitude[inside]
    else:
        there = np.interp(times, times_b, np.unwrap(values_b) if is_angle else values_b)
    error = there - values
    if is_angle:
        error = error - 2.0 * np.pi * np.rint(error / (2.0 * np.pi))
        there = values + error
    worst = int(np.argmax(np.abs(error)))
    largest = float(abs(error[worst]))
    scale = largest if largest > _SQUARED else 1.0  # whose square would be beyond what a number holds
    rmse = scale * float(np.sqrt(np.mean((error / scale) ** 2)))
    return SignalError(a.name, a.unit, rmse, largest, float(times[worst]), len(times), times, values, there, error)
