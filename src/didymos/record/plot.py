"""Plots: signals over time, in panels that belong together.

The components of a vector share a panel (`imu.gyro.x`, `.y`, `.z`), and so does one quantity of all joints or parts
(`joints.motor1.velocity`, `joints.motor2.velocity`); panels share the time axis. The overview of a world's log shows its robots
(`record/world_plot.py`). Colours are those of Okabe and Ito,
which colour-blind readers can tell apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from didymos.errors import InputError
from didymos.record.log import Log, Signal
from didymos.record.plane import draw_plane, read_chains
from didymos.record.stream import Kind
from didymos.record.world_plot import NEAREST, draw_plan, robot_colours, world_panels

__all__ = ["COLOURS", "figure_file", "new_figure", "plot", "style", "unit_label"]

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7A5195", "#444444")

_STYLE = {
    "font.family": "sans-serif",
    "font.size": 9.0,
    "axes.titlesize": 9.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#888888",
    "axes.labelcolor": "#333333",
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.formatter.useoffset": False,
    "axes.xmargin": 0.0,
    "grid.color": "#E6E6E6",
    "grid.linewidth": 0.7,
    "xtick.color": "#555555",
    "ytick.color": "#555555",
    "lines.linewidth": 1.2,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "legend.handlelength": 1.4,
    "savefig.dpi": 130.0,
    "svg.hashsalt": "didymos",
}
_MOST_CURVES = len(COLOURS)
_PLAN_ROWS = 3
_LETTERS = 75  # of a title and a legend beside it, in a picture of a world
_OVERVIEW_PANELS = 12
_OVERVIEW_ORDER = (
    Kind.ODOMETRY, Kind.POSE, Kind.SCALARS, Kind.IMU, Kind.JOINT_STATES, Kind.TWIST, Kind.WRENCH, Kind.NAVSAT,
    Kind.MAGNETIC_FIELD, Kind.PRESSURE, Kind.RANGE,
)  # fmt: skip


@dataclass(frozen=True)
class _Panel:
    title: str
    unit: str
    curves: tuple[tuple[str, Signal], ...]


def plot(log: Log, names: Sequence[str], path: str | Path, plane: Sequence[str] = ()) -> Path:
    """Draw signals of a log into a PNG, SVG or PDF.

    Args:
        log: where the signals are.
        names: signals, prefixes or patterns; without any, an overview of the log.
        path: the picture; its suffix decides the format.
        plane: chains of links whose paths are drawn from above beside the signals, see `record/plane.py`.
    """
    if len(log.robots) == 1 and not names and not plane:
        log = log.of_robot(log.robots[0])
    elif log.robots and not names and not plane:
        with style():
            return figure_file(_world_figure(log), path)
    chains = read_chains(log, plane)
    signals = {signal.name: signal for name in names for signal in log.select(name)}
    note = ""
    panels = _panels(list(signals.values()))
    if not names:
        all_panels = _panels(_overview(log))
        all_panels.sort(key=_stands_still)  # a stable sort: what moves first, otherwise in the order above
        panels = all_panels[:_OVERVIEW_PANELS]
        note = f"the first {len(panels)} of {len(all_panels)} groups" if len(panels) < len(all_panels) else ""
    if not panels:
        raise InputError("there is nothing to plot in this log")
    with style():
        return figure_file(_figure_with_plane(log, chains, panels, note) if chains else _figure(panels, note), path)


@contextmanager
def style() -> Iterator[None]:
    """The look of our pictures."""
    import matplotlib
    from cycler import cycler

    with matplotlib.rc_context(_STYLE | {"axes.prop_cycle": cycler(color=COLOURS)}):
        yield


def new_figure(width: float, height: float) -> Any:
    """An empty figure of a size [inch], without any of pyplot's global state."""
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    return Figure(figsize=(width, height), layout=ConstrainedLayoutEngine(w_pad=0.08, h_pad=0.08))


def unit_label(unit: str) -> str:
    """A unit as an axis shows it: m/s^2 -> [m/s²]."""
    return f"[{unit.replace('^2', '²').replace('^3', '³').replace(' ', '·')}]" if unit else ""


def figure_file(figure: Any, path: str | Path) -> Path:
    """Save a figure; the same figure gives the same bytes."""
    path = Path(path)
    stamps = {".png": {"Software": None}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
    if path.suffix not in stamps:
        raise InputError(f"a picture is a .png, .svg or .pdf, not {path.suffix!r}", file=path)
    try:
        figure.savefig(path, metadata=stamps[path.suffix])
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=path) from error
    return path


def _overview(log: Log) -> list[Signal]:
    """Signals worth a first look: the first pose as position, angles and motion, then set-points, inputs, the rest.

    Neither every link's pose nor every ray of a scan, and no second pose of the same robot.
    """
    chosen: list[Signal] = []
    for kind in _OVERVIEW_ORDER:
        layouts = [layout for layout in log.layouts if layout.kind is kind]
        for layout in layouts[:1] if kind is Kind.ODOMETRY else layouts:
            signals = [log[name] for name in layout.signals if ".orientation." not in name]
            if kind is Kind.ODOMETRY and f"{layout.name}.orientation.w" in log:
                signals[3:3] = [log[f"{layout.name}.{name}"] for name in ("roll", "pitch", "yaw")]
            if kind is Kind.JOINT_STATES and len(layout.labels) > 1:
                signals.sort(key=lambda signal: signal.name.rsplit(".", 1)[1] == "position")
            chosen += signals
    return [signal for signal in chosen if len(signal.time)]


