"""Robots of one world in one log: the names of their streams and frames, and how far apart they were."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from didymos.record.log import Log
from didymos.record.robots import track
from didymos.record.stream import Kind, StreamLayout

__all__ = ["distance_of", "placed_layout"]

Array = NDArray[np.float64]
_OF_WORLD = ("", "world")


def placed_layout(layout: StreamLayout, robot: str) -> StreamLayout:
    """A stream of a robot in the log of a world: `drone.imu`, its frames `drone/imu_link`; poses of links are all in `tf`."""

    def frame(name: str) -> str:
        if name.startswith("/"):  # of another robot
            return name.removeprefix("/")
        return name if name in _OF_WORLD else f"{robot}/{name}"

    if layout.kind is Kind.CLOCK or layout.name.startswith("world."):
        return layout
    if layout.kind is Kind.TF and layout.name == "tf":
        columns = tuple(f"{robot}/{column}" for column in layout.columns)
        return replace(layout, columns=columns, labels=tuple(f"{robot}/{label}" for label in layout.labels))
    return replace(
        layout,
        name=f"{robot}.{layout.name}",
        frame=frame(layout.frame),
        child_frame=frame(layout.child_frame),
        namespace=robot,
    )


def distance_of(ends: tuple[str, str], log: Log, roots: Mapping[str, str]) -> tuple[Array, Array]:
    """Times [s] and distances [m], shape [n] each, between two robots or links of them (ROBOT.LINK), at the first one's times."""
    (times, first), (others, second) = (_path(end, log, roots) for end in ends)
    if not len(times) or not len(others):
        return np.empty(0), np.empty(0)
    there = np.column_stack([np.interp(times, others, second[:, axis]) for axis in range(3)])
    return times, np.linalg.norm(first - there, axis=1)


def _path(end: str, log: Log, roots: Mapping[str, str]) -> tuple[Array, Array]:
    """Times [s] and positions [m], shape [n, 3]."""
    robot, _, link = end.partition(".")
    return track(log, robot if link == roots[robot] else end)
