"""A robot that the twin's own program drives while its shadow listens: what the driver reads and commands are the arrivals.

The driver is a process of its own (`ports/hardware.py` runs in it), so that nothing that the shadow does costs the robot's loop
a tick. It tells the shadow of every tick through a pair of sockets, and never waits for it: rows for which there is no room are
dropped and counted. It begins when the shadow first reads, and ends, with the motors stopped, when its time is over, when it is
interrupted, or when the shadow is gone, killed or not.
"""

from __future__ import annotations

import json
import multiprocessing
import select
import signal
import socket
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from didymos.errors import DidymosError, InputError, RunError
from didymos.ports import find_robot
from didymos.shadow.source import Arrival

if TYPE_CHECKING:
    from didymos.record.stream import StreamLayout
    from didymos.twin import Twin

__all__ = ["DrivenSource", "Driving"]

_ROW, _NAMES, _SAID, _REFUSED, _FAILED, _DONE = b"rnsifd"  # what a message is, by its first byte
_LONGEST = 2**16  # [bytes] of a message
_ROOM = 2**20  # [bytes] on the way
_PATIENCE = 10.0  # [s] for the driver to stop the motors


@dataclass(frozen=True)
class Driving:
    """What is driven: the robot at KIND:ADDRESS, by a scenario and for how long [s], numbers on its bus, and whether where it
    stands is called the start."""

    robot: str
    scenario: str | None = None
    seconds: float | None = None
    ids: Mapping[str, int] = field(default_factory=dict)
    zero: bool = False


class DrivenSource:
    """See `Source`. What cannot be driven is an `InputError` when it is opened; a drive that fails a `RunError` of `read`."""

    live = True

    def __init__(self, twin: Twin, driving: Driving) -> None:
        find_robot(driving.robot)  # one that there is not is told here
        self._ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._ours.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _ROOM)
        theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _ROOM)
        process = multiprocessing.get_context("spawn").Process(target=_drive, args=(theirs, twin, driving), daemon=False)
        process.start()
        theirs.close()
        self._process, self._begun = process, False
        self._over: Exception | None = None
        self._notices: list[str] = []
        self.facts: dict[str, Any] = {}
        """Of a drive that has ended: `driven` [s], `overruns`, `latest` [s] and `dropped` rows."""
        try:
            self.signals: tuple[str, ...] = tuple(json.loads(self._first()))
        except BaseException:
            self.close()
            raise

    def read(self, seconds: float) -> Sequence[Arrival]:
        """What has come since the last time; the first call lets the robot move."""
        if not self._begun:
            self._begun = True
            self._ours.send(b"go")
        found: list[Arrival] = []
        wait = seconds
        while select.select([self._ours], [], [], wait)[0]:
            message = self._receive()
            if message is None:
                self._over = self._over or EOFError()
                break
            kind, body = message[0], message[1:]
            if kind == _ROW:
                stamp, received, *values = np.frombuffer(body)
                found.append(Arrival(float(stamp), float(received), dict(zip(self.signals, map(float, values), strict=True))))
            elif kind == _FAILED:
                self._over = RunError(body.decode())
            elif kind == _DONE:
                self.facts = json.loads(body)
            else:
                self._notices.append(body.decode())
            wait = 0.0
        if self._over is not None and not found:
            raise self._over
        return found

    def notices(self) -> Sequence[str]:
        """What there is to say since the last time."""
        said, self._notices = self._notices, []
        return said

    def close(self) -> None:
        """Let the driver stop the motors, and wait for it."""
        self._ours.close()
        self._process.join(_PATIENCE)
        if self._process.is_alive():
            self._process.terminate()
            self._process.join()

    def _first(self) -> bytes:
        """Wait until the robot is ready; names of the signals."""
        while (message := self._receive()) is not None:
            if message[0] == _NAMES:
                return message[1:]
            if message[0] == _REFUSED:
                raise InputError(message[1:].decode(), option="robot")
            if message[0] == _FAILED:
                raise RunError(message[1:].decode())
        raise RunError("the process that drives the robot ended before it began")

    def _receive(self) -> bytes | None:
        try:
            return self._ours.recv(_LONGEST) or None
        except ConnectionError:
            return None


class _Teller:
    """A witness of the drive (`ports/hardware.py`) that tells the shadow of it."""

    def __init__(self, line: socket.socket) -> None:
        self._line, self.dropped = line, 0

    def begin(self, layouts: Sequence[StreamLayout]) -> None:
        """Say what will come, wait until the shadow reads."""
        self.say(_NAMES, json.dumps([signal for layout in layouts for signal in layout.signals]))
        if not self._line.recv(16):
            raise RunError(_GONE)
        self._line.setblocking(False)

    def rows(self, stamp: float, rows: Sequence[NDArray[np.float64]]) -> None:
        """Tell of a tick, or drop it where there is no room."""
        message = np.concatenate([[stamp, time.monotonic()], *rows]).tobytes()
        try:
            self._line.send(bytes([_ROW]) + message)
        except BlockingIOError:
            self.dropped += 1
        except ConnectionError:
            raise RunError(_GONE) from None

    def say(self, kind: int, text: str) -> None:
        """Tell of something else, if somebody still listens."""
        try:
            self._line.setblocking(True)
            self._line.send(bytes([kind]) + text.encode()[: _LONGEST - 1])
        except ConnectionError:
            pass


_GONE = "the shadow is gone"


def _drive(line: socket.socket, twin: Twin, driving: Driving) -> None:
    """The process of the driver."""
    from didymos.ports.hardware import run_hardware

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    teller = _Teller(line)
    try:
        connect, address = find_robot(driving.robot)
        simulation = twin.simulate(scenario=driving.scenario)
        seconds = simulation.seconds if driving.seconds is None else driving.seconds
        hardware = connect(simulation, address, driving.ids, driving.zero)
        try:
            said = partial(teller.say, _SAID)
            done = run_hardware(simulation, hardware, seconds, keep=False, witness=teller, say=said)
        finally:
            hardware.close()
        facts = {"driven": done.seconds, "overruns": done.overruns, "latest": done.latest, "dropped": teller.dropped}
        teller.say(_DONE, json.dumps(facts))
    except InputError as error:
        teller.say(_REFUSED, error.message)
    except DidymosError as error:
        teller.say(_FAILED, str(error))
    except KeyboardInterrupt:
        teller.say(_SAID, "the drive was interrupted, the motors are stopped")
