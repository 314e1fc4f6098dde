"""One moteus: its registers, its modes, its command, in front of one drive of the twin.

Modes: 0 stopped, 1 fault, 10 position, 11 timed out, 12 zero velocity. Only a stop leads out of a fault or a timeout. A mode that
the twin has no physics for, and a supply out of range, end in a fault; so does a position command outside of its bounds.

Positions on the wire are the drive's plus an offset, which `set output` moves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from didymos.parts.drive import POSITION, STOPPED, TIMED_OUT, ZERO_VELOCITY
from didymos.ports.moteus import registers as r
from didymos.ports.moteus.board import Board
from didymos.ports.moteus.frame import CANNOT_WRITE, NO_SUCH_VALUE, UNKNOWN
from didymos.ports.moteus.trajectory import Trajectory
from didymos.ports.moteus.values import FLOAT, INT32, decode, encode, encode_integer

__all__ = ["Command", "Controller", "Drive", "Elsewhere"]

NAN = math.nan
FAULT = 1
OVER_VOLTAGE, OUTSIDE_BOUNDS, UNDER_VOLTAGE, NOT_ENABLED = 34, 39, 40, 44
_LOWEST_VOLTAGE, _HIGHEST_VOLTAGE = 10.0, 46.0  # [V] of an r4.11
_AMBIENT, _HOT = 25.0, 50.0  # [degC], and where the controller begins to derate, which is the drive's heat of 1
_NEVER, _SMALLEST = -1.0, 1e-9  # watchdog and torque limit: zero means the drive's own
_ROTOR, _OUTPUT = 1, 2  # how well the position is known


class Elsewhere(Exception):
    """The frame is for another controller."""


class Drive(Protocol):
    """The drive behind a controller."""

    @property
    def time(self) -> float:
        """The twin's clock [s]."""
        ...

    @property
    def readouts(self) -> Mapping[str, float]:
        """position [rev], velocity [rev/s], torque [N m], mode, heat."""
        ...

    def parameter(self, name: str) -> float:
        """A number of the drive."""
        ...

    def set_parameter(self, name: str, value: float) -> None:
        """Change a number of the drive; `InputError` where it does not fit."""
        ...

    def command(self, values: tuple[float, ...]) -> None:
        """Position, velocity, feed-forward, scales, mode; torque limit, watchdog."""
        ...


@dataclass(slots=True)
class Command:
    """What a client asks for; as the firmware has it where a register is not written."""

    mode: int = 0
    position: float = 0.0
    velocity: float = 0.0
    feedforward: float = 0.0
    kp_scale: float = 1.0
    kd_scale: float = 1.0
    torque_limit: float = NAN
    stop_position: float = NAN
    watchdog: float = 0.0
    velocity_limit: float = NAN
    acceleration_limit: float = NAN
    fixed_voltage: float = NAN
    integral_scale: float = 1.0
    fixed_current: float = NAN
    ignore_bounds: float = 0.0


_UNMODELLED = ("stop_position", "fixed_voltage", "integral_scale", "fixed_current")
_DEFAULT = Command()


