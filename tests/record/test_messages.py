"""The bytes of our messages are those of ROS 2."""

from __future__ import annotations

import numpy as np
import pytest
from rosbags.typesys import Stores, get_typestore

from didymos.errors import InputError
from didymos.record import Kind, StreamLayout
from didymos.record.cdr import CdrError, new_map, read_map
from didymos.record.mcap_chunk import ChunkForm, StreamEncoder
from didymos.record.message_types import ros2_types
from didymos.record.messages import TABLE, fields_of

from .examples import ALL_LAYOUTS, layout_of, rows_of

STORE = get_typestore(Stores.ROS2_JAZZY)
RECORD_HEAD = 31


def encode(layout: StreamLayout, times_ns: np.ndarray, values: np.ndarray) -> list[bytes]:
    """CDR of each message, channel after channel."""
    encoder = StreamEncoder(layout, 1)
    form = ChunkForm([encoder], [len(times_ns)])
    form.fill([times_ns], [values])
    data, size = form.data.tobytes(), encoder.size
    return [data[start + RECORD_HEAD : start + size] for start in range(0, len(data), size)]


def value_at(message: object, path: str) -> float:
    for part in path.split("."):
        message = message[int(part)] if part.isdigit() else getattr(message, part)
    return message


@pytest.mark.parametrize("layout", ALL_LAYOUTS, ids=lambda layout: layout.kind.name)
def test_rosbags_reads_every_kind_and_writes_the_same_bytes(layout: StreamLayout) -> None:
    _, values = rows_of(layout, 3, 10.0, seed=1)
    times = np.array([0, 1_250_000_000, 3_999_999_999], np.uint64)
    type_name = TABLE[layout.kind].type_name
    messages = encode(layout, times, values)
    assert len(messages) == 3 * len(layout.topics)
    for i, data in enumerate(messages):
        message = STORE.deserialize_cdr(data, type_name)
        assert bytes(STORE.serialize_cdr(message, type_name)) == data
        row = i % 3
        if TABLE[layout.kind].stamp:
            stamp = TABLE[layout.kind].stamp.format(i=0)
            assert value_at(message, stamp + ".sec") == (0, 1, 3)[row]
            assert value_at(message, stamp + ".nanosec") == (0, 250_000_000, 999_999_999)[row]
        if layout.kind is Kind.SCALARS:
            assert message.data == values[row, i // 3]
            continue
        single = TABLE[layout.kind].single
        for column, (_, path, _) in enumerate(fields_of(layout.kind, layout.labels)):
            expected = values[row, column]
            assert value_at(message, path) == (np.float32(expected) if single else expected), path


def test_a_joint_state_equals_the_one_that_rosbags_builds() -> None:
    t = STORE.types
    layout = layout_of(Kind.JOINT_STATES)
    values = np.array([[0.1, 0.2, 0.3, 1.1, 1.2, 1.3]])
    header = t["std_msgs/msg/Header"](t["builtin_interfaces/msg/Time"](2, 500), "map")
    message = t["sensor_msgs/msg/JointState"](
        header, ["motor1_to_axle1", "knee"], np.array([0.1, 1.1]), np.array([0.2, 1.2]), np.array([0.3, 1.3])
    )
    expected = bytes(STORE.serialize_cdr(message, "sensor_msgs/msg/JointState"))
    assert encode(layout, np.array([2_000_000_500], np.uint64), values) == [expected]


def test_columns_may_come_in_any_order() -> None:
    fields = list(fields_of(Kind.ODOMETRY, ()))
    shuffled = [fields[i] for i in np.random.default_rng(5).permutation(len(fields))]
    columns = tuple(field[0] for field in shuffled)
    layout = StreamLayout("state", Kind.ODOMETRY, columns, ("",) * len(columns))
    values = np.arange(1.0, 14.0)[None]
    message = STORE.deserialize_cdr(encode(layout, np.zeros(1, np.uint64), values)[0], "nav_msgs/msg/Odometry")
    assert [value_at(message, path) for _, path, _ in shuffled] == list(values[0])


def test_an_imu_without_attitude_says_so_as_ros_does() -> None:
    layout = StreamLayout("imu", Kind.IMU, ("gyro.x", "accel.z"), ("rad/s", "m/s^2"), "imu_link")
    message = STORE.deserialize_cdr(encode(layout, np.zeros(1, np.uint64), np.ones((1, 2)))[0], "sensor_msgs/msg/Imu")
    assert message.orientation_covariance[0] == -1.0
    assert message.angular_velocity.x == message.linear_acceleration.z == 1.0
    assert message.header.frame_id == "imu_link"


def test_a_pose_without_orientation_columns_keeps_a_valid_quaternion() -> None:
    layout = StreamLayout("state", Kind.ODOMETRY, ("position.z",), ("m",), "world", "body")
    message = STORE.deserialize_cdr(encode(layout, np.zeros(1, np.uint64), np.ones((1, 1)))[0], "nav_msgs/msg/Odometry")
    assert message.pose.pose.orientation.w == 1.0
    assert message.child_frame_id == "body"


def test_an_unknown_column_is_refused_with_the_nearest_known_one() -> None:
    layout = StreamLayout("imu", Kind.IMU, ("gyr.x",), ("rad/s",))
    with pytest.raises(InputError, match=r"imu: kind IMU has no column 'gyr.x', did you mean 'gyro.x'"):
        StreamEncoder(layout, 1)


def test_a_field_that_only_some_joints_have_is_refused() -> None:
    layout = StreamLayout("joints", Kind.JOINT_STATES, ("a.position", "b.velocity"), ("", ""), labels=("a", "b"))
    with pytest.raises(InputError, match="1 of 2 labels"):
        StreamEncoder(layout, 1)


def test_columns_must_be_unique_and_have_a_unit_each() -> None:
    with pytest.raises(InputError, match="'x' occurs twice"):
        StreamLayout("setpoints", Kind.SCALARS, ("x", "x"), ("m", "m"))
    with pytest.raises(InputError, match="2 columns have 1 units"):
        StreamLayout("setpoints", Kind.SCALARS, ("x", "y"), ("m",))


def test_big_endian_messages_are_mapped_too() -> None:
    t = STORE.types
    message = t["geometry_msgs/msg/Vector3"](1.5, -2.5, 3.5)
    data = bytes(STORE.serialize_cdr(message, "geometry_msgs/msg/Vector3", little_endian=False))
    found = read_map(ros2_types(), "geometry_msgs/msg/Vector3", data)
    leaf = found.leaf("y")
    assert np.frombuffer(data, leaf.dtype, 1, leaf.offset)[0] == -2.5


@pytest.mark.parametrize("cut", [1, 4, 10, 30])
def test_bytes_that_end_too_early_are_recognised(cut: int) -> None:
    data = new_map("sensor_msgs/msg/JointState", {"name": 1, "name.0": "hip", "position": 1}).data
    with pytest.raises(CdrError):
        read_map(ros2_types(), "sensor_msgs/msg/JointState", data[:-cut])
    with pytest.raises(CdrError):
        read_map(ros2_types(), "sensor_msgs/msg/JointState", data[:12] + b"\xff" * (len(data) - 12))
