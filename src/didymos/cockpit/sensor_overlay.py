"""What sensors look at: the outline of a lidar's view, rays to what it hits, the points where those end; a camera's frustum."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import viser
import viser.transforms as tf
from numpy.typing import NDArray

from didymos.cockpit.robots import named
from didymos.cockpit.scene import Puppet
from didymos.cockpit.snapshot import RANGES
from didymos.describe.names import cameras
from didymos.describe.twin import Twin
from didymos.engine.link_frames import LinkFrames
from didymos.sensors.camera import Camera
from didymos.sensors.ranging import Lidar

__all__ = ["SensorOverlay", "hits_of", "outline_of", "rays_of"]

MOST_RAYS = 24  # lines per sensor; the points of all rays are drawn
OUTLINE = 1.5  # sizes of the robot: how far the outline of a view reaches
FRUSTUM = 0.4  # sizes of the robot
_FORWARD = tf.SO3.from_matrix(np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]]))  # the page's cameras look along z
_RAY, _POINT = (250, 176, 5), (224, 49, 49)
Array = NDArray[np.float64]


def rays_of(sensor: Any) -> tuple[Array, float]:
    """Unit vectors along the rays of a lidar or range finder in the frame of its link, shape [n, 3], and how far it sees [m]."""
    if sensor.contract is Lidar:
        return Lidar.directions(sensor), sensor.farthest
    return np.array([[np.cos(sensor.pitch), 0.0, -np.sin(sensor.pitch)]]), sensor.reach


def outline_of(rays: Array, length: float) -> Array:
    """The edges of a fan of rays as lines [m], shape [n, 2, 3]: from the sensor, along the far ends, and back."""
    ends = rays[:: max(1, len(rays) // 36)] * length
    corners = np.concatenate([np.zeros((1, 3)), ends, rays[-1:] * length, np.zeros((1, 3))])
    return np.stack([corners[:-1], corners[1:]], axis=1)


def hits_of(rays: Array, ranges: Array, farthest: float) -> Array:
    """Where rays end that hit something [m], shape [n, 3]: infinite, too near and -1 mean nothing."""
    hit = np.isfinite(ranges) & (ranges >= 0.0) & (ranges <= farthest)
    return rays[hit] * ranges[hit, None]


@dataclass
class _Rays:
    """The rays of one sensor, its nodes, and what was drawn last."""

    rays: Array
    farthest: float
    outline: Array
    lines: Any
    points: Any
    ranges: Array


class SensorOverlay:
    """Nodes that hang at the links of a robot's sensors, so that only new readings have to be sent."""

    def __init__(
        self, scene: viser.SceneApi, robot: str, twin: Twin, links: LinkFrames, puppet: Puppet, size: float
    ) -> None:
        self._drawn: dict[str, _Rays] = {}
        self._frustums = []
        for name, camera in cameras(twin).items():
            frame = links[camera.link]
            frustum = scene.add_camera_frustum(
                f"{puppet.node(frame.body).name}/sensor_{named(robot, name)}",
                fov=2.0 * float(np.arctan(camera.height / (2.0 * Camera.focal(camera)))),
                aspect=camera.width / camera.height,
                scale=FRUSTUM * size,
                thickness=1.5,
                thickness_units="screen",
                color=_RAY,
                position=frame.pose.position,
                wxyz=(tf.SO3(frame.pose.quaternion) @ _FORWARD).wxyz,
            )
            self._frustums.append(frustum)
        for name, sensor in twin.file.sensors.items():
            if sensor.kind in RANGES:
                frame = links[getattr(sensor, "link")]  # noqa: B009
                rays, farthest = rays_of(sensor)
                base = f"{puppet.node(frame.body).name}/sensor_{named(robot, name)}"
                scene.add_frame(base, show_axes=False, position=frame.pose.position, wxyz=frame.pose.quaternion)
                nothing, colour = np.zeros((1, 3), dtype=np.float32), np.array(_RAY, np.uint8)
                lines = scene.add_line_segments(
                    f"{base}/rays", np.stack([nothing, nothing], axis=1), colour, thickness=1.0, thickness_units="screen"
                )
                points = scene.add_point_cloud(f"{base}/hits", nothing, np.array(_POINT, np.uint8), point_size=0.025 * size)
                outline = outline_of(rays, min(farthest, OUTLINE * size))
                self._drawn[named(robot, name)] = _Rays(rays, farthest, outline, lines, points, np.zeros(0))

    def draw(self, ranges: Mapping[str, Array], shown: bool) -> None:
        """Bring all sensors up to their readings [m], by the names that a snapshot has."""
        for frustum in self._frustums:
            frustum.visible = shown
        for name, drawn in self._drawn.items():
            drawn.lines.visible = drawn.points.visible = shown
            if shown and not np.array_equal(drawn.ranges, ranges[name]):
                drawn.ranges = ranges[name]
                hits = hits_of(drawn.rays, ranges[name], drawn.farthest)
                some = hits[:: max(1, -(-len(hits) // MOST_RAYS))]
                lines = np.concatenate([drawn.outline, np.stack([np.zeros_like(some), some], axis=1)])
                drawn.lines.points = lines.astype(np.float32)
                drawn.points.points = hits.astype(np.float32) if len(hits) else np.zeros((1, 3), np.float32)
