"""ROS 2's message definitions as types of the DDS library, made from the same definitions that the log uses.

Structures are final and their members keep ROS 2's plain names, as `rmw_cyclonedds` declares them. Messages that leave are bytes
already, encoded by the log's own tables, so their type only gives them a name and a shape.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from cyclonedds.idl import IdlStruct, types

from didymos.ports.ros2.names import dds_type
from didymos.record.message_types import ros2_types

__all__ = [
    "blank", "blank_field", "blank_fields", "message_members", "message_type", "raw_type", "service_type", "structure",
    "type_hash",
]  # fmt: skip

_BASE, _NAME, _ARRAY, _SEQUENCE = 1, 2, 3, 4  # rosbags' Nodetype
_NUMBERS: dict[str, Any] = {
    "bool": bool, "byte": types.uint8, "char": types.uint8, "uint8": types.uint8, "int8": types.int8,
    "uint16": types.uint16, "int16": types.int16, "uint32": types.uint32, "int32": types.int32,
    "uint64": types.uint64, "int64": types.int64, "float32": types.float32, "float64": types.float64, "string": str,
}  # fmt: skip


@cache
def message_type(type_name: str) -> Any:
    """The DDS type of a ROS 2 message such as `geometry_msgs/msg/Twist`; its instances are dataclasses."""
    return _structure(dds_type(type_name), message_members(type_name), {})


@cache
def raw_type(type_name: str) -> Any:
    """The same, whose instances are whole encoded messages, sent as they are and received as they came: `raw_type(...)(data)`."""

    def __init__(self: Any, data: bytes) -> None:
        self.data_bytes = data

    def serialize(self: Any, **_: Any) -> bytes:
        data: bytes = self.data_bytes
        return data

    def deserialize(kind: Any, /, data: bytes, **_: Any) -> Any:
        return kind(data)

    methods = {
        "__init__": __init__, "serialize": serialize, "__slots__": ("data_bytes",),
        "deserialize": classmethod(deserialize), "deserialize_key": classmethod(deserialize),
    }  # fmt: skip
    return _structure(dds_type(type_name), message_members(type_name), methods)


def service_type(name: str, fields: Mapping[str, Any]) -> Any:
    """Request or reply of a service, with the header that `rmw_cyclonedds` puts before it: who asks, and the how manieth."""
    return structure(name, {"client": types.uint64, "number": types.int64, **fields})


def structure(name: str, fields: Mapping[str, Any]) -> Any:
    """A DDS type of a ROS 2 name whose fields are given; its instances are dataclasses."""
    return _structure(dds_type(name), fields, {})


def type_hash(type_name: str) -> str:
    """The hash by which ROS 2 (since Iron) tells versions of a message apart, such as `RIHS01_a13e...`."""
    return str(ros2_types().hash_rihs01(type_name))


def message_members(type_name: str) -> dict[str, Any]:
    """The fields of a message, by name, with their DDS types."""
    return {name: _type(node) for name, node in ros2_types().fielddefs[type_name][1]}


def blank(type_name: str) -> Any:
    """A message whose numbers are zero, whose texts and sequences are empty."""
    return message_type(type_name)(**blank_fields(type_name))


def blank_fields(type_name: str) -> dict[str, Any]:
    """The fields of such a message, by name."""
    return {name: blank_field(node) for name, node in ros2_types().fielddefs[type_name][1]}


def blank_field(node: tuple[int, Any]) -> Any:
    """The same of a field, by its node in a definition."""
    kind, what = node
    if kind == _BASE:
        return {"string": "", "bool": False, "float32": 0.0, "float64": 0.0}.get(what[0], 0)
    if kind == _NAME:
        return blank(what)
    return [blank_field(what[0]) for _ in range(what[1])] if kind == _ARRAY else []


def _type(node: tuple[int, Any]) -> Any:
    kind, what = node
    if kind == _BASE:
        return _NUMBERS[what[0]]
    if kind == _NAME:
        return message_type(what)
    element, count = what
    return types.array[_type(element), count] if kind == _ARRAY else types.sequence[_type(element)]


def _structure(name: str, members: Mapping[str, Any], methods: Mapping[str, Any]) -> Any:
    body = {
        "__annotations__": dict(members),
        "__idl_typename__": name,
        "__idl_annotations__": {"extensibility": "final"},
        "__idl_field_annotations__": {},
        **methods,
    }
    made = type(IdlStruct)(name.rpartition(".")[2], (IdlStruct,), body)
    return made if methods else dataclass(made)
