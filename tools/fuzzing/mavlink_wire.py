"""Frames of ground stations, good ones among them, to the port's own MAVLink vehicle, over a real socket."""

from __future__ import annotations

import struct
from pathlib import Path
from random import Random
from typing import Any

from pymavlink.dialects.v20 import common as mavlink

import didymos
from didymos.describe.kindred_program import take_kindred_program
from didymos.ports.mavlink.link import Link
from didymos.ports.mavlink.system import System
from didymos.ports.mavlink.vehicles import make_flight
from fuzzing.flown_wire import FlownWire
from fuzzing.mutators import edit_frame
from fuzzing.target import Case

__all__ = ["MavlinkFrames"]

_LONGEST = 4000  # bytes of a datagram
_KINDS = (
    "heartbeat", "command_long", "command_int", "set_mode", "param_request_read", "param_request_list", "param_set",
    "mission_count", "mission_item_int", "mission_item", "mission_request_list", "mission_request_int", "mission_request",
    "mission_clear_all", "mission_set_current", "mission_ack", "manual_control", "rc_channels_override",
    "set_position_target_local_ned", "set_position_target_global_int", "set_attitude_target", "request_data_stream", "ping",
    "timesync", "file_transfer_protocol", "statustext", "global_position_int",
)  # fmt: skip
_COMMANDS = (16, 17, 20, 21, 22, 176, 178, 179, 185, 192, 193, 224, 300, 400, 401, 410, 510, 511, 512, 519, 520, 31000)
_FLOATS = (0.0, 0.5, -1.0, 1.0, 2.0, 3.0, 4.0, 6.0, 33.0, 209.0, 21196.0, 1e38, -1e38, float("nan"), float("inf"))
_NAMES = (b"POSITION_KP", b"MIS_TAKEOFF_ALT", b"L_BODY_FLU_MASS", b"NAV_DLL_ACT", b"nothing", b"\xff\xfe")


def _value(name: str, kind: str, dice: Random) -> Any:
    """A value of a field that is often one that counts."""
    if name in ("target_system", "target_component", "target"):
        return dice.choice((1, 1, 1, 1, 0, 7))
    if name == "command":
        return dice.choice(_COMMANDS)
    if name in ("frame", "coordinate_frame"):
        return dice.choice((0, 1, 3, 5, 6, 7, 8, 12, 255))
    if name in ("seq", "count", "param_index"):
        return dice.choice((0, 0, 1, 2, 3, 400, 32767))
    if name in ("x", "y", "lat_int", "lon_int") and kind == "int32_t":
        return dice.choice((378897000, 237319000, 0, -(1 << 31), (1 << 31) - 1))
    if kind in ("float", "double"):
        return dice.choice(_FLOATS)
    size = int(kind.strip("uint_"))
    if name == "mission_type":
        return dice.choice((0, 0, 0, 1, 2, 255))
    low, high = (0, (1 << size) - 1) if kind.startswith("u") else (-(1 << size - 1), (1 << size - 1) - 1)
    return dice.choice((0, 1, min(500, high), low, high, dice.randint(low, high)))


def good_frame(dice: Random) -> bytes:
    """A frame as clients send them, of either version."""
    name = dice.choice(_KINDS)
    message = getattr(mavlink, f"MAVLink_{name}_message")
    values: list[Any] = []
    sizes = dict(zip(message.ordered_fieldnames, message.array_lengths, strict=True))
    for field, kind in zip(message.fieldnames, message.fieldtypes, strict=True):
        size = sizes[field]
        if kind == "char":
            values.append(dice.choice(_NAMES)[: size or 1])
        else:
            values.append([_value(field, kind, dice) for _ in range(size)] if size else _value(field, kind, dice))
    packer = mavlink.MAVLink(None, dice.choice((255, 255, 1, 0)), dice.choice((190, 0)))
    try:
        return bytes(message(*values).pack(packer, force_mavlink1=dice.random() < 0.2))
    except (struct.error, OverflowError, ValueError):
        return b"\xfd" + bytes(20)


class MavlinkFrames(FlownWire):
    """Frames to the link of one vehicle."""

    link: Link

    def __init__(self, folder: Path) -> None:
        twin = didymos.load("quadcopter")
        take_kindred_program(twin, "multirotor_commander")
        super().__init__(folder, twin)

    def connect(self) -> Link:
        self._system = System(make_flight(self.run, self.run.simulation.robots[""]), 1)
        return Link([self._system], 0, ())

    def case(self, dice: Random) -> Case:
        plain = b"".join(good_frame(dice) for _ in range(dice.choice((1, 1, 1, 3))))
        return Case("datagram", plain if dice.random() < 0.4 else edit_frame(plain, dice)[:_LONGEST])

    def update(self) -> None:
        self._system.update()

    def refused(self) -> int:
        return self.link.refused + self._system.refused

    def check(self, answer: bytes) -> None:
        assert answer[0] == 0xFD  # one frame of version 2
        assert 12 <= len(answer) <= 280
