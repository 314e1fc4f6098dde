"""A picture of a log whose bad stretches are shaded: one panel for each quantity, the most telling first.

A panel is scaled by its good samples, so that a stretch that was extrapolated to nowhere does not hide the flight.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.errors import InputError
from didymos.record.log import Log
from didymos.record.own_file import check_replaceable
from didymos.record.quantities import Quantity, motors, quantities
from didymos.record.style import COLOURS, figure_file, new_figure, style, unit_label

__all__ = ["plot_survey", "signal_groups"]

_PANELS = 12
_MOST_CURVES = len(COLOURS)
_MOST_POINTS = 4000  # of a curve; a picture has no more
_SHADE = "#D55E00"
_Panel = tuple[str, list[str]]


def plot_survey(log: Log, masks: Mapping[str, NDArray[np.bool_]], path: str | Path) -> Path:
    """Draw the signals for which there are masks of bad samples, shape [n] each, into a PNG, SVG or PDF."""
    check_replaceable(Path(path))
    panels = sorted(signal_groups(log, set(masks)), key=lambda panel: _stands_still(log, panel))
    if not panels:
        raise InputError("there is nothing to plot in this log")
    shown = panels[:_PANELS]
    with style():
        columns = 1 if len(shown) <= 4 else 2
        rows = -(-len(shown) // columns)
        figure = new_figure(8.5 if columns == 1 else 12.5, 0.6 + 1.8 * rows)
        axes = figure.subplots(rows, columns, sharex=True, squeeze=False).ravel(order="F")
        for ax, panel in zip(axes, shown, strict=False):
            _draw(ax, log, masks, panel)
        for ax in axes[len(shown) :]:
            ax.remove()
        for i in range(len(shown)):
            if (i + 1) % rows == 0 or i == len(shown) - 1:
                axes[i].set_xlabel("time [s]")
                axes[i].tick_params(labelbottom=True)
        notes = ["shaded: samples that are not to be believed"] if any(mask.any() for mask in masks.values()) else []
        notes += [f"the first {len(shown)} of {len(panels)} groups"] if len(shown) < len(panels) else []
        if notes:
            figure.supxlabel("; ".join(notes), fontsize=8, color="#777777")
        figure.align_ylabels()
        return figure_file(figure, path)


def signal_groups(log: Log, chosen: set[str]) -> Iterator[_Panel]:
    """Title and signals of each panel: poses, orientations, motors, then the rest; signals that differ in a number share one."""
    found = quantities(log, chosen)
    turning = [name for name in motors(log) if name in chosen]
    order = {"pose": 0, "quaternion": 1, "measured": 3, "command": 4, "scan": 5}
    alike: dict[str, list[str]] = {}
    rest: list[tuple[int, Quantity]] = []
    for quantity in found:
        if len(quantity.signals) == 1:
            alike.setdefault(re.sub(r"\d+", "#", quantity.signals[0]), []).append(quantity.signals[0])
        else:
            rest.append((order[quantity.nature], quantity))
    numbered = [(2 if names[0] in turning else 3, Quantity(key, tuple(names), "measured")) for key, names in alike.items()]
    for _, quantity in sorted([*rest, *numbered], key=lambda item: item[0]):
        for first in range(0, len(quantity.signals), _MOST_CURVES):
            yield quantity.name, list(quantity.signals[first : first + _MOST_CURVES])


def _stands_still(log: Log, panel: _Panel) -> bool:
    values = [log[name].values for name in panel[1]]
    return all(len(column) == 0 or np.nanmax(column, initial=0.0) == np.nanmin(column, initial=0.0) for column in values)


def _draw(ax: Any, log: Log, masks: Mapping[str, NDArray[np.bool_]], panel: _Panel) -> None:
    title, names = panel
    good = []
    for name in names:
        signal, bad = log[name], masks[name]
        every = max(1, len(signal.time) // _MOST_POINTS)
        ax.plot(signal.time[::every], signal.values[::every], label=_label(name, title))
        believed = signal.values[~bad & np.isfinite(signal.values)]
        good += [believed] if len(believed) else []
    for first, last in _stretches(log[names[0]].time, np.logical_or.reduce([masks[name] for name in names])):
        ax.axvspan(first, last, color=_SHADE, alpha=0.25, linewidth=0)
    low, high = (min(map(np.min, good)), max(map(np.max, good))) if good else (0.0, 1.0)
    room = 0.06 * (high - low) or max(abs(high), 1.0)
    if np.isfinite([low - room, high + room]).all():
        ax.set_ylim(low - room, high + room)
    ax.set_title(title if len(names) > 1 else names[0])
    ax.set_ylabel(unit_label(log[names[0]].unit))
    if len(names) > 1:
        ax.legend(loc="lower right", bbox_to_anchor=(1.0, 1.01), ncols=len(names), borderaxespad=0.0)


def _label(name: str, title: str) -> str:
    """What a signal has that the title of its panel does not."""
    return next(iter(re.findall(r"\d+$|[wxyzWXYZ](?=[^a-zA-Z]|$)", name)[-1:]), name if title != name else "")


def _stretches(time: NDArray[np.float64], mask: NDArray[np.bool_]) -> Iterator[tuple[float, float]]:
    """Where a mask begins and ends [s]; wide enough to be seen."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], mask, [False])).astype(np.int8)))
    least = 0.002 * float(time[-1] - time[0]) if len(time) else 0.0
    for start, end in zip(edges[::2], edges[1::2] - 1, strict=True):
        first, last = float(time[start]), float(time[end])
        middle = 0.5 * (first + last)
        yield (first, last) if last - first > least else (middle - 0.5 * least, middle + 0.5 * least)
