"""Firmware in another process, step-locked over a local socket: the twin waits for each answer, the peer for each question.

The run starts the peer with the socket's path in DIDYMOS_SOCKET (`command`), or waits until somebody else's connects to a path
or to 127.0.0.1:PORT (`listen`). `message.py` says what goes over the line. A message that is lost, comes twice or is none, and a
peer that dies, end the run by a `RunError` that says which and when; the log until then stays. An answer is waited for as long
as the peer lives, unless `timeout` says how late it may be.
"""

from __future__ import annotations

import contextlib
import math
import os
import shlex
import socket
import tempfile
from collections.abc import Mapping
from pathlib import Path

from didymos.control.controller import Controller, Robot
from didymos.control.values import Values
from didymos.errors import InputError, RunError
from didymos.ports.firmware.child import Child
from didymos.ports.firmware.header import check_layout, process_layout
from didymos.ports.firmware.library import AllNumbers
from didymos.ports.firmware.message import END, HELLO, STEP, BadMessage, Message, Reader, pack, pack_hello
from didymos.ports.firmware.step import check_pose, true_attitude
from didymos.ports.firmware.waiting import LOOK, Waiting

__all__ = ["Peer"]

_END = 10.0  # [s] for a peer to end, once it has been told to or has closed its line, before it is made to
_LOCAL = ("127.0.0.1", "localhost", "::1")


