"""The charts of a sweep's page: distributions, influence, scatter, the boundary of failure, signals of single runs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from didymos.studies.boundary import Boundary
from didymos.studies.findings import Expected, Findings
from didymos.studies.influence import Influence
from didymos.studies.pass_rate import PassRate
from didymos.studies.svg_chart import Chart

__all__ = ["boundary_chart", "distribution_chart", "influence_chart", "rate_bar", "scatter_chart", "signal_chart"]

_Array = NDArray[np.float64]

_BINS = 30
_POINTS = 1500  # of a scatter; failed runs first
_SAMPLES = 500  # of a line
_CELLS = 28  # of the boundary's shade, each way
_BESIDE = 2  # cells


def rate_bar(rate: PassRate) -> str:
    """A rate and its interval on a line from 0 to 1."""
    chart = Chart(240.0, 26.0, (0.0, 1.0), (0.0, 1.0), left=12.0, bottom=8.0)
    chart.area((0.0, 1.0), (0.3, 0.7), "track")
    chart.area((0.0, rate.estimate), (0.3, 0.7), "passed", 0.85)
    chart.area((rate.low, rate.high), (0.0, 1.0), "interval")
    return chart.text


def distribution_chart(item: Expected) -> str:
    """How often each value was measured, those outside the bounds in the colour of failure."""
    known = np.isfinite(item.measured)
    low, high = _span(item.measured[known], item)
    edges = np.linspace(low, high, _BINS + 1)
    held = np.clip(item.measured, low, high)
    met, _ = np.histogram(held[known & ~item.missed], edges)
    missed, _ = np.histogram(held[known & item.missed], edges)
    chart = Chart(325.0, 210.0, (low, high), (0.0, 1.08 * max(float((met + missed).max(initial=1)), 1.0)))
    chart.axes(_label(item.name, item.unit), "runs")
    for first, last, a, b in zip(edges[:-1], edges[1:], met, missed, strict=True):
        inset = 0.06 * (last - first)
        chart.area((first + inset, last - inset), (0.0, float(a)), "passed")
        chart.area((first + inset, last - inset), (float(a), float(a + b)), "failed")
    for bound in (item.low, item.high):
        if bound is not None:
            chart.upright(bound, "bound")
    return chart.text


def influence_chart(found: Influence) -> str:
    """A bar for each parameter, the strongest first, and its interval."""
    paths = sorted(found.by_path, key=lambda path: -found.strength[path])[:10]
    ends = [found.by_path[path] for path in paths] + [found.total[path] for path in paths if found.total]
    low, high = min(0.0, *(item[1] for item in ends)), max(0.0, *(item[2] for item in ends))
    room = 0.05 * (high - low)
    longest = max(len(path) for path in paths)
    chart = Chart(
        325.0, 44.0 + 26.0 * len(paths), (low - (room if low < 0.0 else 0.0), high + room), (0.5 - len(paths), 0.5),
        left=min(14.0 + 6.2 * longest, 170.0),
    )  # fmt: skip
    chart.axes("Sobol index" if found.total else "standardised coefficient", y_ticks=False)
    for row, path in zip(range(0, -len(paths), -1), paths, strict=True):
        chart.name(row, path)
        value, least, most = found.by_path[path]
        if found.total is None:
            chart.band((min(0.0, value), max(0.0, value)), row, 12.0, "bar")
            chart.whisker((least, most), row)
        else:
            total, first, last = found.total[path]
            chart.band((0.0, max(total, 0.0)), row, 12.0, "bar total")
            chart.band((0.0, max(value, 0.0)), row, 12.0, "bar")
            chart.whisker((first, last), row)
    chart.upright(0.0, "axis")
    return chart.text


def scatter_chart(finding: Findings, item: Expected, path: str) -> str:
    """What was measured over a parameter."""
    column, chosen = finding.values[path], _some(item.missed)
    low, high = _span(item.measured[np.isfinite(item.measured)], item)
    room = 0.04 * (high - low)
    chart = Chart(325.0, 210.0, (float(column.min()), float(column.max())), (low - room, high + room))
    chart.axes(path, _label(item.name, item.unit))
    for bound in (item.low, item.high):
        if bound is not None:
            chart.level(bound, "bound")
    for kind, those in (("passed", chosen & ~item.missed), ("failed", chosen & item.missed)):
        chart.points(column[those], item.measured[those], kind)
    return chart.text


def boundary_chart(x: tuple[str, _Array], y: tuple[str, _Array], failed: NDArray[np.bool_], boundary: Boundary | None) -> str:
    """Runs in the plane of two parameters, by name and values; the chance of failure as a shade, its half as a line.

    Where no run is near, nothing is said.
    """
    chosen = _some(failed)
    ends = [(float(values.min()), float(values.max())) for _, values in (x, y)]
    chart = Chart(500.0, 360.0, *ends, left=64.0)
    edges = [np.linspace(low, high, _CELLS + 1) for low, high in ends]
    middles = [0.5 * (edge[1:] + edge[:-1]) for edge in edges]
    near = _near(x[1], y[1], edges[0], edges[1])
    if boundary is not None:
        chance = boundary.chance(*np.meshgrid(*middles, indexing="ij"))
        for i, j in np.argwhere((chance > 0.02) & near):
            cell = (float(edges[0][i]), float(edges[0][i + 1])), (float(edges[1][j]), float(edges[1][j + 1]))
            chart.area(*cell, "shade", float(0.45 * chance[i, j]))
    chart.axes(x[0], y[0])
    for kind, those in (("passed", chosen & ~failed), ("failed", chosen & failed)):
        chart.points(x[1][those], y[1][those], kind, 2.5)
    if boundary is not None:
        lines = boundary.segments(np.linspace(*ends[0], 81), np.linspace(*ends[1], 81))
        for first, last in lines:
            i, j = (int(np.clip(np.searchsorted(edge, at) - 1, 0, _CELLS - 1)) for edge, at in zip(edges, first, strict=True))
            if near[i, j]:
                chart.line((first[0], last[0]), (first[1], last[1]), "edge")
    return chart.text


def signal_chart(
    name: str, unit: str, run: tuple[_Array, _Array], other: tuple[_Array, _Array] | None, bounds: tuple[float, ...]
) -> str:
    """A signal of a run over time, the same of another run beside it, and levels that it is held against."""
    drawn = [_thinned(*pair) for pair in (other, run) if pair is not None and len(pair[0])]
    values = np.concatenate([pair[1] for pair in drawn] + [np.array(bounds)])
    values = values[np.isfinite(values)]
    ends = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
    room = 0.06 * (ends[1] - ends[0])
    last = max((float(pair[0][-1]) for pair in drawn), default=1.0)
    chart = Chart(500.0, 190.0, (0.0, last), (ends[0] - room, ends[1] + room), left=64.0)
    chart.axes("time [s]", _label(name, unit))
    for bound in bounds:
        chart.level(bound, "bound")
    for (time, samples), kind in zip(drawn, ("line other", "line run")[-len(drawn) :], strict=True):
        chart.line(time, samples, kind)
    return chart.text


def _label(name: str, unit: str) -> str:
    return f"{name} [{unit}]" if unit and unit != "1" else name


def _span(measured: _Array, item: Expected) -> tuple[float, float]:
    """What a chart of measured values shows: nearly all of them, and the bounds that are not far."""
    if not len(measured):
        return 0.0, 1.0
    low, high = (float(end) for end in np.quantile(measured, [0.0, 1.0]))
    inner = np.quantile(measured, [0.01, 0.99])
    if high - low > 20.0 * (inner[1] - inner[0]) > 0.0:  # few runs far away: they stand at the edge
        low, high = (float(end) for end in inner)
    wide = (high - low) or abs(low) or 1.0
    for bound in (item.low, item.high):
        if bound is not None and low - 0.6 * wide <= bound <= high + 0.6 * wide:
            low, high = min(low, bound - 0.03 * wide), max(high, bound + 0.03 * wide)
    return (low, high) if high > low else (low - 0.5 * wide, high + 0.5 * wide)


def _some(marked: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The runs that a scatter shows: half of them marked ones where there are so many, evenly chosen."""
    chosen = np.zeros(len(marked), dtype=bool)
    those, others = np.flatnonzero(marked), np.flatnonzero(~marked)
    part = min(len(those), max(_POINTS // 2, _POINTS - len(others)))
    for places, count in ((those, part), (others, min(len(others), _POINTS - part))):
        if count:
            chosen[places[np.linspace(0, len(places) - 1, count).astype(int)]] = True
    return chosen


def _near(x: _Array, y: _Array, across: _Array, up: _Array) -> NDArray[np.bool_]:
    """Which cells of a grid have a run in them or beside them."""
    counts, _, _ = np.histogram2d(x, y, bins=[across, up])
    padded = np.pad(counts > 0, _BESIDE)
    cells = np.zeros(counts.shape, dtype=bool)
    for i in range(2 * _BESIDE + 1):
        for j in range(2 * _BESIDE + 1):
            cells |= padded[i : i + counts.shape[0], j : j + counts.shape[1]]
    return cells


def _thinned(time: _Array, values: _Array) -> tuple[_Array, _Array]:
    """No more samples than a line shows: of each stretch the least and the most."""
    if len(time) <= _SAMPLES:
        return time, values
    filled = np.where(np.isfinite(values), values, 0.0)
    pieces = np.array_split(np.arange(len(time)), _SAMPLES // 2)
    kept = np.unique([place for piece in pieces for place in (piece[filled[piece].argmin()], piece[filled[piece].argmax()])])
    return time[kept], values[kept]
