"""Offset and drift of a clock from one-way delays: what is known of a line below points, where delays are exponential.

A stamp s of the robot's clock arrives at r on ours. With y = r - s:

    y_i = a + b s_i + d_i,     d_i >= 0

a is the offset, with the least delay of the line in it (one way alone cannot tell them apart), b the drift, d_i what a message
took longer than the least. For d_i of an exponential distribution of mean mu, independent of each other, the likelihood is

    L(a, b) = mu^-n exp(-sum(y_i - a - b s_i) / mu)   where the line lies below all points, else 0,

so its maximum is the line below all points that is highest at the mean stamp: an edge of the lower convex hull, as in the linear
program of Moon, Skelly and Towsley (INFOCOM 1999). With the height h = a + b s_m at the mean stamp s_m and x = s - s_m, the
points bound it by a concave function of the drift, of one straight piece for each corner k of the hull,

    h <= H(b) = min_k (y_k - b x_k),

and with no more known beforehand than |b| <= b_max, L itself is what is known afterwards: (a, b) only move the points, so
intervals by it hold the truth as often as they say. It factors:

    p(b) ~ exp(n H(b) / mu),     h = H(b) - e,   e exponential of mean mu / n

so the offset at any stamp has the mean E[H + b x] - mu / n and the variance Var[H + b x] + (mu / n)^2, by integrals over the
pieces. mu is taken as the mean of the residuals over n - 2, which has no bias. Errors fall with 1/n, not 1/sqrt(n): a lower bound
is sharp. Delays that hang together (bursts) count as more than they are; then the true error is larger than the stated one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Line", "Point", "fit_line", "lower_hull"]

Point = tuple[float, float]
_FAR = 40.0  # exponents below the largest by this are nothing
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(32)
_SHORTEST = 1e-7  # [s] of mean delay that is believed
_UNKNOWN = 0.01  # [s] of mean delay while there are too few points to tell


@dataclass(frozen=True)
class Line:
    """What is known of a line below n points: its height at the stamp `at`, its slope, their covariance, the mean delay [s]."""

    at: float
    height: float
    slope: float
    height_variance: float
    slope_variance: float
    covariance: float
    delay: float
    count: int

    def value(self, stamp: float) -> float:
        """The height [s] at a stamp."""
        return self.height + self.slope * (stamp - self.at)

    def sd(self, stamp: float) -> float:
        """The standard deviation [s] of the height at a stamp."""
        x = stamp - self.at
        return float(np.sqrt(max(self.height_variance + 2.0 * x * self.covariance + x * x * self.slope_variance, 0.0)))


def lower_hull(points: Sequence[Point]) -> list[Point]:
    """The corners of the lower convex hull, from left to right (Andrew's monotone chain); of one stamp the lowest point."""
    hull: list[Point] = []
    for x, y in sorted(points):
        if hull and hull[-1][0] == x:
            continue
        while len(hull) > 1:
            (x1, y1), (x2, y2) = hull[-2:]
            if (y2 - y1) * (x - x1) < (y - y1) * (x2 - x1):
                break
            hull.pop()
        hull.append((x, y))
    return hull


def fit_line(hull: Sequence[Point], count: int, mean: Point, most_slope: float) -> Line:
    """What `count` points with these corners and this mean tell of the line below them, whose slope is at most so steep."""
    corners = np.array(hull)
    x, y = corners[:, 0] - mean[0], corners[:, 1]
    slopes = np.clip(np.diff(y) / np.diff(x), -most_slope, most_slope) if len(x) > 1 else np.empty(0)
    edges = np.concatenate([[-most_slope], slopes, [most_slope]])
    heights = (y[None, :] - edges[:, None] * x[None, :]).min(axis=1)
    best = int(np.argmax(heights))
    delay = max((mean[1] - float(heights[best])) * count / (count - 2), _SHORTEST) if count > 2 else _UNKNOWN
    slope, height, weight = _weighted(edges, heights, count / delay, float(heights[best]))
    b, h = float(weight @ slope), float(weight @ height)
    db, dh, rest = slope - b, height - h, delay / count
    return Line(
        mean[0], h - rest, b, float(weight @ (dh * dh)) + rest * rest, float(weight @ (db * db)), float(weight @ (db * dh)),
        delay, count,
    )  # fmt: skip


def _weighted(
    edges: NDArray[np.float64], heights: NDArray[np.float64], rate: float, best: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Slopes, bounds H of the height there, and weights that sum to 1: nodes of Gauss and Legendre on each straight piece of H.

    Of a piece only that part counts whose exponent is not far below its largest.
    """
    g = rate * (heights - best)
    fall = np.abs(np.diff(g))
    kept = np.where(fall > _FAR, _FAR / np.maximum(fall, _FAR), 1.0)  # share of a piece, from its higher end
    rises = g[1:] > g[:-1]
    begin = np.where(rises, 1.0 - kept, 0.0)
    share = begin[:, None] + kept[:, None] * (0.5 + 0.5 * _NODES)[None, :]
    slope = edges[:-1, None] + np.diff(edges)[:, None] * share
    height = heights[:-1, None] + np.diff(heights)[:, None] * share
    weight = np.exp(rate * (height - best)) * (kept * np.diff(edges))[:, None] * _WEIGHTS[None, :]
    return slope.ravel(), height.ravel(), weight.ravel() / weight.sum()
