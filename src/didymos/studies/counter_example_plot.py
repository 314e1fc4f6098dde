"""A picture of a counter-example: the signals of the expectation that it misses, the time that decides, and the nominal run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from didymos.describe.formula import Term, read_formula
from didymos.describe.schema import ExpectationSpec
from didymos.errors import InputError
from didymos.record.log import Log, Signal
from didymos.record.robustness import robustness
from didymos.record.style import COLOURS, figure_file, new_figure, style, unit_label

__all__ = ["decided_at", "plot_counter_example"]

_NOMINAL, _BOUND = "#999999", "#888888"
_MOST = 6  # panels
_EXTREMES: dict[str, Callable[[Any], Any]] = {"max_error": np.abs, "max": np.positive, "min": np.negative}


def decided_at(expected: ExpectationSpec, log: Log) -> float | None:
    """When [s] a run missed an expectation: at the sample that decides a formula or an extreme; None where all samples do."""
    if expected.stl is not None:
        found = robustness(read_formula(expected.stl), log)
        return None if found is None else found.time
    if expected.signal is None or expected.point is not None:
        return None
    try:
        signal = log[expected.signal]
    except InputError:  # a figure of a world, of several robots
        return None
    inside = (signal.time >= expected.after) & (signal.time <= (np.inf if expected.before is None else expected.before))
    time, values = signal.time[inside], signal.values[inside] - expected.target
    if len(time) == 0:
        return None
    if expected.measure == "final":
        return float(time[-1])
    return float(time[int(np.argmax(_EXTREMES[expected.measure](values)))]) if expected.measure in _EXTREMES else None


def plot_counter_example(
    expected: ExpectationSpec, log: Log, nominal: Log, file: str | Path, *, title: str, failed_at: float | None = None
) -> Path:
    """Draw the signals of an expectation that a run misses, beside those of the nominal run; `failed_at` [s] ended the run."""
    names = [name for signal in expected.signals for name in _names(signal, log)][:_MOST]
    if not names:
        raise InputError("there is nothing to draw: what was missed looks at no signal of the log", option="plot")
    moment = decided_at(expected, log) if failed_at is None else failed_at
    with style():
        figure = new_figure(8.0, 0.8 + 2.0 * len(names))
        panels = figure.subplots(len(names), 1, squeeze=False, sharex=True)[:, 0]
        for panel, name in zip(panels, names, strict=True):
            _curve(panel, nominal[name], _NOMINAL, "nominal")
            _curve(panel, log[name], COLOURS[1], "counter-example")
            _bounds(panel, expected, name)
            if moment is not None:
                panel.axvline(moment, color=COLOURS[0], linewidth=1.0, linestyle=":", label=f"t = {moment:.3g} s")
            panel.set_title(name)
            panel.set_ylabel(unit_label(log[name].unit))
        panels[0].legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=3, borderaxespad=0.2)
        panels[-1].set_xlabel("time [s]")
        figure.suptitle(title, fontsize=8.5, x=0.01, ha="left")
        return figure_file(figure, file)


def _names(signal: str, log: Log) -> list[str]:
    """The signal itself, or the axes of a position."""
    for names in ([signal], [f"{signal}.{axis}" for axis in "xyz"]):
        try:
            return [log[name].name for name in names]
        except InputError:
            continue
    return []


def _curve(panel: Any, signal: Signal, colour: str, label: str) -> None:
    panel.plot(signal.time, signal.values, color=colour, label=label)


def _bounds(panel: Any, expected: ExpectationSpec, name: str) -> None:
    """The bounds of an expectation on the signal itself, and of comparisons of a formula with a constant."""
    if expected.stl is not None:
        for item in read_formula(expected.stl).term.all():
            for side in _compared(item, name) if item.kind == "above" else ():
                panel.axhline(side, color=_BOUND, linewidth=0.9, linestyle="--")
        return
    if name != expected.signal or expected.measure not in ("max_error", "max", "min", "mean", "final"):
        return
    bounds = [bound for bound in (expected.low, expected.high) if bound is not None]
    bounds += [-bound for bound in bounds] if expected.measure == "max_error" else []
    for bound in bounds:
        panel.axhline(expected.target + bound, color=_BOUND, linewidth=0.9, linestyle="--")


def _compared(comparison: Term, name: str) -> list[float]:
    """The values of a signal at which a comparison of it, or of its distance from a constant, with a constant turns."""
    one, other = sorted(comparison.of, key=lambda term: term.kind != "constant")
    if one.kind != "constant" or other.kind == "constant":
        return []
    inner = other.of[0] if other.kind == "abs" else other
    centre = 0.0
    if inner.kind == "-" and inner.of[1].kind == "constant":
        inner, centre = inner.of[0], inner.of[1].value
    if inner.kind != "signal" or inner.signal != name:
        return []
    return [centre + one.value, centre - one.value] if other.kind == "abs" else [centre + one.value]
