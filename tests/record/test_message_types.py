"""Message types from the text of their definition, beside `rosbags`."""

from __future__ import annotations

import pytest
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from didymos.record.cdr import write_message
from didymos.record.message_types import definition, parse_definition, recorded_types

STORE = get_typestore(Stores.ROS2_JAZZY)
ODD = """# a comment
float64[<=3] few
string<=10[2] names ["a", "b"]
int8 LOW=-1 # a constant
string QUOTED='a # b'
float32 x 1.5   # a default
time t
duration d
Header h
byte[] data
Own own
other_msgs/Thing thing
other_msgs/msg/Thing same
@verbatim
"""

pytestmark = pytest.mark.quick


def test_all_types_of_ros_2_are_read_as_rosbags_reads_them() -> None:
    for name in STORE.fielddefs:
        if "/msg/" in name:
            text, _ = STORE.generate_msgdef(name, ros_version=2)
            expected = {held: fields for held, (_, fields) in get_types_from_msg(text, name).items()}
            assert {held: fields for held, (_, fields) in parse_definition(text, name).items()} == expected


def test_what_people_write_is_read_as_rosbags_reads_it() -> None:
    name = "own_msgs/msg/Odd"
    assert parse_definition(ODD, name)[name][1] == get_types_from_msg(ODD, name)[name][1]
    with pytest.raises(ValueError, match="'float64' is no field"):
        parse_definition("float64", name)


def test_recordings_carry_the_definitions_of_ros_2() -> None:
    for name, (_, fields) in recorded_types().fielddefs.items():
        assert fields == STORE.fielddefs[name][1]
        assert definition(name).decode() == STORE.generate_msgdef(name, ros_version=2)[0]


def test_a_message_is_written_as_rosbags_writes_it() -> None:
    transform = {"header.frame_id": "map", "header.stamp.sec": 3, "child_frame_id": "base", "transform.rotation.w": 1.0}
    values = {"transforms": 2, **{f"transforms.{i}.{path}": value for i in range(2) for path, value in transform.items()}}
    data = write_message("tf2_msgs/msg/TFMessage", values)
    message = STORE.deserialize_cdr(data, "tf2_msgs/msg/TFMessage")
    assert [each.header.frame_id for each in message.transforms] == ["map", "map"]
    assert [each.transform.rotation.w for each in message.transforms] == [1.0, 1.0]
    assert bytes(STORE.serialize_cdr(message, "tf2_msgs/msg/TFMessage")) == data
    info = write_message("sensor_msgs/msg/CameraInfo", {"d": [0.1, 0.2], "k": range(9), "distortion_model": "x"})
    found = STORE.deserialize_cdr(info, "sensor_msgs/msg/CameraInfo")
    assert (found.d.tolist(), found.k.tolist()) == ([0.1, 0.2], [float(i) for i in range(9)])
    assert bytes(STORE.serialize_cdr(found, "sensor_msgs/msg/CameraInfo")) == info
