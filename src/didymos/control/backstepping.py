"""Backstepping attitude control of a multirotor, and its height; the answer is a thrust for each rotor, then its input.

For one axis, with angle error z1 = phi* - phi, the rate a1 z1 would let it decay; z2 = a1 z1 - omega is what is missing to it.

    V = (z1^2 + z2^2) / 2,    dV/dt = -a1 z1^2 - a2 z2^2    if    domega/dt = (1 + a1 a2) z1 - (a1 + a2) omega

so the error of a constant set-point decays for any a1, a2 > 0, at least as fast as exp(-min(a1, a2) t). The poles are those of
s^2 + (a1 + a2) s + 1 + a1 a2: complex, at -(a1 + a2)/2 with imaginary part sqrt(1 - (a1 - a2)^2 / 4), where |a1 - a2| < 2.

    M  = J [(1 + a1 a2) z1 - (a1 + a2) omega] + omega x J omega                moments [N m] about the body's axes
    F  = m [g + kp limit(z* - z) - kd dz/dt + int] / (cos roll cos pitch)      thrust [N]
    T  = mixer (F, M),   w = sqrt(T / k_T),   u = (w - C) / K                  u in [0, 1]: see `allocate`

This is law (4.1) of DaedalusSim, completed where the source is silent or wrong: the source divides by the arm, which has no
meaning for yaw; adds newtons to motor commands (here the rotor's curve is inverted); mixes with numbers that contradict its
own model (here the mixer comes from the rotors' geometry); has no height. The last term of M cancels the gyroscopic coupling.

Angles are Euler angles Z-Y-X of the body, forward-left-up. Valid for tilts below 60 degrees, where their rates are close to
the body's, and for rotors that follow faster than a1 and a2. A steady torque leaves an offset: there is no integral of the angle.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from didymos.compiled import kernel
from didymos.contract import command, memory, setpoint, setting
from didymos.control.allocate import allocate_within
from didymos.control.allocation import ALLOCATION, MOST_INPUTS, Command
from didymos.control.angles import limit, roll_pitch_yaw, wrap
from didymos.control.compiled_controller import program
from didymos.control.controller import Gain, Robot
from didymos.control.flight_model import FlightModel
from didymos.control.mixer import rotor_allocation, thrust_mixer
from didymos.control.multirotor_gains import BACKSTEPPING, backstepping_gains
from didymos.control.navigation import NavigatingController, Navigation, navigate

__all__ = ["Backstepping", "acceleration"]


@kernel
def acceleration(error: float, rate: float, a1: float, a2: float) -> float:
    """Angular acceleration [rad/s^2] that lets an error [rad] decay, at a rate [rad/s] and gains [1/s]."""
    return (1.0 + a1 * a2) * error - (a1 + a2) * rate


class Backstepping(NavigatingController):
    """Backstepping of roll, pitch and yaw, PID of height, from a pose sensor or from the estimator."""

    designs, designed = "hover", BACKSTEPPING
    roll_a1 = Gain(4.0, low=0, high=100, unit="1/s", path="roll.a1")
    roll_a2 = Gain(4.0, low=0, high=100, unit="1/s", path="roll.a2")
    pitch_a1 = Gain(4.0, low=0, high=100, unit="1/s", path="pitch.a1")
    pitch_a2 = Gain(4.0, low=0, high=100, unit="1/s", path="pitch.a2")
    yaw_a1 = Gain(1.5, low=0, high=100, unit="1/s", path="yaw.a1")
    yaw_a2 = Gain(1.5, low=0, high=100, unit="1/s", path="yaw.a2")
    yaw_limit = Gain(0.05, low=0, high=100, unit="N m", path="yaw.limit", doc="largest moment, so that yaw leaves room for tilt")
    height_kp = Gain(4.0, low=0, high=100, unit="1/s^2", path="height.kp")
    height_kd = Gain(4.0, low=0, high=100, unit="1/s", path="height.kd")
    height_ki = Gain(0.0, low=0, high=100, unit="1/s^3", path="height.ki")
    height_step = Gain(1.0, low=0, high=100, unit="m", path="height.step", doc="largest error of height that is acted on")
    gravity = Gain(9.80665, low=0, high=100, unit="m/s^2", path="model.gravity")
    mass = Gain(1.0, low=0, high=1e4, unit="kg", path="model.mass")
    inertia_x = Gain(0.01, low=0, high=1e4, unit="kg m^2", path="model.inertia.x")
    inertia_y = Gain(0.01, low=0, high=1e4, unit="kg m^2", path="model.inertia.y")
    inertia_z = Gain(0.02, low=0, high=1e4, unit="kg m^2", path="model.inertia.z")
    thrust_coefficient = Gain(1.5e-5, low=1e-12, high=10, unit="N s^2", path="model.thrust_coefficient", doc="k_T")
    torque_ratio = Gain(0.015, low=1e-9, high=10, unit="m", path="model.torque_ratio", doc="k_M / k_T")
    speed_per_input = Gain(600.0, low=1e-9, high=1e6, unit="rad/s", path="model.speed_per_input", doc="K")
    speed_at_zero = Gain(0.0, low=0, high=1e6, unit="rad/s", path="model.speed_at_zero", doc="C")
    roll = setpoint(unit="rad")
    pitch = setpoint(unit="rad")
    yaw = setpoint(unit="rad")
    z = setpoint(unit="m")
    rotors = setting(doc="how many")
    allocation = setting(layout=ALLOCATION, doc="thrust [N] of each rotor by thrust [N], roll and pitch [N m], yaw [N]")
    height_integral = memory(unit="m/s^2")
    least_thrust = memory(count=MOST_INPUTS, unit="N", doc="of each rotor")
    most_thrust = memory(count=MOST_INPUTS, unit="N", doc="of each rotor")
    throttle = command(count=MOST_INPUTS)

    @program
    def step(clock: Any, settings, gains, measured, setpoints, memory, inputs):  # type: ignore[no-untyped-def]
        navigate(clock, settings, gains, measured, memory)
        estimate = memory.navigation.estimate
        roll, pitch, yaw = roll_pitch_yaw(estimate.orientation)
        p, q, r = estimate.rate[0], estimate.rate[1], estimate.rate[2]
        jx, jy, jz = gains.inertia_x, gains.inertia_y, gains.inertia_z
        roll_moment = jx * acceleration(setpoints.roll - roll, p, gains.roll_a1, gains.roll_a2) + (jz - jy) * q * r
        pitch_moment = jy * acceleration(setpoints.pitch - pitch, q, gains.pitch_a1, gains.pitch_a2) + (jx - jz) * r * p
        yaw_moment = jz * acceleration(wrap(setpoints.yaw - yaw), r, gains.yaw_a1, gains.yaw_a2) + (jy - jx) * p * q
        yaw_moment = limit(yaw_moment, -gains.yaw_limit, gains.yaw_limit)
        error = limit(setpoints.z - estimate.position[2], -gains.height_step, gains.height_step)
        lift = gains.gravity + gains.height_kp * error - gains.height_kd * estimate.velocity[2] + memory.height_integral
        thrust = gains.mass * max(lift, 0.0) / max(math.cos(roll) * math.cos(pitch), 0.5)
        rotors, fastest = int(settings.rotors), gains.speed_at_zero + gains.speed_per_input
        least, most = gains.thrust_coefficient * gains.speed_at_zero**2, gains.thrust_coefficient * fastest**2  # of a rotor [N]
        if not (thrust >= rotors * most and error > 0.0) and not (lift <= 0.0 and error < 0.0):  # at a limit it only unlearns
            learned = memory.height_integral + gains.height_ki * error * clock.period
            memory.height_integral = limit(learned, -0.5 * gains.gravity, 0.5 * gains.gravity)
        yaw_share = yaw_moment / gains.torque_ratio
        memory.least_thrust[:], memory.most_thrust[:] = least, most
        asked = Command(roll=roll_moment, pitch=-pitch_moment, yaw=-yaw_share, thrust=thrust, flaps=0.0, tilt=0.0, brake=0.0)
        allocate_within(settings.allocation, memory.least_thrust, memory.most_thrust, asked, inputs.throttle)
        for i in range(rotors):  # from thrusts to inputs
            speed = math.sqrt(inputs.throttle[i] / gains.thrust_coefficient)
            inputs.throttle[i] = limit((speed - gains.speed_at_zero) / gains.speed_per_input, 0.0, 1.0)

    def __init__(self, sensor: str | None = None, estimator: Mapping[str, str | float] | None = None) -> None:
        self.navigate_by(Navigation("backstepping", sensor, estimator, None))

    @classmethod
    def design(cls, model: FlightModel) -> Mapping[str, float]:
        """Gains from the linear model of hovering; see `multirotor_gains`."""
        return backstepping_gains(model)

    def start(self, robot: Robot) -> None:
        """Derive the mixer and find the readings."""
        super().start(robot)
        allocation = rotor_allocation(robot.rotors, thrust_mixer(robot.rotors))
        self.writes = {"throttle": allocation.inputs}
        self.settings["rotors"] = len(robot.rotors)
        self.settings["allocation"] = allocation.record()
