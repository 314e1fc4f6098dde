"""Sensors that Gazebo's plugins bring by themselves (RotorS, PX4 and gazebo_ros for Gazebo classic) as sensors of a twin.

Errors of RotorS and PX4 are densities of an Allan plot, as ours are: see `gazebo_values.py`. A magnetometer of PX4 counts in
gauss, 1e-4 T.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from didymos.describe.formats.device_list import DeviceList
from didymos.describe.formats.gazebo_values import densities, number_at, rounded, text_at, vector_at
from didymos.describe.formats.mechanism import WORLD
from didymos.describe.formats.xml_file import Element
from didymos.rotations import Pose, rpy_to_matrix

__all__ = ["add_barometer", "add_gps", "add_imu", "add_magnetometer", "add_odometry"]

_GAUSS = 1e-4  # [T]


def add_imu(devices: DeviceList, plugin: Element, scope: str) -> None:
    """Add an inertial unit: of RotorS and PX4 with densities, of gazebo_ros with standard deviations."""
    gyro, accel = densities(plugin, "gyroscope"), densities(plugin, "accelerometer")
    spread = number_at(plugin, "gaussianNoise", "gaussian_noise", default=0.0)
    for errors, tag in ((gyro, "rateGaussianNoise"), (accel, "accelGaussianNoise")):
        own = [abs(number) for number in vector_at(plugin, tag, (spread, spread, spread))]
        if any(own) and not errors:
            errors["noise"] = own[0] if own[0] == own[1] == own[2] else own  # type: ignore[assignment]
    record = {"kind": "imu"} | {name: errors for name, errors in (("gyro", gyro), ("accel", accel)) if errors}
    _add(devices, plugin, scope, "imu", record)


def add_gps(devices: DeviceList, plugin: Element, scope: str) -> None:
    """Add a receiver of PX4: the horizontal and vertical densities of its position."""
    record: dict[str, Any] = {"kind": "gps", "fix": True}
    for quantity, middle in (("position", ""), ("velocity", "Velocity")):
        names = [(f"gps{middle}{axis}NoiseDensity", f"gps{axis}{middle}NoiseDensity") for axis in ("XY", "Z")]
        flat, up = (number_at(plugin, *paths, default=0.0) for paths in names)
        if flat or up:
            record[quantity] = {"noise_density": flat if flat == up else [flat, flat, up]}
    walks = [number_at(plugin, f"gps{axis}RandomWalk", default=0.0) for axis in ("XY", "Z")]
    time = number_at(plugin, "gpsCorrelationTime", default=60.0)
    if any(walks) and time > 0.0:
        sizes = [rounded(walk * math.sqrt(0.5 * time)) for walk in (walks[0], walks[0], walks[1])]
        record.setdefault("position", {}).update({"bias": sizes, "bias_time": time})
    _add(devices, plugin, scope, "gps", record)


def add_magnetometer(devices: DeviceList, plugin: Element, scope: str) -> None:
    """Add a magnetometer of PX4."""
    errors = densities(plugin, "", _GAUSS)
    _add(devices, plugin, scope, "magnetometer", {"kind": "magnetometer"} | ({"field": errors} if errors else {}))


def add_barometer(devices: DeviceList, plugin: Element, scope: str) -> None:
    """Add a barometer of PX4."""
    if number_at(plugin, "baroDriftPaPerSec", default=0.0):
        devices.report.add(plugin, f"<baroDriftPaPerSec> of {plugin} is not used: a bias of ours drifts by chance only")
    _add(devices, plugin, scope, "barometer", {"kind": "barometer"})


def add_odometry(devices: DeviceList, plugin: Element, scope: str) -> None:
    """Add odometry: the true pose and twist of a link, as p3d of gazebo_ros and OdometryPublisher of gz give it."""
    spread = number_at(plugin, "gaussianNoise", "gaussian_noise", default=0.0)
    record: dict[str, Any] = {"kind": "odometry"} | ({"position": {"noise": spread}} if spread else {})
    _add(devices, plugin, scope, "odometry", record)


def _add(devices: DeviceList, plugin: Element, scope: str, name: str, record: dict[str, Any]) -> None:
    named = text_at(plugin, "linkName", "bodyName", "body_name", "robot_base_frame", "frameName")
    named = named.rpartition("/")[2]
    link = devices.link(named, scope) if named else devices.mechanism.root
    offset = vector_at(plugin, "xyzOffset", (0.0, 0.0, 0.0)), vector_at(plugin, "rpyOffset", (0.0, 0.0, 0.0))
    pose = Pose(offset[0], rpy_to_matrix(offset[1])) if record["kind"] != "odometry" else Pose(np.zeros(3))
    rate = number_at(plugin, "pubRate", "updateRate", "update_rate", "updateRateHZ", "odom_publish_frequency", default=0.0)
    where = link if link == WORLD else devices.placed(name, link, pose)
    devices.add("sensors", name, {"kind": record.pop("kind"), "link": where, **({"rate": rate} if rate > 0.0 else {}), **record})
