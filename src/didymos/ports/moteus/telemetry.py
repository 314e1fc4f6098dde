"""Telemetry channels of the console: each a record with a schema, so that any client can read it.

Reference: mjlib telemetry, binary schema and data.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

from didymos.ports.moteus.controller import Controller
from didymos.ports.moteus.values import single, varuint

__all__ = ["CHANNELS", "binary", "schema", "text", "values"]

_FINAL, _BOOLEAN, _SIGNED, _UNSIGNED, _FLOAT, _OBJECT, _ARRAY = 0, 2, 3, 4, 7, 16, 19
_KINDS = {  # schema and format of a field's type
    "bool": (bytes([_BOOLEAN]), "?"),
    "i8": (bytes([_SIGNED, 1]), "b"),
    "u8": (bytes([_UNSIGNED, 1]), "B"),
    "i32": (bytes([_SIGNED, 4]), "i"),
    "u32": (bytes([_UNSIGNED, 4]), "I"),
    "u64": (bytes([_UNSIGNED, 8]), "Q"),
    "float": (bytes([_FLOAT]), "f"),
}

CHANNELS: Mapping[str, tuple[tuple[str, str, int], ...]] = {
    "firmware": (("version", "u32", 0), ("serial_number", "u32", 3), ("model", "u32", 0), ("hwrev", "u8", 0)),
    "git": (("hash", "u8", 20), ("dirty", "bool", 0), ("timestamp", "u64", 0)),
    "servo_stats": (
        ("mode", "i8", 0),
        ("fault", "i32", 0),
        ("bus_V", "float", 0),
        ("fet_temp_C", "float", 0),
        ("q_A", "float", 0),
        ("position", "float", 0),
        ("velocity", "float", 0),
        ("torque_Nm", "float", 0),
        ("control_position", "float", 0),
        ("control_velocity", "float", 0),
        ("position_raw", "i32", 0),
        ("homed", "i8", 0),
    ),
}
"""Name, type and length (0 for one value) of every field of every channel."""

_MEASURED = {
    "bus_V": "voltage",
    "fet_temp_C": "temperature",
    "q_A": "current",
    "position": "position",
    "velocity": "velocity",
    "torque_Nm": "torque",
    "control_position": "control_position",
    "control_velocity": "control_velocity",
}
_HARDWARE_REVISION = 8


def values(channel: str, controller: Controller) -> dict[str, Any]:
    """What a channel holds now."""
    board = controller.board
    if channel == "firmware":
        return {"version": board.firmware, "serial_number": board.serial, "model": board.model, "hwrev": _HARDWARE_REVISION}
    if channel == "git":
        return {"hash": board.build, "dirty": False, "timestamp": 0}
    fields: dict[str, Any] = {name: controller.measured(quantity) for name, quantity in _MEASURED.items()}
    fields |= {name: controller.whole(name) for name in ("mode", "fault")}
    raw = int(controller.measured("encoder_position") * 65536)
    return fields | {"homed": controller.whole("home_state"), "position_raw": raw}


def schema(channel: str) -> bytes:
    """The channel's schema: an object of its fields."""
    data = varuint(_OBJECT) + varuint(0)
    for name, kind, count in CHANNELS[channel]:
        form = _KINDS[kind][0] if count == 0 else varuint(_ARRAY) + varuint(count) + _KINDS[kind][0]
        data += varuint(0) + varuint(len(name)) + name.encode() + varuint(0) + form + b"\x00"
    return data + varuint(0) + varuint(0) + varuint(0) + varuint(_FINAL) + b"\x00"


def binary(channel: str, fields: Mapping[str, Any]) -> bytes:
    """The channel's data in the order of its schema."""
    data = b""
    for name, kind, count in CHANNELS[channel]:
        items = fields[name] if count else (fields[name],)
        form = _KINDS[kind][1]
        data += struct.pack(f"<{count or 1}{form}", *(map(single, items) if form == "f" else items))
    return data


def text(channel: str, fields: Mapping[str, Any]) -> list[str]:
    """The channel's data as lines."""
    lines = []
    for name, _, count in CHANNELS[channel]:
        items = [(f"{name}.{i}", item) for i, item in enumerate(fields[name])] if count else [(name, fields[name])]
        lines += [f"{channel}.{key} {int(item) if isinstance(item, bool) else item}" for key, item in items]
    return lines
