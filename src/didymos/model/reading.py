"""q and v as the sensors of a robot say, with their errors and delays: the truth does not come by here.

    joints              position and velocity by encoders (sensors of kind `joints`); one that none reads stays at its reference
    floating base       pose and twist by a sensor of kind `odometry`, or
                        the pose by one of kind `pose`, rates by the gyro of an `imu`, velocity zero, or
                        tilt by the accelerometer of an `imu`, rates by its gyro; heading, position, velocity as the reference

A sensor of the base sits on the root link or on what is fixed to it; of several the first one counts. The tilt of an
accelerometer is that of gravity only while the robot hardly accelerates: a program that walks estimates its own. With the
sensor at t and turned by m in the base, and Q its orientation, the base is at

    Q m*,    p - R t,    rates m w,    velocity R_s u - w x R t
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from didymos.compiled import kernel
from didymos.model.layout import BASE_IMU, BASE_POSE
from didymos.model.vectors import cross, quaternion_product, turn_by, unit_quaternion
from didymos.rotations import Pose

__all__ = ["BaseReading", "read", "reading_names"]


@dataclass(frozen=True)
class BaseReading:
    """The sensors that tell how a floating base stands and moves, by name, and where they sit in the base."""

    pose: str | None = None
    """Of kind odometry or pose."""
    twist: bool = False
    """Whether that one tells velocity and rates too."""
    pose_mount: Pose = field(default_factory=Pose)
    imu: str | None = None
    imu_mount: Pose = field(default_factory=Pose)


def reading_names(base: BaseReading, encoders: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """The readings that the numbers of `READING` are, by field; fields that nothing is read into are left out."""
    names = {}
    if base.pose is not None:
        names["position"] = tuple(f"{base.pose}.position.{axis}" for axis in "xyz")
        names["orientation"] = tuple(f"{base.pose}.orientation.{axis}" for axis in "wxyz")
        if base.twist:
            names["velocity"] = tuple(f"{base.pose}.velocity.{axis}" for axis in "xyz")
            names["angular_velocity"] = tuple(f"{base.pose}.angular_velocity.{axis}" for axis in "xyz")
    if base.imu is not None and not base.twist:
        names["gyro"] = tuple(f"{base.imu}.gyro.{axis}" for axis in "xyz")
        if base.pose is None:
            names["accel"] = tuple(f"{base.imu}.accel.{axis}" for axis in "xyz")
    if encoders:
        names["joint_position"] = tuple(f"{reading}.position" for reading in encoders.values())
        names["joint_velocity"] = tuple(f"{reading}.velocity" for reading in encoders.values())
    return names


@kernel
def read(model: Any, reading: Any, q: Any, v: Any) -> None:
    """q [nq] and v [nv] of a record of readings (`READING`)."""
    for i in range(model.nq):
        q[i] = model.reference[i]
    for i in range(model.nv):
        v[i] = 0.0
    for i in range(model.encoders_count):
        encoder = model.encoders[i]
        q[encoder.position], v[encoder.dof] = reading.joint_position[i], reading.joint_velocity[i]
    if model.base > 0:
        _read_base(model, reading, q, v)


@kernel
def _read_base(model: Any, reading: Any, q: Any, v: Any) -> None:
    joint = model.joints[model.bodies[model.base].first_joint]
    at, dof = joint.position, joint.dof
    if model.base_gyro == 1:
        w, m = reading.gyro, model.imu_mount.quaternion
        v[dof + 3], v[dof + 4], v[dof + 5] = turn_by((m[0], m[1], m[2], m[3]), w[0], w[1], w[2])
    if model.base_source == BASE_IMU:
        a, m = reading.accel, model.imu_mount.quaternion
        x, y, z = turn_by((m[0], m[1], m[2], m[3]), a[0], a[1], a[2])
        _level(x, y, z, at, q)
    elif model.base_source == BASE_POSE:
        _from_sensor(model, reading, at, dof, q, v)


@kernel
def _level(x: float, y: float, z: float, at: int, q: Any) -> None:
    """Roll and pitch at which a specific force [m/s^2], in the base's frame, points straight up; no heading."""
    if x * x + y * y + z * z > 0.0:
        roll, pitch = math.atan2(y, z), math.atan2(-x, math.sqrt(y * y + z * z))
        sr, cr, sp, cp = math.sin(0.5 * roll), math.cos(0.5 * roll), math.sin(0.5 * pitch), math.cos(0.5 * pitch)
        q[at + 3], q[at + 4], q[at + 5], q[at + 6] = cr * cp, sr * cp, cr * sp, -sr * sp


@kernel
def _from_sensor(model: Any, reading: Any, at: int, dof: int, q: Any, v: Any) -> None:
    """The base under a sensor of poses, and of twists where it tells them."""
    o, m, t = reading.orientation, model.base_mount.quaternion, model.base_mount.position
    sensor = unit_quaternion(o[0], o[1], o[2], o[3])
    base = quaternion_product(sensor, (m[0], -m[1], -m[2], -m[3]))
    ax, ay, az = turn_by(base, t[0], t[1], t[2])
    p = reading.position
    q[at], q[at + 1], q[at + 2] = p[0] - ax, p[1] - ay, p[2] - az
    q[at + 3], q[at + 4], q[at + 5], q[at + 6] = base
    if model.base_twist == 1:
        w, u = reading.angular_velocity, reading.velocity
        v[dof + 3], v[dof + 4], v[dof + 5] = turn_by((m[0], m[1], m[2], m[3]), w[0], w[1], w[2])
        wx, wy, wz = turn_by(sensor, w[0], w[1], w[2])
        ux, uy, uz = turn_by(sensor, u[0], u[1], u[2])
        cx, cy, cz = cross(wx, wy, wz, ax, ay, az)
        v[dof], v[dof + 1], v[dof + 2] = ux - cx, uy - cy, uz - cz
