"""The loops that programs of multirotors share: from an error of place, a velocity and a heading down to the rotors.

    v*      = v_ff + kp e                                 the second term limited to position.limit, horizontal
    a*      = kp (v* - v) + ki int                        limited to g tan(tilt.limit)
    tilt    roll* = -atan(a*_left / g), pitch* = atan(a*_forward / g)
    u_roll, u_pitch, u_yaw = kp (angle* - angle) - kd rate,   as in `multirotor_pd`
    u_height = [hover + kp e_z - kd (dz/dt - v_ff,z) + ki int] / cos(tilt)
    inputs   = allocation (u_height, u_roll, u_pitch, u_yaw)            tilt before thrust before yaw, see `allocate`

e [m] leads from the robot to where it shall be, v_ff [m/s] is the velocity of that place, both in the axes of the world. With
`rotor_speeds`, the name of a `readout` sensor that reports the speed of every rotor in the order of the parts, a rotor that
should turn and for a tenth of a second does not (a tenth of the others' mean speed) is taken out of the allocation, see
`mixer_without`; the heading is then left alone.

Forward and left are those of the heading. The integrals learn the wind; at the limit of their output they only unlearn.
Frames: world east-north-up, body forward-left-up.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from didymos.compiled import kernel
from didymos.contract import command, measurement, memory, setting
from didymos.control.allocate import allocate
from didymos.control.allocation import ALLOCATION, MOST_INPUTS, Command
from didymos.control.angles import limit, roll_pitch_yaw, wrap
from didymos.control.controller import Gain, Robot
from didymos.control.flight_model import FlightModel
from didymos.control.mixer import MOST_ROTORS, mixer_without, rotor_allocation
from didymos.control.multirotor_gains import HOLD, place_gains
from didymos.control.navigation import NavigatingController, Navigation
from didymos.errors import InputError, nearest

__all__ = ["MultirotorLoops", "fly", "lift_share", "rest", "tilt_setpoints", "turn_rotors", "watch_rotors"]

_GRAVITY = 9.80665
_IDLE = 0.1  # an input below this may well leave a rotor standing
_STANDING = 0.1  # of the others' mean speed
_PATIENCE = 0.1  # [s]


@kernel
def watch_rotors(speeds: Any, rotors: int, dt: float, memory: Any) -> None:
    """Notice a rotor that was commanded to turn and stands while the others turn."""
    total = 0.0
    slowest = -1
    for i in range(rotors):
        total += abs(speeds[i])
        if memory.throttle[i] > _IDLE and (slowest < 0 or abs(speeds[i]) < abs(speeds[slowest])):
            slowest = i
    stands = False
    if slowest >= 0:
        own = abs(speeds[slowest])
        mean = (total - own) / (rotors - 1)
        stands = mean > 0.0 and own < _STANDING * mean
    memory.standing = memory.standing + dt if stands else 0.0
    if memory.standing > _PATIENCE:
        memory.failed = slowest + 1.0


@kernel
def tilt_setpoints(
    dt: float, gains: Any, error: tuple[float, float], ahead: tuple[float, float], velocity: Any, yaw: float, integral: Any
) -> tuple[float, float]:
    """Roll and pitch [rad] that lead to the place; the integral [m/s^2] learns below the largest tilt, and back from it.

    `error` [m] to the place, `ahead` [m/s] its velocity, `velocity` [m/s] the robot's, [3], all in the axes of the world.
    """
    ex, ey = gains.position_kp * error[0], gains.position_kp * error[1]
    size = math.sqrt(ex * ex + ey * ey)
    share = min(1.0, gains.position_limit / size) if size > 0.0 else 1.0
    ex, ey = share * ex + ahead[0] - velocity[0], share * ey + ahead[1] - velocity[1]
    ax, ay = gains.velocity_kp * ex + integral[0], gains.velocity_kp * ey + integral[1]
    size = math.sqrt(ax * ax + ay * ay)
    most = _GRAVITY * math.tan(gains.tilt_limit)
    if size < most or integral[0] * ex + integral[1] * ey < 0.0:
        integral[0] += gains.velocity_ki * ex * dt
        integral[1] += gains.velocity_ki * ey * dt
    if size >= most:
        ax, ay = ax * most / size, ay * most / size
    c, s = math.cos(yaw), math.sin(yaw)
    return -math.atan((c * ay - s * ax) / _GRAVITY), math.atan((c * ax + s * ay) / _GRAVITY)


@kernel
def lift_share(dt: float, gains: Any, error: float, climb: float, memory: Any) -> float:
    """Thrust along the vertical, from the error of height [m] and the rate of climb [m/s] beyond what is asked for."""
    lift = (
        gains.height_hover + gains.height_kp * limit(error, -gains.height_step, gains.height_step)
        - gains.height_kd * climb + memory.height_integral
    )  # fmt: skip
    if not (lift >= 1.0 and error > 0.0) and not (lift <= 0.0 and error < 0.0):
        learned = memory.height_integral + gains.height_ki * error * dt
        memory.height_integral = limit(learned, -gains.height_reserve, gains.height_reserve)
    return lift


@kernel
def turn_rotors(
    dt: float, settings: Any, measured: Any, shares: tuple[float, float, float, float], memory: Any, inputs: Any
) -> None:
    """Write the throttles that give shares of thrust, roll, pitch and yaw, without a rotor that has failed."""
    rotors = int(settings.rotors)
    if settings.watches_speeds > 0.0 and memory.failed == 0.0:
        watch_rotors(measured.rotor_speed, rotors, dt, memory)
    u_height, u_roll, u_pitch, u_yaw = shares
    asked = Command(roll=u_roll, pitch=-u_pitch, yaw=-u_yaw, thrust=u_height, flaps=0.0, tilt=0.0, brake=0.0)
    allocate(settings.allocations[int(memory.failed)], asked, inputs.throttle)
    for i in range(rotors):
        memory.throttle[i] = inputs.throttle[i]


@kernel
def fly(
    dt: float,
    settings: Any,
    gains: Any,
    measured: Any,
    error: tuple[float, float, float],
    ahead: tuple[float, float, float],
    heading: float,
    memory: Any,
    inputs: Any,
) -> float:
    """Write the throttles that lead to a place, and answer with the share of thrust.

    `error` [m] to the place, `ahead` [m/s] its velocity, in the axes of the world; `heading` [rad] to be held.
    """
    estimate = memory.navigation.estimate
    velocity = estimate.velocity
    roll, pitch, yaw = roll_pitch_yaw(estimate.orientation)
    roll_setpoint, pitch_setpoint = tilt_setpoints(
        dt, gains, (error[0], error[1]), (ahead[0], ahead[1]), velocity, yaw, memory.velocity_integral
    )
    u_roll = limit(gains.roll_kp * (roll_setpoint - roll) - gains.roll_kd * estimate.rate[0], -1.0, 1.0)
    u_pitch = limit(gains.pitch_kp * (pitch_setpoint - pitch) - gains.pitch_kd * estimate.rate[1], -1.0, 1.0)
    u_yaw = limit(gains.yaw_kp * wrap(heading - yaw) - gains.yaw_kd * estimate.rate[2], -1.0, 1.0)
    lift = lift_share(dt, gains, error[2], velocity[2] - ahead[2], memory)
    u_height = limit(lift / max(math.cos(roll) * math.cos(pitch), 0.5), 0.0, 1.0)
    turn_rotors(dt, settings, measured, (u_height, u_roll, u_pitch, u_yaw), memory, inputs)
    return u_height


@kernel
def rest(memory: Any, inputs: Any) -> None:
    """Hold all rotors and what the loops have learned at zero: it stands."""
    memory.velocity_integral[0] = memory.velocity_integral[1] = memory.height_integral = memory.standing = 0.0
    inputs.throttle[:] = 0.0
    memory.throttle[:] = 0.0


class MultirotorLoops(NavigatingController):
    """Base of programs that call `fly`: gains, allocations and memory of the loops."""

    designs, designed = "hover", HOLD
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
    rotor_speed = measurement(count=MOST_ROTORS, unit="rad/s")
    rotors = setting(doc="how many")
    watches_speeds = setting(doc="1 where the rotors' speeds are measured")
    allocations = setting(layout=ALLOCATION, count=1 + MOST_ROTORS, doc="of all rotors, then without the first, the second, ...")
    velocity_integral = memory(columns="xy", unit="m/s^2")
    height_integral = memory()
    failed = memory(doc="number of the rotor that failed, from 1; 0 for none")
    standing = memory(unit="s", doc="for how long a rotor has stood that should turn")
    last_throttle = memory("throttle", count=MOST_ROTORS, doc="the inputs of the last call")
    throttle = command(count=MOST_INPUTS, doc="rotors first")

    def fly_by(
        self,
        program: str,
        sensor: str | None,
        estimator: Mapping[str, str | float] | None,
        rotor_speeds: str | None,
    ) -> None:
        """Take over the options that all these programs have."""
        self.speed_sensor = rotor_speeds
        self.navigate_by(Navigation(program, sensor, estimator, None))

    @classmethod
    def design(cls, model: FlightModel) -> Mapping[str, float]:
        """Gains from the linear model of hovering; see `multirotor_gains`."""
        return place_gains(model)

    def start(self, robot: Robot) -> None:
        """Find the inputs and the readings."""
        super().start(robot)
        whole = robot.allocation.hover
        self.writes = {"throttle": whole.inputs}
        self.settings["rotors"] = len(robot.rotors)
        self.settings["allocations"][0] = whole.record()
        if self.speed_sensor is not None:
            self.reads = {**self.reads, "rotor_speed": self._speed_readings(robot)}
            self.settings["watches_speeds"] = 1.0
            for i in range(len(robot.rotors)):
                matrix = mixer_without(robot.rotors, i)
                without = whole if matrix is None else rotor_allocation(robot.rotors, matrix, whole.priority)
                self.settings["allocations"][1 + i] = without.record(whole.inputs)

    def _speed_readings(self, robot: Robot) -> list[str]:
        """The readings of the rotors' speeds, in the order of the rotors."""
        names = [f"{self.speed_sensor}.{rotor.input}.speed" for rotor in robot.rotors]
        for name in names:
            if name not in robot.measured:
                where = "control.options.rotor_speeds"
                raise InputError(f"no sensor reads {name!r}{nearest(name, robot.measured)}", path=where)
        return names
