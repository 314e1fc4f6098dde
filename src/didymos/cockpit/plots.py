"""Live plots: any recorded signals by their paths, several to a plot, with pause, window and zoom.

A plot says which seconds it shows. Left to fit them to the data, the page remembers the part of the data that it showed last;
a plot that is built anew while data come in then shows a part without any, and goes on so.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import viser
import viser.uplot
from numpy.typing import NDArray

from didymos.cockpit.robots import RobotMenu, named
from didymos.cockpit.signals import heights, holders, is_there, names, pairs, tail, together, unit
from didymos.record.log import Log

__all__ = ["COLOURS", "HEIGHT", "Plots", "curves_of", "scales", "small", "span", "still"]

COLOURS = ("#e8590c", "#1971c2", "#2f9e44", "#9c36b5", "#e03131", "#0c8599", "#846358", "#495057")
ADD = "add a signal …"
MOST_SIGNALS, MOST_PLOTS, HEIGHT = len(COLOURS), 6, 170
PADDING = (12, 12, 0, 0)  # [pixels] above, right, below, left
TURNS = 4  # steps in which the seconds of a plot move on, per window: each builds the plot anew, which ends a zoom
Span = tuple[float, float]


def curves_of(labels: list[str]) -> tuple[viser.uplot.Series, ...]:
    """The series of a plot: time, and a curve per label."""
    series = [viser.uplot.Series(label="t [s]")]
    for label, colour in zip(labels, COLOURS, strict=False):
        series.append(viser.uplot.Series(label=label, stroke=colour, width=1.6, points={"show": False}, spanGaps=True))
    return tuple(series)


def scales(seconds: Span, height: Span | None = None) -> dict[str, Any]:
    """Scales of a plot: a span of seconds along, and upward from low to high, or as the curves need it."""
    along = {"x": viser.uplot.Scale(time=False, auto=False, range=seconds)}
    return along if height is None else along | {"y": viser.uplot.Scale(auto=False, range=height)}


def span(now: float, window: float) -> Span:
    """The seconds that a plot shows: a window that has `now` [s] in its last quarter, from 0 on while the run is young."""
    turn = window / TURNS
    begin = max(0.0, np.ceil(now / turn) * turn - window)
    return float(begin), float(begin + window)


def still(curves: tuple[NDArray[np.float64], ...]) -> Span | None:
    """Low and high of a plot whose curves hardly move, so that its scale can be read; None where they do."""
    values = np.concatenate(curves)
    values = values[np.isfinite(values)]
    if not len(values):
        return None
    low, high = float(values.min()), float(values.max())
    size = max(abs(low), abs(high))
    if size < 1e-9:
        return -1.0, 1.0
    if high - low > 0.02 * size:
        return None
    unit = 10.0 ** np.floor(np.log10(size))
    middle = round(0.5 * (low + high) / unit, 1) * unit
    return float(middle - 0.2 * unit), float(middle + 0.2 * unit)


def small(curves: tuple[NDArray[np.float64], ...]) -> int:
    """The power of ten to draw curves in that are too small for an axis with three decimals; 0 for all others."""
    size = max((float(np.nanmax(np.abs(values))) for values in curves if np.isfinite(values).any()), default=0.0)
    return 3 * int(np.floor(np.log10(size) / 3.0)) if 1e-30 < size < 0.01 else 0


class Plots:
    """The panel of plots. `update` is called some ten times a second."""

    def __init__(self, gui: viser.GuiApi, log: Log) -> None:
        self._gui = gui
        self._plots: list[_Plot] = []
        self._building = threading.Lock()  # a person's click and a new run come in threads of their own
        gui.add_markdown("Recorded signals while they happen. Pause, then drag over a plot to zoom, double-click to zoom out.")
        self._freeze = gui.add_checkbox("Pause plots", False, hint="The run goes on; zoom in peace")
        self._window = gui.add_slider("Seconds", min=1.0, max=60.0, step=1.0, initial_value=10.0)
        self._robot = RobotMenu(gui, holders(log), self._robot_chosen, label="Signals of")
        self._folder = gui.add_folder(None)
        more = gui.add_button("Add a plot", icon=viser.Icon.PLUS)
        more.on_click(lambda _: self._add(()))
        self._log = log
        robot = self._robot.value
        if robot:
            self._add(heights(log)[:MOST_SIGNALS])
        available = names(log, robot)
        beside = pairs(available, robot)
        favourite = sorted(beside, key=lambda pair: not pair[0].endswith((".z", ".vx", ".height")))
        self._add(favourite[0] if favourite else _first_moving(available, robot))
        if not robot:
            inputs = [name for name in available if name.startswith("inputs.")]
            self._add(tuple(inputs[:4]) or _first_moving(available, robot))

    def _add(self, signals: tuple[str, ...]) -> None:
        with self._building, self._folder:
            if len(self._plots) < MOST_PLOTS:
                self._plots.append(_Plot(self._gui, names(self._log, self._robot.value), signals, self._log))

    def _robot_chosen(self) -> None:
        """Offer the signals of another robot; what is drawn stays."""
        for plot in self._plots:
            plot.offer(names(self._log, self._robot.value))

    def renew(self, log: Log) -> None:
        """Offer the signals of a new run; its program may have others."""
        self._log = log
        with self._building, self._folder:
            for plot in self._plots:
                plot.renew(names(log, self._robot.value))

    def update(self, log: Log, now: float) -> None:
        """Draw the last seconds of a log; `now` [s] is the run's clock."""
        self._log = log
        if not self._freeze.value:
            for plot in self._plots:
                plot.draw(log, span(now, float(self._window.value)))


