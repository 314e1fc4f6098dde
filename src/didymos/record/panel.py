"""A panel of a picture: curves over time, the set-points that belong to them, what is expected of them.

`tidy` makes of what was recorded what is worth drawing: curves that are equal become one, and what is not there but for rounding
becomes zero; the legend or a note says so.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from didymos.record.expected import Limit
from didymos.record.verdict import Verdict

__all__ = ["Array", "Panel", "alike", "joined", "tidy", "within"]

Array = NDArray[np.float64]
DUST = 1e-9  # of the largest that any signal of the same unit reaches, or of 1 where that is more
LEAST_DUST = 1e-12
HAIR = 2e-3  # [m, m/s, rad, rad/s]
STRAIGHT = 0.01  # of its span: a line that leaves its chord by less
_LETTERS = 32  # of names in a row: as many as a legend has room for
SAME = 2e-3  # of the panel's height: curves nearer to each other than the width of their line are drawn as one


@dataclass
class Panel:
    """Curves by what each is of, their times [s] and values [unit], shape [n] each.

    `setpoints` are those of the curves of the same name; `verdicts` say whether what is expected was met; `notes` what was
    simplified; `signals` are the names of all that is drawn.
    """

    title: str
    unit: str
    curves: dict[str, tuple[Array, Array]] = field(default_factory=dict)
    limits: set[Limit] = field(default_factory=set)
    setpoints: dict[str, tuple[Array, Array]] = field(default_factory=dict)
    verdicts: list[Verdict] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    signals: set[str] = field(default_factory=set)

    @property
    def missed(self) -> bool:
        """Whether an expectation was missed."""
        return any(verdict.ok is False for verdict in self.verdicts)

    @property
    def stillness(self) -> int:
        """How little there is to see: 2 where nothing changes, 1 where it does by a hair or along straight lines, else 0."""
        curves = (*self.curves.values(), *self.setpoints.values())
        most = max((_span(values) for _, values in curves), default=0.0)
        if most < LEAST_DUST:
            return 2
        hair = most < HAIR and self.unit in ("m", "m/s", "rad", "rad/s")
        return int(hair or all(_is_straight(*curve) for curve in curves))

    def lines(self) -> list[tuple[tuple[float, float], Limit]]:
        """From when to when [s] a limit is drawn: at the end of the run where only its last sample counts."""
        first = min((float(times[0]) for times, _ in self.curves.values() if len(times)), default=0.0)
        last = max((float(times[-1]) for times, _ in self.curves.values() if len(times)), default=0.0)
        found = []
        for limit in sorted(self.limits, key=lambda limit: (limit.value, limit.after, limit.before, limit.side)):
            begin = last - 0.1 * (last - first) if limit.at_end else max(first, limit.after)
            end = min(last, limit.before)
            if begin <= end:
                found.append(((begin, end), limit))
        return found


def within(panel: Panel, begin: float, end: float) -> Panel:
    """What a panel has between two times [s]."""

    def cut(curves: Mapping[str, tuple[Array, Array]]) -> dict[str, tuple[Array, Array]]:
        return {name: (t[(t >= begin) & (t <= end)], v[(t >= begin) & (t <= end)]) for name, (t, v) in curves.items()}

    return replace(panel, curves=cut(panel.curves), setpoints=cut(panel.setpoints))


def tidy(panel: Panel, scales: Mapping[str, float]) -> Panel:
    """The panel without dust and with equal curves as one; `scales` are the largest values by unit, as far as they are known."""
    notes, small = list(panel.notes), []
    curves = panel.curves
    if not panel.limits:  # where there are limits, they say what is small
        dust = max(LEAST_DUST, DUST * min(1.0, scales.get(panel.unit, 1.0)))
        small = [name for name, (_, values) in curves.items() if 0.0 < _reach(values) < dust]
        if small:
            notes.append(f"{joined(small)}: below {_power(max(_reach(curves[name][1]) for name in small))}, drawn as zero")
        curves = {name: (t, np.zeros_like(v) if name in small else v) for name, (t, v) in curves.items()}
    named = {}
    for group in alike(curves, [limit.value for _, limit in panel.lines()], panel.setpoints):
        apart = max(_apart(curves[group[0]], curves[name]) for name in group)
        named[joined(group, " ≈ " if apart else " = ")] = curves[group[0]]
    return replace(panel, curves=named, notes=notes)


def alike(
    curves: Mapping[str, tuple[Array, Array]], others: Sequence[float] = (), alone: Collection[str] = ()
) -> list[list[str]]:
    """Names of curves that would be drawn over each other, together; a panel has to hold `others` [unit], too.

    Those of `alone` stay by themselves.
    """
    height = _height([*(values for _, values in curves.values()), np.asarray(others, float)])
    groups: list[list[str]] = []
    for name, curve in curves.items():
        others_like_it = (group for group in groups if group[0] not in alone and _apart(curves[group[0]], curve) <= SAME * height)
        same = None if name in alone else next(others_like_it, None)
        if same is None:
            groups.append([name])
        else:
            same.append(name)
    return groups


def joined(names: Sequence[str], sign: str = ", ") -> str:
    """Several names as one: motor1..4, or in a row with a sign between them."""
    if len(names) == 1:
        return names[0]
    numbered = [match for match in (re.fullmatch(r"(.*?)(\d+)(\D*)", name) for name in names) if match]
    counted = [int(match[2]) for match in numbered]
    heads = {(match[1], match[3]) for match in numbered}
    word = {" = ": " are equal", " ≈ ": " are nearly equal"}.get(sign, "")
    if len(names) > 2 and len(numbered) == len(names) and len(heads) == 1 and counted == list(range(counted[0], counted[-1] + 1)):
        head, tail = heads.pop()
        return f"{head}{counted[0]}..{counted[-1]}{tail}{word}"
    every = sign.join(names)
    if len(names) <= 4 and len(every) <= _LETTERS:
        return every
    three = f"{', '.join(names[:3])} and {len(names) - 3} more{word}"
    if len(names) > 4 and len(three) <= _LETTERS:
        return three
    return f"{names[0]}{sign if word else ' and '}{len(names) - 1} more"


def _apart(one: tuple[Array, Array], other: tuple[Array, Array]) -> float:
    """The largest difference of two curves; infinite where they have other stamps."""
    if len(one[0]) != len(other[0]) or not len(one[0]) or not np.array_equal(one[0], other[0]):
        return np.inf
    unknown = np.isnan(one[1])
    if not np.array_equal(unknown, np.isnan(other[1])):
        return np.inf
    with np.errstate(invalid="ignore"):  # infinity less infinity
        return float(np.max(np.where(unknown | (one[1] == other[1]), 0.0, np.abs(one[1] - other[1]))))


def _is_straight(time: Array, values: Array) -> bool:
    """Whether a curve is a straight line, as a counter is."""
    if len(values) < 3 or not np.isfinite(values).all() or time[-1] <= time[0]:
        return len(values) < 3
    line = values[0] + (values[-1] - values[0]) * (time - time[0]) / (time[-1] - time[0])
    return bool(np.max(np.abs(values - line)) <= STRAIGHT * max(_span(values), 1e-300))


def _height(columns: Sequence[Array]) -> float:
    """From the least to the largest value of all."""
    known = [values[np.isfinite(values)] for values in columns]
    return _span(np.concatenate(known)) if known else 0.0


def _reach(values: Array) -> float:
    """The largest that a curve has, of either sign; NaN and infinity do not count."""
    known = np.abs(values[np.isfinite(values)])
    return float(known.max()) if len(known) else 0.0


def _span(values: Array) -> float:
    known = values[np.isfinite(values)]
    return float(known.max() - known.min()) if len(known) else 0.0


def _power(value: float) -> str:
    """The next power of ten above."""
    return f"1e{int(np.floor(np.log10(value))) + 1}"
