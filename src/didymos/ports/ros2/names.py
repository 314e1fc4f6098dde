"""How ROS 2 spells names on DDS.

A topic `/imu` travels as `rt/imu`; the two halves of a service `/robot/set_parameters` as `rq/robot/set_parametersRequest` and
`rr/robot/set_parametersReply`; a type `sensor_msgs/msg/Imu` is `sensor_msgs::msg::dds_::Imu_`. A name holds letters, digits and
underscores, no part of it begins with a digit; whatever else a twin uses becomes an underscore.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from didymos.errors import InputError, nearest
from didymos.record.stream import Kind, StreamLayout

__all__ = ["dds_reply", "dds_request", "dds_topic", "dds_type", "ros_name", "spell", "wire_names"]


def ros_name(name: str) -> str:
    """A dotted or slashed name as a ROS 2 topic: `inputs.left-arm.1` -> `/inputs/left_arm/_1`."""
    parts = [re.sub(r"[^A-Za-z0-9_]", "_", part) for part in re.split(r"[./]", name) if part]
    return "/" + "/".join(f"_{part}" if part[0].isdigit() else part for part in parts)


def spell(names: Iterable[str]) -> dict[str, str]:
    """The ROS 2 topic of every name; two names that ROS 2 cannot tell apart are an `InputError`."""
    topics: dict[str, str] = {}
    owners: dict[str, str] = {}
    for name in names:
        topic = topics[name] = ros_name(name)
        if owners.setdefault(topic, name) != name:
            raise InputError(f"{owners[topic]!r} and {name!r} would both be the topic {topic}; rename one", option="port")
    return topics


def wire_names(layouts: Sequence[StreamLayout], renamed: Mapping[str, str], taken: Iterable[str]) -> dict[str, str]:
    """The ROS 2 topic of every topic of the log; `renamed` by stream, or by signal where a stream has a topic per signal.

    A topic that two would have, or that is `taken`, is an `InputError`.
    """
    topics: dict[str, str] = {}
    for layout in layouts:
        names = layout.signals if layout.kind is Kind.SCALARS else (layout.name,)
        topics.update(zip(names, layout.topics, strict=True))
    for name, topic in renamed.items():
        where = f"ros2.topics.{name}"
        if name not in topics:
            raise InputError(f"nothing of this name is recorded{nearest(name, topics)}", path=where)
        if ros_name(topic) != topic:
            raise InputError(f"found {topic!r}, expected a topic such as {ros_name(topic)}", path=where)
    new_names = {topic: renamed.get(name, topic) for name, topic in topics.items()}
    spelled = spell((*new_names.values(), *taken))
    owners = {topic: topic for topic in taken}
    for topic, new in new_names.items():
        if owners.setdefault(spelled[new], topic) != topic:
            raise InputError(f"{owners[spelled[new]]} and {topic} would both be the topic {spelled[new]}", path="ros2.topics")
    return {topic: spelled[new] for topic, new in new_names.items()}


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
