"""Which sensors of a twin tell the state of its model, and where on the base they sit; see `didymos/model/reading.py`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from didymos.model import ModelJoint
from didymos.model.layout import BASE_IMU, BASE_NONE, BASE_POSE
from didymos.model.reading import BaseReading
from didymos.rotations import Pose
from didymos.sensors import SensorSpec
from didymos.sensors.motion import Imu, Joints, Odometry
from didymos.sensors.motion import Pose as PoseSensor

__all__ = ["base_reading", "encoder_readings", "fill_reading"]


def encoder_readings(joints: Iterable[ModelJoint], sensors: Mapping[str, SensorSpec]) -> dict[str, str]:
    """The first encoder of every joint that one reads."""
    found: dict[str, str] = {}
    for joint in joints:
        for name, sensor in sensors.items():
            if joint.nq == 1 and issubclass(sensor.contract, Joints):
                chosen = getattr(sensor, "joints", ())
                if not chosen or joint.name in chosen:
                    found.setdefault(joint.name, f"{name}.{joint.name}")
    return found


def base_reading(frames: Mapping[str, tuple[int, Pose]], root: str, sensors: Mapping[str, SensorSpec]) -> BaseReading:
    """The sensors on the base that tell most about it."""
    base, origin = frames[root]
    on_base = {name: sensor for name, sensor in sensors.items() if frames.get(getattr(sensor, "link", root), (-1,))[0] == base}

    def first(kind: type) -> str | None:
        return next((name for name, sensor in on_base.items() if issubclass(sensor.contract, kind)), None)

    def mount(name: str | None) -> Pose:
        return Pose() if name is None else origin.inverse() @ frames[getattr(on_base[name], "link", root)][1]

    odometry, imu = first(Odometry), first(Imu)
    pose = first(PoseSensor) if odometry is None else odometry
    return BaseReading(pose, odometry is not None, mount(pose), imu, mount(imu))


def fill_reading(model: Any, joints: Iterable[ModelJoint], encoders: Mapping[str, str], base: BaseReading) -> None:
    """Write into a record of `MODEL` what the kernel `read` needs."""
    by_name = {joint.name: joint for joint in joints}
    model["encoders_count"] = len(encoders)
    for row, name in zip(model["encoders"], encoders, strict=False):
        row["position"], row["dof"] = by_name[name].position_index, by_name[name].velocity_index
    model["base_source"] = BASE_POSE if base.pose is not None else BASE_IMU if base.imu is not None else BASE_NONE
    model["base_twist"], model["base_gyro"] = base.twist, base.imu is not None and not base.twist
    for field, pose in (("base_mount", base.pose_mount), ("imu_mount", base.imu_mount)):
        model[field]["position"], model[field]["quaternion"] = pose.position, pose.quaternion