class Controller:
    """A moteus in front of a drive."""

    def __init__(self, drive: Drive, board: Board, say: Callable[[str], None]) -> None:
        self.drive, self.board = drive, board
        self.offset = 0.0  # [rev] from the drive's position to the one on the wire
        self.bounds = [NAN, NAN]  # [rev]
        self.limits = [NAN, NAN]  # [rev/s], [rev/s^2] of set-points, where a command has none
        self.fault = 0
        self._say, self._told = say, set[str]()
        self._home = _ROTOR
        self._command, self._fresh = Command(), False
        self._ignored: dict[int, float] = {}
        self._way: Trajectory | None = None
        self.on_its_way = False  # whether time moves the set-point
        self._deadline = math.inf  # [s] of the watchdog

    # the frame's side

    def begin(self) -> None:
        """A frame begins."""
        self._fresh = False

    def finish(self) -> None:
        """A frame is over: what it commands counts."""
        if self._fresh:
            self._fresh = False
            self._obey()

    def read(self, register: int, kind: int) -> bytes | int:
        """The value of a register, or an error."""
        if register in r.MEASURED:
            name, quantity = r.MEASURED[register]
            return encode(self.measured(name), kind, quantity)
        if register in r.NAMES:
            if register >= 0x100 and register < 0x130 and kind != INT32:
                return UNKNOWN
            number = self.whole(r.NAMES[register])
            return encode_integer(number % (1 << 23) if kind == FLOAT and register < 0x100 else number, kind)
        if register in r.COMMANDS:
            name, quantity = r.COMMANDS[register]
            value = getattr(self._command, name)
            return encode_integer(int(value), kind) if quantity == "integer" else encode(value, kind, quantity)
        if register in r.IGNORED:
            value = self._ignored.get(register, 0.0)
            integer = r.IGNORED[register] == "integer"
            return encode_integer(int(value), kind) if integer else encode(value, kind, r.IGNORED[register])
        return UNKNOWN

    def write(self, register: int, raw: float, kind: int) -> int:
        """Write a register; 0 or an error."""
        if register in r.COMMANDS:
            name, quantity = r.COMMANDS[register]
            value: Any = (raw if math.isfinite(raw) else 0.0) if quantity == "integer" else decode(raw, kind, quantity)
            setattr(self._command, name, value)
        elif register in r.IGNORED:
            quantity = r.IGNORED[register]
            number = raw if quantity == "integer" else decode(raw, kind, quantity)
            self._ignored[register] = number if math.isfinite(number) or quantity != "integer" else 0.0
        elif register in (0x130, 0x131):
            self.set_output(decode(raw, kind, "position"), exact=register == 0x131)
        elif register in (0x132, 0x133):
            self._home = _ROTOR if register == 0x132 else self._home
        elif 0x154 <= register <= 0x157:
            place = 4 * (register - 0x154)
            mine = int.from_bytes(self.board.uuid[place : place + 4], "little", signed=True)
            if kind != INT32 or int(raw) != mine:
                raise Elsewhere
        elif register == 0x000:
            return self._write_mode(raw)
        else:
            return CANNOT_WRITE if register in r.READ_ONLY else UNKNOWN
        return 0

    def _write_mode(self, raw: float) -> int:
        if not math.isfinite(raw) or not 0 <= int(raw) <= r.MODES:
            return NO_SUCH_VALUE
        self._command, self._fresh = Command(mode=int(raw)), True
        return 0

    # what it says

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
        return self._asked(name, out)

    def _asked(self, name: str, out: Mapping[str, float]) -> float:
        """A quantity of the control law, NaN where it is not at work."""
        position, speed = self._set_point()
        kp, kd = self.drive.parameter("kp") * self._command.kp_scale, self.drive.parameter("kd") * self._command.kd_scale
        found = {
            "control_position": position + self.offset,
            "control_velocity": speed,
            "position_error": position - out["position"],
            "velocity_error": speed - out["velocity"],
            "kp_torque": kp * (position - out["position"]),
            "kd_torque": kd * (speed - out["velocity"]),
            "feedforward_torque": self._command.feedforward,
        }
        return found.get(name, NAN)

    def whole(self, name: str) -> int:
        """A whole number by name."""
        if name == "mode":
            return FAULT if self.fault else int(self.drive.readouts["mode"])
        if name == "fault":
            return self.fault
        if name == "home_state":
            return self._home
        if name == "trajectory_complete":
            return int(self._way is not None and self._way.rests)
        if name == "milliseconds":
            return int(self.drive.time * 1000.0)
        if name == "encoder_validity":
            return 3
        if name.startswith("serial"):
            return self.board.serial[int(name[-1]) - 1]
        if name == "uuid_mask_capable":
            return 1
        if name.startswith("uuid"):
            place = 4 * int(name[-1]) - 4
            return int.from_bytes(self.board.uuid[place : place + 4], "little", signed=True)
        return int(getattr(self.board, name, 0))

    # what it does

    def set_output(self, position: float, *, exact: bool) -> None:
        """Make the position on the wire what it is asked to be, or the nearest that the rotor's encoder allows."""
        if math.isfinite(position):
            error = position - self.drive.readouts["position"] - self.offset
            self.offset += error if exact else float(round(error))
            self._home = _OUTPUT

    def stop(self) -> None:
        """Mode stopped; also the way out of a fault."""
        self._command, self.fault = Command(), 0
        self._halt()

    def obey(self, command: Command) -> None:
        """A command that came over the console."""
        self._command = command
        self._obey()

    def advance(self, dt: float) -> None:
        """Let a set-point that is on its way move on by dt [s]."""
        way = self._way
        if way is None or self.drive.time >= self._deadline:
            return
        moving = not way.done
        way.advance(dt)
        self.on_its_way = not way.rests
        if moving:
            self._send(self._deadline - self.drive.time if math.isfinite(self._deadline) else _NEVER)

    def _obey(self) -> None:
        command = self._command
        if command.mode == int(STOPPED):
            self.stop()
            return
        if self.fault or self.drive.time > self._deadline:
            return  # only a stop leads out
        fault = self._wrong(command)
        if fault:
            self.fault = fault
            self._halt()
            return
        if command.mode in (FAULT, 2, 3, 4, int(TIMED_OUT)):
            return  # modes that it is in, but that nobody can ask for
        self._tell_unmodelled(command)
        own = self.drive.parameter("watchdog") or _NEVER
        watchdog = (command.watchdog or own) if math.isfinite(command.watchdog) else _NEVER
        in_position = command.mode == int(POSITION)
        self._deadline = self.drive.time + watchdog if watchdog > 0.0 and in_position else math.inf
        self._way = self._plan(command) if in_position else None
        self.on_its_way = self._way is not None and not self._way.rests
        self._send(watchdog)

    def _wrong(self, command: Command) -> int:
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
            self._tell("mode", f"mode {command.mode} is not part of the twin; fault {NOT_ENABLED}")
            return NOT_ENABLED
        return 0

    def _plan(self, command: Command) -> Trajectory:
        """The set-point's way, in the drive's own revolutions."""
        running = self._way is not None
        position, speed = self._set_point() if running else (self.drive.readouts["position"], 0.0)
        velocity = command.velocity if math.isfinite(command.velocity) else 0.0
        target = self._bounded(command.position) - self.offset if math.isfinite(command.position) else position
        limits = [own if math.isnan(asked) else asked for asked, own in zip(
            (command.velocity_limit, command.acceleration_limit), self.limits, strict=True)]  # fmt: skip
        most_speed, most_acceleration = (math.inf if not limit >= 0.0 else limit for limit in limits)
        way = Trajectory(position, speed, target, velocity, most_speed, most_acceleration)
        if math.isinf(most_speed) and math.isinf(most_acceleration):
            way.position, way.speed = way.target, way.velocity
        return way

    def _bounded(self, position: float) -> float:
        low, high = self.bounds
        position = position if not position < low else low
        return position if not position > high else high

    def _set_point(self) -> tuple[float, float]:
        """Where the drive is asked to be now [rev], [rev/s], in its own revolutions; NaN where it is not."""
        return (self._way.position, self._way.speed) if self._way is not None else (NAN, NAN)

    def _send(self, watchdog: float) -> None:
        command = self._command
        position, speed = self._set_point() if self._way is not None else (0.0, 0.0)
        limit = 0.0 if math.isnan(command.torque_limit) else max(abs(command.torque_limit), _SMALLEST)
        scales = [value if math.isfinite(value) else 1.0 for value in (command.kp_scale, command.kd_scale)]
        feedforward = command.feedforward if math.isfinite(command.feedforward) else 0.0
        self.drive.command((position, speed, feedforward, *scales, float(command.mode), min(limit, 1e9), watchdog))

    def _halt(self) -> None:
        self._way, self._deadline, self.on_its_way = None, math.inf, False
        self.drive.command((0.0, 0.0, 0.0, 1.0, 1.0, STOPPED, 0.0, 0.0))

    def _tell_unmodelled(self, command: Command) -> None:
        for name in _UNMODELLED:
            value: Any = getattr(command, name)
            default = getattr(_DEFAULT, name)
            if value != default and not (math.isnan(value) and math.isnan(default)):
                self._tell(name, f"{name} has no effect on the twin")

    def _tell(self, what: str, text: str) -> None:
        if what not in self._told:
            self._told.add(what)
            self._say(f"controller {self.board.number}: {text}")
