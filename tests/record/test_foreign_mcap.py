"""Recordings of other programs become logs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from mcap.writer import CompressionType, Writer
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from didymos.errors import InputError
from didymos.record import Kind, Log

STORE = get_typestore(Stores.ROS2_HUMBLE)
T = STORE.types
EPOCH = 1_700_000_000 * 10**9 + 123_456_789


class Foreign:
    """Writes messages one by one, interleaved, as a robot's recorder does."""

    def __init__(self, path: Path, compression: CompressionType = CompressionType.ZSTD) -> None:
        self.path = path
        self.writer = Writer(str(path), chunk_size=2000, compression=compression)
        self.writer.start("ros2", "test")
        self.schemas: dict[str, int] = {}
        self.channels: dict[str, int] = {}

    def add(self, topic: str, message: object, time_ns: int) -> None:
        name = message.__msgtype__
        if name not in self.schemas:
            text, _ = STORE.generate_msgdef(name, ros_version=2)
            self.schemas[name] = self.writer.register_schema(name, "ros2msg", text.encode())
        if topic not in self.channels:
            self.channels[topic] = self.writer.register_channel(topic, "cdr", self.schemas[name])
        data = bytes(STORE.serialize_cdr(message, name))
        self.writer.add_message(self.channels[topic], time_ns, data, time_ns)

    def load(self) -> Log:
        self.writer.finish()
        return Log.load(self.path)


