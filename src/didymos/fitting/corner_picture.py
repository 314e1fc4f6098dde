"""Samples of a posterior as a picture: a histogram of each parameter, and of each pair where it is likely."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.fitting.fitted import Fit

__all__ = ["corner_picture"]

_Array = NDArray[np.float64]
_MOST = 10  # parameters that are drawn: those that are determined, in their order
_POINTS, _BINS = 1500, 24
_INK, _CLOUD, _BEST = "#1c2733", "#8aa0b4", "#d1481f"
_SHARES = (0.95, 0.5)  # of the samples that lie within each contour


def corner_picture(fit: Fit) -> Any:
    """A figure with a histogram and the 95 % interval of each parameter, and points and contours (50 %, 95 %) of each pair."""
    from matplotlib.figure import Figure

    assert fit.samples is not None
    items = [(i, x) for i, x in enumerate(fit.parameters[: len(fit.samples.names)]) if x.interval is not None][:_MOST]
    values = fit.samples.values[:, [i for i, _ in items]]
    side = max(2.2, 1.7 * len(items))
    figure = Figure(figsize=(side + 0.8, side + 0.8), layout="constrained")
    grid = figure.subplots(max(len(items), 1), max(len(items), 1), squeeze=False)
    few = values[:: max(1, len(values) // _POINTS)]
    for row, (_, y) in enumerate(items):
        for column, (_, x) in enumerate(items):
            ax = grid[row][column]
            if column > row:
                ax.axis("off")
                continue
            if row == column:
                ax.hist(values[:, row], bins=_BINS, color=_CLOUD)
                for end in y.interval or ():
                    ax.axvline(end, color=_INK, lw=0.8, ls="--")
                ax.set_yticks([])
            else:
                ax.plot(few[:, column], few[:, row], ".", color=_CLOUD, ms=1.0, rasterized=True)
                _contours(ax, values[:, column], values[:, row])
                ax.axhline(y.after, color=_BEST, lw=0.6)
            ax.axvline(x.after, color=_BEST, lw=0.6)
            ax.tick_params(labelsize=6)
            ax.set_xlabel(x.full_name if row == len(items) - 1 else "", fontsize=7)
            ax.set_ylabel(y.full_name if column == 0 and row else "", fontsize=7)
    return figure


def _contours(ax: Any, x: _Array, y: _Array) -> None:
    """Lines around the densest cells that hold given shares of the samples."""
    if np.ptp(x) == 0.0 or np.ptp(y) == 0.0:
        return
    counts, across, up = np.histogram2d(x, y, bins=_BINS)
    kernel = np.array([0.25, 0.5, 0.25])
    for axis in (0, 1):
        counts = np.apply_along_axis(np.convolve, axis, counts, kernel, mode="same")
    ordered = np.sort(counts.ravel())[::-1]
    within = np.cumsum(ordered) / ordered.sum()
    levels = sorted({float(ordered[np.searchsorted(within, share)]) for share in _SHARES})
    ax.contour(0.5 * (across[1:] + across[:-1]), 0.5 * (up[1:] + up[:-1]), counts.T, levels=levels, colors=_INK, linewidths=0.8)