def _first_moving(available: tuple[str, ...], robot: str) -> tuple[str, ...]:
    """What is likely to move where nothing is named: joints, or else the robot."""
    joints = [name for name in available if name.startswith(named(robot, "joints.")) and name.endswith(".position")]
    return tuple(joints[:4]) or tuple(name for name in available if name.startswith(named(robot, "truth.position.")))


class _Plot:
    """One plot and the menu of its signals."""

    def __init__(self, gui: viser.GuiApi, available: tuple[str, ...], signals: tuple[str, ...], log: Log) -> None:
        self._signals: list[str] = []
        self._stale = True
        self._power = 0
        self._scales: tuple[Span, Span | None] = (0.0, 1.0), None
        self._log = log
        self._gui = gui
        self._uplot = self._empty(None)
        hint = "Type to search; choose again to remove"
        self._menu = gui.add_dropdown("Signal", (ADD, *available), initial_value=ADD, hint=hint)
        self._menu.on_update(lambda _: self._chosen())
        for name in signals:
            self._toggle(name)

    def _empty(self, order: float | None) -> Any:
        empty, along = (np.zeros(1), np.zeros(1)), scales(*self._scales)
        return self._gui.add_uplot(empty, curves_of([" "]), scales=along, height=HEIGHT, padding=PADDING, order=order)

    def renew(self, available: tuple[str, ...]) -> None:
        order = self._uplot.order
        self._uplot.remove()  # a new one, since the page remembers where in time the old one was zoomed to
        self._stale, self._scales = True, ((0.0, 1.0), None)
        self._uplot = self._empty(order)
        self.offer(available)

    def offer(self, available: tuple[str, ...]) -> None:
        if self._menu.options != (ADD, *available):
            self._menu.options = (ADD, *available)

    def _chosen(self) -> None:
        name = str(self._menu.value)
        if name != ADD:
            self._menu.value = ADD
            if is_there(self._log, name):
                self._toggle(name)

    def _toggle(self, name: str) -> None:
        if name in self._signals:
            self._signals.remove(name)
        elif len(self._signals) < MOST_SIGNALS:
            self._signals.append(name)
        self._stale = True

    def draw(self, log: Log, seconds: Span) -> None:
        self._log = log
        shown = [name for name in self._signals if is_there(log, name)]
        if not shown:
            return
        data = together([tail(log, name, seconds[0]) for name in shown])
        power = small(data[1:])
        if self._stale or power != self._power:
            self._stale, self._power = False, power
            times = f"×1e{power} " if power else ""
            self._uplot.series = curves_of([f"{name} {times}{unit(log, name)}".strip() for name in shown])
        data = (data[0], *(values * 10.0**-power for values in data[1:]))
        found = (seconds, still(data[1:]))
        if found != self._scales:
            self._scales = found
            self._uplot.scales = scales(*found)
        self._uplot.data = data
