"""Trim of an aircraft: where it flies steadily, straight or in a turn, level or climbing, or hovers.

In still air the velocity V of the root link leads along world x, raised by the climb angle gamma. Solved for are the attitude
(nose-up angle theta, bank phi, sideslip by the heading psi), the commands of all axes (`flight_axes`), and the followers of the
motion (motor speeds, axles, held joints; `aircraft`), such that

    dv/dt = Omega x v,    domega/dt = 0,    omega = R^T Omega,    Omega = (0, 0, turn)        forces and moments in balance
    (R^T (dv/dt + g z))_y = 0                                                          no side force: the ball is in the middle
    d followers / dt = 0

Straight flight has turn = 0 and solves for phi; with a bank given it solves for the turn, to the right for a bank to the right.
Without roll or yaw there is no ball to hold. At airspeed 0 there is neither heading nor ball; the attitude then is
R = Rx(phi) Ry(-theta), which has no edge at theta = 90 deg, so that a tail-sitter hovers too.

Angles [rad]: alpha = atan2(w, u), beta = asin(v / V) of the velocity in the root link's frame turned to forward-right-down.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from didymos.describe.twin import Twin
from didymos.engine.aircraft import Aircraft, Motion, Vector
from didymos.engine.bounded_solve import solve_bounded
from didymos.engine.flight_axes import AXES
from didymos.errors import InputError, RunError

__all__ = ["Steady", "Trim", "find_trim", "motion_of", "solve_trim"]

_GOOD = 1e-6  # [m/s^2, rad/s^2], what may be left
_STEEPEST = 1.4  # [rad], of attitude
_SLIP = 0.6  # [rad], of heading
_FASTEST = 4.0  # [rad/s], of a turn
_THRUST = 0.5  # to begin with


@dataclass(frozen=True)
class Steady:
    """A steady flight that is asked for: airspeed [m/s], height [m], climb [rad], bank [rad] or None for straight flight."""

    airspeed: float
    height: float = 50.0
    climb: float = 0.0
    bank: float | None = None


@dataclass(frozen=True)
class Trim:
    """A steady flight: angles [rad], turn [rad/s], commands by axis, inputs and followers by name, thrust [N], power [W]."""

    flight: Steady
    theta: float
    bank: float
    heading: float
    turn: float
    alpha: float
    beta: float
    commands: Mapping[str, float]
    inputs: Mapping[str, float]
    followers: Mapping[str, float]
    thrust: float
    power: float | None
    left: float = field(default=0.0, compare=False)
    """The largest acceleration that is left [m/s^2, rad/s^2]."""

    @property
    def airspeed(self) -> float:
        """[m/s]."""
        return self.flight.airspeed

    @property
    def height(self) -> float:
        """[m]."""
        return self.flight.height

    @property
    def nose(self) -> float:
        """Nose-up angle [rad]; of level flight, the angle of attack."""
        return self.theta

    @property
    def pitch(self) -> float:
        """The command of the pitch axis."""
        return self.commands.get("pitch", 0.0)

    @property
    def throttle(self) -> float:
        """The command of the thrust axis."""
        return self.commands.get("thrust", 0.0)


def _rotation(theta: float, bank: float, heading: float, hovers: bool) -> Vector:
    """From the root link (forward-left-up) to the world."""
    c, s = math.cos(theta), math.sin(theta)
    nose = np.array([[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]])
    c, s = math.cos(bank), math.sin(bank)
    roll = np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
    c, s = math.cos(heading), math.sin(heading)
    turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    return roll @ nose if hovers else turn @ nose @ roll


def motion_of(flight: Steady, theta: float, bank: float, heading: float, turn: float) -> Motion:
    """The motion of the root link in a steady flight."""
    hovers = flight.airspeed == 0.0
    rotation = _rotation(theta, bank, heading, hovers)
    velocity = flight.airspeed * np.array([math.cos(flight.climb), 0.0, math.sin(flight.climb)])
    return Motion(flight.height, rotation, velocity, rotation.T @ np.array([0.0, 0.0, turn]))


class _Problem:
    """Unknowns and residual of a trim."""

    def __init__(self, aircraft: Aircraft, flight: Steady, held: Mapping[str, float]) -> None:
        self.aircraft, self.flight, self.held = aircraft, flight, held
        self.hovers = flight.airspeed == 0.0
        self.axes = [axis for axis in AXES if aircraft.axes.get(axis) and axis not in held]
        self.ball = not self.hovers and {"roll", "yaw"} <= set(self.axes)
        self.gravity = aircraft.twin.file.world.gravity

    def split(self, x: Vector) -> tuple[tuple[float, float, float, float], dict[str, float], Vector]:
        theta, side, heading = float(x[0]), float(x[1]), float(x[2])
        bank, turn = (side, 0.0) if self.flight.bank is None else (self.flight.bank, side)
        commands = {**self.held, **dict(zip(self.axes, x[3 : 3 + len(self.axes)].tolist(), strict=True))}
        return (theta, bank, heading, turn), commands, x[3 + len(self.axes) :]

    def residual(self, x: Vector) -> Vector:
        (theta, bank, heading, turn), commands, followers = self.split(x)
        motion = motion_of(self.flight, theta, bank, heading, turn)
        self.aircraft.put(motion, commands, followers * self.sizes)
        own, rates = self.aircraft.accelerations()
        acceleration = own[:3]
        wanted = np.cross([0.0, 0.0, turn], motion.velocity)
        left = [*(acceleration - wanted), *own[3:6], *(rates / self.sizes)]
        if self.ball:
            left.append(float((motion.rotation.T @ (acceleration + np.array([0.0, 0.0, self.gravity])))[1]))
        return np.array(left)

    def begin(self, near: Trim | None) -> Vector:
        """Unknowns to begin with, and how large followers are: from a trim nearby, or from settled engines at half thrust."""
        if near is not None:
            found = np.array([near.followers[name] for name in self.aircraft.follower_names])
            commands = [near.commands.get(axis, 0.0) for axis in self.axes]
            side = near.bank if self.flight.bank is None else near.turn
            first = [near.theta, side, near.heading, *commands]
        else:
            theta = self._nose()
            thrust = {**self.held, "thrust": _THRUST}
            found = self.aircraft.settle(motion_of(self.flight, theta, 0.0, 0.0, 0.0), thrust)
            side = 0.0
            if self.flight.bank is not None:
                side = -self.gravity * math.tan(self.flight.bank) / max(self.flight.airspeed, 1.0)
            first = [theta, side, 0.0, *(_THRUST if axis == "thrust" else 0.0 for axis in self.axes)]
        self.sizes = np.maximum(np.abs(found), 1.0)
        return np.array([*first, *(found / self.sizes)])

    def _nose(self) -> float:
        """Nose-up angle to begin with: along the way, or, where it hovers, with the thrust of its rotors upward."""
        if not self.hovers or not self.aircraft.rotors:
            return self.flight.climb
        axis = np.sum([rotor.axis for rotor in self.aircraft.rotors], axis=0)
        return math.atan2(float(axis[0]), float(axis[2]))

    def bounds(self, first: Vector) -> tuple[Vector, Vector]:
        low = np.full(len(first), -np.inf)
        high = np.full(len(first), np.inf)
        middle = self._nose()
        low[0], high[0] = middle - _STEEPEST, middle + _STEEPEST
        side = _STEEPEST if self.flight.bank is None else _FASTEST
        low[1], high[1] = -side, side
        low[2], high[2] = (0.0, 0.0) if self.hovers else (-_SLIP, _SLIP)
        for i, axis in enumerate(self.axes):
            low[3 + i], high[3 + i] = (0.0 if axis == "thrust" else -1.0), 1.0
        return low, high


def solve_trim(
    aircraft: Aircraft, flight: Steady, *, near: Trim | None = None, held: Mapping[str, float] | None = None
) -> Trim | None:
    """The trim of a flight, from a trim nearby where there is one; None where there is none. `held` axes keep their command."""
    problem = _Problem(aircraft, flight, held or {})
    first = problem.begin(near)
    low, high = problem.bounds(first)
    found, left = solve_bounded(problem.residual, first, low, high, np.ones(len(first)))
    if not np.isfinite(left).all() or np.abs(left).max() > _GOOD:
        return None
    problem.residual(found)
    (theta, bank, heading, turn), commands, followers = problem.split(found)
    motion = motion_of(flight, theta, bank, heading, turn)
    forward, leftward, upward = motion.rotation.T @ motion.velocity
    speed = flight.airspeed
    names = dict(zip(aircraft.follower_names, (followers * problem.sizes).tolist(), strict=True))
    alpha = math.atan2(-upward, forward) if speed > 0.0 else 0.0
    beta = math.asin(max(-1.0, min(1.0, -leftward / speed))) if speed > 0.0 else 0.0
    power = aircraft.outputs("power")
    return Trim(
        flight, theta, bank, heading, turn, alpha, beta, commands, dict(aircraft.inputs), names,
        sum(aircraft.outputs("thrust")), sum(power) if power else None, float(np.abs(left).max()),
    )  # fmt: skip


def find_trim(
    twin: Twin,
    *,
    airspeed: float,
    height: float = 50.0,
    climb: float = 0.0,
    bank: float | None = None,
    pitch: Sequence[str] | None = None,
    throttle: Sequence[str] | None = None,
) -> Trim:
    """Steady flight at an airspeed [m/s], a height [m], a climb angle [rad] and perhaps a bank [rad, to the right].

    Commands are those of the twin's own axes, unless `pitch` and `throttle` name the inputs that share these two.
    """
    if not (math.isfinite(airspeed) and airspeed >= 0.0):
        raise InputError(f"found {airspeed:g}, expected an airspeed of 0 m/s or more", option="airspeed")
    axes = None
    if pitch is not None or throttle is not None:
        axes = {"pitch": dict.fromkeys(pitch or (), 1.0), "thrust": dict.fromkeys(throttle or (), 1.0)}
    found = solve_trim(Aircraft(twin, axes), Steady(airspeed, height, climb, bank))
    if found is None:
        raise RunError(f"{twin.name} has no steady flight at {airspeed:g} m/s")
    return found
