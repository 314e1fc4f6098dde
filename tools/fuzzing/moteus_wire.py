"""Lines of an fdcanusb on a real pseudo-terminal: those of a client to the twin's drives, and those of drives to a client."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any

import didymos
from didymos.engine.run import Run
from didymos.ports.moteus.host import QUERY, Host, command, registers
from didymos.ports.moteus.line import Message, received, render
from didymos.ports.moteus.numbers import plan_buses
from didymos.ports.moteus.terminal import Terminal, wait
from didymos.ports.moteus.wired_bus import WiredBus
from didymos.ports.serve_options import ServeOptions
from fuzzing.mutators import edit_bytes, edit_frame
from fuzzing.wire import LiveTwin, Wire

__all__ = ["HostWire", "MoteusWire", "TerminalWire"]

_CONSOLE = (
    b"d pos 1 0 nan", b"d stop", b"d pos nan nan nan a1 v2", b"conf set servo.pid_position.kp 1e38", b"conf enumerate",
    b"tel get servo_stats", b"conf get id.id", b"tel schema power", b"tel fmt servo_stats 1", b"d index 1e39", b"d rezero inf",
    b"conf set servo.pid_position.kp nan", b"d pwm 1e38 1e38 1e38", b"d v 1 nan -1e30", b"d raw nan 2 -1", b"d vdq inf 3",
    b"d dq 1 1e30",
    b"d within nan nan nan f1e38", b"d within 2 -2 1 p-1 d1e9", b"d brake", b"d ind 1 3 o1e30", b"d tmt 0 0 1", b"d exact -1e30",
    b"conf set servo.timeout_mode 1e30", b"conf set id.id 1", b"conf set motor.offset.63 0x7", b"conf set can.prefix 0",
    b"conf default",
    b"conf load", b"conf write", b"conf data motor", b"conf schema servo", b"tel rate servo_stats 10", b"tel rate git -1",
    b"tel rate motor_position 1e30", b"tel get motor_position", b"tel text", b"tel stop",
    b"conf set motor_position.output.offset 1e8",
)  # fmt: skip
_ELECTRICAL = {
    0x10: 1e38, 0x11: -1.0, 0x14: 24.0, 0x18: 3.0, 0x19: float("nan"), 0x1A: 1e30, 0x1C: -1e20, 0x1E: 1e38, 0x40: 0.1, 0x41: -0.1,
}  # fmt: skip
_MODES = (5, 6, 7, 8, 9, 11, 12, 13, 14, 15)
_LONGEST = 2000  # bytes of a frame: beyond, the terminal itself is full


def _some(dice: Random) -> dict[int, float]:
    """A few registers of modes beside position, as many as a message has room for."""
    return {register: _ELECTRICAL[register] for register in dice.sample(sorted(_ELECTRICAL), 4)}


class _Bytes:
    """In the place of a terminal: nobody reads the answers."""

    lost = 0

    def send(self, data: bytes) -> None:
        assert len(data) < 200

    def flush(self) -> None:
        pass


class MoteusWire(Wire):
    """A client's lines, good ones among them, to the port's own bus."""

    def __init__(self) -> None:
        self._terminal: Any = _Bytes()
        self._live = LiveTwin(didymos.load("power_unit"), "idle", self._renew)

    def _renew(self, run: Run) -> None:
        run.advance(1)
        say = ServeOptions(say=lambda _line: None)
        self._bus = WiredBus(run, plan_buses(run.simulation, say)[0], self._terminal, say)

    def frame(self, dice: Random) -> bytes:
        moved = command(10, [dice.choice((0.5, 1e38, -1.0, float("nan")))] * 3) + QUERY
        data = dice.choice((moved, QUERY, command(0), command(dice.choice(_MODES), (), _some(dice)) + QUERY, bytes(8)))
        if dice.random() < 0.2:
            text = dice.choice(_CONSOLE) + b"\n"
            data = bytes([0x40, 1, len(text)]) + text + bytes([0x42, 1, 48])
        if dice.random() < 0.7:
            data = edit_frame(data, dice)
        line = render(f"can send {dice.choice((0x8001, 0x8001, 1, 0x807F, 0x10001)):x} {data.hex()}", dice.random() < 0.1)
        return (line if dice.random() < 0.6 else edit_bytes(line, dice))[:_LONGEST]

    def send(self, frame: bytes) -> object:
        self._bus.feed(self._through(frame))
        self._bus.answer()
        self._live.tick()
        self._bus.advance(0.002)
        self._bus._lines.checksum = False  # as for a client that comes anew
        return None

    def _through(self, frame: bytes) -> bytes:
        """What of a frame comes out of the terminal."""
        return frame

    def close(self) -> None:
        self._live.close()


class TerminalWire(MoteusWire):
    """The same through a real pseudo-terminal, which takes its time."""

    def __init__(self) -> None:
        super().__init__()
        self._terminal = self._bus.terminal = Terminal()
        self._client = os.open(self._terminal.path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)

    def _through(self, frame: bytes) -> bytes:
        os.write(self._client, frame)
        with contextlib.suppress(BlockingIOError):
            while os.read(self._client, 65536):
                pass
        return wait([self._terminal], 0.01)[0]

    def close(self) -> None:
        super().close()
        os.close(self._client)
        self._terminal.close()


class HostWire(Wire):
    """Lines of an adapter to `didymos run --robot`."""

    def __init__(self) -> None:
        self._terminal = Terminal()
        self._host = Host(Path(self._terminal.path))

    def frame(self, dice: Random) -> bytes:
        data = bytes([0x21, 0, 10, 0x2F, 1]) + bytes(12) + bytes([0x27, 0x0D]) + bytes(6)
        line = received(Message(dice.choice((0x100, 0x101, 0x7FFF)), edit_frame(data, dice)[:64])).encode() + b"\r\n"
        return (line if dice.random() < 0.5 else edit_bytes(line, dice))[:_LONGEST]

    def send(self, frame: bytes) -> object:
        self._terminal.send(frame)
        self._terminal.flush()
        return [registers(message.data) for message in self._host.receive(monotonic() + 0.01)]

    def close(self) -> None:
        self._host.close()
        self._terminal.close()
