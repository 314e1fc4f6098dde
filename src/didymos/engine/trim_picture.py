"""The picture of a survey of trims: roots over airspeed, and angle of attack, commands, thrust and power over it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from didymos.engine.flight_survey import Survey
from didymos.record.style import COLOURS, figure_file, new_figure, style

__all__ = ["plot_survey"]

_END = "#C23B22"
_MARKERS = "osD^vP*Xhd<>"


def plot_survey(survey: Survey, path: Path) -> Path:
    """Draw the roots of the rigid modes in the complex plane, and the trims over airspeed; ends of flight are dashed."""
    with style():
        figure = new_figure(11.0, 6.5)
        grid = figure.add_gridspec(4, 2, width_ratios=(1.25, 1.0))
        _draw_roots(figure.add_subplot(grid[:, 0]), survey)
        speeds = [point.trim.airspeed for point in survey.points]
        panels: list[tuple[str, list[tuple[str, list[float]]]]] = [
            ("angle [deg]", [("alpha", [np.degrees(p.trim.alpha) for p in survey.points])]),
            ("pitch, roll, yaw", [(axis, [p.trim.commands.get(axis, 0.0) for p in survey.points]) for axis in _axes(survey)]),
            ("thrust command", [("thrust", [p.trim.throttle for p in survey.points])]),
            (_power_title(survey), [("power", [_power(p.trim) for p in survey.points])]),
        ]
        first = None
        for row, (title, curves) in enumerate(panels):
            ax = figure.add_subplot(grid[row, 1], sharex=first)
            first = first or ax
            for i, (name, values) in enumerate(curves):
                ax.plot(speeds, values, color=COLOURS[i], marker=".", ms=3, lw=1.1, label=name)
            ax.set_title(title)
            if len(curves) > 1:
                ax.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=3, borderaxespad=0.0)
            ax.tick_params(labelbottom=row == len(panels) - 1)
            _draw_ends(ax, survey, named=row == 0)
        ax.set_xlabel("airspeed [m/s]")
        return figure_file(figure, path)


def _axes(survey: Survey) -> tuple[str, ...]:
    return tuple(axis for axis in ("pitch", "roll", "yaw") if axis in survey.points[0].trim.commands)


def _power(trim: Any) -> float:
    return float(trim.thrust * trim.airspeed if trim.power is None else trim.power)


def _power_title(survey: Survey) -> str:
    return "power of the thrust, T V [W]" if survey.points[0].trim.power is None else "shaft power [W]"


def _draw_ends(ax: Any, survey: Survey, *, named: bool) -> None:
    if survey.envelope is None:
        return
    ends = ((survey.envelope.slowest, survey.envelope.ends_slow), (survey.envelope.fastest, survey.envelope.ends_fast))
    for (trim, reason), side in zip(ends, ("left", "right"), strict=True):
        ax.axvline(trim.airspeed, color=_END, lw=0.9, ls="--")
        if named:
            text = f" {reason} {trim.airspeed:.3g} m/s "
            ax.text(trim.airspeed, 0.97, text, color=_END, fontsize=7.5, va="top", ha=side, transform=ax.get_xaxis_transform())


def _draw_roots(ax: Any, survey: Survey) -> None:
    """Rigid modes only: a marker per name, filled from light to dark with the airspeed."""
    import matplotlib as mpl

    speeds = np.array([point.trim.airspeed for point in survey.points])
    span = (speeds.min(), max(speeds.max(), speeds.min() + 1e-9))
    names = list(dict.fromkeys(mode.name for point in survey.points for mode in point.modes if not mode.name.startswith("of ")))
    colours = mpl.colormaps["viridis_r"]
    norm = mpl.colors.Normalize(*span)
    for name, marker in zip(names, _MARKERS, strict=False):
        roots = [(m.value, p.trim.airspeed) for p in survey.points for m in p.modes if m.name == name]
        both = [(value.conjugate(), speed) for value, speed in roots if value.imag > 0.0]
        values, at = zip(*(roots + both), strict=True)
        ax.scatter(np.real(values), np.imag(values), c=colours(norm(at)), s=22, marker=marker, lw=0.3, edgecolors="#333333")
        ax.scatter([], [], c="#777777", s=22, marker=marker, label=name)
    ax.axvline(0.0, color="#444444", lw=0.9)
    ax.set_xscale("symlog", linthresh=0.1)
    ax.set_yscale("symlog", linthresh=0.1)
    ax.set_title("roots over airspeed")
    ax.set_xlabel("real part [1/s]")
    ax.set_ylabel("imaginary part [rad/s]")
    ax.margins(0.06)
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.09), ncols=4, fontsize=8)
    if len(speeds) > 1:
        ax.figure.colorbar(mpl.cm.ScalarMappable(norm, colours), ax=ax, label="airspeed [m/s]", shrink=0.6, pad=0.02)
