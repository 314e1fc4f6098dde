"""Multirotor position hold: position, velocity, tilt and height in nested loops; the mixer comes from the rotors' geometry.

    v*      = kp (p* - p)                                 limited to position.limit, horizontal
    a*      = kp (v* - v) + ki int                        limited to g tan(tilt.limit)
    tilt    roll* = -atan(a*_left / g), pitch* = atan(a*_forward / g)
    u_roll, u_pitch, u_yaw = kp (angle* - angle) - kd rate,   as in `multirotor_pd`
    u_height = [hover + kp (z* - z) - kd dz/dt + ki int] / cos(tilt)

With `rotor_speeds`, the name of a `readout` sensor that reports the speed of every rotor in the order of the parts, a rotor that
should turn and for a tenth of a second does not (a tenth of the others' mean speed) is taken out of the mixer, see
`mixer_without`; the heading is then left alone.

Forward and left are those of the heading. The integrals learn the wind. Frames: world east-north-up, body forward-left-up.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numba import carray

from didymos.compiled import c_function, kernel
from didymos.control.angles import limit, roll_pitch_yaw, wrap
from didymos.control.controller import CompiledController, Gain, Robot
from didymos.control.mixer import Stated, mixer, mixer_without
from didymos.control.navigation import MEMORY, SETTINGS, Navigation, navigate
from didymos.control.program import PROGRAM_SIGNATURE
from didymos.errors import InputError, nearest

__all__ = ["MultirotorHold"]

_GRAVITY = 9.80665
_FAILED, _STANDS = MEMORY + 3, MEMORY + 4  # number of the rotor that failed, from 1, and for how long one stands [s]
_MOST_ROTORS = 16
_TOLD = MEMORY + 5  # what each rotor was told last
_MEMORY = _TOLD + _MOST_ROTORS
_IDLE = 0.1  # an input below this may well leave a rotor standing
_SPEEDS = "control.options.rotor_speeds"
_STANDING = 0.1  # of the others' mean speed
_PATIENCE = 0.1  # [s]


@kernel
def _watch(speeds: Any, count: int, dt: float, memory: Any) -> None:
    """Notice a rotor that was told to turn and stands while the others turn."""
    total = 0.0
    slowest = -1
    for i in range(count):
        total += abs(speeds[i])
        if memory[_TOLD + i] > _IDLE and (slowest < 0 or abs(speeds[i]) < abs(speeds[slowest])):
            slowest = i
    stands = False
    if slowest >= 0:
        own = abs(speeds[slowest])
        mean = (total - own) / (count - 1)
        stands = mean > 0.0 and own < _STANDING * mean
    memory[_STANDS] = memory[_STANDS] + dt if stands else 0.0
    if memory[_STANDS] > _PATIENCE:
        memory[_FAILED] = slowest + 1.0


@c_function(PROGRAM_SIGNATURE)
def _program(clock, settings_at, gains, sensed_at, setpoints, memory_at, inputs):  # type: ignore[no-untyped-def]
    settings, measured, memory = carray(settings_at, 4096), carray(sensed_at, 32 + _MOST_ROTORS), carray(memory_at, _MEMORY)
    dt = clock[1]
    state = navigate(clock, settings, gains[17], gains[18], gains[19], 0.0, measured, memory)
    roll, pitch, yaw = roll_pitch_yaw(state, 0)
    ex, ey = gains[0] * (setpoints[0] - state[7]), gains[0] * (setpoints[1] - state[8])
    size = math.sqrt(ex * ex + ey * ey)
    share = min(1.0, gains[1] / size) if size > 0.0 else 1.0
    ex, ey = share * ex - state[10], share * ey - state[11]
    ax, ay = gains[2] * ex + memory[MEMORY], gains[2] * ey + memory[MEMORY + 1]
    size = math.sqrt(ax * ax + ay * ay)
    most = _GRAVITY * math.tan(gains[4])
    if size < most:
        memory[MEMORY] += gains[3] * ex * dt
        memory[MEMORY + 1] += gains[3] * ey * dt
    else:
        ax, ay = ax * most / size, ay * most / size
    c, s = math.cos(yaw), math.sin(yaw)
    roll_setpoint = -math.atan((c * ay - s * ax) / _GRAVITY)
    pitch_setpoint = math.atan((c * ax + s * ay) / _GRAVITY)
    u_roll = limit(gains[5] * (roll_setpoint - roll) - gains[6] * state[4], -1.0, 1.0)
    u_pitch = limit(gains[7] * (pitch_setpoint - pitch) - gains[8] * state[5], -1.0, 1.0)
    u_yaw = limit(gains[9] * wrap(setpoints[3] - yaw) - gains[10] * state[6], -1.0, 1.0)
    error = setpoints[2] - state[9]
    lift = gains[14] + gains[11] * limit(error, -gains[15], gains[15]) - gains[12] * state[12] + memory[MEMORY + 2]
    if 0.0 < lift < 1.0:
        memory[MEMORY + 2] = limit(memory[MEMORY + 2] + gains[13] * error * dt, -gains[16], gains[16])
    u_height = limit(lift / max(math.cos(roll) * math.cos(pitch), 0.5), 0.0, 1.0)
    count = int(settings[SETTINGS])
    if settings[SETTINGS + 1] > 0.0 and memory[_FAILED] == 0.0:
        _watch(measured[int(settings[SETTINGS + 1]) :], count, dt, memory)
    first = SETTINGS + 2 + 4 * count * int(memory[_FAILED])
    for i in range(count):
        row = first + 4 * i
        wish = settings[row] * u_height + settings[row + 1] * u_roll + settings[row + 2] * u_pitch + settings[row + 3] * u_yaw
        inputs[i] = limit(wish, 0.0, 1.0)
        if i < _MOST_ROTORS:
            memory[_TOLD + i] = inputs[i]


class MultirotorHold(CompiledController):
    """Holds a place, a height and a heading, from a pose sensor or from the estimator."""

    program: ClassVar = _program
    setpoints = ("x", "y", "z", "yaw")
    memory_size = _MEMORY
    position_kp = Gain(0.8, low=0, high=20, unit="1/s", path="position.kp")
    position_limit = Gain(4.0, low=0, high=50, unit="m/s", path="position.limit")
    velocity_kp = Gain(2.0, low=0, high=50, unit="1/s", path="velocity.kp")
    velocity_ki = Gain(0.8, low=0, high=50, unit="1/s^2", path="velocity.ki")
    tilt_limit = Gain(0.5, low=0, high=1.2, unit="rad", path="tilt.limit")
    roll_kp = Gain(0.0, low=0, high=10, unit="1/rad", path="roll.kp")
    roll_kd = Gain(0.0, low=0, high=10, unit="s/rad", path="roll.kd")
    pitch_kp = Gain(0.0, low=0, high=10, unit="1/rad", path="pitch.kp")
    pitch_kd = Gain(0.0, low=0, high=10, unit="s/rad", path="pitch.kd")
    yaw_kp = Gain(0.0, low=0, high=10, unit="1/rad", path="yaw.kp")
    yaw_kd = Gain(0.0, low=0, high=10, unit="s/rad", path="yaw.kd")
    height_kp = Gain(0.0, low=0, high=10, unit="1/m", path="height.kp")
    height_kd = Gain(0.0, low=0, high=10, unit="s/m", path="height.kd")
    height_ki = Gain(0.0, low=0, high=10, unit="1/(m s)", path="height.ki")
    height_hover = Gain(0.0, low=0, high=1, unit="1", path="height.hover", doc="feed-forward: the input at which it hovers")
    height_step = Gain(1.0, low=0, high=100, unit="m", path="height.step", doc="largest error of height that is acted on")
    height_reserve = Gain(0.2, low=0, high=1, unit="1", path="height.reserve", doc="largest share of the integral")
    bandwidth = Gain(0.5, low=0, high=20, unit="rad/s", path="estimator.tilt")
    position_gain = Gain(1.0, low=0, high=50, unit="1/s", path="estimator.position")
    heading_gain = Gain(0.5, low=0, high=50, unit="1/s", path="estimator.heading")

    def __init__(
        self,
        sensor: str | None = None,
        estimator: Mapping[str, str | float] | None = None,
        mixer: Stated | None = None,
        rotor_speeds: str | None = None,
    ) -> None:
        self.mixer, self.rotor_speeds = mixer, rotor_speeds
        self.navigation = Navigation("multirotor_hold", sensor, estimator, None)

    def start(self, robot: Robot) -> None:
        """Derive the mixer and find the readings."""
        self.navigation.check(robot)
        self.reads = self.navigation.reads
        self.writes = tuple(rotor.input for rotor in robot.rotors)
        mixers = [mixer(robot.rotors, self.mixer)]
        speeds = 0.0  # where their readings begin
        if self.rotor_speeds is not None:
            speeds = float(len(self.reads))
            self.reads = (*self.reads, *self._speeds(robot))
            without = [mixer_without(robot.rotors, i) for i in range(len(robot.rotors))]
            mixers += [mixers[0] if rows is None else rows for rows in without]
        count = [float(len(robot.rotors)), speeds]
        self.settings = np.concatenate([self.navigation.settings, count, np.concatenate(mixers).ravel()])

    def _speeds(self, robot: Robot) -> list[str]:
        """The readings of the rotors' speeds, in the order of the rotors."""
        if len(robot.rotors) > _MOST_ROTORS:
            raise InputError(f"found {len(robot.rotors)} rotors, expected at most {_MOST_ROTORS}", path=_SPEEDS)
        names = [f"{self.rotor_speeds}.{rotor.input}.speed" for rotor in robot.rotors]
        for name in names:
            if name not in robot.measured:
                raise InputError(f"no sensor reads {name!r}{nearest(name, robot.measured)}", path=_SPEEDS)
        return names
