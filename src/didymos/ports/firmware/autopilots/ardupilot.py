"""ArduPilot as the control program of a twin, step-locked over its JSON link (`json_link.py`).

Each frame of servos lets the twin go on by one step, and is answered with the state after it; the autopilot waits for the
answer, and takes its clock from it. A step is the whole number of calls (`rate`) that is nearest to the autopilot's frame rate,
at least one. A frame that comes again after its answer was sent is answered again, without a step: the answer was lost. One that
was sent while the twin was still busy is dropped. Where the autopilot starts anew (its count is 0 again) the twin goes on from
where it is: a run has one clock and one log. What was lost, came twice, was refused or began anew is recorded (`control.lost`).
"""

from __future__ import annotations

import contextlib
import socket
import sys
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from didymos.contract import report
from didymos.control.controller import Controller, Robot
from didymos.control.values import Values
from didymos.errors import InputError, RunError
from didymos.ports.firmware.autopilots.json_link import Counter, ServoFrame, Verdict, read_frame, state_line
from didymos.ports.firmware.autopilots.outputs import Drive, Named, find_frame, find_outputs, is_multirotor
from didymos.ports.firmware.autopilots.process import LOOPBACK, Process, port_of
from didymos.ports.firmware.autopilots.readings import Reading
from didymos.ports.firmware.waiting import LOOK, Waiting

__all__ = ["ArduPilot"]

_PATH = "firmware.ardupilot.options"
_LONGEST = 2048  # bytes of a datagram that are looked at