class Peer(Controller):
    """A process on the other side of a socket.

    Args:
        command, listen: what starts it, or where somebody else's connects.
        attitude: the pose sensor that gives the true attitude.
        timeout: how late an answer may be [s] of the wall clock; None: as late as it likes while the peer lives.
        patience: how long [s] somebody else's may take to connect.
    """

    rate = float("inf")

    def __init__(
        self,
        command: str = "",
        listen: str = "",
        attitude: str | None = None,
        timeout: float | None = None,
        patience: float = 30.0,
    ) -> None:
        if bool(command) == bool(listen):
            raise InputError("expected either a command that starts the peer or an address to listen on", option="firmware")
        self.command, self.listen, self.attitude, self.timeout, self.patience = command, listen, attitude, timeout, patience
        self._child: Child | None = None
        self._home: tempfile.TemporaryDirectory[str] | None = None
        self._line: socket.socket | None = None
        self._count = 0

    def start(self, robot: Robot) -> None:
        """Open the socket, start the peer if that is ours to do, wait until it connects, say hello."""
        check_pose(self.attitude, robot)
        self._robot = robot
        self._read = AllNumbers(robot.measured), AllNumbers(robot.setpoints)
        self._home = tempfile.TemporaryDirectory(prefix="didymos_peer_", ignore_cleanup_errors=True)
        folder = Path(self._home.name)
        try:
            with _listen(self.listen or str(folder / "socket")) as door:
                if self.command:
                    self._child = self._start_peer(folder)
                try:
                    self._line = self._accept(door)
                finally:
                    if isinstance(door.getsockname(), str):  # a path
                        os.unlink(door.getsockname())
            self._line.settimeout(LOOK)
            self._reader = Reader(self._line)
            self._line.sendall(pack_hello(self._facts()))
        except OSError as error:
            self.stop()
            raise RunError(f"the firmware's process cannot be reached: {error}") from None
        except BadMessage as error:
            self.stop()
            raise RunError(f"the firmware cannot be told about this robot: {error}") from None
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Say that it is over; end the peer if we started it."""
        if self._line is not None:
            with contextlib.suppress(OSError):  # it may be gone already
                self._line.sendall(pack(END, self._count, 0.0))
            self._line.close()
            self._line = None
        if self._child is not None:
            self._child.wait(_END)
            self._child.stop()
            self._child = None
        if self._home is not None:
            self._home.cleanup()
            self._home = None

    def update(self, t: float, measured: Values, setpoints: Values) -> Mapping[str, float]:
        """Ask and wait."""
        if self._line is None:
            raise RunError("the firmware's process has been ended; simulate again", time=t)
        angles = true_attitude(self.attitude, measured) or ()
        numbers = [*self._read[0](measured), *angles, *self._read[1](setpoints)]
        try:
            self._line.sendall(pack(STEP, self._count, t, numbers))
            answer = self._answer(t)
            if answer.kind == HELLO and self._count == 0:
                check_layout(str((answer.facts or {}).get("layout", "")), self._layout)
                answer = self._answer(t)
        except (EOFError, ConnectionError):
            raise RunError(self._gone(), time=t) from None
        except BadMessage as error:
            raise RunError(f"the firmware's answer cannot be read: {error}", time=t) from None
        self._check(answer, t)
        self._count += 1
        return dict(zip(self._robot.inputs, answer.numbers, strict=True))

    def _answer(self, t: float) -> Message:
        waiting = Waiting(f"the firmware{self._process()} to answer message {self._count}")
        while True:
            try:
                return self._reader.read()
            except TimeoutError:
                if self._child is not None and self._child.death() is not None:
                    raise EOFError from None
                waiting.tell()
                if self.timeout is not None and waiting.seconds > self.timeout:
                    if self._child is not None:
                        self._child.stop()  # it would not hear that it is over
                    what = f"message {self._count} is late: no answer for {self.timeout:g} s"
                    raise RunError(f"the firmware's {what}", time=t) from None

    def _check(self, answer: Message, t: float) -> None:
        if answer.kind != STEP:
            raise RunError(f"the firmware ended before the run did, with a message of kind {answer.kind}", time=t)
        if answer.count < self._count:
            raise RunError(f"the firmware's message {answer.count} came twice, expected message {self._count}", time=t)
        if answer.count > self._count:
            raise RunError(f"the firmware's message {self._count} was lost: message {answer.count} came", time=t)
        expected = len(self._robot.inputs)
        if len(answer.numbers) != expected or not all(map(math.isfinite, answer.numbers)):
            raise RunError(f"the firmware answered {list(answer.numbers)}, expected {expected} finite numbers", time=t)

    @property
    def _layout(self) -> str:
        return process_layout(self._robot, self.attitude is not None)

    def _facts(self) -> dict[str, object]:
        robot = self._robot
        period = None if math.isinf(self.rate) else 1.0 / self.rate
        named = {"sensors": ("measured", robot.measured), "setpoints": ("setpoints", robot.setpoints),
                 "commands": ("inputs", robot.inputs)}  # fmt: skip
        units = {key: [robot.units.get(f"{what}.{name}", "") for name in names] for key, (what, names) in named.items()}
        return {"period": period, "attitude": self.attitude is not None, "layout": self._layout,
                **{key: names for key, (_, names) in named.items()}, "units": units}  # fmt: skip

    def _start_peer(self, folder: Path) -> Child:
        try:
            arguments = shlex.split(self.command)
            environment = os.environ | {"DIDYMOS_SOCKET": str(folder / "socket")}
            return Child(arguments, output=folder / "output.txt", folder=Path.cwd(), environment=environment)
        except (OSError, ValueError) as error:
            raise InputError(f"{self.command!r} cannot be started: {error}", option="firmware") from None

    def _accept(self, door: socket.socket) -> socket.socket:
        door.settimeout(LOOK)
        waiting = Waiting(f"the firmware{self._process()} to connect to {self.listen or 'its socket'}")
        while True:
            try:
                return door.accept()[0]
            except TimeoutError:
                gone = self._child.death() if self._child is not None else None
                if gone is not None:
                    raise RunError(f"the firmware's process {gone}, before it connected") from None
                waiting.tell()
                if self._child is None and waiting.seconds > self.patience:
                    raise RunError(f"no firmware connected within {self.patience:g} s") from None

    def _process(self) -> str:
        return "" if self._child is None else f" (process {self._child.id})"

    def _gone(self) -> str:
        if self._child is None:
            return "the firmware's process closed its line before the run was over"
        self._child.wait(_END)  # its line closes before it has quite ended
        return f"the firmware{self._process()} {self._child.death() or 'closed its line before the run was over'}"


def _listen(address: str) -> socket.socket:
    host, colon, port = address.rpartition(":")
    if colon and port.isdigit():
        if host not in _LOCAL:
            raise InputError(f"found {address!r}, expected an address of this machine, 127.0.0.1:PORT", option="firmware")
        return socket.create_server((host, int(port)))
    if not hasattr(socket, "AF_UNIX"):
        raise InputError("a socket with a path needs a Unix system; listen on 127.0.0.1:PORT", option="firmware")
    door = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        door.bind(address)
    except OSError as error:
        door.close()
        raise InputError(f"{address!r} cannot be listened on: {error}", option="firmware") from None
    door.listen(1)
    return door
