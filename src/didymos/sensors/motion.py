"""Sensors of motion: inertial units, pose and odometry, encoders, satellite navigation."""

from __future__ import annotations

from typing import Any

from didymos.contract import option, quantity
from didymos.sensors.sensor import Sensor, measure

__all__ = ["Gps", "Imu", "Joints", "Odometry", "Pose"]


class Imu(Sensor):
    """Inertial measurement unit: rates and specific force in the frame of its link."""

    message = "imu"
    gyro = quantity("gyro", columns="xyz", unit="rad/s")
    accel = quantity("accelerometer", columns="xyz", unit="m/s^2")


class Odometry(Sensor):
    """Pose in the world and twist in its own frame, as an estimator gives it."""

    message = "odometry"
    position = quantity(columns="xyz", unit="m")
    orientation = quantity(columns="wxyz")
    velocity = quantity(columns="xyz", unit="m/s")
    angular_velocity = quantity(columns="xyz", unit="rad/s")

    @measure
    def look(sensor, here, reading):  # type: ignore[no-untyped-def]
        for i in range(3):
            reading.position[i] = here.position_world[i]
            reading.velocity[i] = here.velocity[i]
            reading.angular_velocity[i] = here.rate[i]
        for i in range(4):
            reading.orientation[i] = here.orientation[i]


class Pose(Sensor):
    """Pose in the world, as motion capture gives it."""

    message = "pose"
    position = quantity(columns="xyz", unit="m")
    orientation = quantity(columns="wxyz")

    @measure
    def look(sensor, here, reading):  # type: ignore[no-untyped-def]
        for i in range(3):
            reading.position[i] = here.position_world[i]
        for i in range(4):
            reading.orientation[i] = here.orientation[i]


class Joints(Sensor):
    """Encoders: position and velocity of joints."""

    message = "joint_states"
    per_joint = True
    joints = option(tuple[str, ...], (), doc="all that turn or slide, where none is named")
    position = quantity("jointpos", columns=(), unit="rad")
    velocity = quantity("jointvel", columns=(), unit="rad/s")


class Gps(Sensor):
    """Satellite navigation: position and velocity in the world frame (east, north, up, from its origin).

    With `fix`, the reading of the position also goes out as latitude, longitude and height, see geodesy.py.
    """

    fix = option(bool, False, doc="also as sensor_msgs/NavSatFix, from the place of the origin that world.earth states")
    position = quantity(columns="xyz", unit="m")
    velocity = quantity(columns="xyz", unit="m/s")

    @classmethod
    def has_fix(cls, spec: Any) -> bool:
        """Where it is asked for."""
        return bool(spec.fix)

    @measure
    def look(sensor, here, reading):  # type: ignore[no-untyped-def]
        v, turn = here.velocity, here.rotation
        for i in range(3):
            reading.position[i] = here.position_world[i]
            reading.velocity[i] = turn[3 * i] * v[0] + turn[3 * i + 1] * v[1] + turn[3 * i + 2] * v[2]
