"""The picture of a comparison: both logs over each other, and their difference below."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from didymos.record.compare import Comparison, SignalError
from didymos.record.plot import COLOURS, figure_file, new_figure, style, unit_label

__all__ = ["plot_comparison"]

_MOST_PANELS = 12
_A, _B, _ERROR = COLOURS[0], COLOURS[1], "#777777"


def plot_comparison(comparison: Comparison, path: str | Path) -> Path:
    """Draw the signals with the largest relative errors, at most 12, into a PNG, SVG or PDF."""
    ordered = sorted(comparison.signals.values(), key=lambda error: -error.relative)
    shown = ordered[:_MOST_PANELS]
    columns = 1 if len(shown) <= 3 else 2 if len(shown) <= 8 else 3
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
            _draw(top, bottom, error)
            if i + columns >= len(shown):
                bottom.set_xlabel("time [s]")
        handles, _ = first.get_legend_handles_labels() if first is not None else ([], [])
        cut = len(shown) < len(ordered)
        count = f"   ({len(shown)} of {len(ordered)} signals, largest errors first)" if cut else ""
        labels = [comparison.labels[0], comparison.labels[1] + count]
        figure.legend(handles, labels, loc="outside upper left", ncols=2, fontsize=10)
        figure.align_ylabels()
        return figure_file(figure, path)


def _draw(top: Any, bottom: Any, error: SignalError) -> None:
    lone = "o" if error.samples == 1 else None
    top.plot(error.time, error.a, color=_A, linewidth=2.2, alpha=0.55, marker=lone, label="a")
    top.plot(error.time, error.b, color=_B, linewidth=0.9, marker=lone, label="b")
    unit = f" {error.unit}" if error.unit else ""
    top.set_title(error.name)
    top.set_title(f"RMSE {error.rmse:.3g}{unit}", loc="right", fontsize=8.5, fontweight="normal", color="#555555")
    top.set_ylabel(unit_label(error.unit))
    top.tick_params(labelbottom=False)
    bottom.axhline(0.0, color="#BBBBBB", linewidth=0.8)
    bottom.fill_between(error.time, 0.0, error.error, color=_ERROR, alpha=0.35, linewidth=0.0)
    bottom.plot(error.time, error.error, color=_ERROR, linewidth=0.8, marker=lone)
    bottom.set_ylabel("b - a")
    bottom.locator_params(axis="y", nbins=3)
