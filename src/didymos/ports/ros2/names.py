"""How ROS 2 spells names on DDS.

A topic `/imu` travels as `rt/imu`; the two halves of a service `/robot/set_parameters` as `rq/robot/set_parametersRequest` and
`rr/robot/set_parametersReply`; a type `sensor_msgs/msg/Imu` is `sensor_msgs::msg::dds_::Imu_`. A name holds letters, digits and
underscores, no part of it begins with a digit; whatever else a twin uses becomes an underscore.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from didymos.errors import InputError

__all__ = ["dds_reply", "dds_request", "dds_topic", "dds_type", "ros_name", "spell"]


def ros_name(name: str) -> str:
    """A dotted or slashed name as a ROS 2 topic: `inputs.left-arm.1` -> `/inputs/left_arm/_1`."""
    parts = [re.sub(r"[^A-Za-z0-9_]", "_", part) for part in re.split(r"[./]", name) if part]
    return "/" + "/".join(f"_{part}" if part[0].isdigit() else part for part in parts)


def spell(names: Iterable[str]) -> dict[str, str]:
    """The ROS 2 topic of every name; two names that ROS 2 cannot tell apart are an `InputError`."""
    found: dict[str, str] = {}
    owners: dict[str, str] = {}
    for name in names:
        topic = found[name] = ros_name(name)
        if owners.setdefault(topic, name) != name:
            raise InputError(f"{owners[topic]!r} and {name!r} would both be the topic {topic}; rename one", path="--port ros2")
    return found


def dds_topic(topic: str) -> str:
    """`/imu` -> `rt/imu`."""
    return f"rt{topic}"


def dds_request(service: str) -> str:
    """`/robot/set_parameters` -> `rq/robot/set_parametersRequest`."""
    return f"rq{service}Request"


def dds_reply(service: str) -> str:
    """`/robot/set_parameters` -> `rr/robot/set_parametersReply`."""
    return f"rr{service}Reply"


def dds_type(type_name: str) -> str:
    """`sensor_msgs/msg/Imu` -> `sensor_msgs.msg.dds_.Imu_`, with dots for colons as cyclonedds writes it."""
    package, kind, name = type_name.split("/")
    return f"{package}.{kind}.dds_.{name}_"
