"""The way of a multirotor: to a place, up, down, or as somebody asks for at every moment; set-points of `multirotor_commander`.

A way to a place is the polynomial of seventh order from rest to rest (`control/polynomial_path.py`), or from where the last one
is. Over a length L along the ground and H up it takes

    T = max(35/16 L / v, sqrt(7.52 L / a), 35/16 H / v_z, 35/16 |turn| / w)

so that neither the speeds v, v_z, w nor the acceleration a are exceeded. A landing lowers the height that is asked for at a
steady speed, at most 1.5 m below the robot, until its program finds that it stands (`control/landed.py`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import Enum

import numpy as np

from didymos.control.angles import wrap
from didymos.control.polynomial_path import Path, Piece, State, smooth_piece
from didymos.ports.commander_setpoint import OFF_SETPOINT, Setpoint, from_state
from didymos.ports.mavlink.robots import MultirotorRobot
from didymos.ports.mavlink.settings import Settings

__all__ = ["Guidance"]

PERIOD = 0.02  # [s] of the twin's clock between two set-points
_PEAK_SPEED, _PEAK_ACCELERATION = 35.0 / 16.0, 7.52  # of the polynomial, in L/T and L/T^2
_TURN = 1.0  # [rad/s]
_LEAD = 1.5  # [m] that a landing is ahead at most: more than the metre by which a program tells that it is to go down
_SHORTEST = 0.5  # [s] of a way


class _Stage(Enum):
    OFF = 0
    WAY = 1
    LANDING = 2
    DIRECT = 3


class Guidance:
    """Leads a multirotor; `cruise` [m/s] is its speed along the ground."""

    def __init__(self, robot: MultirotorRobot, settings: Settings) -> None:
        self._robot, self._settings = robot, settings
        self._stage = _Stage.OFF
        self._path = Path((smooth_piece(0.0, State.at_rest(np.zeros(4)), State.at_rest(np.zeros(4))),))
        self._begin = self._next = 0.0
        self._direct = OFF_SETPOINT
        self._lowered = 0.0  # [m], the height that a landing asks for
        self._floor = 0.0  # [m], the height near which it lands slowly
        self._engaged = False  # whether anything was ever asked of the robot
        self.airborne = False
        self.cruise: float | None = None
        limit = robot.gain("position.limit")
        if limit > 0.0:
            settings.set("MPC_XY_CRUISE", min(settings["MPC_XY_CRUISE"], limit))

    # what is asked for

    def off(self) -> None:
        """Let the rotors stand."""
        self._stage, self.airborne = _Stage.OFF, False

    def hold(self) -> None:
        """Come to rest and stay; on the ground, stand."""
        if not self.airborne:
            self.off()
            return
        begin = self._state()
        speed = float(np.linalg.norm(begin.rate[:3]))
        duration = max(_SHORTEST, 1.5 * speed / self._settings["MPC_ACC_HOR"])
        goal = begin.value + 0.5 * duration * begin.rate  # where a steady brake ends
        self._follow(smooth_piece(duration, begin, State.at_rest(goal)))

    def go_to(self, place: Sequence[float], yaw: float | None = None, speed: float | None = None) -> None:
        """Fly to a place [m] and stay there, with a heading [rad], or the one it has."""
        begin = self._state()
        turned = 0.0 if yaw is None else float(wrap(yaw - begin.value[3]))
        goal = np.array([*map(float, place), begin.value[3] + turned])
        way = goal - begin.value
        length, climb, settings = math.hypot(way[0], way[1]), float(way[2]), self._settings
        fast = speed or self.cruise or settings["MPC_XY_CRUISE"]
        vertical = settings["MPC_Z_VEL_MAX_UP" if climb > 0.0 else "MPC_Z_VEL_MAX_DN"]
        acceleration = settings["MPC_ACC_HOR"]
        duration = max(
            _SHORTEST, _PEAK_SPEED * length / fast, math.sqrt(_PEAK_ACCELERATION * math.hypot(length, climb) / acceleration),
            _PEAK_SPEED * abs(climb) / vertical, _PEAK_SPEED * abs(turned) / _TURN,
            1.5 * float(np.linalg.norm(begin.rate[:3])) / acceleration,
        )  # fmt: skip
        self._follow(smooth_piece(duration, begin, State.at_rest(goal)))
        self.airborne = True

    def take_off(self, height: float, yaw: float | None = None) -> None:
        """Climb to a height [m] above where it is."""
        place = self._state().value
        self.go_to((place[0], place[1], height), yaw)

    def land(self, floor: float) -> None:
        """Go down, slowly from 3 m above a floor [m] on, until it stands."""
        if not self.airborne:
            self.off()
            return
        begin = self._state()
        self._lowered, self._floor = float(begin.value[2]), floor
        self.hold()
        self._stage = _Stage.LANDING

    def fly(self, setpoint: Setpoint) -> None:
        """Fly what somebody asks for at this moment."""
        self._stage, self._direct = _Stage.DIRECT, setpoint
        self.airborne = self.airborne or not setpoint.is_off

    # what comes of it

    @property
    def is_there(self) -> bool:
        """Whether the way is over: the set-point stands at its end."""
        return self._stage is _Stage.WAY and self._robot.time - self._begin >= self._path.duration

    @property
    def is_landing(self) -> bool:
        """Whether it goes down to land."""
        return self._stage is _Stage.LANDING

    @property
    def goal(self) -> Setpoint:
        """What is asked for now."""
        return OFF_SETPOINT if self._stage is _Stage.OFF else self._setpoint(self._robot.time)

    @property
    def distance(self) -> float:
        """[m] from the end of the way."""
        return float(np.linalg.norm(self._path.at(self._path.duration).value[:3] - self._robot.position))

    def update(self) -> bool:
        """Bring what is asked for to the robot, before a tick; whether it has landed just now."""
        now = self._robot.time
        if now < self._next:
            return False
        step, self._next = (now - self._next + PERIOD if self._next else PERIOD), now + 0.999 * PERIOD
        landed = self._stage is _Stage.LANDING and self._lower(min(step, 2.0 * PERIOD))
        if landed:
            self.off()
        asked = self._setpoint(now)
        if not asked.is_sane:
            self.hold()
            asked = self._setpoint(now)
        self._engaged = self._engaged or not asked.is_off
        if self._engaged:
            self._robot.steer((OFF_SETPOINT if asked.is_off else asked).handles)
        return landed

    def _lower(self, step: float) -> bool:
        """Lower the height that is asked for; whether the robot stands."""
        height, settings = float(self._robot.position[2]), self._settings
        speed = settings["MPC_LAND_SPEED"] if height < self._floor + 3.0 else settings["MPC_Z_VEL_MAX_DN"]
        self._lowered = max(self._lowered - speed * step, height - _LEAD)
        return self._robot.feels_ground and height - self._lowered > 1.0

    def _setpoint(self, now: float) -> Setpoint:
        if self._stage is _Stage.OFF:
            return OFF_SETPOINT
        if self._stage is _Stage.DIRECT:
            return self._direct
        state = self._path.at(now - self._begin)
        if self._stage is _Stage.LANDING:
            state.value[2], state.rate[2], state.acceleration[2] = self._lowered, 0.0, 0.0
        return from_state(state)

    def _state(self) -> State:
        """Where a way begins: where the last one is, or the robot where none is flown."""
        if self._stage in (_Stage.WAY, _Stage.LANDING):
            state = self._path.at(self._robot.time - self._begin)
            if self._stage is _Stage.LANDING:
                state.value[2] = self._robot.position[2]
            return state
        rate = np.array([*self._robot.velocity, 0.0]) if self.airborne else np.zeros(4)
        return State(np.array([*self._robot.position, self._robot.angles[2]]), rate, np.zeros(4))

    def _follow(self, piece: Piece) -> None:
        self._path, self._stage, self._begin = Path((piece,)), _Stage.WAY, self._robot.time
