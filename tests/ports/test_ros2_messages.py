"""What goes over ROS 2's wire is what the log holds, in types that read the same numbers; names are spelled as ROS 2 wants."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from didymos import InputError, Log
from didymos.describe.ros2_file import CommandSpec
from didymos.ports.ros2.commands import Command, subscriptions
from didymos.ports.ros2.encode import MessageEncoder
from didymos.ports.ros2.names import dds_reply, dds_request, dds_topic, dds_type, ros_name, spell, wire_names
from didymos.ports.ros2.types import message_type
from didymos.record.message_types import ros2_types
from didymos.record.messages import fields_of
from didymos.record.stream import Kind, StreamLayout

LABELS = {
    Kind.JOINT_STATES: ("knee", "hip"),
    Kind.TF: ("arm", "a_longer_name"),
    Kind.TF_STATIC: ("mast",),
    Kind.LASER_SCAN: tuple("0123456"),
}


def layout(kind: Kind) -> StreamLayout:
    """A stream with every column that its kind can have; two of different depth for scalars."""
    labels = LABELS.get(kind, ())
    columns = tuple(column for column, _, _ in fields_of(kind, labels)) or (("one", "two.three") if kind is Kind.SCALARS else ())
    return StreamLayout(kind.value, kind, columns, ("",) * len(columns), "world", "base", labels)


LAYOUTS = [layout(kind) for kind in Kind]


@pytest.mark.parametrize("stream", LAYOUTS, ids=lambda stream: stream.kind.name)
def test_every_kind_of_stream_travels_as_the_log_holds_it(stream: StreamLayout, tmp_path: Path) -> None:
    from mcap.reader import make_reader

    times, dice = np.arange(5) * 0.01, np.random.default_rng(4)
    rows = dice.normal(size=(5, len(stream.columns)))
    log = Log([stream])
    log.append(0, times, rows)
    log.save(tmp_path / "log.mcap")
    kept: dict[str, list[bytes]] = {}
    with (tmp_path / "log.mcap").open("rb") as file:
        for _, channel, message in make_reader(file).iter_messages():
            kept.setdefault(channel.topic, []).append(message.data)
    encoder = MessageEncoder(stream)
    sent = dict(zip(encoder.topics, encoder.encode(times, rows), strict=True))
    assert sent == kept
    assert {len(data) for messages in sent.values() for data in messages} == {encoder.size}


@pytest.mark.parametrize("stream", LAYOUTS, ids=lambda stream: stream.kind.name)
def test_the_types_of_dds_read_the_numbers_that_ros_2_reads(stream: StreamLayout) -> None:
    encoder = MessageEncoder(stream)
    rows = np.random.default_rng(5).normal(size=(1, len(stream.columns)))
    data = encoder.encode(np.array([3.25]), rows)[0][0]
    padded = data + bytes(-len(data) % 4)
    assert same(message_type(encoder.type_name).deserialize(padded), ros2_types().deserialize_cdr(data, encoder.type_name))


def same(ours: Any, theirs: Any) -> bool:
    """Whether a message of the DDS library and one of rosbags hold the same."""
    if hasattr(ours, "__idl__"):
        return all(same(getattr(ours, name), getattr(theirs, name)) for name in type(ours).__annotations__)
    if isinstance(ours, list | tuple):
        return len(ours) == len(theirs) and all(same(a, b) for a, b in zip(ours, theirs, strict=True))
    return bool(ours == theirs)


def test_names_are_spelled_as_ros_2_wants_them() -> None:
    assert ros_name("inputs.left-arm.1") == "/inputs/left_arm/_1"
    assert dds_topic("/imu") == "rt/imu"
    assert dds_request("/base/set_parameters") == "rq/base/set_parametersRequest"
    assert dds_reply("/base/set_parameters") == "rr/base/set_parametersReply"
    assert dds_type("sensor_msgs/msg/Imu") == "sensor_msgs.msg.dds_.Imu_"
    with pytest.raises(InputError, match="'a-b' and 'a_b' would both be the topic /a_b"):
        spell(["a-b", "a_b"])


class Number:
    def __init__(self, data: Any) -> None:
        self.data = data


def test_set_points_with_a_common_prefix_are_a_group_of_their_own() -> None:
    handles = ("setpoints.vx", "setpoints.wheels.left", "setpoints.wheels.right", "inputs.motor")
    found = {item.topic: item for item in subscriptions(handles)}
    assert set(found) == {
        "/cmd_vel", "/set/setpoints", "/set/setpoints/vx", "/set/setpoints/wheels", "/set/setpoints/wheels/left",
        "/set/setpoints/wheels/right", "/set/inputs", "/set/inputs/motor",
    }  # fmt: skip
    assert found["/set/setpoints/wheels"].read(Number([1.0, -2.0])) == Command(
        (("setpoints.wheels.left", 1.0), ("setpoints.wheels.right", -2.0))
    )
    for nonsense in ([1.0], [1.0, 2.0, 3.0], [1.0, float("inf")]):
        with pytest.raises(InputError):
            found["/set/setpoints/wheels"].read(Number(nonsense))
    assert "/cmd_vel" not in {item.topic for item in subscriptions(("setpoints.z", "inputs.motor"))}


def test_a_twin_file_names_commands_as_the_robot_knows_them() -> None:
    handles = ("setpoints.abort", "inputs.left", "inputs.right", "inputs.gripper")
    commands = {
        "/cmd_torque": CommandSpec(sets=("inputs.right", "inputs.left")),
        "/abort": CommandSpec(sets=("setpoints.abort",)),
        "/gripper": CommandSpec(sets=("inputs.gripper",), words={"release": 0.0, "softgrip": 1.0}),
    }
    found = {item.topic: item for item in subscriptions(handles, commands)}
    assert found["/cmd_torque"].read(Number([1.0, 2.0])) == Command((("inputs.right", 1.0), ("inputs.left", 2.0)))
    assert found["/abort"].read(Number(1.0)) == Command((("setpoints.abort", 1.0),))
    assert found["/gripper"].type_name == "std_msgs/msg/String"
    assert found["/gripper"].read(Number("softgrip")) == Command((("inputs.gripper", 1.0),))
    with pytest.raises(InputError, match="did you mean 'softgrip'"):
        found["/gripper"].read(Number("soft_grip"))


@pytest.mark.parametrize(
    ("topic", "sets", "said"),
    [
        ("cmd torque", ("inputs.left",), "such as /cmd_torque"),
        ("/cmd_torque", ("inputs.lefd",), "did you mean 'inputs.left'"),
    ],
)
def test_a_command_that_cannot_be_is_refused(topic: str, sets: tuple[str, ...], said: str) -> None:
    with pytest.raises(InputError, match=said):
        list(subscriptions(("inputs.left",), {topic: CommandSpec(sets=sets)}))


def test_topics_are_renamed_by_stream_or_signal_and_never_mixed() -> None:
    layouts = [
        StreamLayout("joints", Kind.JOINT_STATES, ("a.position",), ("rad",), labels=("a",)),
        StreamLayout("encoders", Kind.JOINT_STATES, ("a.position",), ("rad",), labels=("a",)),
        StreamLayout("status", Kind.SCALARS, ("stage", "fault"), ("1", "1")),
    ]
    found = wire_names(layouts, {"joints": "/truth/joints", "encoders": "/joint_states", "status.stage": "/gripper/stage"}, ())
    assert found == {
        "/joint_states": "/truth/joints", "/encoders": "/joint_states", "/status/stage": "/gripper/stage",
        "/status/fault": "/status/fault",
    }  # fmt: skip
    with pytest.raises(InputError, match="would both be the topic /joint_states"):
        wire_names(layouts, {"encoders": "/joint_states"}, ())
    with pytest.raises(InputError, match="did you mean 'encoders'"):
        wire_names(layouts, {"encoder": "/e"}, ())
    with pytest.raises(InputError, match="expected a topic such as /my_e"):
        wire_names(layouts, {"encoders": "my-e"}, ())
