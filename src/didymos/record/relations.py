"""Where robots of one world were relative to each other, out of its log.

`roots` are the names of robots' root links: there the truth of the robot is, which has more samples than poses of links.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from didymos.record.log import Log
from didymos.record.robots import track
from didymos.rotations import angle, rotate

if TYPE_CHECKING:
    from didymos.describe.world_file import RelativeSpec
    from didymos.spec import Vector

__all__ = ["SPANS", "distance_of", "relative_of"]

Array = NDArray[np.float64]

SPANS = {"level": 2, "space": 3}
"""Axes whose common length a relation measures, by its word for them."""


def distance_of(ends: Sequence[str], log: Log, roots: Mapping[str, str]) -> tuple[Array, Array, str]:
    """Times [s] and distances [m], shape [n] each, between the nearest two of robots or links (ROBOT.LINK); and the unit."""
    paths = [_samples(end, "position", log, roots) for end in ends]
    times = paths[0][0]
    if not all(len(own) for own, _ in paths):
        return np.empty(0), np.empty(0), "m"
    places = [_at(times, own, values) for own, values in paths]
    pairs = [np.linalg.norm(a - b, axis=1) for i, a in enumerate(places) for b in places[i + 1 :]]
    return times, np.min(pairs, axis=0), "m"


def relative_of(about: RelativeSpec, point: Vector | None, log: Log, roots: Mapping[str, str]) -> tuple[Array, Array, str]:
    """Times [s] and values, shape [n] each, of where one robot or link was as seen from another, less a point; and their unit."""
    times, there = _samples(about.of, "position", log, roots)
    others, here = _samples(about.to, "position", log, roots)
    turned_at, turned = _samples(about.to, "orientation", log, roots)
    unit = "m/s" if about.rate else "m"
    if len(times) < 2 or not len(others):
        return np.empty(0), np.empty(0), unit
    way = there - _at(times, others, here)
    if about.axes != "world":
        axes = _at(times, turned_at, _without_jumps(turned))
        axes /= np.linalg.norm(axes, axis=1, keepdims=True)
        if about.axes == "heading":
            half = 0.5 * angle("yaw", axes)
            axes = np.column_stack([np.cos(half), np.zeros((len(half), 2)), np.sin(half)])
        way = rotate(axes * (1.0, -1.0, -1.0, -1.0), way)
    way = way - np.array(list(point or (0.0, 0.0, 0.0)))
    values = np.linalg.norm(way[:, : SPANS[about.along]], axis=1) if about.along in SPANS else way[:, "xyz".index(about.along)]
    low, high = about.within or (-np.inf, np.inf)
    inside = (values >= low) & (values <= high)
    if about.rate:
        values = np.gradient(values, times)
    return times[inside], values[inside], unit


def _samples(end: str, quantity: str, log: Log, roots: Mapping[str, str]) -> tuple[Array, Array]:
    """Times [s] and positions [m], shape [n, 3], or orientations, [n, 4], of a robot or a link (ROBOT.LINK)."""
    robot, _, link = end.partition(".")
    return track(log, robot if robot in roots and link == roots[robot] else end, quantity)


def _at(times: Array, others: Array, values: Array) -> Array:
    """Values, shape [m, k] at other times [m], linear at times [n]."""
    return np.column_stack([np.interp(times, others, values[:, axis]) for axis in range(values.shape[1])])


def _without_jumps(orientations: Array) -> Array:
    """The same quaternions, shape [n, 4], each with the sign that lies nearer to the one before."""
    flips = np.sum(orientations[1:] * orientations[:-1], axis=1) < 0.0
    return orientations * np.concatenate([[1.0], np.cumprod(np.where(flips, -1.0, 1.0))])[:, None]
