"""One moteus: its modes, faults and command, in front of one drive of the twin.

Modes: 0 stopped, 1 fault, 10 position, 11 timed out, 12 zero velocity. Only a stop leads out of a fault or a timeout. A mode that
the twin has no physics for, and a supply out of range, end in a fault; so does a position command outside of its bounds.

Positions on the wire are the drive's plus an offset, which `set output` moves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from didymos.parts.drive import POSITION, STOPPED, TIMED_OUT, ZERO_VELOCITY
from didymos.ports.moteus.board import Board
from didymos.ports.moteus.command import Command, Drive
from didymos.ports.moteus.trajectory import Trajectory

__all__ = ["Controller"]

NAN = math.nan
FAULT = 1
OVER_VOLTAGE, OUTSIDE_BOUNDS, UNDER_VOLTAGE, NOT_ENABLED = 34, 39, 40, 44
_LOWEST_VOLTAGE, _HIGHEST_VOLTAGE = 10.0, 46.0  # [V] of an r4.11
_AMBIENT, _HOT = 25.0, 50.0  # [degC], and where the controller begins to derate, which is the drive's heat of 1
_NEVER, _SMALLEST = -1.0, 1e-9  # watchdog and torque limit: zero means the drive's own
_ROTOR, _OUTPUT = 1, 2  # how well the position is known
_UNMODELLED = ("stop_position", "fixed_voltage", "integral_scale", "fixed_current")
_DEFAULT = Command()


class Controller:
    """A moteus in front of a drive."""

    def __init__(self, drive: Drive, board: Board, say: Callable[[str], None]) -> None:
        self.drive, self.board = drive, board
        self.command = Command()
        self.offset = 0.0  # [rev] from the drive's position to the one on the wire
        self.bounds = [NAN, NAN]  # [rev]
        self.limits = [NAN, NAN]  # [rev/s], [rev/s^2] of set-points, where a command has none
        self.fault = 0
        self.moving = False  # whether time moves the set-point
        self._say, self._said = say, set[str]()
        self._home = _ROTOR
        self._trajectory: Trajectory | None = None
        self._deadline = math.inf  # [s] of the watchdog

    # what it reports

    def measured(self, name: str) -> float:
        """A quantity by name, NaN where there is none."""
        out = self.drive.readouts
        if name == "position":
            return out["position"] + self.offset
        if name in ("velocity", "torque"):
            return out[name]
        if name == "temperature":
            return _AMBIENT + out["heat"] * (_HOT - _AMBIENT)
        if name == "voltage":
            return self.drive.parameter("voltage")
        if name == "power":
            return out["torque"] * out["velocity"] * 2.0 * math.pi
        if name in ("current", "d_current"):
            constant = self.drive.parameter("torque_constant")
            return NAN if constant == 0.0 else out["torque"] / constant if name == "current" else 0.0
        if name == "encoder_position":
            return out["position"] % 1.0
        if name in ("motor_temperature", "abs_position", "torque_error"):
            return 0.0  # no thermistor, no second encoder, a current loop without error
        return self._of_law(name, out)

    def _of_law(self, name: str, out: Mapping[str, float]) -> float:
        """A quantity of the control law, NaN where it is not at work."""
        position, speed = self._set_point()
        kp, kd = self.drive.parameter("kp") * self.command.kp_scale, self.drive.parameter("kd") * self.command.kd_scale
        quantities = {
            "control_position": position + self.offset,
            "control_velocity": speed,
            "position_error": position - out["position"],
            "velocity_error": speed - out["velocity"],
            "kp_torque": kp * (position - out["position"]),
            "kd_torque": kd * (speed - out["velocity"]),
            "feedforward_torque": self.command.feedforward,
        }
        return quantities.get(name, NAN)

    def whole(self, name: str) -> int:
        """A whole number by name."""
        if name == "mode":
            return FAULT if self.fault else int(self.drive.readouts["mode"])
        if name == "fault":
            return self.fault
        if name == "home_state":
            return self._home
        if name == "trajectory_complete":
            return int(self._trajectory is not None and self._trajectory.rests)
        if name == "milliseconds":
            return int(self.drive.time * 1000.0)
        if name == "encoder_validity":
            return 3
        if name.startswith("serial"):
            return self.board.serial[int(name[-1]) - 1]
        if name == "uuid_mask_capable":
            return 1
        if name.startswith("uuid"):
            return self.uuid_word(int(name[-1]) - 1)
        return int(getattr(self.board, name, 0))

    def uuid_word(self, index: int) -> int:
        """One of the four words of 32 bits that the UUID consists of."""
        return int.from_bytes(self.board.uuid[4 * index : 4 * index + 4], "little", signed=True)

    # what it does

    def set_output(self, position: float, *, exact: bool) -> None:
        """Make the position on the wire this one, or the nearest to it that the rotor's encoder allows."""
        if math.isfinite(position):
            error = position - self.drive.readouts["position"] - self.offset
            self.offset += error if exact else float(round(error))
            self._home = _OUTPUT

    def forget_output(self) -> None:
        """Know the position by the rotor alone."""
        self._home = _ROTOR

    def stop(self) -> None:
        """Mode stopped; also the way out of a fault."""
        self.command, self.fault = Command(), 0
        self._halt()

    def execute(self, command: Command) -> None:
        """Do what a command says, as far as the mode allows it."""
        self.command = command
        if command.mode == int(STOPPED):
            self.stop()
            return
        if self.fault or self.drive.time > self._deadline:
            return  # only a stop leads out
        fault = self._fault_of(command)
        if fault:
            self.fault = fault
            self._halt()
            return
        if command.mode in (FAULT, 2, 3, 4, int(TIMED_OUT)):
            return  # modes that it is in, but that nobody can command
        self._say_unmodelled(command)
        own = self.drive.parameter("watchdog") or _NEVER
        watchdog = (command.watchdog or own) if math.isfinite(command.watchdog) else _NEVER
        in_position = command.mode == int(POSITION)
        self._deadline = self.drive.time + watchdog if watchdog > 0.0 and in_position else math.inf
        self._trajectory = self._plan(command) if in_position else None
        self.moving = self._trajectory is not None and not self._trajectory.rests
        self._send(watchdog)

    def advance(self, dt: float) -> None:
        """Let a set-point that is moving move on by dt [s]."""
        trajectory = self._trajectory
        if trajectory is None or self.drive.time >= self._deadline:
            return
        arrived = trajectory.done
        trajectory.advance(dt)
        self.moving = not trajectory.rests
        if not arrived:
            self._send(self._deadline - self.drive.time if math.isfinite(self._deadline) else _NEVER)

    def _fault_of(self, command: Command) -> int:
        """The fault that a command ends in, or 0."""
        voltage = self.drive.parameter("voltage")
        if voltage < _LOWEST_VOLTAGE:
            return UNDER_VOLTAGE
        if voltage > _HIGHEST_VOLTAGE:
            return OVER_VOLTAGE
        here, (low, high) = self.drive.readouts["position"] + self.offset, self.bounds
        if command.mode == int(POSITION) and not command.ignore_bounds and (here < low or here > high):
            return OUTSIDE_BOUNDS
        if 5 <= command.mode <= 9 or command.mode > int(ZERO_VELOCITY):
            self._say_once("mode", f"mode {command.mode} is not part of the twin; fault {NOT_ENABLED}")
            return NOT_ENABLED
        return 0

    def _plan(self, command: Command) -> Trajectory:
        """The set-point's way, in the drive's own revolutions."""
        running = self._trajectory is not None
        position, speed = self._set_point() if running else (self.drive.readouts["position"], 0.0)
        velocity = command.velocity if math.isfinite(command.velocity) else 0.0
        target = self._bounded(command.position) - self.offset if math.isfinite(command.position) else position
        limits = [own if math.isnan(given) else given for given, own in zip(
            (command.velocity_limit, command.acceleration_limit), self.limits, strict=True)]  # fmt: skip
        most_speed, most_acceleration = (math.inf if not limit >= 0.0 else limit for limit in limits)
        trajectory = Trajectory(position, speed, target, velocity, most_speed, most_acceleration)
        if math.isinf(most_speed) and math.isinf(most_acceleration):
            trajectory.position, trajectory.speed = trajectory.target, trajectory.velocity
        return trajectory

    def _bounded(self, position: float) -> float:
        low, high = self.bounds
        position = position if not position < low else low
        return position if not position > high else high

    def _set_point(self) -> tuple[float, float]:
        """The set-point now [rev], [rev/s], in the drive's own revolutions; NaN where there is none."""
        return (self._trajectory.position, self._trajectory.speed) if self._trajectory is not None else (NAN, NAN)

    def _send(self, watchdog: float) -> None:
        command = self.command
        position, speed = self._set_point() if self._trajectory is not None else (0.0, 0.0)
        limit = 0.0 if math.isnan(command.torque_limit) else max(abs(command.torque_limit), _SMALLEST)
        scales = [value if math.isfinite(value) else 1.0 for value in (command.kp_scale, command.kd_scale)]
        feedforward = command.feedforward if math.isfinite(command.feedforward) else 0.0
        self.drive.command((position, speed, feedforward, *scales, float(command.mode), min(limit, 1e9), watchdog))

    def _halt(self) -> None:
        self._trajectory, self._deadline, self.moving = None, math.inf, False
        self.drive.command((0.0, 0.0, 0.0, 1.0, 1.0, STOPPED, 0.0, 0.0))

    def _say_unmodelled(self, command: Command) -> None:
        for name in _UNMODELLED:
            value, default = getattr(command, name), getattr(_DEFAULT, name)
            if value != default and not (math.isnan(value) and math.isnan(default)):
                self._say_once(name, f"{name} has no effect on the twin")

    def _say_once(self, what: str, text: str) -> None:
        if what not in self._said:
            self._said.add(what)
            self._say(f"controller {self.board.number}: {text}")
