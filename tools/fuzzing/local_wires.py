"""Frames of the other ports: a gamepad's pipe, a firmware's socket, Betaflight's motors, the cockpit's page."""

from __future__ import annotations

import contextlib
import json
import os
import socket
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import numpy as np
from websockets.datastructures import Headers
from websockets.exceptions import InvalidHeader

from didymos.cockpit.auth import Auth, may_pass
from didymos.cockpit.feed import Feed
from didymos.cockpit.sticks import Sticks
from didymos.control.controller import Robot
from didymos.control.values import Values
from didymos.ports.firmware.betaflight.packets import motor_values
from didymos.ports.firmware.library import AllNumbers
from didymos.ports.firmware.message import END, STEP, Reader, pack, pack_hello
from didymos.ports.firmware.peer import Peer
from didymos.ports.gamepad.events import AXIS, KEY, SYNC, Event, encode
from didymos.ports.gamepad.gamepad import Gamepad, open_gamepad
from didymos.ports.gamepad.pad_map import load_pad_map
from fuzzing.mutators import VALUES, edit_bytes, edit_data, edit_frame
from fuzzing.wire import Wire

__all__ = ["BetaflightWire", "FirmwareWire", "MessageWire", "PadWire", "RequestWire", "SticksWire"]


class PadWire(Wire):
    """Events of the kernel's input layer, through a named pipe."""

    def __init__(self, folder: Path) -> None:
        self._path, self._map = folder / "pad", load_pad_map()
        os.mkfifo(self._path)
        self._pad: Gamepad = open_gamepad(str(self._path), self._map)
        self._out = os.open(self._path, os.O_WRONLY)

    def frame(self, dice: Random) -> bytes:
        kind, code = dice.choice((SYNC, KEY, AXIS, 9)), dice.choice((0, 1, 3, 0x120, 0x12F))
        event = Event(0.0, kind, code, dice.randrange(-40000, 40000))
        return edit_frame(encode(event) * dice.randint(1, 4), dice)

    def send(self, frame: bytes) -> object:
        os.write(self._out, frame)
        table = self._pad.read(0.0)
        assert all(value is None or -1e6 < value < 1e6 for value in table)
        return table

    def close(self) -> None:
        os.close(self._out)
        self._pad.close()


class FirmwareWire(Wire):
    """What a firmware in another process answers, over a socket that it then closes."""

    _robot = Robot(inputs=("a", "b"), measured=("imu.x",), setpoints=("z",))

    def frame(self, dice: Random) -> bytes:
        steps = pack(STEP, 0, 0.0, [0.5, 0.5]), pack(STEP, 0, 0.0, [float("nan"), 1e400])
        return edit_frame(dice.choice((*steps, pack(END, 0, 0.0), pack_hello({"a": [1]}))), dice)

    def send(self, frame: bytes) -> object:
        ours, theirs = socket.socketpair()
        peer = Peer(listen="nowhere")
        peer._robot, peer._line, peer._reader = self._robot, ours, Reader(ours)
        peer._read = AllNumbers(self._robot.measured), AllNumbers(self._robot.setpoints)
        with ours, theirs:
            theirs.sendall(frame)
            theirs.shutdown(socket.SHUT_WR)
            return peer.update(0.0, Values({"imu.x": 0}, np.ones(1)), Values({"z": 0}, np.ones(1)))


class BetaflightWire(Wire):
    """Packets that come to the port on which Betaflight's motors are listened for."""

    def frame(self, dice: Random) -> bytes:
        return edit_frame(bytes(16), dice)[:64]

    def send(self, frame: bytes) -> object:
        return motor_values(frame)


class SticksWire(Wire):
    """Texts of the page's sticks."""

    def __init__(self) -> None:
        self._sticks = Sticks()

    def frame(self, dice: Random) -> bytes:
        sound = {"axes": [0.5, -0.5, 1.0, 0.0], "buttons": [1, 0]}
        data: Any = edit_data(sound, dice) if dice.random() < 0.7 else dice.choice(VALUES)
        text = json.dumps(data).encode()
        return text if dice.random() < 0.5 else edit_bytes(text, dice)

    def send(self, frame: bytes) -> object:
        self._sticks.receive(frame)
        table = self._sticks.read(0.0)
        assert all(value is None or -1.0 <= value <= 1.0 for value in table)
        return table


class MessageWire(Wire):
    """Messages of the page, as msgpack."""

    _sound = (
        {"type": "GuiUpdateMessage", "uuid": "a", "updates": {"value": 1.0}},
        {"type": "ViewerCameraMessage", "wxyz": [1.0, 0.0, 0.0, 0.0], "position": [0.0, 0.0, 0.0], "fov": 1.0, "near": 0.1,
         "far": 9.0, "look_at": [0.0, 0.0, 0.0], "up_direction": [0.0, 0.0, 1.0], "image_height": 9, "image_width": 9},
        {"type": "FileTransferStartUpload", "source_component_uuid": "a", "transfer_uuid": "b", "filename": "c", "mime_type": "d",
         "part_count": 1, "size_bytes": 3},
    )  # fmt: skip

    def frame(self, dice: Random) -> bytes:
        data = edit_data(dice.choice(self._sound), dice)
        try:
            raw = msgspec.msgpack.encode(data)
        except (OverflowError, RecursionError):
            raw = msgspec.msgpack.encode(dice.choice(self._sound))
        return raw if dice.random() < 0.5 else edit_frame(raw, dice)

    def send(self, frame: bytes) -> object:
        return may_pass(frame)


class RequestWire(Wire):
    """Requests for the page: paths and headers of any kind, with and without a token."""

    def __init__(self) -> None:
        self._gates = [Auth(token, lambda text: None, Feed()) for token in (None, "abcdefgh")]

    def frame(self, dice: Random) -> bytes:
        head = b"/?token=abcdefgh\nHost: 127.0.0.1:8080\nOrigin: http://127.0.0.1:8080\nUpgrade: websocket"
        return edit_bytes(head + b"\nCookie: didymos=abcdefgh; a=b", dice)

    def send(self, frame: bytes) -> object:
        path, *lines = frame.decode("latin1").split("\n")
        headers = Headers()
        for line in lines:
            name, _, value = line.partition(":")
            with contextlib.suppress(InvalidHeader):  # the library has refused such a request before it comes here
                headers[name] = value.strip()
        request = type("Request", (), {"path": path, "headers": headers})
        return [gate.answer(None, request, lambda connection, request: "viser's own") for gate in self._gates]
