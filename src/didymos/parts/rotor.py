"""Rotor: thrust and drag torque by the square of its speed, the speed following the command with a first-order lag.

    F = (rho / rho0) [k_T w^2 g - k_V w V_x + 3/2 k_T w^2 mu^2],   Q = -d k_M (rho / rho0) w^2,   T dw/dt = K u + C - w

u input in [0, 1], w >= 0 the speed (a continuous state, integrated by the engine with everything else), d = +1 or -1 the
sense of rotation about +x, rho0 = 1.225 kg/m^3 the density at which the coefficients were measured. F acts along +x of the
part's frame. T = 0 means no lag: w = K u + C at once. Each of the following is off until its number is given:

    inflow               -k_V w V_x             V_x velocity through the air along +x: climbing costs thrust
    translational lift   mu = V_perp / (w R)    up to mu = 0.3; blade element theory with uniform inflow
    ground effect        g = 1 / (1 - (R / 4 h)^2), h >= R / 2 the height over the ground (Cheeseman & Bennett 1955)
    flapping             force -k_D w V_perp and moment d k_R w V_perp across the axis
    spinning mass        moments -d I (dw/dt x + omega x w x), for a rotor without a joint; with one, the axle has its own mass
    limits               on the speed and on dw/dt (the latter needs T > 0)

References: momentum theory in hover (Seddon, Basic Helicopter Aerodynamics); k_V as CT1 in hector_quadrotor, k_D and k_R as
rotor drag and rolling moment in RotorS. Valid near hover and in slow forward flight, mu < 0.3; no vortex ring state.
"""

from __future__ import annotations

import math

from didymos.compiled import kernel
from didymos.contract import input, output, parameter, state
from didymos.parts.part import Part, law
from didymos.parts.wake import wake

__all__ = ["DENSITY_OF_BENCH", "Rotor", "ground_effect"]

DENSITY_OF_BENCH = 1.225  # [kg/m^3], ISA at sea level
MOST_ADVANCE = 0.3


@kernel
def ground_effect(height: float, radius: float) -> float:
    """Factor on the thrust at a height [m] of the disc over the ground; held below half a radius."""
    ratio = radius / (4.0 * max(height, 0.5 * radius))
    return 1.0 / (1.0 - ratio * ratio)


class Rotor(Part):
    """Parameters of a rotor."""

    direction = parameter(unit="1", low=-1, high=1, live=False, doc="sense of rotation about +x: 1 or -1")
    thrust_coefficient = parameter(unit="N s^2", low=0, doc="k_T, thrust per squared speed")
    torque_coefficient = parameter(0.0, unit="N m s^2", low=0, doc="k_M, drag torque per squared speed")
    speed_per_input = parameter(unit="rad/s", low=0, doc="K")
    speed_at_zero = parameter(0.0, unit="rad/s", low=0, doc="C")
    time_constant = parameter(0.0, unit="s", low=0, doc="T; 0 for no lag")
    speed_limit = parameter(0.0, unit="rad/s", low=0, doc="0 for none")
    acceleration_limit = parameter(0.0, unit="rad/s^2", low=0, doc="0 for none")
    radius = parameter(0.0, unit="m", low=0, doc="R, for ground effect, translational lift and wake")
    inflow_coefficient = parameter(0.0, unit="N s^2/m", low=0, doc="k_V, thrust lost per speed and axial velocity")
    translational_lift = parameter(0.0, unit="1", low=0, high=1, doc="1 switches it on")
    ground_effect = parameter(0.0, unit="1", low=0, high=1, doc="1 switches it on")
    ground_height = parameter(0.0, unit="m", doc="of the ground below, for the ground effect")
    flapping_drag = parameter(0.0, unit="N s^2/m", low=0, doc="k_D, force per speed and velocity across the axis")
    flapping_moment = parameter(0.0, unit="N s^2", low=0, doc="k_R, moment per speed and velocity across the axis")
    inertia = parameter(0.0, unit="kg m^2", low=0, doc="I of the spinning mass, for its moments; 0 for none")
    axle_gain = parameter(0.0, unit="N m s/rad", low=0, doc="torque per error of axle speed, where there is a joint")
    health = parameter(1.0, unit="1", low=0, high=1, doc="share of the commanded speed; 0 is a rotor that stops")
    command = input(range=(0.0, 1.0), doc="u")
    speed = state(unit="rad/s", doc="w")
    thrust = output(unit="N", doc="F, along +x")
    shown_speed = output("speed", unit="rad/s", doc="d w, about +x")
    wake = output(unit="m/s", doc="by how much the air behind is faster")

    @law
    def act(rotor, here, inputs, memory, state, rate, wrench, output):  # type: ignore[no-untyped-def]
        settled = rotor.health * (rotor.speed_per_input * min(max(inputs.command, 0.0), 1.0) + rotor.speed_at_zero)
        if rotor.speed_limit > 0.0:
            settled = min(settled, rotor.speed_limit)
        acceleration = 0.0
        speed = settled
        if rotor.time_constant > 0.0:
            speed = state.speed
            acceleration = (settled - speed) / rotor.time_constant
            if rotor.acceleration_limit > 0.0:
                acceleration = min(max(acceleration, -rotor.acceleration_limit), rotor.acceleration_limit)
        rate.speed = acceleration
        share = here.density / DENSITY_OF_BENCH
        square = share * speed * speed
        u, v, w = here.air_velocity[0], here.air_velocity[1], here.air_velocity[2]
        thrust = rotor.thrust_coefficient * square
        if rotor.ground_effect > 0.0 and here.rotation[6] > 0.0:
            lifted = ground_effect(here.position_world[2] - rotor.ground_height, rotor.radius)
            thrust *= 1.0 + rotor.ground_effect * (lifted - 1.0)
        if rotor.translational_lift > 0.0 and rotor.radius > 0.0:
            most = MOST_ADVANCE * speed * rotor.radius
            across = min(v * v + w * w, most * most)
            thrust += rotor.translational_lift * 1.5 * rotor.thrust_coefficient * share * across / (rotor.radius * rotor.radius)
        thrust -= rotor.inflow_coefficient * share * speed * u
        wrench.force[0] = thrust
        wrench.force[1] = -rotor.flapping_drag * share * speed * v
        wrench.force[2] = -rotor.flapping_drag * share * speed * w
        spin = rotor.direction * rotor.inertia
        wrench.torque[0] = -rotor.direction * rotor.torque_coefficient * square - spin * acceleration
        rolling = rotor.direction * rotor.flapping_moment * share * speed
        wrench.torque[1] = rolling * v - spin * speed * here.rate[2]
        wrench.torque[2] = rolling * w + spin * speed * here.rate[1]
        wrench.joint_torque = rotor.axle_gain * (rotor.direction * speed - here.joint_velocity)
        output.thrust = thrust
        output.speed = rotor.direction * speed
        output.wake = wake(thrust, u, here.density, math.pi * rotor.radius * rotor.radius)