class ArduPilot(Controller):
    """The autopilot on the other side of UDP port 9002.

    Args:
        command, listen: what starts it, or the port at which somebody else's is waited for.
        port: that the autopilot sends to; where {port} stands in the command, a free one takes its place.
        outputs: which inputs outputs 1, 2, ... drive; found where nothing is named.
        imu, odometry, airspeed: sensors that tell it rates and specific force, the true state, the airspeed.
        patience: how long [s] somebody else's may be silent.
    """

    rate = float("inf")
    frame = report(doc="count of the autopilot's last frame")
    lost = report(doc="frames that were skipped, as their count tells")
    duplicated = report(doc="frames that came again")
    refused = report(doc="datagrams that were no frame, or somebody else's")
    restarts = report(doc="how often the autopilot began anew")

    def __init__(
        self,
        command: str = "",
        listen: str | None = None,
        port: int = 9002,
        outputs: Named = (),
        imu: str = "imu",
        odometry: str = "state",
        airspeed: str | None = None,
        patience: float = 30.0,
    ) -> None:
        if bool(command) == (listen is not None):
            raise InputError("expected either a command that starts ArduPilot or listen", option="firmware")
        self.command, self.listen, self.patience = command, listen, patience
        self.port = 0 if "{port}" in command else port
        self.outputs = outputs
        self.imu, self.odometry, self.airspeed = imu, odometry, airspeed
        self._process: Process | None = None
        self._line: socket.socket | None = None

    def start(self, robot: Robot) -> None:
        """Open the port and start the autopilot, if that is ours to do; its first frame is waited for at the first step."""
        self._drives = find_outputs(robot, self.outputs, f"{_PATH}.outputs")
        self._imu = Reading(robot, self.imu, "imu", f"{_PATH}.imu")
        self._truth = Reading(robot, self.odometry, "odometry", f"{_PATH}.odometry")
        self._tube = Reading(robot, self.airspeed, "airspeed", f"{_PATH}.airspeed") if self.airspeed else None
        self._rate, self._counter, self._hold = robot.rate, Counter(), 0
        self._answer = b""
        self._early: deque[ServoFrame] = deque()
        self._refused = 0
        self.frame = self.lost = self.duplicated = self.refused = self.restarts = 0
        self._line = _open(port_of(self.listen or "", self.port))
        try:
            _tell(robot, self._drives, bool(self.outputs))
            self._process = Process("ArduPilot", self.command, self._line.getsockname()[1], self.patience)
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """End the autopilot, if we started it."""
        if self._process is not None:
            self._process.stop()
            self._process = None
        if self._line is not None:
            self._line.close()
            self._line = None

    def update(self, t: float, measured: Values, setpoints: Values) -> Mapping[str, float]:
        """Answer the frame before, wait for the next; in between, inputs stay."""
        if self._hold > 0:
            self._hold -= 1
            return {}
        if self._line is None:
            raise RunError("ArduPilot has been ended; simulate again", time=t)
        if self._counter.last is not None:
            self._drop_waiting(t)
            speed = self._tube(measured)[0] if self._tube is not None else None
            self._answer = state_line(t, self._imu(measured), self._truth(measured), speed)
            self._send()
        frame = self._next(t)
        self._hold = max(1, round(self._rate / frame.rate)) - 1
        return {drive.input: drive.of_pulse(_pulse(frame, drive)) for drive in self._drives}

    def _next(self, t: float) -> ServoFrame:
        """The frame that lets the twin step."""
        if self._early:
            return self._early.popleft()
        assert self._line is not None
        assert self._process is not None
        waiting = Waiting(f"{self._process} to send a frame to UDP port {self._line.getsockname()[1]}")
        self._line.settimeout(LOOK)
        while True:
            try:
                data, sender = self._line.recvfrom(_LONGEST)
            except TimeoutError:
                self._process.check(waiting, t)
                continue
            except ConnectionError:  # of an answer that found nobody
                continue
            verdict, frame = self._judge(data, sender, t)
            if verdict is Verdict.AGAIN and self._answer:
                self._send()
            if verdict is Verdict.STEP and frame is not None:
                return frame

    def _drop_waiting(self, t: float) -> None:
        """Take what came while the twin was stepping: copies of the frame that is about to be answered are no sign of loss."""
        assert self._line is not None
        self._line.setblocking(False)
        with contextlib.suppress(BlockingIOError, ConnectionError):
            while True:
                verdict, frame = self._judge(*self._line.recvfrom(_LONGEST), t)
                if verdict is Verdict.STEP and frame is not None:
                    self._early.append(frame)

    def _judge(self, data: bytes, sender: Any, t: float) -> tuple[Verdict, ServoFrame | None]:
        frame, counter = read_frame(data), self._counter
        if frame is None:
            self._refused += 1
            self.refused = self._refused + counter.refused
            return Verdict.DROP, None
        began = counter.restarts
        verdict = counter.judge(frame.count, sender)
        self.frame, self.lost, self.duplicated = counter.last, counter.lost, counter.duplicated
        self.restarts, self.refused = counter.restarts, self._refused + counter.refused
        if counter.restarts > began:
            print(f"didymos: ArduPilot began anew; the twin goes on at t = {t:g} s", file=sys.stderr, flush=True)
        return verdict, frame

    def _send(self) -> None:
        assert self._line is not None
        with contextlib.suppress(ConnectionError):  # it has gone, or comes back; who waits for it finds out
            self._line.sendto(self._answer, self._counter.sender)


def _pulse(frame: ServoFrame, drive: Drive) -> int:
    return frame.pulses[drive.output - 1] if drive.output <= len(frame.pulses) else 0


def _open(port: int) -> socket.socket:
    line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        line.bind((LOOPBACK, port))
    except OSError as error:
        line.close()
        raise InputError(f"UDP port {port} of this machine cannot be had: {error.strerror}", option="firmware") from None
    return line


def _tell(robot: Robot, drives: Sequence[Drive], named: bool) -> None:
    """Say what drives what, and which frame the autopilot has to be set to."""
    words = ", ".join(f"{drive.output} {'-' * drive.reversed}{drive.input}" for drive in drives)
    about = ""
    if not named and is_multirotor(robot):
        frame = find_frame(robot.rotors, InputError)
        if frame.ardupilot is None:
            text = f"ArduPilot has no frame type for {frame.name.replace('_', ' ')} whose rotors turn the other way"
            raise InputError(f"{text}; name what outputs 1, 2, ... drive", path=f"{_PATH}.outputs")
        about = "; FRAME_CLASS {}, FRAME_TYPE {}".format(*frame.ardupilot)
    print(f"didymos: ArduPilot's outputs drive: {words}{about}", file=sys.stderr, flush=True)
