"""Kinds of sensors: what each measures, with which sensor of the engine, and what a twin file may say about it.

The ideal reading is the engine's own (`mujoco` sensor types, by name), or, for what the air does, ours. Every kind lists its
quantities; a quantity of an acceleration needs the engine to solve for accelerations before it can be read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from didymos.sensors.error import ErrorSpec
from didymos.spec import Spec, number

__all__ = [
    "AIRSPEED", "PRESSURE", "SENSORS", "AirspeedSpec", "BarometerSpec", "GpsSpec", "ImuSpec",  "JointsSpec", "MagnetometerSpec",
    "OdometrySpec", "Quantity", "RangefinderSpec", "SensorKind", "SensorSpec",
]  # fmt: skip

AIRSPEED, PRESSURE = 1, 2
"""Quantities that `engine/callback.py` computes for the engine, by number."""

_XYZ = ("x", "y", "z")


@dataclass(frozen=True)
class Quantity:
    """One measured quantity: the engine's sensor type, its columns and unit. One column without a name is a scalar."""

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


class GpsSpec(SensorSpec):
    """Satellite navigation: position and velocity in the world frame (east, north, up, from its origin)."""

    kind: Literal["gps"] = "gps"
    link: str
    position: ErrorSpec = ErrorSpec()
    velocity: ErrorSpec = ErrorSpec()


class MagnetometerSpec(SensorSpec):
    """The magnetic field of the world (`world.magnetic`) in the frame of its link."""

    kind: Literal["magnetometer"] = "magnetometer"
    link: str
    field: ErrorSpec = ErrorSpec()


class BarometerSpec(SensorSpec):
    """Static pressure of the air at its link."""

    kind: Literal["barometer"] = "barometer"
    link: str
    pressure: ErrorSpec = ErrorSpec()


class AirspeedSpec(SensorSpec):
    """Pitot tube along x of its link: calibrated airspeed, sqrt(2 q / rho0) with q the dynamic pressure of the flow along x."""

    kind: Literal["airspeed"] = "airspeed"
    link: str
    airspeed: ErrorSpec = ErrorSpec()


class RangefinderSpec(SensorSpec):
    """Distance to what lies ahead along x of its link, pitched down by `pitch`; -1 where there is nothing within `reach`."""

    kind: Literal["rangefinder"] = "rangefinder"
    link: str
    pitch: float = number(0.0, unit="rad", low=-3.1416, high=3.1416, live=False, doc="positive looks down; pi/2 straight down")
    reach: float = number(100.0, unit="m", above=0, live=False)
    range: ErrorSpec = ErrorSpec()


@dataclass(frozen=True)
class SensorKind:
    """A kind of sensor. `per_joint`: the quantities are read for each joint instead of for one link."""

    spec: type[SensorSpec]
    quantities: tuple[Quantity, ...]
    message: str
    per_joint: bool = False


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
    "gps": SensorKind(
        GpsSpec,
        (Quantity("position", "framepos", _XYZ, "m"), Quantity("velocity", "framelinvel", _XYZ, "m/s")),
        message="scalars",
    ),
    "magnetometer": SensorKind(
        MagnetometerSpec, (Quantity("field", "magnetometer", _XYZ, "T"),), message="magnetic_field"
    ),
    "barometer": SensorKind(BarometerSpec, (Quantity("pressure", "pressure", ("",), "Pa"),), message="pressure"),
    "airspeed": SensorKind(AirspeedSpec, (Quantity("airspeed", "airspeed", ("",), "m/s"),), message="scalars"),
    "rangefinder": SensorKind(RangefinderSpec, (Quantity("range", "rangefinder", ("",), "m"),), message="range"),
}
