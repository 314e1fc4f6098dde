"""Readings of sensors as ROS 2 wants them, where a message needs more than the log's row has.

A scan says how long it takes until the next one, and has its points beside it. A range finder's reading says its limits, is
infinite where there is nothing within reach (REP 117; the log has -1), and stands in a frame whose x axis is its beam.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from didymos.ports.ros2.clouds import ScanCloud
from didymos.ports.ros2.encode import Array, Encoder, MessageEncoder
from didymos.ports.ros2.tree import beam_frame
from didymos.record.stream import Kind, StreamLayout
from didymos.sensors.ranging import Lidar, Rangefinder

__all__ = ["reading_encoders"]

_INFRARED = 1.0  # sensor_msgs/Range.INFRARED: a narrow beam
_POINTS = "points"


def reading_encoders(layout: StreamLayout, sensor: Any, prefix: str) -> Iterator[tuple[str, Encoder]]:
    """Encoders of a sensor's stream: what stands behind its topic (nothing, or `points`), and the encoder.

    `sensor` is its record, or None where the stream is no sensor's; `prefix` stands before frames (`drone/`).
    """
    kind = None if sensor is None else sensor.contract
    if kind is not None and issubclass(kind, Lidar):
        known = dict(layout.constants) | {"scan_time": (1.0 / sensor.rate,)}
        yield "", MessageEncoder(replace(layout, constants=tuple(known.items())))
        ranges = slice(len(layout.columns) - sensor.rays, len(layout.columns))
        yield _POINTS, ScanCloud(layout.frame, Lidar.directions(sensor), ranges)
    elif kind is not None and issubclass(kind, Rangefinder) and layout.kind is Kind.RANGE:
        limits = {"max_range": (float(sensor.reach),), "radiation_type": (_INFRARED,)}
        frame = layout.frame if sensor.pitch == 0.0 else prefix + beam_frame(layout.name.removeprefix(f"{layout.namespace}."))
        constants = tuple((dict(layout.constants) | limits).items())
        yield "", MessageEncoder(replace(layout, constants=constants, frame=frame), change=_no_echo)
    elif layout.kind is Kind.JOINT_STATES:
        yield "", MessageEncoder(replace(layout, frame=""))
    else:
        yield "", MessageEncoder(layout)


def _no_echo(values: Array) -> Array:
    return np.where(values < 0.0, np.inf, values)
