"""Stimuli: signals over the twin's clock that move a set-point, an input or a parameter, or push a link.

    constant  value
    step      `from` until `at`, then `to`
    pulse     `value` between `start` and `end`, else zero
    bump      value/2 (1 - cos(2 pi (t - start) / (end - start))) between `start` and `end`, else zero: a discrete gust
    ramp      `from` until `start`, a line to `to` at `end`
    sine      offset + amplitude sin(2 pi frequency (t - start) + phase), offset alone before `start` and from an `end` on
    chirp     the same with the frequency growing linearly from `frequency` at `start` to `to_frequency` at `end`
    triangle  offset + a wave of `amplitude` and `period` from `start`: up, down through zero, back
    trapezoid the same with corners cut: rises within `rise`, stays for `hold`, falls to the other side within 2 `rise`, ...;
              both are offset alone from an `end` on
    file      a column of a CSV over its time column, linear between rows, held at the ends
    held      the same, each value held until the next row, as a computer hands out commands; `start` [s] is the time of row 0;
              with a `hold` [s] it is the mean over as long from t on, which lets a tick that a row falls into have its share
    rows      a text file of rows `DURATION VALUE VALUE ...`, each held for its duration [s], the first from `start` on;
              `column` is the number of the value, from 1; zero before the first row and after the last
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import ConfigDict, Field, model_validator

from didymos.compiled import kernel
from didymos.errors import InputError
from didymos.spec import Spec, number

__all__ = ["KINDS", "STIMULUS", "StimulusSpec", "evaluate", "held_rows"]

KINDS = ("constant", "step", "pulse", "ramp", "sine", "chirp", "triangle", "trapezoid", "file", "bump", "rows", "held")
_CONSTANT, _STEP, _PULSE, _RAMP, _SINE, _CHIRP, _TRIANGLE, _TRAPEZOID, _FILE, _BUMP, _ROWS, _HELD = range(len(KINDS))
_NUMBERS = (
    "value", "before", "to", "at", "start", "end", "amplitude", "frequency", "to_frequency", "phase", "offset", "rise", "hold",
)  # fmt: skip

STIMULUS = np.dtype([(name, np.float64) for name in ("kind", *_NUMBERS)])
"""Memory layout of a stimulus: the number of its kind in `KINDS`, its keys; a triangle rises in a quarter of its period."""

_NEEDS: dict[str, tuple[str, ...]] = {
    "constant": ("value",),
    "step": ("at", "to"),
    "pulse": ("start", "end", "value"),
    "bump": ("start", "end", "value"),
    "ramp": ("start", "end", "to"),
    "sine": ("amplitude", "frequency"),
    "chirp": ("amplitude", "frequency", "to_frequency", "end"),
    "triangle": ("amplitude", "period"),
    "trapezoid": ("amplitude", "rise", "hold"),
    "file": ("file", "column"),
    "rows": ("file", "column"),
    "held": ("file", "column"),
}
_MAY: dict[str, tuple[str, ...]] = {
    "step": ("before",),
    "ramp": ("before",),
    "sine": ("start", "end", "phase", "offset"),
    "chirp": ("start", "phase", "offset"),
    "triangle": ("start", "end", "offset"),
    "trapezoid": ("start", "end", "offset"),
    "rows": ("start",),
    "held": ("start", "hold"),
}


class StimulusSpec(Spec):
    """One stimulus: what it moves and how."""

    model_config = ConfigDict(populate_by_name=True)

    target: str = Field(
        description="setpoints.NAME, inputs.NAME, push.LINK.AXIS (a force [N] in the world's frame at the link's centre of mass),"
        " or the path of a parameter that can change during a run"
    )
    kind: Literal["constant", "step", "pulse", "ramp", "sine", "chirp", "triangle", "trapezoid", "file", "bump", "rows", "held"]
    value: float = number(0.0)
    before: float = number(0.0, doc="`from` in the file")
    to: float = number(0.0)
    at: float = number(0.0, unit="s")
    start: float = number(0.0, unit="s")
    end: float = number(0.0, unit="s")
    amplitude: float = number(0.0)
    frequency: float = number(0.0, unit="Hz", low=0)
    to_frequency: float = number(0.0, unit="Hz", low=0)
    phase: float = number(0.0, unit="rad")
    offset: float = number(0.0)
    period: float = number(1.0, unit="s", above=0)
    rise: float = number(1.0, unit="s", above=0, doc="from zero to the amplitude")
    hold: float = number(0.0, unit="s", low=0)
    file: str = ""
    column: str = ""

    @model_validator(mode="before")
    @classmethod
    def _from_is_a_word_of_python(cls, raw: Any) -> Any:
        if isinstance(raw, dict) and "from" in raw and "before" not in raw:
            raw = {("before" if key == "from" else key): value for key, value in raw.items()}
        return raw

    @model_validator(mode="after")
    def _complete(self) -> StimulusSpec:
        for key in _NEEDS[self.kind]:
            if key not in self.model_fields_set:
                raise ValueError(f"a stimulus of kind {self.kind!r} needs the key {key!r}")
        for key in sorted(self.model_fields_set - {"target", "kind", *_NEEDS[self.kind], *_MAY.get(self.kind, ())}):
            word = "from" if key == "before" else key
            raise ValueError(f"a stimulus of kind {self.kind!r} does not use the key {word!r}")
        ends = "end" in _NEEDS[self.kind] or "end" in self.model_fields_set
        if ends and self.end <= self.start:
            raise ValueError(f"found end {self.end:g} s, expected it after start {self.start:g} s")
        return self

    def record(self) -> Any:
        """The numbers that `evaluate` reads, a numpy scalar of `STIMULUS`."""
        made = np.zeros((), dtype=STIMULUS)
        made["kind"] = KINDS.index(self.kind)
        for name in _NUMBERS:
            made[name] = getattr(self, name)
        if self.kind == "triangle":
            made["rise"] = 0.25 * self.period
        if self.kind == "sine" and "end" not in self.model_fields_set:
            made["end"] = np.inf
        return made[()]


def held_rows(file: Path, column: str, start: float) -> NDArray[np.float64]:
    """Times [s] and values of the stairs that a file of rows describes, shape [n, 2]; a bad row is an `InputError`."""
    table = [(start - 1.0, 0.0), (start, 0.0)]
    time = start
    for at, line in enumerate(file.read_text(encoding="utf-8", errors="replace").splitlines(), start=1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        try:
            duration, value = float(words[0]), float(words[int(column)])
        except (ValueError, IndexError):
            raise InputError(f"found {line.strip()!r}, expected a duration and values up to column {column}",
                             file=file, line=at) from None  # fmt: skip
        if not (0.0 < duration < math.inf and math.isfinite(value)):
            raise InputError(f"found {line.strip()!r}, expected a duration above zero and finite values", file=file, line=at)
        table += [(time, value), (time + duration, value)]
        time += duration
    return np.array([*table, (time, 0.0)])


@kernel
def _between(table: Any, t: float) -> float:
    """A line between the rows (time, value) of a table, held at the ends."""
    if t <= table[0, 0]:
        return table[0, 1]
    last = table.shape[0] - 1
    if t >= table[last, 0]:
        return table[last, 1]
    i = np.searchsorted(table[:, 0], t, side="right") - 1
    part = (t - table[i, 0]) / (table[i + 1, 0] - table[i, 0])
    return table[i, 1] + part * (table[i + 1, 1] - table[i, 1])


@kernel
def _held(table: Any, t: float, width: float) -> float:
    """The last row's value at a time, or the mean over a width [s] from there on; the first row's before it."""
    last = table.shape[0] - 1
    i = int(np.searchsorted(table[:, 0], t, side="right")) - 1
    if i < 0:
        i = 0
    if width <= 0.0:
        return table[i, 1]
    end, here, total = t + width, t, 0.0
    while i < last and table[i + 1, 0] < end:
        if table[i + 1, 0] > here:
            total += (table[i + 1, 0] - here) * table[i, 1]
            here = table[i + 1, 0]
        i += 1
    return (total + (end - here) * table[i, 1]) / width


@kernel
def _wave(since: float, rise: float, hold: float) -> float:
    """A trapezoid between -1 and 1 that begins at zero; a triangle where `hold` is zero."""
    if since <= 0.0:
        return 0.0
    half = 2.0 * rise + hold
    part = since % (2.0 * half)
    sign = 1.0
    if part >= half:
        part, sign = part - half, -1.0
    return sign * min(part / rise, 1.0, (half - part) / rise)


@kernel
def _chirp_turns(stimulus: Any, t: float) -> float:
    """How many turns a chirp has made, the integral of its frequency from `start` on."""
    since = min(t, stimulus.end) - stimulus.start
    slope = (stimulus.to_frequency - stimulus.frequency) / (stimulus.end - stimulus.start)
    after = stimulus.to_frequency * max(t - stimulus.end, 0.0)
    return stimulus.frequency * since + 0.5 * slope * since * since + after


@kernel
def evaluate(stimulus: Any, table: Any, t: float) -> float:
    """Value of a stimulus, a record of `STIMULUS`, at a time [s]; `table`, shape [n, 2], serves those that come from a file."""
    kind = int(stimulus.kind)
    start, end = stimulus.start, stimulus.end
    value = 0.0
    if kind == _CONSTANT:
        value = stimulus.value
    elif kind == _STEP:
        value = stimulus.to if t >= stimulus.at else stimulus.before
    elif kind == _PULSE:
        value = stimulus.value if start <= t < end else 0.0
    elif kind == _BUMP:
        if start <= t < end:
            value = 0.5 * stimulus.value * (1.0 - math.cos(2.0 * math.pi * (t - start) / (end - start)))
    elif kind == _RAMP:
        part = min(max((t - start) / (end - start), 0.0), 1.0)
        value = stimulus.before + part * (stimulus.to - stimulus.before)
    elif kind == _SINE:
        value = stimulus.offset
        if start <= t < end:
            value += stimulus.amplitude * math.sin(2.0 * math.pi * stimulus.frequency * (t - start) + stimulus.phase)
    elif kind == _CHIRP:
        value = stimulus.offset
        if t >= start:
            value += stimulus.amplitude * math.sin(2.0 * math.pi * _chirp_turns(stimulus, t) + stimulus.phase)
    elif kind in (_TRIANGLE, _TRAPEZOID):
        value = stimulus.offset
        if t < end or end == 0.0:
            value += stimulus.amplitude * _wave(t - start, stimulus.rise, stimulus.hold)
    elif kind == _HELD:
        value = _held(table, t - start, stimulus.hold)
    else:
        value = _between(table, t)
    return value
