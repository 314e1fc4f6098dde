"""Plots of a shadow's innovations: what the robot told less what the twin expected, in the band in which 95 % should lie.

    nu = z - h(x),      band: -2 sigma .. 2 sigma,      sigma^2 = diag(H P H' + R)

A plot shows the signal that is chosen, or one of those that show the last alarm most clearly. Red lines stand where alarms were
raised.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import viser
import viser.uplot
from numpy.typing import NDArray

from didymos.cockpit.error_log import INNOVATION, SIGMA, ErrorLog
from didymos.cockpit.plots import COLOURS, HEIGHT, PADDING, Span, scales, small, span
from didymos.cockpit.signals import tail, together
from didymos.shadow.alarm import Alarm

__all__ = ["ErrorPlots", "clearest", "height_of", "with_alarms"]

CLEAREST = "the clearest"
COUNT = 3  # plots
BAND, EDGE, ALARM = "rgba(25, 113, 194, 0.13)", "rgba(25, 113, 194, 0.45)", "#e03131"
_Array = NDArray[np.float64]


def clearest(names: Sequence[str], alarms: Sequence[Alarm]) -> list[str]:
    """The signals that are worth looking at: those of the last alarm, then one of each sensor, then all others."""
    shown = [name for name in alarms[-1].signals if name in names] if alarms else []
    firsts = {name.partition(".")[0]: name for name in reversed(names)}
    return list(dict.fromkeys([*shown, *sorted(firsts.values(), key=list(names).index), *names]))


def height_of(innovation: _Array, sigma: _Array) -> float:
    """How far a plot reaches up and down, in steps of 1, 2 and 5: its scale changes seldom.

    All innovations are seen, and the band as it usually is: where inputs jump it is wide for a moment.
    """
    parts = [np.abs(part[np.isfinite(part)]) for part in (innovation, sigma)]
    size = max(float(parts[0].max(initial=0.0)), 3.0 * float(np.median(parts[1])) if len(parts[1]) else 0.0)
    if size <= 0.0:
        return 1.0
    power = 10.0 ** np.floor(np.log10(size))
    return float(next(step for step in (1.0, 2.0, 5.0, 10.0, 20.0) if step * power >= 1.05 * size) * power)


def with_alarms(data: tuple[_Array, ...], times: Sequence[float], height: float) -> tuple[_Array, ...]:
    """Curves over one time axis, and one more with an upright line at each of some times [s]; gaps where the others have none."""
    axis, curves = data[0], data[1:]
    inside = [time for time in times if axis[0] <= time <= axis[-1]]
    at = np.repeat(np.searchsorted(axis, inside), 3)
    nothing = np.full(len(at), np.nan)
    upright = np.tile([-height, height, np.nan], len(inside))
    return (
        np.insert(axis, at, np.repeat(inside, 3)),
        *(np.insert(curve, at, nothing) for curve in curves),
        np.insert(np.full(len(axis), np.nan), at, upright),
    )


class ErrorPlots:
    """The panel of error plots. `update` is called some ten times a second."""

    def __init__(self, gui: viser.GuiApi, errors: ErrorLog) -> None:
        self._errors = errors
        gui.add_markdown("What the robot told less what the twin expected. 95 % lie in the band, ±2 σ, while all is well.")
        self._freeze = gui.add_checkbox("Pause plots", False, hint="The shadow goes on; zoom in peace")
        self._window = gui.add_slider("Seconds", min=1.0, max=60.0, step=1.0, initial_value=10.0)
        self._plots = [_ErrorPlot(gui, tuple(errors.units)) for _ in range(COUNT)]

    def update(self, alarms: Sequence[Alarm]) -> None:
        """Draw the last seconds."""
        if self._freeze.value:
            return
        chosen = [plot.choice for plot in self._plots if plot.choice]
        left = [name for name in clearest(tuple(self._errors.units), alarms) if name not in chosen]
        seconds = span(self._errors.time, float(self._window.value))
        for plot in self._plots:
            name = plot.choice or (left.pop(0) if left else "")
            if name:
                plot.draw(self._errors, name, seconds, [alarm.time for alarm in alarms])


class _ErrorPlot:
    """One signal and its band."""

    def __init__(self, gui: viser.GuiApi, names: tuple[str, ...]) -> None:
        self._names = names
        self._drawn: Any = None
        self._shown: Any = None
        empty = (np.zeros(1),) * 5
        self._uplot = gui.add_uplot(
            empty, _series(" ", ""), scales=scales((0.0, 1.0)), height=HEIGHT, padding=PADDING,
            bands=(viser.uplot.Band(series=(1, 2), fill=BAND),), legend=viser.uplot.Legend(live=False),
        )  # fmt: skip
        self._menu = gui.add_dropdown("Signal", (CLEAREST, *names), initial_value=CLEAREST, hint="Type to search")

    @property
    def choice(self) -> str:
        """The signal that a person chose; empty where none is."""
        name = str(self._menu.value)
        return name if name in self._names else ""

    def draw(self, errors: ErrorLog, name: str, seconds: Span, alarms: Sequence[float]) -> None:
        """Show a signal, where there is something new to show."""
        shown = name, seconds, errors.time, len(alarms)
        if shown == self._shown:
            return
        self._shown = shown
        time, innovation, sigma = together([tail(errors.log, f"{name}.{part}", seconds[0]) for part in (INNOVATION, SIGMA)])
        power = small((innovation, 2.0 * sigma))
        innovation, sigma = innovation * 10.0**-power, sigma * 10.0**-power
        height = height_of(innovation, sigma)
        drawn = name, power, seconds, height
        if drawn != self._drawn:
            self._drawn = drawn
            unit = errors.units[name]
            self._uplot.series = _series(name, f"×1e{power} {unit}" if power else "" if unit == "1" else unit)
            self._uplot.scales = scales(seconds, (-height, height))
        self._uplot.data = with_alarms((time, 2.0 * sigma, -2.0 * sigma, innovation), alarms, height)


def _series(name: str, unit: str) -> tuple[viser.uplot.Series, ...]:
    """Time, the edges of the band, the innovation, alarms."""
    plain: dict[str, Any] = {"points": {"show": False}, "spanGaps": True}
    return (
        viser.uplot.Series(label="t [s]"),
        viser.uplot.Series(label="+2 σ", stroke=EDGE, width=1.0, **plain),
        viser.uplot.Series(label="−2 σ", stroke=EDGE, width=1.0, **plain),
        viser.uplot.Series(label=f"{name} {unit}".strip(), stroke=COLOURS[0], width=1.4, **plain),
        viser.uplot.Series(label="alarm", stroke=ALARM, width=2.0, points={"show": False}),
    )
