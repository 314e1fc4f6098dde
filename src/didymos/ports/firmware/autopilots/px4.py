"""PX4 as the control program of a twin, in lock-step over its simulator link (`hil_link.py`).

With each step the autopilot gets what the sensors say, with the time that its clock then has, and the twin waits for its
controls. While PX4 boots it answers nothing: until its first controls come the twin stands, and the same readings go out with
the pace of the wall and a clock that runs on. PX4's clock is from then on the twin's plus as many steps as that took, at least
one (`control.boot`). Controls of the same time as the last ones are a copy and are dropped; `control.clock_error` is by how much
the time of an answer differs from that of the question.

PX4 answers once per reading of its gyro as long as that comes at 250 Hz or less (its own IMU_GYRO_RATEMAX is 400 Hz); at a
higher rate it may leave a question open, and the run would wait for ever.
"""

from __future__ import annotations

import contextlib
import math
import socket
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

from didymos.contract import report
from didymos.control.controller import Controller, Robot
from didymos.control.values import Values
from didymos.errors import InputError, RunError
from didymos.ports.firmware.autopilots.hil_link import ARMED, LOCKSTEP, Messages, load_dialect
from didymos.ports.firmware.autopilots.outputs import Drive, Named, find_outputs
from didymos.ports.firmware.autopilots.process import LOOPBACK, Process, port_of
from didymos.ports.firmware.autopilots.readings import Beat, Reading
from didymos.ports.firmware.waiting import LOOK, Waiting

__all__ = ["Px4", "inputs_of_controls"]

_PATH = "firmware.px4.options"
_FIRST = 2.0  # [s] for an autopilot that has booted already to answer the first question
_CONTROLS = 16


def inputs_of_controls(drives: Sequence[Drive], controls: Sequence[float], armed: bool) -> dict[str, float]:
    """Inputs by name; at rest where the autopilot is not armed, or an output is off (not a number)."""
    found = {}
    for drive in drives:
        control = controls[drive.output - 1]
        found[drive.input] = drive.value(control) if armed and math.isfinite(control) else drive.rest
    return found


