"""The high-level commander: take-off, go to, land, spirals and trajectories from memory, as set-points at 100 Hz.

    set group 0  take off 7 (1 of old, 9 by velocity)  land 8 (2, 10)  stop 3  go to 12 (4)  spiral 11  define 6  start 13 (5)

Paths begin where the last one is asked to be, or where the robot is while none is flown; take-off and land change the height
alone. After landing, and after `stop`, it asks for rotors that stand; while it is disabled it asks for nothing.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping
from enum import Enum

import numpy as np

from didymos.control.angles import wrap
from didymos.control.polynomial_path import Path, State, smooth_piece, spiral
from didymos.ports.commander_setpoint import OFF_SETPOINT, Setpoint, from_state
from didymos.ports.crtp.trajectory_memory import TrajectoryMemory
from didymos.ports.crtp.vehicle import Vehicle

__all__ = ["HighLevel", "Stage"]

_REFUSED, _UNKNOWN = 1, 8  # ENOEXEC
_LONGEST = 1e5  # [s] that a path may take
_TURN = 2.0 * math.pi


class Stage(Enum):
    """What it is doing."""

    IDLE = 0
    FLYING = 1
    LANDING = 3


class HighLevel:
    """Plans paths of a vehicle; `speeds` are the parameters `hlCommander.vtoff` and `.vland` [m/s] by name."""

    def __init__(self, vehicle: Vehicle, memory: TrajectoryMemory, speeds: Mapping[str, float]) -> None:
        self._vehicle, self._memory, self._speeds = vehicle, memory, speeds
        self.stage = Stage.IDLE
        self._group = 0
        self._path = Path((smooth_piece(0.0, State.at_rest(np.zeros(4)), State.at_rest(np.zeros(4))),))
        self._begin = 0.0
        self._commands: Mapping[int, tuple[str, Callable[..., bool]]] = {
            1: ("<ff", lambda height, duration: self._vertical(height, 0.0, duration, up=True)),
            2: ("<ff", lambda height, duration: self._vertical(height, 0.0, duration, up=False)),
            3: ("<", self.stop),
            4: ("<Bfffff", lambda relative, *goal: self._go_to(relative, False, *goal)),
            5: ("<BBBf", lambda relative, back, number, scale: self._start(relative, False, back, number, scale)),
            7: ("<ff?f", lambda height, yaw, own, duration: self._vertical(height, None if own else yaw, duration, up=True)),
            8: ("<ff?f", lambda height, yaw, own, duration: self._vertical(height, None if own else yaw, duration, up=False)),
            9: ("<f?f?f", lambda *asked: self._by_speed(*asked, up=True)),
            10: ("<f?f?f", lambda *asked: self._by_speed(*asked, up=False)),
            11: ("<BBfffff", self._spiral),
            12: ("<BBfffff", self._go_to),
            13: ("<BBBBf", self._start),
        }

    def command(self, data: bytes) -> int:
        """Do what a packet says; 0, or the number of what went wrong."""
        if len(data) >= 2 and data[0] == 0:
            self._group = data[1]
            return 0
        if len(data) >= 1 and data[0] == 6:
            return 0 if self._memory.define(data[1:]) else _UNKNOWN
        if len(data) < 2 or data[0] not in self._commands:
            return _UNKNOWN
        if data[1] != 0 and not data[1] & self._group:
            return 0  # meant for others
        form, act = self._commands[data[0]]
        if len(data) < 2 + struct.calcsize(form):
            return _UNKNOWN
        asked = struct.unpack_from(form, data, 2)
        if not all(math.isfinite(number) and abs(number) < _LONGEST for number in asked):
            return _REFUSED
        return 0 if act(*asked) else _REFUSED

    def setpoint(self) -> Setpoint:
        """What it asks for now."""
        since = self._vehicle.time - self._begin
        if self.stage is Stage.LANDING and since >= self._path.duration:
            self.stage = Stage.IDLE
        asked = OFF_SETPOINT if self.stage is Stage.IDLE else from_state(self._path.at(since))
        if not asked.is_sane:
            self.stage, asked = Stage.IDLE, OFF_SETPOINT
        return asked

    @property
    def is_finished(self) -> bool:
        """Whether its path is over."""
        return self._vehicle.time - self._begin >= self._path.duration

    def stop(self) -> bool:
        """Ask for nothing more."""
        self.stage = Stage.IDLE
        return True

    def _state(self) -> State:
        """Where a path begins: where the last one is, or the robot where none is flown."""
        if self.stage is Stage.IDLE:
            place = self._vehicle.position
            return State(np.array([*place, self._vehicle.angles[2]]), np.array([*self._vehicle.velocity, 0.0]), np.zeros(4))
        return self._path.at(self._vehicle.time - self._begin)

    def _follow(self, path: Path, stage: Stage) -> bool:
        self._path, self.stage, self._begin = path, stage, self._vehicle.time
        return True

    def _vertical(self, height: float, yaw: float | None, duration: float, *, up: bool) -> bool:
        if (up and self.stage is not Stage.IDLE) or self.stage is Stage.LANDING:
            return False
        begin = State.at_rest(self._state().value)
        turned = 0.0 if yaw is None else wrap(yaw - begin.value[3])
        goal = State.at_rest([begin.value[0], begin.value[1], height, begin.value[3] + turned])
        return self._follow(Path((smooth_piece(duration, begin, goal),)), Stage.FLYING if up else Stage.LANDING)

    def _by_speed(self, height: float, relative: bool, yaw: float, own: bool, speed: float, *, up: bool) -> bool:
        here = float(self._state().value[2])
        goal = here + (height if up else -height) if relative else height
        speed = speed if speed > 0.0 else self._speeds["vtoff" if up else "vland"]
        return speed > 0.0 and self._vertical(goal, None if own else yaw, abs(goal - here) / speed, up=up)

    def _go_to(self, relative: int, linear: int, x: float, y: float, z: float, yaw: float, duration: float) -> bool:
        begin = self._state()
        goal = np.array([x, y, z, yaw]) + (begin.value if relative else 0.0)
        goal[3] = begin.value[3] + wrap(goal[3] - begin.value[3])
        if linear and duration > 0.0:
            steady = (goal - begin.value) / duration
            begin, end = State(begin.value, steady, np.zeros(4)), State(goal, steady, np.zeros(4))
        else:
            end = State.at_rest(goal)
        return self._follow(Path((smooth_piece(duration, begin, end),)), Stage.FLYING)

    def _spiral(
        self, side: int, clockwise: int, angle: float, first: float, last: float, ascent: float, duration: float
    ) -> bool:
        if duration <= 0.0:
            return False
        angle, radii = min(max(angle, -_TURN), _TURN), (max(first, 0.0), max(last, 0.0))
        piece = spiral(self._state(), angle, radii, ascent, duration, 1.0 if clockwise else -1.0, bool(side))
        return self._follow(Path((piece,)), Stage.FLYING)

    def _start(self, relative: int, relative_yaw: int, back: int, number: int, scale: float) -> bool:
        pieces = self._memory.pieces(number)
        if not pieces or scale <= 0.0:
            return False
        path = Path(pieces, scale, backward=bool(back))
        if not path.duration < _LONGEST or not np.isfinite(path.at(0.0).value).all():
            return False
        if relative:
            here, first = self._state().value, path.at(0.0).value
            turn = wrap(here[3] - first[3]) if relative_yaw else 0.0
            turned = Path(pieces, scale, turn=turn, backward=bool(back)).at(0.0).value
            shift = (float(here[0] - turned[0]), float(here[1] - turned[1]), float(here[2] - turned[2]))
            path = Path(pieces, scale, shift, turn, bool(back))
        return self._follow(path, Stage.FLYING)
