"""Streams: what a log consists of.

A stream is a table with one row per sample: times [s], shape [n], and values, shape [n, columns], float64. Its layout
says what the columns mean and as which ROS 2 message a row travels. The columns of each kind, in any order and subset:

    IMU             gyro.{x,y,z} accel.{x,y,z} and, where the robot estimates it, orientation.{w,x,y,z}
    ODOMETRY        position.{x,y,z} orientation.{w,x,y,z} velocity.{x,y,z} angular_velocity.{x,y,z},
                    the last two in the child frame
    JOINT_STATES    <joint>.position <joint>.velocity <joint>.effort, a joint per label
    TF, TF_STATIC   <link>.position.{x,y,z} <link>.orientation.{w,x,y,z}, a link per label
    CLOCK           none
    SCALARS         anything; every column has its own topic
    POSE            position.{x,y,z} orientation.{w,x,y,z}
    TWIST           velocity.{x,y,z} angular_velocity.{x,y,z}
    WRENCH          force.{x,y,z} torque.{x,y,z}
    MAGNETIC_FIELD  field.{x,y,z}
    NAVSAT          latitude longitude [deg, as the message says] altitude
    PRESSURE        pressure variance
    RANGE           range min max field_of_view variance
    LASER_SCAN      angle.{min,max,increment} range.{min,max} ranges.<i>, a ray per label

The name of a signal is that of its stream, a dot, and its column: `imu.gyro.x`. The topic is the same with slashes.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from didymos.errors import InputError

__all__ = ["Kind", "StreamLayout"]


class Kind(Enum):
    """As which message the rows of a stream are recorded."""

    IMU = "imu"
    ODOMETRY = "odometry"
    JOINT_STATES = "joint_states"
    TF = "tf"
    TF_STATIC = "tf_static"
    CLOCK = "clock"
    SCALARS = "scalars"
    POSE = "pose"
    TWIST = "twist"
    WRENCH = "wrench"
    MAGNETIC_FIELD = "magnetic_field"
    NAVSAT = "navsat"
    PRESSURE = "pressure"
    RANGE = "range"
    LASER_SCAN = "laser_scan"


_FIXED_TOPICS = {Kind.TF: "/tf", Kind.TF_STATIC: "/tf_static", Kind.CLOCK: "/clock"}


@dataclass(frozen=True)
class StreamLayout:
    """What the columns of one stream mean.

    Args:
        name: the stream's name, dots allowed; empty where the columns are full signal names.
        kind: the message that carries a row.
        columns: names of the columns, each once.
        units: SI unit of each column, empty for pure numbers.
        frame: frame in which the values are given.
        child_frame: frame whose pose or motion they are.
        labels: joints, links or rays, for the kinds that have columns per label.
        constants: fields of the message, by path, that no column gives and that are the same in every row: covariances, times.
        namespace: of the robot that it belongs to, where several share a log; the name begins with it.
    """

    name: str
    kind: Kind
    columns: tuple[str, ...]
    units: tuple[str, ...]
    frame: str = "world"
    child_frame: str = ""
    labels: tuple[str, ...] = ()
    constants: tuple[tuple[str, tuple[float, ...]], ...] = ()
    namespace: str = ""

    def __post_init__(self) -> None:
        if len(self.units) != len(self.columns):
            raise InputError(f"{len(self.columns)} columns have {len(self.units)} units", path=self.name)
        if len(set(self.columns)) != len(self.columns):
            twice = next(column for column in self.columns if self.columns.count(column) > 1)
            raise InputError(f"column {twice!r} occurs twice", path=self.name)

    @cached_property
    def signals(self) -> tuple[str, ...]:
        """The full name of each column."""
        return tuple(f"{self.name}.{column}" if self.name else column for column in self.columns)

    @property
    def topics(self) -> tuple[str, ...]:
        """Where the rows travel: one topic, or one per column for scalars."""
        if self.kind is Kind.SCALARS:
            return tuple("/" + signal.replace(".", "/") for signal in self.signals)
        own = self.name.removeprefix(f"{self.namespace}.") if self.namespace else self.name
        if self.kind is Kind.JOINT_STATES and own == "joints":
            return (f"/{self.namespace}/joint_states" if self.namespace else "/joint_states",)
        return (_FIXED_TOPICS.get(self.kind, "/" + self.name.replace(".", "/")),)
