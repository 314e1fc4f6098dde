"""What range sensors see: the rays of lidars and range finders in the scene, and the points where they end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import viser
from numpy.typing import NDArray

from didymos.cockpit.frame import RANGES
from didymos.cockpit.places import places_of
from didymos.cockpit.scene import Puppet
from didymos.describe.twin import Twin
from didymos.sensors.kind import LidarSpec, RangefinderSpec, SensorSpec

__all__ = ["Sights", "ends_of", "rays_of"]

MOST_RAYS = 60  # lines per sensor; the points of all rays are drawn
FREE = 6.0  # sizes of the robot after which a ray that hits nothing ends
_RAY, _POINT = (250, 176, 5), (224, 49, 49)
Array = NDArray[np.float64]


def rays_of(sensor: SensorSpec) -> tuple[Array, float]:
    """Unit vectors along the rays of a sensor in the frame of its link, shape [n, 3], and how far it sees [m]."""
    if isinstance(sensor, LidarSpec):
        return sensor.directions(), sensor.farthest
    assert isinstance(sensor, RangefinderSpec)
    return np.array([[np.cos(sensor.pitch), 0.0, -np.sin(sensor.pitch)]]), sensor.reach


def ends_of(rays: Array, ranges: Array, farthest: float, free: float) -> tuple[Array, NDArray[np.bool_]]:
    """Where each ray ends [m], and whether it hit: infinite, too near and -1 mean that it hit nothing."""
    hit = np.isfinite(ranges) & (ranges >= 0.0) & (ranges <= farthest)
    return rays * np.where(hit, ranges, min(farthest, free))[:, None], hit


@dataclass
class _Sight:
    """The rays of one sensor, its nodes, and what was drawn last."""

    rays: Array
    farthest: float
    lines: Any
    points: Any
    ranges: Array


class Sights:
    """Nodes that hang at the links of the sensors, so that only new readings have to be sent."""

    def __init__(self, scene: viser.SceneApi, twin: Twin, puppet: Puppet, size: float) -> None:
        self._free = FREE * size
        self._sights: dict[str, _Sight] = {}
        places = places_of(twin, puppet.numbers)
        for name, sensor in twin.file.sensors.items():
            if sensor.kind in RANGES:
                body, position, quaternion = places[sensor.link]  # type: ignore[attr-defined]
                rays, farthest = rays_of(sensor)
                base = f"{puppet.bodies[body].name}/sight_{name}"
                scene.add_frame(base, show_axes=False, position=position, wxyz=quaternion)
                nothing, colour = np.zeros((1, 3), dtype=np.float32), np.array(_RAY, np.uint8)
                lines = scene.add_line_segments(
                    f"{base}/rays", np.stack([nothing, nothing], axis=1), colour, thickness=1.0, thickness_units="screen"
                )
                points = scene.add_point_cloud(f"{base}/hits", nothing, np.array(_POINT, np.uint8), point_size=0.025 * size)
                self._sights[name] = _Sight(rays, farthest, lines, points, np.zeros(0))

    def draw(self, ranges: Mapping[str, Array], shown: bool) -> None:
        """Bring all sensors up to their readings [m]."""
        for name, sight in self._sights.items():
            sight.lines.visible = sight.points.visible = shown
            if shown and not np.array_equal(sight.ranges, ranges[name]):
                sight.ranges = ranges[name]
                ends, hit = ends_of(sight.rays, ranges[name], sight.farthest, self._free)
                some = ends[:: -(-len(ends) // MOST_RAYS)].astype(np.float32)
                sight.lines.points = np.stack([np.zeros_like(some), some], axis=1)
                sight.points.points = ends[hit].astype(np.float32) if hit.any() else np.zeros((1, 3), np.float32)
