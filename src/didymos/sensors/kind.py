"""Kinds of sensors: what each measures, with which sensor of the engine, and what a twin file may say about it.

The ideal reading is the engine's own (`mujoco` sensor types, by name); the error model is ours. Every kind lists its
quantities; a quantity of an acceleration needs the engine to solve for accelerations before it can be read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from didymos.sensors.error import ErrorSpec
from didymos.spec import Spec, number

__all__ = [
    "SENSORS", "ForceTorqueSpec", "ImuSpec", "JointsSpec", "OdometrySpec", "Quantity", "ReadoutSpec", "SensorKind", "SensorSpec",
]  # fmt: skip

_XYZ = ("x", "y", "z")


@dataclass(frozen=True)
class Quantity:
    """One measured quantity: the engine's sensor type, its columns and unit."""

    name: str
    engine_type: str
    columns: tuple[str, ...]
    unit: str
    orientation: bool = False
    acceleration: bool = False


class SensorSpec(Spec):
    """What every sensor says: its kind, when it reads, how late and how surely."""

    kind: str
    rate: float = number(unit="Hz", above=0, high=100_000, live=False, doc="readings per second")
    delay: float = number(0.0, unit="s", low=0, high=10, live=False, doc="from measurement to arrival")
    drop_out: float = number(0.0, unit="1", low=0, high=1, doc="probability that a reading is lost")
    errors: float = number(1.0, unit="1", low=0, high=1, doc="0 switches every error off")


class ImuSpec(SensorSpec):
    """Inertial measurement unit: rates and specific force in the frame of its link."""

    kind: Literal["imu"] = "imu"
    link: str
    gyro: ErrorSpec = ErrorSpec()
    accel: ErrorSpec = ErrorSpec()


class OdometrySpec(SensorSpec):
    """Pose in the world and twist in its own frame, as motion capture or an estimator gives it."""

    kind: Literal["odometry"] = "odometry"
    link: str
    position: ErrorSpec = ErrorSpec()
    orientation: ErrorSpec = ErrorSpec()
    velocity: ErrorSpec = ErrorSpec()
    angular_velocity: ErrorSpec = ErrorSpec()


class JointsSpec(SensorSpec):
    """Encoders: position and velocity of joints."""

    kind: Literal["joints"] = "joints"
    joints: tuple[str, ...] = ()
    position: ErrorSpec = ErrorSpec()
    velocity: ErrorSpec = ErrorSpec()


class ForceTorqueSpec(SensorSpec):
    """Force and torque with which the link's parent holds it, in the frame of the sensor.

    As on a real one, that is the sum of what pushes on the link and what hangs on it, and of their own inertia.
    """

    kind: Literal["force_torque"] = "force_torque"
    link: str
    force: ErrorSpec = ErrorSpec()
    torque: ErrorSpec = ErrorSpec()


class ReadoutSpec(SensorSpec):
    """Readouts of parts that the robot's own electronics report: a driver's fault line, a gripper's switch, a tank's gauge."""

    kind: Literal["readout"] = "readout"
    readouts: tuple[str, ...] = Field(min_length=1, description="PART.READOUT each")
    values: ErrorSpec = ErrorSpec()


@dataclass(frozen=True)
class SensorKind:
    """A kind of sensor. `per_joint`: the quantities are read for each joint instead of for one link;
    `per_readout`: for each readout of a part."""

    spec: type[SensorSpec]
    quantities: tuple[Quantity, ...]
    message: str
    per_joint: bool = False
    per_readout: bool = False


SENSORS: dict[str, SensorKind] = {
    "imu": SensorKind(
        ImuSpec,
        (
            Quantity("gyro", "gyro", _XYZ, "rad/s"),
            Quantity("accel", "accelerometer", _XYZ, "m/s^2", acceleration=True),
        ),
        message="imu",
    ),
    "odometry": SensorKind(
        OdometrySpec,
        (
            Quantity("position", "framepos", _XYZ, "m"),
            Quantity("orientation", "framequat", ("w", "x", "y", "z"), "1", orientation=True),
            Quantity("velocity", "velocimeter", _XYZ, "m/s"),
            Quantity("angular_velocity", "gyro", _XYZ, "rad/s"),
        ),
        message="odometry",
    ),
    "joints": SensorKind(
        JointsSpec,
        (Quantity("position", "jointpos", (), "rad"), Quantity("velocity", "jointvel", (), "rad/s")),
        message="joint_states",
        per_joint=True,
    ),
    "force_torque": SensorKind(
        ForceTorqueSpec,
        (
            Quantity("force", "force", _XYZ, "N", acceleration=True),
            Quantity("torque", "torque", _XYZ, "N m", acceleration=True),
        ),
        message="wrench",
    ),
    "readout": SensorKind(ReadoutSpec, (Quantity("values", "user", (), ""),), message="scalars", per_readout=True),
}