def header(time_ns: int, frame: str = "imu_link") -> object:
    return T["std_msgs/msg/Header"](T["builtin_interfaces/msg/Time"](time_ns // 10**9, time_ns % 10**9), frame)


def vector(x: float, y: float, z: float) -> object:
    return T["geometry_msgs/msg/Vector3"](x, y, z)


def imu(time_ns: int, value: float) -> object:
    quaternion, zeros = T["geometry_msgs/msg/Quaternion"](0.0, 0.0, 0.6, 0.8), np.zeros(9)
    return T["sensor_msgs/msg/Imu"](
        header(time_ns), quaternion, zeros, vector(value, 0.0, 0.0), zeros, vector(0.0, 0.0, 9.81), zeros
    )


def joints(time_ns: int, **positions: float) -> object:
    values = np.array(list(positions.values()))
    return T["sensor_msgs/msg/JointState"](header(time_ns, ""), list(positions), values, 2.0 * values, np.empty(0))


def transform(time_ns: int, parent: str, child: str, x: float) -> object:
    motion = T["geometry_msgs/msg/Transform"](
        vector(x, 0.0, 0.0), T["geometry_msgs/msg/Quaternion"](0.0, 0.0, 0.0, 1.0)
    )
    return T["geometry_msgs/msg/TransformStamped"](header(time_ns, parent), child, motion)


@pytest.mark.parametrize("compression", list(CompressionType))
def test_known_messages_get_our_names_and_start_at_zero(tmp_path: Path, compression: CompressionType) -> None:
    file = Foreign(tmp_path / "real.mcap", compression)
    for k in range(50):
        stamp = EPOCH + k * 10_000_000
        file.add("/imu/data", imu(stamp, 0.1 * k), stamp + 5_000_000)
        file.add("/battery/voltage", T["std_msgs/msg/Float64"](12.0 - 0.01 * k), stamp + 2_000_000)
        file.add("/mode", T["std_msgs/msg/Int32"](k // 10), stamp)
    log = file.load()
    gyro = log["imu.data.gyro.x"]
    assert gyro.unit == "rad/s"
    np.testing.assert_array_equal(gyro.time, np.arange(50) * 10_000_000 / 1e9)
    np.testing.assert_array_equal(gyro.values, 0.1 * np.arange(50))
    assert set(log["imu.data.orientation.z"].values) == {0.6}
    np.testing.assert_array_equal(log["battery.voltage"].time, (2_000_000 + np.arange(50) * 10_000_000) / 1e9)
    assert log["battery.voltage"].values[-1] == 12.0 - 0.01 * 49
    assert list(log["mode"].values) == [k // 10 for k in range(50)]
    assert log.metadata["time_shift"] == "1700000000.123456789"
    layout = next(layout for layout in log.layouts if layout.name == "imu.data")
    assert (layout.kind, layout.frame) == (Kind.IMU, "imu_link")


def test_joint_states_of_two_publishers_and_without_efforts_are_kept_apart(tmp_path: Path) -> None:
    file = Foreign(tmp_path / "real.mcap")
    for k in range(20):
        file.add("/joint_states", joints(k * 1000, hip=k, knee=-k), k * 1000)
        if k % 2:
            file.add("/joint_states", joints(k * 1000 + 500, gripper=0.5 * k), k * 1000 + 500)
    log = file.load()
    assert list(log["joints.knee.velocity"].values) == [-2.0 * k for k in range(20)]
    assert list(log["joints.gripper.position"].values) == [0.5 * k for k in range(1, 20, 2)]
    assert log["joints.gripper.position"].time[0] == 1.5e-6
    assert not [name for name in log.signals if name.endswith("effort")]


def test_transforms_keep_their_parents_and_stamps(tmp_path: Path) -> None:
    file = Foreign(tmp_path / "real.mcap")
    message = T["tf2_msgs/msg/TFMessage"]
    for k in range(10):
        pair = [transform(k * 1000, "map", "base", k), transform(k * 1000 + 7, "base", "arm", -k)]
        file.add("/tf", message(pair), k * 1000)
        file.add("/tf", message([transform(k * 1000, "map", "boat", 3.0 * k)]), k * 1000)
    log = file.load()
    assert list(log["tf.base.position.x"].values) == list(range(10))
    assert list(log["tf.boat.position.x"].values) == [3.0 * k for k in range(10)]
    assert log["tf.arm.position.x"].time[1] == 1.007e-6
    frames = {label: layout.frame for layout in log.layouts for label in layout.labels}
    assert frames == {"base": "map", "boat": "map", "arm": "base"}
    again = Log.load(log.save(tmp_path / "again.mcap"))
    assert again.sha256 == log.sha256
    assert again.layouts == log.layouts


def test_every_number_of_an_unknown_message_becomes_a_signal(tmp_path: Path) -> None:
    definition = (
        "std_msgs/Header header\nstring note\nfloat32[3] temperatures\nuint16[] currents\nLimb[] limbs\nbool on\n"
    )
    limb = "float64 length\nint8[100] skin\n"
    STORE.register(get_types_from_msg(limb, "robot_msgs/msg/Limb"))
    STORE.register(get_types_from_msg(definition, "robot_msgs/msg/Health"))
    file = Foreign(tmp_path / "real.mcap")
    for k in range(12):
        limbs = [T["robot_msgs/msg/Limb"](float(k), np.zeros(100, np.int8))]
        currents = np.arange(k % 3, dtype=np.uint16) + k  # 0, 1 or 2 of them
        warm = np.array([k, 2 * k, 0.5], np.float32)
        message = T["robot_msgs/msg/Health"](header(k * 10**6, ""), "x" * (k % 5), warm, currents, limbs, k > 5)
        file.add("/robot/health", message, 99)
    log = file.load()
    assert list(log["robot.health.temperatures.1"].values) == [2.0 * k for k in range(12)]
    assert list(log["robot.health.limbs.0.length"].values) == list(range(12))
    assert list(log["robot.health.on"].values) == [0.0] * 6 + [1.0] * 6
    assert list(log["robot.health.currents.0"].values) == [k for k in range(12) if k % 3 >= 1]
    assert list(log["robot.health.currents.1"].values) == [k + 1 for k in range(12) if k % 3 == 2]
    assert list(log["robot.health.currents.1"].time) == [k / 1e3 for k in range(12) if k % 3 == 2]
    assert log.metadata["unread"] == "/robot/health.limbs.0.skin: an array of over 64 numbers"


def test_stamps_left_at_zero_give_way_to_the_time_of_logging(tmp_path: Path) -> None:
    file = Foreign(tmp_path / "real.mcap")
    for k in range(3):
        file.add("/imu", imu(0, k), (k + 1) * 10**9)
    assert list(file.load()["imu.gyro.x"].time) == [1.0, 2.0, 3.0]


def test_messages_out_of_order_are_put_in_order(tmp_path: Path) -> None:
    file = Foreign(tmp_path / "real.mcap")
    for k in (2, 0, 1):
        file.add("/imu", imu((k + 1) * 10**9, k), 0)
    signal = file.load()["imu.gyro.x"]
    assert list(signal.time) == [1.0, 2.0, 3.0]
    assert list(signal.values) == [0.0, 1.0, 2.0]


def test_what_is_no_signal_is_named(tmp_path: Path) -> None:
    file = Foreign(tmp_path / "real.mcap")
    file.add("/chat", T["std_msgs/msg/String"]("hello"), 5)
    file.add("/camera", T["sensor_msgs/msg/CompressedImage"](header(7), "jpeg", np.zeros(70_000, np.uint8)), 7)
    file.add("/z", T["std_msgs/msg/Float64"](1.0), 7)
    other = file.writer.register_channel("/web", "json", 0)
    file.writer.add_message(other, 8, b"{}", 8)
    log = file.load()
    assert log.signals == ("z",)
    unread = log.metadata["unread"]
    assert "/chat (std_msgs/msg/String): no numbers in it" in unread
    assert "/camera: 1 messages of over 65536 bytes" in unread
    assert "/web" in unread


def test_a_file_without_any_signal_is_refused(tmp_path: Path) -> None:
    file = Foreign(tmp_path / "real.mcap")
    file.add("/chat", T["std_msgs/msg/String"]("hello"), 5)
    with pytest.raises(InputError, match="no signal could be read: /chat"):
        file.load()


def test_messages_that_do_not_fit_their_type_are_named(tmp_path: Path) -> None:
    file = Foreign(tmp_path / "real.mcap")
    file.add("/imu", imu(0, 1.0), 0)
    file.add("/z", T["std_msgs/msg/Float64"](1.0), 7)
    file.writer.add_message(file.channels["/imu"], 9, b"\x00\x01\x00\x00\x01", 9)
    log = file.load()
    assert "z" in log
    assert "/imu (sensor_msgs/msg/Imu): the message ends after 5 bytes" in log.metadata["unread"]


def test_a_recording_of_ours_passed_through_another_tool_is_still_read(tmp_path: Path, full_log: Log) -> None:
    from mcap.reader import make_reader

    full_log.save(tmp_path / "ours.mcap")
    writer = Writer(str(tmp_path / "theirs.mcap"))
    writer.start("ros2", "filter")
    with (tmp_path / "ours.mcap").open("rb") as file:
        reader, known = make_reader(file), {}
        for schema, channel, message in reader.iter_messages(topics=["/setpoints/x", "/joint_states"]):
            if channel.topic not in known:
                number = writer.register_schema(schema.name, schema.encoding, schema.data)
                known[channel.topic] = writer.register_channel(channel.topic, "cdr", number)
            writer.add_message(known[channel.topic], message.log_time, message.data, message.publish_time)
    writer.finish()
    log = Log.load(tmp_path / "theirs.mcap")
    for name in ("setpoints.x", "joints.knee.velocity"):
        assert log[name].values.tobytes() == full_log[name].values.tobytes()
        assert log[name].time.tobytes() == full_log[name].time.tobytes()


def test_topics_whose_names_collide_are_numbered(tmp_path: Path) -> None:
    file = Foreign(tmp_path / "real.mcap")
    file.add("/joint_states", joints(1000, hip=1.0), 1000)
    file.add("/joints", joints(1000, hip=2.0), 1000)
    log = file.load()
    assert [log[name].values[0] for name in ("joints.hip.position", "joints_2.hip.position")] == [1.0, 2.0]


def test_a_field_that_comes_and_goes_is_saved_as_it_was(tmp_path: Path) -> None:
    file = Foreign(tmp_path / "real.mcap")
    for k in range(6):
        message = imu((k + 1) * 10**6, k)
        if k % 2:
            message.orientation_covariance[0] = -1.0
        file.add("/imu", message, 0)
        scan = np.full(2 + k % 2, k, np.float32)
        file.add("/scan", T["sensor_msgs/msg/LaserScan"](header((k + 1) * 10**6), *[0.0] * 7, scan, scan[:0]), 0)
    log = file.load()
    assert list(log["imu.gyro.x"].values) == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    assert list(log["imu.orientation.z"].time) == [0.001, 0.003, 0.005]
    assert list(log["scan.ranges.1"].values) == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    assert list(log["scan.ranges.2"].values) == [1.0, 3.0, 5.0]
    again = Log.load(log.save(tmp_path / "again.mcap"))
    assert again.sha256 == log.sha256


@pytest.mark.parametrize("seed", range(40))
def test_any_damage_gives_a_log_or_one_clear_error(tmp_path: Path, full_log: Log, seed: int) -> None:
    path = full_log.save(tmp_path / "run.mcap")
    rng, data = np.random.default_rng(seed), bytearray(path.read_bytes())
    for place in rng.integers(8, len(data), 1 + seed % 5):
        data[place] = rng.integers(256)
    path.write_bytes(data)
    try:
        signals = Log.load(path).signals
    except InputError:
        return
    assert signals


def test_a_known_message_whose_definition_lacks_a_field_is_told_as_unread(tmp_path: Path) -> None:
    text, _ = STORE.generate_msgdef("sensor_msgs/msg/Imu", ros_version=2)
    older = text.replace("string frame_id", "string frame_of_old").encode()
    foreign = Foreign(tmp_path / "robot.mcap")
    foreign.schemas["sensor_msgs/msg/Imu"] = foreign.writer.register_schema("sensor_msgs/msg/Imu", "ros2msg", older)
    foreign.add("/imu", imu(10**9, 1.0), 10**9)
    foreign.add("/joint_states", joints(10**9, knee=0.5), 10**9)
    log = foreign.load()
    assert "joints.knee.position" in log
    assert "imu.gyro.x" not in log
    assert "/imu (sensor_msgs/msg/Imu): its definition has no field 'header.frame_id'" in log.metadata["unread"]
