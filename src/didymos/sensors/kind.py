"""Kinds of sensors: what each measures, with which sensor of the engine, and what a twin file may say about it.

The ideal reading is the engine's own (`mujoco` sensor types, by name), or, for the air and the rays of lidars, ours, by the
loop. Every kind lists its quantities; a quantity of an acceleration needs the engine to solve for accelerations before it can
be read.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from didymos.kinds import Objects
from didymos.sensors.error import ErrorSpec
from didymos.spec import Spec, number

__all__ = [
    "AIRSPEED", "PRESSURE", "SENSORS", "AirspeedSpec", "BarometerSpec", "CameraSpec", "ContactForceSpec",
    "ForceTorqueSpec", "GpsSpec", "ImuSpec", "JointsSpec", "LidarSpec", "MagnetometerSpec", "OdometrySpec", "PoseSpec",
    "Quantity", "RangefinderSpec", "ReadoutSpec", "SensorKind", "SensorSpec",
]  # fmt: skip

AIRSPEED, PRESSURE = 1, 2
"""Quantities of the air that `engine/callback.py` measures, by number."""

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

    contract: ClassVar[SensorKind]

    kind: str
    rate: float = number(unit="Hz", above=0, high=100_000, live=False, doc="readings per second")
    delay: float = number(0.0, unit="s", low=0, high=10, live=False, doc="from measurement to arrival")
    drop_out: float = number(0.0, unit="1", low=0, high=1, doc="probability that a reading is lost")
    outage_rate: float = number(0.0, unit="1/s", low=0, doc="how often, on average, the view is lost (an occlusion)")
    outage_time: float = number(0.0, unit="s", low=0, doc="for how long all readings are lost then")
    errors: float = number(1.0, unit="1", low=0, high=1, doc="0 switches every error off")


class ImuSpec(SensorSpec):
    """Inertial measurement unit: rates and specific force in the frame of its link."""

    kind: Literal["imu"] = "imu"
    link: str
    gyro: ErrorSpec = ErrorSpec()
    accel: ErrorSpec = ErrorSpec()


class OdometrySpec(SensorSpec):
    """Pose in the world and twist in its own frame, as an estimator gives it."""

    kind: Literal["odometry"] = "odometry"
    link: str
    position: ErrorSpec = ErrorSpec()
    orientation: ErrorSpec = ErrorSpec()
    velocity: ErrorSpec = ErrorSpec()
    angular_velocity: ErrorSpec = ErrorSpec()


class PoseSpec(SensorSpec):
    """Pose in the world, as motion capture gives it."""

    kind: Literal["pose"] = "pose"
    link: str
    position: ErrorSpec = ErrorSpec()
    orientation: ErrorSpec = ErrorSpec()


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


class LidarSpec(SensorSpec):
    """Scanning range finder: distances along rays that fan out in the x-y plane of its link, x in the middle.

    Infinite where nothing is within reach, minus infinite where it is too near (REP 117). Shapes that only serve to be
    seen do not stop a ray; collision shapes, the ground and objects do.
    """

    kind: Literal["lidar"] = "lidar"
    link: str
    rays: int = Field(ge=2, le=100_000, description="per scan")
    field_of_view: float = number(unit="rad", above=0, high=2 * math.pi, live=False, doc="from the first ray to the last")
    nearest: float = number(0.0, unit="m", low=0, live=False, doc="what is nearer is not measured")
    farthest: float = number(unit="m", above=0, live=False, doc="what is further is not seen")
    ranges: ErrorSpec = ErrorSpec()

    def angles(self) -> tuple[float, float, float]:
        """Angles of the first and the last ray and the step between two [rad]."""
        return -self.field_of_view / 2, self.field_of_view / 2, self.field_of_view / (self.rays - 1)

    def directions(self) -> NDArray[np.float64]:
        """Unit vectors along the rays in the link's frame, shape [rays, 3]."""
        angles = self.angles()[0] + self.angles()[2] * np.arange(self.rays)
        return np.column_stack([np.cos(angles), np.sin(angles), np.zeros(self.rays)])


class CameraSpec(SensorSpec):
    """Camera at the origin of its link, looking along x: colours and depth; see engine/cameras.py.

    It draws only where it is switched on: pictures cost more than all else together, and need OpenGL.
    """

    kind: Literal["camera"] = "camera"
    link: str
    enabled: float = number(0.0, unit="1", low=0, high=1, live=False, doc="1 takes pictures")
    width: int = Field(default=800, ge=1, le=8192, strict=True, description="of the picture [pixel]")
    height: int = Field(default=800, ge=1, le=8192, strict=True, description="of the picture [pixel]")
    field_of_view: float = number(unit="rad", above=0, high=3.0, live=False, doc="across the width")
    near: float = number(0.02, unit="m", above=0, live=False, doc="what is nearer is not seen")
    far: float = number(300.0, unit="m", above=0, live=False, doc="what is further is not seen")
    colour: bool = True
    depth: bool = Field(default=False, description="also the distance of each pixel [m]")
    noise: float = number(0.0, unit="1", low=0, high=1, doc="standard deviation of each colour of a pixel, from 0 to 1")
    depth_noise: float = number(0.0, unit="m", low=0, doc="standard deviation of the depth of a pixel")

    @model_validator(mode="after")
    def _sees_something(self) -> CameraSpec:
        if not self.near < self.far:
            raise ValueError(f"found near {self.near:g} m, expected it before far {self.far:g} m")
        if not (self.colour or self.depth):
            raise ValueError("expected at least one of the keys 'colour' and 'depth' to be true")
        if self.outage_rate > 0.0:
            raise ValueError("a camera has no outages, only drop-outs of single pictures: leave 'outage_rate' out")
        return self

    @property
    def focal(self) -> float:
        """Focal length [pixel]."""
        return self.width / (2.0 * math.tan(0.5 * self.field_of_view))


class ContactForceSpec(SensorSpec):
    """Load cell: the force with which all else pushes on a link and what hangs on it, in the world's frame."""

    kind: Literal["contact_force"] = "contact_force"
    link: str
    force: ErrorSpec = ErrorSpec()


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


_KINDS: dict[str, SensorKind] = {
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
    "pose": SensorKind(
        PoseSpec,
        (
            Quantity("position", "framepos", _XYZ, "m"),
            Quantity("orientation", "framequat", ("w", "x", "y", "z"), "1", orientation=True),
        ),
        message="pose",
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
    "lidar": SensorKind(LidarSpec, (Quantity("ranges", "rays", (), "m"),), message="laser_scan"),
    "camera": SensorKind(CameraSpec, (), message="image"),
    "contact_force": SensorKind(
        ContactForceSpec, (Quantity("force", "contact", _XYZ, "N", acceleration=True),), message="wrench"
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

SENSORS: Objects[SensorKind] = Objects(
    "a sensor", "didymos.sensors", "didymos.sensors.kind:SensorKind", {name: f"didymos.sensors.kind:{name}" for name in _KINDS}
)
for _name, _kind in _KINDS.items():
    globals()[_name] = _kind
    _kind.spec.contract = _kind
