"""The picture of a designed experiment: what moves, what is recorded and what is limited, the present one beside it."""

from __future__ import annotations

import math
from pathlib import Path

from didymos.fitting.designed import Design
from didymos.record.style import COLOURS, figure_file, new_figure, style, unit_label

__all__ = ["plot_design"]

_MOST = 8  # panels of a column
_PRESENT, _WALL = "#B5BDC6", "#C23B22"


def plot_design(design: Design, path: Path) -> Path:
    """Draw what is moved, and every signal that is recorded or limited, over time; limits are dashed."""
    names = list(dict.fromkeys([*(item.target for item in design.moved), *design.units]))
    columns = -(-len(names) // _MOST)
    rows = -(-len(names) // columns)
    with style():
        figure = new_figure(8.5 if columns == 1 else 5.0 * columns, 0.6 + 1.5 * rows)
        axes = figure.subplots(rows, columns, sharex=True, squeeze=False).ravel(order="F")
        for ax, name in zip(axes, names, strict=False):
            ax.plot(*design.present[name], color=_PRESENT, lw=1.0, label=design.scenario or "present")
            ax.plot(*design.samples[name], color=COLOURS[0], lw=1.1, label="designed")
            ax.set_title(name)
            ax.set_ylabel(unit_label(design.units[name]))
            _draw_limits(ax, design, name)
        for ax in axes[len(names) :]:
            ax.remove()
        axes[0].legend(loc="lower right", bbox_to_anchor=(1.0, 1.01), ncols=2, borderaxespad=0.0)
        for i in range(len(names)):
            if (i + 1) % rows == 0 or i == len(names) - 1:
                axes[i].set_xlabel("time [s]")
                axes[i].tick_params(labelbottom=True)
        return figure_file(figure, path)


def _draw_limits(ax: object, design: Design, name: str) -> None:
    """Dashed lines where they are near enough to be seen."""
    from matplotlib.axes import Axes

    assert isinstance(ax, Axes)
    low, high = ax.get_ylim()
    room = high - low
    for kept in design.limits:
        if kept.limit.signal == name and not kept.limit.rms:
            for wall in (kept.limit.low, kept.limit.high):
                if math.isfinite(wall) and low - room < wall < high + room:
                    ax.axhline(wall, color=_WALL, lw=0.8, ls="--")
