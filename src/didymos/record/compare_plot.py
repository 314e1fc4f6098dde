"""The picture of a comparison: both logs over each other, and their difference below, with the limits that it may not cross."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from didymos.errors import InputError
from didymos.record.compare import Comparison, SignalError
from didymos.record.envelope import envelope_of, thinned
from didymos.record.own_file import check_replaceable
from didymos.record.panel_plot import MISSED
from didymos.record.style import COLOURS, figure_file, new_figure, style, unit_label

__all__ = ["plot_comparison"]

_MOST_PANELS = 8
_A, _B, _ERROR = COLOURS[0], COLOURS[1], "#777777"


def plot_comparison(comparison: Comparison, path: str | Path) -> Path:
    """Draw the signals that matter, and those beyond their limits before them, into a PNG, SVG or PDF; at most 8, or all of 8.

    Where nothing differs, the first signals are drawn: the eye may see that they are the same.
    """
    check_replaceable(Path(path))
    if not comparison.signals:
        raise InputError("there is nothing to draw: the logs have no signal in common")
    few = [rank.name for rank in comparison.ranks] if len(comparison.signals) <= _MOST_PANELS else []
    names = list(dict.fromkeys([*comparison.beyond, *(few or comparison.matter)])) or list(comparison.signals)[:3]
    shown = [comparison.signals[name] for name in names[:_MOST_PANELS]]
    columns = 1 if len(shown) <= 3 else 2
    rows = -(-len(shown) // columns)
    with style():
        figure = new_figure(8.5 if columns == 1 else 6.0 * columns, 0.7 + 2.6 * rows)
        cells = figure.add_gridspec(2 * rows, columns, height_ratios=(2.4, 1.0) * rows)
        first = None
        for i, error in enumerate(shown):
            row, column = 2 * (i // columns), i % columns
            top = figure.add_subplot(cells[row, column], sharex=first)
            bottom = figure.add_subplot(cells[row + 1, column], sharex=top)
            first = first or top
            _draw(top, bottom, error, comparison.limits.get(error.name))
            if i + columns >= len(shown):
                bottom.set_xlabel("time [s]")
        handles, _ = first.get_legend_handles_labels() if first is not None else ([], [])
        cut = len(shown) < len(comparison.signals)
        count = f"   ({len(shown)} of {len(comparison.signals)} signals: what differs most)" if cut else ""
        labels = [comparison.labels[0], comparison.labels[1] + count]
        figure.legend(handles, labels, loc="outside upper left", ncols=2, fontsize=10)
        figure.align_ylabels()
        return figure_file(figure, path)


def _draw(top: Any, bottom: Any, error: SignalError, limit: float | None) -> None:
    lone = "o" if error.samples == 1 else None
    height = float(max(error.a.max(), error.b.max()) - min(error.a.min(), error.b.min()))
    looks = ((error.a, _A, {"linewidth": 2.2, "alpha": 0.55}, "a"), (error.b, _B, {"linewidth": 0.9}, "b"))
    for values, colour, look, label in looks:
        band = envelope_of(error.time, values, height)
        if band is not None:
            top.fill_between(band.time, band.low, band.high, color=colour, alpha=0.2, linewidth=0)
        curve = thinned(error.time, values) if band is None else (band.time, band.mean)
        top.plot(*curve, color=colour, marker=lone, label=label, **look)
    unit = f" {error.unit}" if error.unit not in ("", "1") else ""
    beyond = limit is not None and error.max > limit
    top.set_title(error.name, color=MISSED if beyond else "black")
    told = f"RMSE {error.rmse:.3g}{unit}" + (f", largest {error.max:.3g}, limit {limit:.3g}" if limit is not None else "")
    top.set_title(told, loc="right", fontsize=8.5, fontweight="normal", color=MISSED if beyond else "#555555")
    top.set_ylabel(unit_label(error.unit))
    top.tick_params(labelbottom=False)
    bottom.axhline(0.0, color="#BBBBBB", linewidth=0.8)
    time, away = thinned(error.time, error.error)
    bottom.fill_between(time, 0.0, away, color=_ERROR, alpha=0.35, linewidth=0.0)
    bottom.plot(time, away, color=_ERROR, linewidth=0.8, marker=lone)
    for value in () if limit is None else (-limit, limit):
        bottom.axhline(value, color=MISSED if beyond else "#555555", linestyle=":", linewidth=1.3)
    bottom.set_ylabel(f"b - a\n{unit_label(error.unit)}".rstrip())
    bottom.locator_params(axis="y", nbins=3)
