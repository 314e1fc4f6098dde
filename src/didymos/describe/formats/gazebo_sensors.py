"""The sensors of Gazebo (``<sensor>`` of SDF, and of ``<gazebo>`` in a URDF) as sensors of a twin.

| Gazebo's type | ours | what does not come along |
|---|---|---|
| imu | imu | the orientation that it can also give |
| gps, navsat | gps | noise of navsat is in degrees of latitude (gz applies it so), of gps in metres |
| magnetometer | magnetometer | |
| air_pressure | barometer | reference_altitude |
| air_speed | airspeed | its noise, which is in Pa |
| camera, depth, depth_camera, rgbd, rgbd_camera | camera | triggers, segmentation, the lens's projection |
| ray, gpu_ray, lidar, gpu_lidar of one row | lidar; of one ray rangefinder | several rows |
| force_torque | force_torque | |
| contact | contact_force: the sum of all contacts of the link | the single contacts |

Poses are those of the file in its link's frame (REP 103, x forward: also for cameras, which look along x in both). A sensor
without an update rate reads at every step.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from didymos.describe.formats.device_list import DeviceList, Unmapped
from didymos.describe.formats.gazebo_values import at, noise, noise_of_axes, number_at, rounded, text_at
from didymos.describe.formats.mechanism import JointSource
from didymos.describe.formats.sdf_frames import raw_pose
from didymos.describe.formats.xml_file import Element
from didymos.rotations import Pose, axis_angle_to_matrix

__all__ = ["add_joint_sensor", "add_link_sensor"]

_DEGREE = math.radians(1.0) * 6_371_000.0  # [m] along a meridian
_WIDEST = 3.0  # [rad], of a camera
_MOST_PIXELS = 8192
_XYZ = ("x", "y", "z")


def add_link_sensor(devices: DeviceList, sensor: Element, link: str, pose: Pose) -> None:
    """Add a sensor that stands at a pose in a link."""
    kind = sensor.attributes.get("type", "").strip()

    def read() -> None:
        if kind not in _READERS:
            raise Unmapped("there is no such sensor here")
        for suffix, record, inner in _READERS[kind](sensor, devices):
            name = sensor.attributes.get("name", kind) + suffix
            where = devices.placed(_frame_name(name), link, pose @ inner)
            devices.add("sensors", name, {"kind": record.pop("kind"), "link": where, **_rate(sensor), **record})

    devices.attempt(sensor, f"<sensor> of type {kind!r}", read)


def add_joint_sensor(devices: DeviceList, sensor: Element, joint: JointSource) -> None:
    """Add a sensor of a joint: a force_torque measures what its parent and child do to each other."""
    kind = sensor.attributes.get("type", "").strip()

    def read() -> None:
        if kind != "force_torque":
            raise Unmapped("a joint has no such sensor here")
        frame = text_at(sensor, "force_torque/frame", default="child")
        pose, _ = raw_pose(sensor)
        turn = {"child": np.eye(3), "sensor": pose.rotation, "parent": joint.pose.rotation.T}.get(frame, np.eye(3))
        if frame == "parent":
            devices.report.add(sensor, f"{sensor} gives its readings in the parent's axes, as these stand at joint position zero")
        name = sensor.attributes.get("name", kind)
        where = devices.placed(_frame_name(name), joint.child, Pose(joint.anchor, turn))
        record = {"kind": "force_torque", "link": where, **_rate(sensor)}
        backward = text_at(sensor, "force_torque/measure_direction", default="child_to_parent") != "parent_to_child"
        for quantity in ("force", "torque"):
            axes = [at(sensor, f"force_torque/{quantity}/{axis}/noise") for axis in _XYZ]
            errors = noise_of_axes(axes, devices.report) | ({"scale": -1.0} if backward else {})
            if errors:
                record[quantity] = errors
        devices.add("sensors", name, record)

    devices.attempt(sensor, f"<sensor> of type {kind!r} on a joint", read)


_Made = list[tuple[str, dict[str, Any], Pose]]


def _frame_name(name: str) -> str:
    return name.replace("/", "_")


def _rate(sensor: Element) -> dict[str, float]:
    rate = number_at(sensor, "update_rate", default=0.0)
    return {"rate": rate} if rate > 0.0 else {}


def _with_errors(record: dict[str, Any], **errors: dict[str, Any]) -> _Made:
    """One sensor at the pose of its element, with the errors that are any."""
    return [("", record | {name: given for name, given in errors.items() if given}, Pose())]


def _imu(sensor: Element, devices: DeviceList) -> _Made:
    def errors(new: str, old: str) -> dict[str, Any]:
        if at(sensor, f"imu/noise/{old}") is not None:  # until SDF 1.5, one for all axes
            return noise(at(sensor, f"imu/noise/{old}"), devices.report)
        return noise_of_axes([at(sensor, f"imu/{new}/{axis}/noise") for axis in _XYZ], devices.report)

    return _with_errors({"kind": "imu"}, gyro=errors("angular_velocity", "rate"), accel=errors("linear_acceleration", "accel"))


def _gps(sensor: Element, devices: DeviceList) -> _Made:
    is_navsat = sensor.attributes.get("type", "").strip() == "navsat"

    def errors(group: str, unit: float) -> dict[str, Any]:
        tags = [f"{parent}/{group}/{axis}/noise" for parent in ("navsat", "gps") for axis in ("horizontal", "vertical")]
        flat, up = (noise(at(sensor, tags[i]) or at(sensor, tags[i + 2]), devices.report) for i in (0, 1))
        flat = {key: value if key == "bias_time" else rounded(value * unit) for key, value in flat.items()}
        made: dict[str, Any] = {}
        for key in dict.fromkeys([*flat, *up]):
            a, b = flat.get(key, 0.0), up.get(key, 0.0)
            made[key] = max(a, b) if key == "bias_time" else a if a == b else [a, a, b]
        return made

    return _with_errors(
        {"kind": "gps", "fix": True},
        position=errors("position_sensing", _DEGREE if is_navsat else 1.0),
        velocity=errors("velocity_sensing", 1.0),
    )


def _magnetometer(sensor: Element, devices: DeviceList) -> _Made:
    axes = [at(sensor, f"magnetometer/{axis}/noise") for axis in _XYZ]
    return _with_errors({"kind": "magnetometer"}, field=noise_of_axes(axes, devices.report))


def _barometer(sensor: Element, devices: DeviceList) -> _Made:
    if number_at(sensor, "air_pressure/reference_altitude", default=0.0):
        devices.report.add(sensor, f"<reference_altitude> of {sensor} is not used: world.air says the pressure at the origin")
    return _with_errors({"kind": "barometer"}, pressure=noise(at(sensor, "air_pressure/pressure/noise"), devices.report))


def _airspeed(sensor: Element, devices: DeviceList) -> _Made:
    if noise(at(sensor, "air_speed/pressure/noise"), devices.report):
        devices.report.add(sensor, f"<noise> of {sensor} is not used: it is one of a pressure, ours is one of a speed")
    return _with_errors({"kind": "airspeed"})


def _contact(sensor: Element, devices: DeviceList) -> _Made:
    return _with_errors({"kind": "contact_force"})


def _camera(sensor: Element, devices: DeviceList) -> _Made:
    made: _Made = []
    kind = sensor.attributes.get("type", "").strip()
    cameras = sensor.all("camera") or [sensor]
    for index, camera in enumerate(cameras):
        view = number_at(camera, "horizontal_fov", default=1.047)
        sides = (("width", 320.0), ("height", 240.0))
        size = {side: int(number_at(camera, f"image/{side}", default=pixels)) for side, pixels in sides}
        if not 0.0 < view <= _WIDEST or not all(1 <= side <= _MOST_PIXELS for side in size.values()):
            raise Unmapped(f"a view of {view:g} rad in {size['width']} x {size['height']} pixels is none of a pin-hole camera")
        record: dict[str, Any] = {"kind": "camera", **size, "field_of_view": view}
        record |= {
            key: number_at(camera, path, default=default)
            for key, path, default in (("near", "clip/near", 0.1), ("far", "clip/far", 100.0))
        }
        distortion = {key: number_at(camera, f"distortion/{key}", default=0.0) for key in ("k1", "k2", "k3", "p1", "p2")}
        record |= {key: value for key, value in distortion.items() if value}
        if kind not in ("camera", "multicamera"):
            record |= {"depth": True, "colour": "rgb" in kind}
        spread = number_at(camera, "noise/stddev", default=0.0)
        if spread:
            record["depth_noise" if kind.startswith("depth") else "noise"] = spread
        suffix = "" if len(cameras) == 1 else f"_{camera.attributes.get('name', index)}"
        made.append((suffix, record, Pose() if camera is sensor else raw_pose(camera)[0]))
    return made


def _lidar(sensor: Element, devices: DeviceList) -> _Made:
    ray = at(sensor, "ray") or at(sensor, "lidar")
    if ray is None:
        raise Unmapped("it says nothing about its rays")
    if number_at(ray, "scan/vertical/samples", default=1.0) > 1.0:
        raise Unmapped("our lidar scans one row, and it has several")
    samples = number_at(ray, "scan/horizontal/samples", default=640.0)
    rays = round(samples * number_at(ray, "scan/horizontal/resolution", default=1.0))
    first, last = (number_at(ray, f"scan/horizontal/{end}_angle", default=0.0) for end in ("min", "max"))
    tilt = number_at(ray, "scan/vertical/min_angle", default=0.0)
    nearest, farthest = (number_at(ray, f"range/{end}", default=0.0) for end in ("min", "max"))
    if not 0.0 < farthest < math.inf:
        raise Unmapped("it says no range")
    errors = noise(at(ray, "noise"), devices.report)
    step = number_at(ray, "range/resolution", default=0.0)
    errors |= {"resolution": step} if step > 0.0 else {}
    turn = axis_angle_to_matrix(np.array([0.0, 0.0, 1.0]), 0.5 * (first + last))
    turn = turn @ axis_angle_to_matrix(np.array([0.0, 1.0, 0.0]), -tilt)
    if rays <= 1:
        if nearest > 0.0:
            devices.report.add(sensor, f"the least range {nearest:g} m of {sensor} is not used: our rangefinder has none")
        record: dict[str, Any] = {"kind": "rangefinder", "reach": farthest} | ({"range": errors} if errors else {})
        return [("", record, Pose(rotation=turn))]
    if not last > first:
        raise Unmapped("its rays all go the same way")
    record = {"kind": "lidar", "rays": rays, "field_of_view": min(rounded(last - first), 2.0 * math.pi)}
    record |= {"nearest": nearest, "farthest": farthest} | ({"ranges": errors} if errors else {})
    return [("", record, Pose(rotation=turn))]


_READERS: dict[str, Callable[[Element, DeviceList], _Made]] = {
    "imu": _imu,
    "gps": _gps,
    "navsat": _gps,
    "magnetometer": _magnetometer,
    "air_pressure": _barometer,
    "air_speed": _airspeed,
    "contact": _contact,
    **dict.fromkeys(("camera", "depth", "depth_camera", "rgbd", "rgbd_camera", "multicamera"), _camera),
    **dict.fromkeys(("ray", "gpu_ray", "lidar", "gpu_lidar"), _lidar),
}
