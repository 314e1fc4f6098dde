"""One moteus: its modes, faults and command, in front of one drive of the twin.

Modes: 0 stopped, 1 fault, 2 enabling, 3 calibrating, and those of `parts/drive_modes.py`. Only a stop leads out of a fault
(`faults.py`) or a timeout.

A command counts for its controller once its message is read; the drive takes it `delay` later. So the mode that is reported
is the commanded one from the next message on, 2 and 3 until the drive gives torque.

Positions on the wire are the drive's plus an offset, which `set output` moves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from didymos.parts.drive_modes import (
    INDUCTANCE,
    POSITION,
    STAY_WITHIN,
    STOPPED,
    TIMED_OUT,
    passed_bound,
)  # fmt: skip
from didymos.ports.moteus.board import Board
from didymos.ports.moteus.command import Command, Drive, drive_numbers, finite
from didymos.ports.moteus.faults import fault_of
from didymos.ports.moteus.trajectory import Trajectory
from didymos.ports.moteus.windings import d_current

__all__ = ["Controller"]

NAN = math.nan
FAULT, ENABLING, CALIBRATING, CALIBRATED = 1, 2, 3, 4
_HIGHEST_VOLTAGE = 46.0  # [V] of an r4.11
_AMBIENT, _HOT = 25.0, 50.0  # [degC], and where the controller begins to derate, which is the drive's heat of 1
_NEVER, _SMALLEST = -1.0, 1e-9  # watchdog and torque limit: zero means the drive's own
_ROTOR, _OUTPUT = 1, 2  # how well the position is known
_UNMODELLED = ("fixed_voltage", "integral_scale", "fixed_current")
_DEFAULT = Command()


class Controller:
    """A moteus in front of a drive."""

    def __init__(self, drive: Drive, board: Board, say: Callable[[str], None]) -> None:
        self.drive, self.board = drive, board
        self.number, self.prefix = board.number, 0  # on the bus
        self.command = Command()
        self.offset = 0.0  # [rev] from the drive's position to the one on the wire
        self.lowest, self.highest = NAN, NAN  # [rev]
        self.velocity_limit, self.acceleration_limit = NAN, NAN  # [rev/s], [rev/s^2] of set-points, where a command has none
        self.highest_voltage = _HIGHEST_VOLTAGE
        self.poles = round(2.0 * drive.parameter("pole_pairs"))
        self.fault = 0
        self.moving = False  # whether time moves the set-point
        self.lights = {"led1": False, "led2": False}
        self._say, self._said = say, set[str]()
        self._home, self._charge = _ROTOR, 0.0
        self._trajectory: Trajectory | None = None
        self._deadline = math.inf  # [s] of the watchdog
        self._accepted, self._numbers, self._arrival = int(STOPPED), (0.0, 0.0, 0.0), 0.0  # mode, its numbers, and when [s]

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
            q = NAN if constant == 0.0 else out["torque"] / constant
            return q if name == "current" or math.isnan(q) else self._d_current(q)
        if name == "encoder_position":
            return out["position"] % 1.0
        if name in ("motor_temperature", "abs_position", "torque_error"):
            return 0.0  # no thermistor, no second encoder, a current loop without error
        return self._of_law(name, out)

    def _d_current(self, q: float) -> float:
        out, since = self.drive.readouts, max(0.0, self.drive.time - self._arrival)
        return d_current(out["mode"], self._numbers, since, out["position"], out["velocity"], q, self.drive.parameter)

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

    @property
    def mode(self) -> int:
        """The mode that it reports."""
        if self.fault:
            return FAULT
        at_work = self.drive.readouts["mode"]
        if self._accepted != int(STOPPED) and at_work == STOPPED:
            return ENABLING if self.drive.time < self._arrival else CALIBRATING
        return int(TIMED_OUT) if at_work == TIMED_OUT and self.drive.time >= self._deadline else self._accepted

    @property
    def charge(self) -> float:
        """What its measurement of the inductance has gathered [A]: the square wave's slope V / L in every turn of the loop."""
        if self._accepted == int(INDUCTANCE):
            slope = self._numbers[0] / self.drive.parameter("phase_inductance")  # without one the mode is refused
            self._charge = slope * max(0.0, self.drive.time - self._arrival)
        return self._charge  # and it stays until the next

    @property
    def timeout(self) -> float:
        """Time that is left of the watchdog [s], NaN where it does not run."""
        return max(0.0, self._deadline - self.drive.time) if math.isfinite(self._deadline) else NAN

    def whole(self, name: str) -> int:
        """A whole number by name."""
        if name == "mode":
            return self.mode
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

    def recapture(self) -> None:
        """Let the set-point of the position law be where the motor is, and rest."""
        if self._trajectory is not None:
            here, speed = self.drive.readouts["position"], self._trajectory.velocity
            self._trajectory = Trajectory(here, 0.0, here, speed, math.inf, math.inf)
            self._send(self._left)

    def stop(self) -> None:
        """Mode stopped; also the way out of a fault."""
        self.command, self.fault, self._charge = Command(), 0, self.charge
        self._halt()

    def execute(self, command: Command) -> None:
        """Do what a command says, as far as the mode allows it."""
        self.command = command
        self._charge = self.charge
        if command.mode == int(STOPPED):
            self.stop()
            return
        if self.fault or self.drive.time > self._deadline or command.mode in (FAULT, ENABLING, CALIBRATING, CALIBRATED):
            return  # only a stop leads out; and modes that it is in, but that nobody can command
        self.fault, missing = fault_of(self, command)
        if missing:
            self._say_once("mode", f"mode {command.mode} needs the drive's {missing}; fault {self.fault}")
        if self.fault:
            self._halt()
            return
        self._say_unmodelled(command)
        own = self.drive.parameter("watchdog") or _NEVER
        watchdog = (command.watchdog or own) if math.isfinite(command.watchdog) else _NEVER
        in_position, watched = command.mode == int(POSITION), command.mode in (int(POSITION), int(STAY_WITHIN))
        self._deadline = self.drive.time + watchdog if watchdog > 0.0 and watched else math.inf
        if command.mode == int(TIMED_OUT):
            self._deadline = -math.inf  # it is over already
        self._trajectory = self._plan(command) if in_position else None
        self.moving = self._trajectory is not None and not self._trajectory.rests
        self._send(watchdog)

    def advance(self, dt: float) -> None:
        """Let a set-point that is moving move on by dt [s]."""
        trajectory = self._trajectory
        if trajectory is None or self.drive.time >= self._deadline:
            return
        arrived, stopping = trajectory.done, trajectory.velocity
        trajectory.advance(dt)
        self.moving = not trajectory.rests
        if not arrived or trajectory.velocity != stopping:
            self._send(self._left)

    @property
    def _left(self) -> float:
        return self._deadline - self.drive.time if math.isfinite(self._deadline) else _NEVER

    def limits(self, command: Command) -> tuple[float, float]:
        """Velocity [rev/s] and acceleration [rev/s^2] of a set-point, infinite where nothing limits them."""
        given = (command.velocity_limit, command.acceleration_limit)
        own = (self.velocity_limit, self.acceleration_limit)
        first, second = (its if math.isnan(said) else said for said, its in zip(given, own, strict=True))
        return first if first >= 0.0 else math.inf, second if second >= 0.0 else math.inf

    def _plan(self, command: Command) -> Trajectory:
        """The set-point's way, in the drive's own revolutions."""
        running = self._trajectory is not None
        position, speed = self._set_point() if running else (self.drive.readouts["position"], 0.0)
        velocity, stop = finite(command.velocity), command.stop_position - self.offset
        target = self._bounded(command.position) - self.offset if math.isfinite(command.position) else position
        if math.isfinite(stop) and not math.isfinite(command.position):
            velocity = math.copysign(velocity, stop - position)
        most_speed, most_acceleration = self.limits(command)
        trajectory = Trajectory(position, speed, target, velocity, most_speed, most_acceleration, stop)
        if math.isinf(most_speed) and math.isinf(most_acceleration):
            trajectory.position, trajectory.speed = trajectory.target, trajectory.velocity
        return trajectory

    def _bounded(self, position: float) -> float:
        position = position if not position < self.lowest else self.lowest
        return position if not position > self.highest else self.highest

    def _set_point(self) -> tuple[float, float]:
        """The set-point now [rev], [rev/s], in the drive's own revolutions; NaN where there is none."""
        if self._trajectory is not None:
            return self._trajectory.position, self._trajectory.speed
        if self._accepted == int(STAY_WITHIN):
            outside, bound = passed_bound(self.drive.readouts["position"], *self._numbers[:2])
            return (bound, 0.0) if outside else (NAN, NAN)
        return NAN, NAN

    def _send(self, watchdog: float) -> None:
        command = self.command
        set_point = (self._trajectory.position, self._trajectory.speed) if self._trajectory is not None else (0.0, 0.0)
        limit = 0.0 if math.isnan(command.torque_limit) else max(abs(command.torque_limit), _SMALLEST)
        scales = finite(command.kp_scale, 1.0), finite(command.kd_scale, 1.0)
        self._numbers = drive_numbers(command, set_point, self.offset, self.drive.parameter("voltage"))
        if self._accepted != command.mode or command.mode != int(POSITION):
            self._arrival = self.drive.time + self.drive.parameter("delay")
        self._accepted = command.mode
        self.drive.command((*self._numbers, *scales, float(command.mode), min(limit, 1e9), watchdog))

    def _halt(self) -> None:
        self._trajectory, self._deadline, self.moving = None, math.inf, False
        self._accepted, self._numbers = int(STOPPED), (0.0, 0.0, 0.0)
        self.drive.command((0.0, 0.0, 0.0, 1.0, 1.0, STOPPED, 0.0, 0.0))

    def _say_unmodelled(self, command: Command) -> None:
        for name in _UNMODELLED:
            value, default = getattr(command, name), getattr(_DEFAULT, name)
            if value != default and not (math.isnan(value) and math.isnan(default)):
                self._say_once(name, f"{name} has no effect on the twin")

    def _say_once(self, what: str, text: str) -> None:
        if what not in self._said:
            self._said.add(what)
            self._say(f"controller {self.number}: {text}")
