"""What autopilots send to their simulator links, good frames among it, through the programs that read it in a run."""

from __future__ import annotations

import contextlib
import io
import math
import socket
import struct
from random import Random

import numpy as np

from didymos.control.controller import Robot
from didymos.control.values import Values
from didymos.ports.firmware.autopilots.ardupilot import ArduPilot
from didymos.ports.firmware.autopilots.hil_link import ARMED, Messages, load_dialect
from didymos.ports.firmware.autopilots.outputs import Drive
from didymos.ports.firmware.autopilots.px4 import inputs_of_controls
from didymos.ports.firmware.autopilots.readings import COLUMNS
from fuzzing.mutators import edit_frame
from fuzzing.wire import Wire

__all__ = ["ArduPilotWire", "Px4Wire"]

_KINDS = {"imu": "imu", "state": "odometry"}
_NAMES = [f"{sensor}.{column}" for sensor, kind in _KINDS.items() for column in COLUMNS[kind]]
_ROBOT = Robot(
    ("motor", "flap"), tuple(_NAMES), (), rate=400.0, input_ranges={"motor": (0.0, 1.0), "flap": (-1.0, 1.0)}
)  # fmt: skip
_LONGEST = 60_000  # bytes of a datagram


class ArduPilotWire(Wire):
    """One datagram to UDP, then a sound frame, which has to let the twin step whatever came before."""

    def __init__(self) -> None:
        self._program = ArduPilot(listen="", port=0, outputs=["motor", "flap"])
        with contextlib.redirect_stderr(io.StringIO()):  # it says which output drives what
            self._program.start(_ROBOT)
        assert self._program._line is not None
        self._there = self._program._line.getsockname()
        self._autopilot, self._stranger = (self._open() for _ in range(2))
        self._values = Values({name: i for i, name in enumerate(_NAMES)}, np.ones(len(_NAMES)))

    def _open(self) -> socket.socket:
        made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        made.bind(("127.0.0.1", 0))
        made.setblocking(False)
        return made

    def frame(self, dice: Random) -> bytes:
        counts, many = (0, 1, dice.randrange(2**32), 2**32 - 1), dice.choice(((16, 18458), (32, 29569)))
        pulses = [dice.choice((0, 1000, 1500, 2000, 65535)) for _ in range(many[0])]
        plain = struct.pack(f"<HHI{many[0]}H", many[1], dice.choice((400, 50, 1, 65535)), dice.choice(counts), *pulses)
        return plain if dice.random() < 0.3 else edit_frame(plain, dice)[:_LONGEST]

    def send(self, frame: bytes) -> object:
        program = self._program
        program._counter.last, program._counter.sender, program._hold = 10, self._autopilot.getsockname(), 0
        program._early.clear()
        who = self._autopilot if len(frame) % 2 else self._stranger
        who.sendto(frame, self._there)
        self._autopilot.sendto(struct.pack("<HHI16H", 18458, 400, 11, *[1500] * 16), self._there)
        with contextlib.redirect_stderr(io.StringIO()):  # it says so where an autopilot begins anew
            inputs = program.update(1.0, self._values, self._values)
        assert all(_ROBOT.input_ranges[name][0] <= value <= _ROBOT.input_ranges[name][1] for name, value in inputs.items())
        for line in (self._autopilot, self._stranger):
            try:
                assert line.recv(65536).startswith(b"\n{")
            except BlockingIOError:
                continue
        return inputs

    def close(self) -> None:
        self._program.stop()
        self._autopilot.close()
        self._stranger.close()


class Px4Wire(Wire):
    """Bytes of the TCP line, then sound controls, which have to be found whatever came before."""

    def __init__(self) -> None:
        self._messages = Messages((0.6, 0.4, 0.0), 9.81)
        self._mavlink = load_dialect()
        self._out = self._mavlink.MAVLink(None, 1, 1)
        self._drives = (Drive(1, "motor", 0.0, 1.0), Drive(16, "flap", -1.0, 1.0))

    def _controls(self, time: int, value: float) -> bytes:
        return bytes(self._out.hil_actuator_controls_encode(time, [value] * 16, 129, 1).pack(self._out))

    def frame(self, dice: Random) -> bytes:
        beat = bytes(self._out.heartbeat_encode(0, 12, 0, 0, 0).pack(self._out))
        plain = dice.choice((beat, self._controls(dice.randrange(2**63), dice.choice((0.5, math.nan, math.inf, 1e38, -3.0)))))
        return plain if dice.random() < 0.3 else edit_frame(plain * dice.randint(1, 3), dice)

    def send(self, frame: bytes) -> object:
        found = [*self._messages.controls(frame), *self._messages.controls(self._controls(7, 0.25))]
        assert found[-1].time_usec == 7
        for message in found:
            inputs = inputs_of_controls(self._drives, message.controls, bool(message.mode & ARMED))
            assert all(drive.low <= inputs[drive.input] <= drive.high for drive in self._drives)
        return found
