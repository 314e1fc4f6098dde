"""Draw a panel: curves or their envelopes, set-points dashed, limits with the forbidden side shaded, verdicts in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any

import numpy as np

from didymos.record.envelope import envelope_of, thinned
from didymos.record.panel import Array, Panel
from didymos.record.style import COLOURS, unit_label
from didymos.record.verdict import Verdict

__all__ = ["MISSED", "draw_panel", "told"]

MISSED, MET, UNKNOWN, LINE = "#C62828", "#1B7340", "#777777", "#555555"
_LONGEST = 32  # letters of a label in a legend
_VERDICTS = 2  # told in a line; the others are counted


def draw_panel(ax: Any, panel: Panel, letters: int, colours: Mapping[str, Any] | None = None, *, legend: bool = True) -> None:
    """Draw a panel whose title line has room for so many letters; `colours` are those of curves that have one already."""
    height = _height(panel)
    palette = cycle(COLOURS)
    dense = False
    for label, (time, values) in panel.curves.items():
        colour = colours[label] if colours is not None and label in colours else next(palette)
        dense |= _draw_curve(ax, time, values, label, colour, height)
        if label in panel.setpoints:
            wish = thinned(*panel.setpoints[label])
            ax.plot(*wish, color=_darker(colour), linestyle=(0, (4, 2)), linewidth=1.1, label="_", zorder=2.6)
    _draw_limits(ax, panel)
    title = panel.title or next(iter(panel.curves), "")
    ax.set_title(title, color=MISSED if panel.missed else "black", pad=17.0 if panel.verdicts else None)
    if panel.verdicts:
        _draw_verdicts(ax, panel.verdicts, letters)
    ax.set_ylabel(unit_label(panel.unit))
    low, high = ax.get_ylim()
    if max(abs(low), abs(high)) < 1e-3 or max(abs(low), abs(high)) >= 1e6:  # each tick says it, no power of ten above the title
        ax.yaxis.set_major_formatter(lambda value, _: f"{value:.3g}")
    if not panel.limits and height < 1e-12:
        ax.margins(y=0.5)  # a constant is a line in the middle, not noise blown up
    if legend:
        _draw_legend(ax, panel, title, letters)
    notes = [*panel.notes, *(["band: least to most, line: mean"] if dense else [])]
    if notes:
        x, y = _free_corner(ax, panel)
        across, along = "right" if x > 0.5 else "left", "center" if y == 0.5 else "top" if y > 0.5 else "bottom"
        ax.text(x, y, "; ".join(notes), transform=ax.transAxes, ha=across, va=along, fontsize=7, color="#666666", zorder=5)


def _free_corner(ax: Any, panel: Panel) -> tuple[float, float]:
    """Where at an edge a line of text hides the least of the curves: in parts of the panel's width and height."""
    (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
    corners = [(0.99, 0.03), (0.99, 0.97), (0.01, 0.97), (0.01, 0.03), (0.99, 0.5), (0.01, 0.5)]
    hidden = [0.0] * len(corners)
    for time, values in panel.curves.values():
        x, y = (time - left) / (right - left), (values - low) / (high - low)
        for i, (u, v) in enumerate(corners):
            near = (np.abs(x - u) < 0.6) & (np.abs(y - v) < 0.15)
            hidden[i] += float(np.count_nonzero(near)) / max(1, len(time))
    return corners[int(np.argmin(hidden))]


def _draw_curve(ax: Any, time: Array, values: Array, label: str, colour: Any, height: float) -> bool:
    """A curve, or its envelope where it is too dense; whether it was."""
    band = envelope_of(time, values, height)
    if band is None:
        ax.plot(*thinned(time, values), label=label, color=colour, marker="o" if len(time) == 1 else None, markersize=3)
        return False
    ax.fill_between(band.time, band.low, band.high, color=colour, alpha=0.25, linewidth=0)
    ax.plot(band.time, band.mean, label=label, color=colour)
    return True


def _draw_limits(ax: Any, panel: Panel) -> None:
    """Lines, and the forbidden side of those that have one."""
    lines = panel.lines()
    if not lines:
        return
    colour = MISSED if panel.missed else LINE
    ax.margins(y=0.12)
    for span, limit in lines:
        ax.plot(span, (limit.value, limit.value), color=colour, linestyle=":", linewidth=1.4, zorder=2.7)
    low, high = ax.get_ylim()
    for (begin, end), limit in lines:
        if limit.side:
            ax.fill_between((begin, end), limit.value, high if limit.side > 0 else low, color=MISSED, alpha=0.09, linewidth=0)
    ax.set_ylim(low, high)


def _draw_verdicts(ax: Any, verdicts: Sequence[Verdict], letters: int) -> None:
    """One line below the title: what was missed, otherwise what was met."""
    missed = [verdict for verdict in verdicts if verdict.ok is False]
    chosen = missed or list(verdicts)
    words = [told(verdict) for verdict in chosen[:_VERDICTS]]
    while len(words) > 1 and len("; ".join(words)) > 1.25 * letters:
        words.pop()
    more = len(verdicts) - len(words)
    text = "; ".join(words) + (f"; {more} more" if more else "")
    colour = MISSED if missed else UNKNOWN if chosen[0].ok is None else MET
    weight = "bold" if missed else "normal"
    ax.annotate(text, (0.0, 1.0), xytext=(0, 4), xycoords="axes fraction", textcoords="offset points", fontsize=8, color=colour,
                fontweight=weight)  # fmt: skip


def told(verdict: Verdict) -> str:
    """A verdict in words."""
    unit = f" {verdict.unit}" if verdict.unit not in ("", "1") else ""
    low, high = verdict.low, verdict.high
    both = low is not None and high is not None
    limit = f"{low:.4g} to {high:.4g}" if both else f"at most {high:.4g}" if low is None else f"at least {low:.4g}"
    if verdict.value is None:
        return f"{verdict.name}: not reached ({limit}{unit})"
    mark = "MISSED " if verdict.ok is False else ""
    return f"{mark}{verdict.name}: {verdict.value:.4g}{unit} ({limit})"


def _draw_legend(ax: Any, panel: Panel, title: str, letters: int) -> None:
    handles, labels = ax.get_legend_handles_labels()
    if panel.setpoints:
        from matplotlib.lines import Line2D

        handles.append(Line2D([], [], color="#333333", linestyle=(0, (4, 2)), linewidth=1.1))
        labels.append("set-point")
    if labels == [title]:  # one curve, which the title names
        return
    if panel.setpoints and len(labels) == 2 and labels[0] == title:
        handles, labels = handles[1:], labels[1:]
    labels = [_short(label) for label in labels]
    beside = len(title) + sum(len(label) + 6 for label in labels) <= letters
    if beside:
        above = 1.13 if panel.verdicts else 1.01
        ax.legend(handles, labels, loc="lower right", bbox_to_anchor=(1.0, above), ncols=len(labels), borderaxespad=0.0)
    else:
        ax.legend(handles, labels, loc="center left", bbox_to_anchor=(1.0, 0.5))


def _short(label: str) -> str:
    """A label that leaves the panel its room: the middle of a long one is left out."""
    return label if len(label) <= _LONGEST else f"{label[: _LONGEST // 2 - 1]}…{label[-_LONGEST // 2 :]}"


def _height(panel: Panel) -> float:
    """From the least to the largest value of all curves."""
    known = [values[np.isfinite(values)] for _, values in panel.curves.values()]
    known = [values for values in known if len(values)]
    return max(float(v.max()) for v in known) - min(float(v.min()) for v in known) if known else 0.0


def _darker(colour: Any) -> Any:
    from matplotlib.colors import to_rgb

    return tuple(0.55 * part for part in to_rgb(colour))