class Px4(Controller):
    """The autopilot that connects to TCP port 4560.

    Args:
        command, listen: what starts it, or the port at which somebody else's is waited for.
        port: that the autopilot connects to; where {port} stands in the command, a free one takes its place.
        outputs: which inputs outputs 1, 2, ... drive; found where nothing is named.
        imu, magnetometer, barometer, gps, airspeed, odometry: the sensors that it is told of; the last one is the truth.
        patience: how long [s] somebody else's may take to connect, and be silent.
    """

    rate = float("inf")
    lost = report(doc="questions without an answer of their own time")
    duplicated = report(doc="answers that came again")
    armed = report(doc="1 while the autopilot is armed")
    boot = report(unit="s", doc="PX4's clock less the twin's")
    clock_error = report(unit="s", doc="time of the last answer less that of its question")

    def __init__(
        self,
        command: str = "",
        listen: str | None = None,
        port: int = 4560,
        outputs: Named = (),
        imu: str = "imu",
        magnetometer: str = "compass",
        barometer: str = "baro",
        gps: str = "gps",
        odometry: str = "state",
        airspeed: str | None = None,
        patience: float = 30.0,
    ) -> None:
        if bool(command) == (listen is not None):
            raise InputError("expected either a command that starts PX4 or listen", option="firmware")
        load_dialect()
        self.command, self.listen, self.patience = command, listen, patience
        self.port = 0 if "{port}" in command else port
        self.outputs = outputs
        self.sensors = {"imu": imu, "magnetometer": magnetometer, "barometer": barometer, "gps": gps, "odometry": odometry}
        if airspeed:
            self.sensors["airspeed"] = airspeed
        self._process: Process | None = None
        self._line: socket.socket | None = None

    def start(self, robot: Robot) -> None:
        """Open the port, start the autopilot if that is ours to do, wait until it connects."""
        self._drives = find_outputs(robot, self.outputs, f"{_PATH}.outputs")
        beyond = [drive.output for drive in self._drives if drive.output > _CONTROLS]
        if beyond:
            raise InputError(f"found output {beyond[0]}, PX4 has {_CONTROLS}", path=f"{_PATH}.outputs")
        self._readings = {kind: Reading(robot, name, kind, f"{_PATH}.{kind}") for kind, name in self.sensors.items()}
        self._beats = {kind: Beat(reading.rate) for kind, reading in self._readings.items()}
        self._messages = Messages(robot.origin, robot.gravity)
        self._period, self._stamp, self._answered, self._last = 1.0 / robot.rate, 0, False, -1
        self._offset, self._heartbeat = 0, -1
        self.lost = self.duplicated = 0
        try:
            with _open(port_of(self.listen or "", self.port)) as door:
                self._process = Process("PX4", self.command, door.getsockname()[1], self.patience)
                self._line = self._accept(door)
        except BaseException:
            self.stop()
            raise
        words = ", ".join(f"{drive.output} {'-' * drive.reversed}{drive.input}" for drive in self._drives)
        print(f"didymos: PX4's outputs drive: {words}", file=sys.stderr, flush=True)

    def stop(self) -> None:
        """End the autopilot, if we started it."""
        if self._line is not None:
            self._line.close()
            self._line = None
        if self._process is not None:
            self._process.stop()
            self._process = None

    def update(self, t: float, measured: Values, setpoints: Values) -> Mapping[str, float]:
        """Ask with the readings of now, and wait."""
        if self._line is None:
            raise RunError("PX4 has been ended; simulate again", time=t)
        values = {kind: reading(measured) for kind, reading in self._readings.items()}
        try:
            answer = self._ask(t, values) if self._answered else self._boot(t, values)
        except (ConnectionError, EOFError):
            assert self._process is not None
            raise RunError(self._process.gone(), time=t) from None
        armed = bool(answer.mode & ARMED)
        self.armed = float(armed)
        return inputs_of_controls(self._drives, answer.controls, armed)

    def _ask(self, t: float, values: Mapping[str, Sequence[float]]) -> Any:
        """The answer to the question of a time [s]."""
        stamp = self._offset + round(1e6 * t)
        fresh = {kind for kind, beat in self._beats.items() if beat.due(t)}
        self._send(stamp, values, fresh)
        waiting = Waiting(f"{self._process} to answer the step at t = {t:g} s")
        while True:
            answer = self._receive(LOOK)
            if answer is not None:
                self.clock_error = 1e-6 * (answer.time_usec - stamp)
                self.lost += answer.time_usec != stamp
                return answer
            assert self._process is not None
            self._process.check(waiting, t)

    def _boot(self, t: float, values: Mapping[str, Sequence[float]]) -> Any:
        """The first answer of all; until it comes the clock runs on, and the twin stands."""
        waiting = Waiting(f"{self._process} to boot")
        beats = {kind: Beat(reading.rate) for kind, reading in self._readings.items()}
        steps = 0
        while True:
            steps += 1
            self._offset = round(1e6 * (steps * self._period - t))
            stamp = self._offset + round(1e6 * t)
            self._send(stamp, values, {kind for kind, beat in beats.items() if beat.due(1e-6 * stamp)} | {"imu"})
            answer = self._receive(_FIRST if steps == 1 else self._period)
            if answer is not None:
                break
            assert self._process is not None
            self._process.check(waiting, t)
        while answer.time_usec < stamp:  # to a question before the last one, which it will answer as well
            later = self._receive(_FIRST)
            if later is None:
                break
            answer = later
        for beat in self._beats.values():
            beat.due(t)
        self._answered, self.boot, self.clock_error = True, 1e-6 * self._offset, 1e-6 * (answer.time_usec - stamp)
        if not answer.flags & LOCKSTEP:
            print("didymos: PX4 does not say that it was built with lock-step", file=sys.stderr, flush=True)
        return answer

    def _send(self, stamp: int, values: Mapping[str, Sequence[float]], fresh: set[str]) -> None:
        """One question: truth and GPS first, the readings that set the clock last."""
        messages, imu = self._messages, values["imu"]
        airspeed = values["airspeed"][0] if "airspeed" in values else None
        parts = [messages.heartbeat()] if stamp // 1_000_000 != self._heartbeat else []
        self._heartbeat = stamp // 1_000_000
        parts.append(messages.truth(stamp, imu, values["odometry"], airspeed))
        if "gps" in fresh:
            parts.append(messages.gps(stamp, values["gps"]))
        parts.append(
            messages.sensors(
                stamp,
                imu,
                values["magnetometer"] if "magnetometer" in fresh else None,
                values["barometer"][0] if "barometer" in fresh else None,
                airspeed if "airspeed" in fresh else None,
            )
        )
        assert self._line is not None
        self._line.sendall(b"".join(parts))

    def _receive(self, seconds: float) -> Any:
        """Controls that are new, or None after so many seconds."""
        assert self._line is not None
        end = time.monotonic() + seconds
        while True:
            self._line.settimeout(max(end - time.monotonic(), 1e-3))
            try:
                data = self._line.recv(65536)
            except TimeoutError:
                return None
            if not data:
                raise EOFError
            found = None
            for message in self._messages.controls(data):
                if message.time_usec == self._last:
                    self.duplicated += 1
                else:
                    self._last, found = message.time_usec, message
            if found is not None:
                return found
            if time.monotonic() > end:
                return None

    def _accept(self, door: socket.socket) -> socket.socket:
        door.settimeout(LOOK)
        assert self._process is not None
        waiting = Waiting(f"{self._process} to connect to TCP port {door.getsockname()[1]}")
        while True:
            with contextlib.suppress(TimeoutError):
                line = door.accept()[0]
                line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                return line
            self._process.check(waiting)


def _open(port: int) -> socket.socket:
    try:
        return socket.create_server((LOOPBACK, port))
    except OSError as error:
        raise InputError(f"TCP port {port} of this machine cannot be had: {error.strerror}", option="firmware") from None
