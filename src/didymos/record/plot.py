"""Plots: signals over time, in panels that belong together.

The components of a vector share a panel (`imu.gyro.x`, `.y`, `.z`), and so does one quantity of all joints or parts
(`joints.motor1.velocity`, `joints.motor2.velocity`); panels share the time axis. Without names, the overview of a log leads with
what its scenario is about (`overview.py`); that of a world's log shows its robots (`world_plot.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from didymos.errors import InputError
from didymos.record.expected import verdicts
from didymos.record.log import Log
from didymos.record.overview import grouped, overview
from didymos.record.own_file import check_replaceable
from didymos.record.panel import Panel, tidy, within
from didymos.record.panel_plot import MISSED, draw_panel
from didymos.record.plane import draw_plane, read_chains
from didymos.record.style import COLOURS, figure_file, new_figure, style
from didymos.record.world_plot import NEAREST, draw_plan, robot_colours, world_panels

__all__ = ["plot"]

_PLAN_ROWS = 3
_LETTERS = 75  # of a title and a legend beside it, in a picture of a world


def plot(
    log: Log,
    names: Sequence[str],
    path: str | Path,
    plane: Sequence[str] = (),
    *,
    start: float | None = None,
    end: float | None = None,
) -> Path:
    """Draw signals of a log into a PNG, SVG or PDF.

    Args:
        log: where the signals are.
        names: signals, prefixes or patterns; without any, an overview of the log.
        path: the picture; its suffix decides the format. A file that is there and no picture of ours stays.
        plane: chains of links whose paths are drawn from above beside the signals, see `record/plane.py`.
        start, end: the stretch of time [s] that is drawn; verdicts are on the whole run.
    """
    check_replaceable(Path(path))
    if len(log.robots) == 1 and not names and not plane:
        log = log.of_robot(log.robots[0])
    as_world = bool(log.robots) and not names and not plane
    chains = read_chains(log, plane)
    signals = {signal.name: signal for name in names for signal in log.select(name)}
    if as_world:
        panels, left = world_panels(log)
    else:
        panels, left = (grouped(list(signals.values())), []) if names else overview(log)
    if not panels:
        raise InputError("there is nothing to plot in this log")
    summary = None if names else _summary(log)
    panels = [tidy(panel, _scales(panels)) for panel in _stretch(panels, start, end)]
    with style():
        if as_world:
            figure = _world_figure(log, panels, start, end)
        elif chains:
            figure = _figure_with_plane(log, chains, panels)
        else:
            figure = _figure(panels)
        _write_around(figure, summary, left)
        return figure_file(figure, path)


def _stretch(panels: Sequence[Panel], start: float | None, end: float | None) -> list[Panel]:
    """What lies between two times [s]; an `InputError` where nothing does."""
    if start is None and end is None:
        return list(panels)
    times = [times for panel in panels for times, _ in panel.curves.values() if len(times)]
    first, last = min(float(t[0]) for t in times), max(float(t[-1]) for t in times)
    begin, stop = first if start is None else start, last if end is None else end
    if begin >= stop:
        raise InputError(f"nothing lies between {begin:g} s and {stop:g} s; the log has {first:g} s to {last:g} s")
    cut = [within(panel, begin, stop) for panel in panels]
    if not any(len(times) for panel in cut for times, _ in panel.curves.values()):
        raise InputError(f"nothing lies between {begin:g} s and {stop:g} s; the log has {first:g} s to {last:g} s")
    return [panel for panel in cut if any(len(times) for times, _ in panel.curves.values())]


def _scales(panels: Sequence[Panel]) -> dict[str, float]:
    """The largest value of each unit."""
    found: dict[str, float] = {}
    for panel in panels:
        for _, values in panel.curves.values():
            known = np.abs(values[np.isfinite(values)])
            found[panel.unit] = max(found.get(panel.unit, 0.0), float(known.max()) if len(known) else 0.0)
    return found


def _summary(log: Log) -> tuple[str, bool] | None:
    """One line about the run, and whether it fell short; None of a log that does not say whose it is."""
    names = [log.metadata.get("twin", ""), log.metadata.get("variant", ""), log.metadata.get("scenario", "")]
    what = ", ".join(name for name in (log.metadata.get("robot", ""), *names) if name)
    found = verdicts(log)
    missed = [verdict.name for verdict in found if verdict.ok is False]
    met = sum(verdict.ok is True for verdict in found)
    if missed:
        told = f"MISSED {', '.join(dict.fromkeys(missed))}"
    else:
        told = f"{met} expectation{'s' * (met > 1)} met" if met else ""
    line = ": ".join(part for part in (what, told) if part)
    return (line, bool(missed)) if line else None


def _write_around(figure: Any, summary: tuple[str, bool] | None, left: Sequence[str]) -> None:
    """What the run was above the panels, and what is not shown below them."""
    if summary is not None:
        figure.suptitle(summary[0], x=0.01, ha="left", fontsize=11, fontweight="bold", color=MISSED if summary[1] else "#222222")
    if left:
        room = int(16 * figure.get_figwidth())  # letters of a line
        count = next((n for n in range(len(left), 1, -1) if len(_not_shown(left, n)) <= room), 1)
        figure.supxlabel(_not_shown(left, count), fontsize=8, color="#777777")


def _not_shown(names: Sequence[str], count: int) -> str:
    more = f" and {len(names) - count} more" if len(names) > count else ""
    return f"not shown, name it to draw it: {', '.join(names[:count])}{more}"


def _figure(panels: Sequence[Panel]) -> Any:
    columns = 1 if len(panels) <= 4 else 2
    rows = -(-len(panels) // columns)
    figure = new_figure(8.5 if columns == 1 else 12.5, 0.6 + 2.1 * rows)
    axes = figure.subplots(rows, columns, sharex=True, squeeze=False).ravel(order="F")
    for ax, panel in zip(axes, panels, strict=False):
        draw_panel(ax, panel, letters=90 if columns == 1 else 55)
    for ax in axes[len(panels) :]:
        ax.remove()
    for i in range(len(panels)):
        if (i + 1) % rows == 0 or i == len(panels) - 1:
            axes[i].set_xlabel("time [s]")
            axes[i].tick_params(labelbottom=True)
    figure.align_ylabels()
    return figure


def _figure_with_plane(log: Log, chains: Sequence[tuple[str, ...]], panels: Sequence[Panel]) -> Any:
    figure = new_figure(11.5, max(4.5, 0.6 + 1.7 * len(panels)))
    grid = figure.add_gridspec(len(panels), 2, width_ratios=(1.1, 1.0))
    draw_plane(figure.add_subplot(grid[:, 0]), log, chains, COLOURS)
    first = None
    for row, panel in enumerate(panels):
        ax = figure.add_subplot(grid[row, 1], sharex=first)
        first = first or ax
        draw_panel(ax, panel, letters=55)
        ax.tick_params(labelbottom=row == len(panels) - 1)
    ax.set_xlabel("time [s]")
    return figure


def _world_figure(log: Log, panels: Sequence[Panel], start: float | None, end: float | None) -> Any:
    """The plan of a world's robots, and beside it what is drawn of them over time."""
    colours: dict[str, Any] = {NEAREST: "#222222", **robot_colours(log.robots, COLOURS)}
    beside = min(_PLAN_ROWS, max(1, len(panels)))  # panels beside the plan; the others go on below both
    rows = max(beside, -(-(len(panels) + beside) // 2))
    figure = new_figure(13.5, max(5.5, 0.6 + 2.1 * rows))
    grid = figure.add_gridspec(rows, 2, width_ratios=(1.0, 1.1))
    draw_plan(figure.add_subplot(grid[:beside, 0]), log, colours, start, end)
    places = [(row, 1) for row in range(rows)] + [(row, 0) for row in range(beside, rows)]
    first, shown = None, len(panels)
    for number, (panel, (row, column)) in enumerate(zip(panels, places, strict=False)):
        ax = figure.add_subplot(grid[row, column], sharex=first)
        first = first or ax
        room = len(panel.title) + sum(len(label) + 6 for label in panel.curves) <= _LETTERS  # else the plan has the colours
        draw_panel(ax, panel, _LETTERS, colours, legend=room)
        if number in (rows - 1, shown - 1):  # the last one of its column
            ax.set_xlabel("time [s]")
        else:
            ax.tick_params(labelbottom=False)
    return figure