def _panels(signals: Sequence[Signal]) -> list[_Panel]:
    groups: dict[tuple[str, str], list[tuple[str, Signal]]] = {}
    for signal in signals:
        title, label = _panel_of(signal.name)
        groups.setdefault((title, signal.unit), []).append((label, signal))
    panels = []
    for (title, unit), curves in groups.items():
        pieces = -(-len(curves) // _MOST_CURVES)
        for i in range(pieces):
            part = tuple(curves[i * _MOST_CURVES : (i + 1) * _MOST_CURVES])
            panels.append(_Panel(title + (f" ({i + 1} of {pieces})" if pieces > 1 else ""), unit, part))
    return panels


def _stands_still(panel: _Panel) -> bool:
    """Whether no curve of a panel changes at all."""
    return all(len(signal.values) == 0 or float(np.ptp(signal.values)) == 0.0 for _, signal in panel.curves)


def _panel_of(name: str) -> tuple[str, str]:
    """Title of the panel to which a signal belongs, and its label there."""
    parts = name.split(".")
    if parts[-1] in ("w", "x", "y", "z") or len(parts) < 3:
        return ".".join(parts[:-1]), parts[-1]
    return f"{parts[0]} · {parts[-1]}", ".".join(parts[1:-1])


def _figure(panels: Sequence[_Panel], note: str) -> Any:
    columns = 1 if len(panels) <= 4 else 2
    rows = -(-len(panels) // columns)
    figure = new_figure(8.5 if columns == 1 else 12.5, 0.6 + 1.9 * rows)
    axes = figure.subplots(rows, columns, sharex=True, squeeze=False).ravel(order="F")
    for ax, panel in zip(axes, panels, strict=False):
        _draw(ax, panel, letters=90 if columns == 1 else 55)
    for ax in axes[len(panels) :]:
        ax.remove()
    for i in range(len(panels)):
        if (i + 1) % rows == 0 or i == len(panels) - 1:
            axes[i].set_xlabel("time [s]")
            axes[i].tick_params(labelbottom=True)
    if note:
        figure.supxlabel(note, fontsize=8, color="#777777")
    figure.align_ylabels()
    return figure


def _figure_with_plane(log: Log, chains: Sequence[tuple[str, ...]], panels: Sequence[_Panel], note: str) -> Any:
    figure = new_figure(11.5, max(4.5, 0.6 + 1.5 * len(panels)))
    grid = figure.add_gridspec(len(panels), 2, width_ratios=(1.1, 1.0))
    draw_plane(figure.add_subplot(grid[:, 0]), log, chains, COLOURS)
    first = None
    for row, panel in enumerate(panels):
        ax = figure.add_subplot(grid[row, 1], sharex=first)
        first = first or ax
        _draw(ax, panel, letters=55)
        ax.tick_params(labelbottom=row == len(panels) - 1)
    ax.set_xlabel("time [s]")
    if note:
        figure.supxlabel(note, fontsize=8, color="#777777")
    return figure


def _world_figure(log: Log) -> Any:
    """The plan of a world's robots, and beside it what is drawn of them over time."""
    panels, more = world_panels(log)
    colours = robot_colours(log.robots, COLOURS)
    beside = min(_PLAN_ROWS, max(1, len(panels)))  # panels beside the plan; the others go on below both
    rows = max(beside, -(-(len(panels) + beside) // 2))
    figure = new_figure(13.5, max(5.5, 0.6 + 1.9 * rows))
    grid = figure.add_gridspec(rows, 2, width_ratios=(1.0, 1.1))
    draw_plan(figure.add_subplot(grid[:beside, 0]), log, colours)
    places = [(row, 1) for row in range(rows)] + [(row, 0) for row in range(beside, rows)]
    first, shown = None, len(panels)
    for number, (panel, (row, column)) in enumerate(zip(panels, places, strict=False)):
        ax = figure.add_subplot(grid[row, column], sharex=first)
        first = first or ax
        for label, (times, values) in panel.curves.items():
            colour = colours.get(label, "#222222" if label == NEAREST else None)
            ax.plot(times, values, label=label, color=colour, linewidth=1.2)
        for span, limit in panel.lines():
            ax.plot(span, (limit, limit), color="#777777", linestyle=":", linewidth=1.3)
        ax.set_title(panel.title)
        ax.set_ylabel(unit_label(panel.unit))
        if number in (rows - 1, shown - 1):  # the last one of its column
            ax.set_xlabel("time [s]")
        else:
            ax.tick_params(labelbottom=False)
        if len(panel.title) + sum(len(label) + 6 for label in panel.curves) <= _LETTERS:  # else the plan has the colours
            ax.legend(loc="lower right", bbox_to_anchor=(1.0, 1.01), ncols=len(panel.curves), borderaxespad=0.0)
    if more:
        figure.supxlabel(f"and {more} more panels: name signals, or a robot, to see them", fontsize=8, color="#777777")
    return figure


def _draw(ax: Any, panel: _Panel, letters: int) -> None:
    """Draw a panel whose title line has room for so many letters."""
    for label, signal in panel.curves:
        alone = "o" if len(signal.time) == 1 else None
        ax.plot(signal.time, signal.values, label=label, marker=alone, markersize=3)
    ax.set_title(panel.title)
    ax.set_ylabel(unit_label(panel.unit))
    if all(np.ptp(signal.values) < 1e-12 for _, signal in panel.curves if len(signal.values)):
        ax.margins(y=0.5)  # a constant is a line in the middle, not noise blown up
    if len(panel.curves) == 1 and not panel.title:
        ax.set_title(panel.curves[0][0])
    elif len(panel.title) + sum(len(label) + 6 for label, _ in panel.curves) > letters:
        ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    else:
        ax.legend(loc="lower right", bbox_to_anchor=(1.0, 1.01), ncols=len(panel.curves), borderaxespad=0.0)
