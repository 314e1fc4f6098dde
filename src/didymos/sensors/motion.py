"""Sensors of motion: inertial units, pose and odometry, encoders, satellite navigation."""

from __future__ import annotations

from didymos.contract import option, quantity
from didymos.sensors.sensor import Sensor

__all__ = ["Gps", "Imu", "Joints", "Odometry", "Pose"]


class Imu(Sensor):
    """Inertial measurement unit: rates and specific force in the frame of its link."""

    message = "imu"
    gyro = quantity("gyro", columns="xyz", unit="rad/s")
    accel = quantity("accelerometer", columns="xyz", unit="m/s^2")


class Odometry(Sensor):
    """Pose in the world and twist in its own frame, as an estimator gives it."""

    message = "odometry"
    position = quantity("framepos", columns="xyz", unit="m")
    orientation = quantity("framequat", columns="wxyz")
    velocity = quantity("velocimeter", columns="xyz", unit="m/s")
    angular_velocity = quantity("gyro", columns="xyz", unit="rad/s")


class Pose(Sensor):
    """Pose in the world, as motion capture gives it."""

    message = "pose"
    position = quantity("framepos", columns="xyz", unit="m")
    orientation = quantity("framequat", columns="wxyz")


class Joints(Sensor):
    """Encoders: position and velocity of joints."""

    message = "joint_states"
    per_joint = True
    joints = option(tuple[str, ...], (), doc="all that turn or slide, where none is named")
    position = quantity("jointpos", columns=(), unit="rad")
    velocity = quantity("jointvel", columns=(), unit="rad/s")


class Gps(Sensor):
    """Satellite navigation: position and velocity in the world frame (east, north, up, from its origin)."""

    position = quantity("framepos", columns="xyz", unit="m")
    velocity = quantity("framelinvel", columns="xyz", unit="m/s")
