"""Which field of which ROS 2 message a column is: one table, read in both directions.

`TABLE` maps a kind to its message type and, column by column, to the path of a field in it. The recorder fills messages
through it and the reader empties them through it, so that what was written is read back, bit for bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.errors import InputError, nearest
from didymos.record.stream import Kind, StreamLayout

__all__ = ["KINDS", "TABLE", "Field", "MessageTable", "constants_of", "covariances", "fields_of", "stored"]

Field = tuple[str, str, str]
"""Column, path of the field in the message, unit."""


@dataclass(frozen=True)
class MessageTable:
    """How rows of one kind become messages.

    Attributes:
        type_name: the ROS 2 message type.
        fields: columns that occur once.
        stamp, frame, child_frame: paths of the time stamp and the frame names; empty where the message has none.
        label_fields: columns that occur once per label; `{label}` and its number `{i}` are filled in.
        labels: path of the sequence that has an element per label.
        label: path of a label's own name; empty where it is its number.
        constants: fields with another value than zero where no column gives it.
        single: the message holds float32, to which values are rounded.
        covariances: paths of covariance matrices, and the quantities whose axes are their rows; see `covariances`.
    """

    type_name: str
    fields: tuple[Field, ...] = ()
    stamp: str = "header.stamp"
    frame: str = "header.frame_id"
    child_frame: str = ""
    label_fields: tuple[Field, ...] = ()
    labels: str = ""
    label: str = ""
    constants: tuple[tuple[str, float], ...] = ()
    single: bool = False
    covariances: tuple[tuple[str, tuple[str, ...]], ...] = ()


def _vector(column: str, path: str, unit: str) -> tuple[Field, ...]:
    return tuple((f"{column}.{axis}", f"{path}.{axis}", unit) for axis in "xyz")


def _quaternion(column: str, path: str) -> tuple[Field, ...]:
    return tuple((f"{column}.{axis}", f"{path}.{axis}", "") for axis in "wxyz")


def _pose(column: str, position: str, orientation: str) -> tuple[Field, ...]:
    return _vector(f"{column}position", position, "m") + _quaternion(f"{column}orientation", orientation)


def _twist(path: str) -> tuple[Field, ...]:
    return _vector("velocity", f"{path}.linear", "m/s") + _vector("angular_velocity", f"{path}.angular", "rad/s")


_TRANSFORMS = MessageTable(
    "tf2_msgs/msg/TFMessage",
    stamp="transforms.{i}.header.stamp",
    frame="transforms.{i}.header.frame_id",
    labels="transforms",
    label="transforms.{i}.child_frame_id",
    label_fields=_pose("{label}.", "transforms.{i}.transform.translation", "transforms.{i}.transform.rotation"),
    constants=(("transforms.{i}.transform.rotation.w", 1.0),),
)

TABLE: Mapping[Kind, MessageTable] = MappingProxyType(
    {
        Kind.IMU: MessageTable(
            "sensor_msgs/msg/Imu",
            _vector("gyro", "angular_velocity", "rad/s")
            + _vector("accel", "linear_acceleration", "m/s^2")
            + _quaternion("orientation", "orientation"),
            covariances=(("angular_velocity_covariance", ("gyro",)), ("linear_acceleration_covariance", ("accel",))),
        ),
        Kind.ODOMETRY: MessageTable(
            "nav_msgs/msg/Odometry",
            _pose("", "pose.pose.position", "pose.pose.orientation") + _twist("twist.twist"),
            child_frame="child_frame_id",
            constants=(("pose.pose.orientation.w", 1.0),),
            covariances=(
                ("pose.covariance", ("position", "orientation")),
                ("twist.covariance", ("velocity", "angular_velocity")),
            ),
        ),
        Kind.JOINT_STATES: MessageTable(
            "sensor_msgs/msg/JointState",
            labels="name",
            label="name.{i}",
            label_fields=(
                ("{label}.position", "position.{i}", "rad"),
                ("{label}.velocity", "velocity.{i}", "rad/s"),
                ("{label}.effort", "effort.{i}", "N m"),
            ),
        ),
        Kind.TF: _TRANSFORMS,
        Kind.TF_STATIC: _TRANSFORMS,
        Kind.CLOCK: MessageTable("rosgraph_msgs/msg/Clock", stamp="clock", frame=""),
        Kind.SCALARS: MessageTable("std_msgs/msg/Float64", stamp="", frame=""),
        Kind.POSE: MessageTable(
            "geometry_msgs/msg/PoseStamped",
            _pose("", "pose.position", "pose.orientation"),
            constants=(("pose.orientation.w", 1.0),),
        ),
        Kind.TWIST: MessageTable("geometry_msgs/msg/TwistStamped", _twist("twist")),
        Kind.WRENCH: MessageTable(
            "geometry_msgs/msg/WrenchStamped",
            _vector("force", "wrench.force", "N") + _vector("torque", "wrench.torque", "N m"),
        ),
        Kind.MAGNETIC_FIELD: MessageTable(
            "sensor_msgs/msg/MagneticField",
            _vector("field", "magnetic_field", "T"),
            covariances=(("magnetic_field_covariance", ("field",)),),
        ),
        Kind.NAVSAT: MessageTable(
            "sensor_msgs/msg/NavSatFix",
            (("latitude", "latitude", "deg"), ("longitude", "longitude", "deg"), ("altitude", "altitude", "m")),
            constants=(("status.service", 1.0),),  # GPS; status 0 is a fix
            covariances=(("position_covariance", ("position",)),),
        ),
        Kind.PRESSURE: MessageTable(
            "sensor_msgs/msg/FluidPressure",
            (("pressure", "fluid_pressure", "Pa"), ("variance", "variance", "Pa^2")),
            covariances=(("variance", ("pressure",)),),
        ),
        Kind.RANGE: MessageTable(
            "sensor_msgs/msg/Range",
            (
                ("range", "range", "m"),
                ("min", "min_range", "m"),
                ("max", "max_range", "m"),
                ("field_of_view", "field_of_view", "rad"),
                ("variance", "variance", "m^2"),
            ),
            single=True,
            covariances=(("variance", ("range",)),),
        ),
        Kind.LASER_SCAN: MessageTable(
            "sensor_msgs/msg/LaserScan",
            (
                ("angle.min", "angle_min", "rad"),
                ("angle.max", "angle_max", "rad"),
                ("angle.increment", "angle_increment", "rad"),
                ("range.min", "range_min", "m"),
                ("range.max", "range_max", "m"),
            ),
            labels="ranges",
            label_fields=(("ranges.{label}", "ranges.{i}", "m"),),
            single=True,
        ),
    }
)

KINDS: Mapping[str, Kind] = MappingProxyType({TABLE[kind].type_name: kind for kind in reversed(Kind)})
"""Kind of each known message type; a TFMessage is TF unless its topic says otherwise."""


def fields_of(kind: Kind, labels: tuple[str, ...]) -> Iterator[Field]:
    """Every column that a stream of this kind with these labels can have."""
    table = TABLE[kind]
    yield from table.fields
    for i, label in enumerate(labels):
        for column, path, unit in table.label_fields:
            yield column.format(label=label), path.format(i=i), unit


def covariances(kind: Kind, variances: Mapping[str, tuple[float, ...]]) -> tuple[tuple[str, tuple[float, ...]], ...]:
    """The covariances of a message as `StreamLayout.constants`, from the variances of the axes of quantities.

    Matrices are diagonal, row by row; a quantity that is not given has zeros, and a matrix of zeros, which to ROS means that
    nothing is known, is left out.
    """
    found = []
    for path, quantities in TABLE[kind].covariances:
        rows = [variance for name in quantities for variance in variances.get(name, (0.0,) * 3)]
        if any(rows):
            found.append((path, tuple(float(value) for value in np.diag(rows).ravel())))
            if kind is Kind.NAVSAT:
                found.append(("position_covariance_type", (2.0,)))  # a known diagonal
    return tuple(found)


def constants_of(layout: StreamLayout) -> dict[str, Any]:
    """All that is the same in every message of a stream: names, lengths, and the values of fields without a column.

    Raises:
        InputError: a column that messages of this kind do not have, or that some labels have and others lack.
    """
    table, count = TABLE[layout.kind], len(layout.labels)
    known = {column: path for column, path, _ in fields_of(layout.kind, layout.labels)}
    if layout.kind is not Kind.SCALARS:
        for column in layout.columns:
            if column not in known:
                hint = nearest(column, known)
                raise InputError(f"kind {layout.kind.name} has no column {column!r}{hint}", path=layout.name)
    used = {known[column] for column in layout.columns if column in known}
    constants: dict[str, Any] = {table.child_frame: layout.child_frame, table.labels: count}
    for i, label in enumerate(layout.labels or ("",)):
        constants[table.label.format(i=i)] = label
        constants[table.frame.format(i=i)] = layout.frame
        constants |= {path.format(i=i): value for path, value in table.constants}
    for column, path, _ in table.label_fields:
        sequence = path.partition(".{i}")[0]
        if sequence != table.labels:
            have = sum(path.format(i=i) in used for i in range(count))
            if have not in (0, count):
                raise InputError(f"{have} of {count} labels have {column!r}, expected all or none", path=layout.name)
            constants[sequence] = have
    for path, values in layout.constants:
        constants[path] = values[0] if len(values) == 1 else values
    if layout.kind is Kind.IMU and "orientation.w" not in layout.columns:
        constants["orientation_covariance"] = (-1.0,) + (0.0,) * 8  # how sensor_msgs/Imu says: no orientation here
    return constants


def stored(layout: StreamLayout, times: NDArray[np.float64], values: NDArray[np.float64]) -> tuple[
    NDArray[np.float64], NDArray[np.float64]
]:  # fmt: skip
    """The row as its message keeps it: times [s] to the nanosecond, values as they are, or rounded to float32."""
    values = values.astype(np.float32).astype(np.float64) if TABLE[layout.kind].single else values
    return np.rint(times * 1e9) / 1e9, values
