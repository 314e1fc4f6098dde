"""Generic engine: thrust of a propeller that throws air backwards at a speed set by the throttle.

    T = 1/2 rho S C [(k_m u)^2 - V_x |V_x|],     Q = -d k_Q w^2,     w = k_w u

u throttle in [0, 1], V_x velocity through the air along +x, S disc area, C efficiency, d = +1 or -1 the sense of rotation about
+x. T acts along +x of the part's frame, Q about it: the reaction on the airframe opposes the rotation. The joint, where there
is one, is the axle: it is brought to d w by a torque between motor and axle, whose reaction the airframe feels.

Reference: Beard & McLain, Small Unmanned Aircraft (2012), section 4.3; the square belongs to the product k_m u, not to k_m
alone. There V is the whole airspeed and its square has no sign, so an engine that moves backward, or falls with a closed
throttle, is pushed on: here it is the velocity along the axis, and the closed throttle brakes in both directions. Not clamped: a
throttle too small for the speed brakes. The power T V_x into the airframe is never above that of the stream, T (k_m u + V_x) / 2
where T > 0, and never above zero at a closed throttle. Q does not know of it: k_Q and k_w are numbers of their own. No lag.
No force across the axis. Valid for small propellers at |V_x| well below k_m.
"""

from __future__ import annotations

import math
from typing import Any

from didymos.compiled import kernel
from didymos.contract import input, output, parameter
from didymos.parts.jet_source import JetSource
from didymos.parts.part import Part, law
from didymos.parts.wake import wake

__all__ = ["GenericEngine", "thrust"]


@kernel
def thrust(throttle: float, along: float, density: float, engine: Any) -> float:
    """Thrust [N] for a throttle in [0, 1] and a velocity through the air along the axis [m/s]."""
    exit_speed = engine.exit_speed * throttle
    return 0.5 * density * engine.disc_area * engine.efficiency * (exit_speed * exit_speed - along * abs(along))


class GenericEngine(Part):
    """Parameters of a generic engine."""

    direction = parameter(unit="1", low=-1, high=1, live=False, doc="sense of rotation about +x: 1 or -1")
    disc_area = parameter(unit="m^2", above=0, doc="S, area swept by the propeller")
    efficiency = parameter(1.0, unit="1", low=0, doc="C, may be merged into the area")
    exit_speed = parameter(unit="m/s", low=0, doc="k_m, speed of the thrown air at full throttle")
    torque_coefficient = parameter(0.0, unit="N m s^2", low=0, doc="k_Q, torque per squared angular speed")
    spin_speed = parameter(0.0, unit="rad/s", low=0, doc="k_w, angular speed at full throttle")
    axle_gain = parameter(0.0, unit="N m s/rad", low=0, doc="torque per error of axle speed")
    health = parameter(1.0, unit="1", low=0, high=1, doc="share of the throttle that arrives; 0 is an engine that failed")
    throttle = input(range=(0.0, 1.0), doc="u")
    thrust = output(unit="N", doc="T, along +x")
    speed = output(unit="rad/s", doc="d w, about +x")
    wake = output(unit="m/s", doc="by how much the air behind is faster")

    @classmethod
    def jet_source(cls, numbers: Any) -> JetSource:
        return JetSource(math.sqrt(numbers.disc_area / math.pi))

    @law
    def act(engine, here, inputs, memory, state, rate, wrench, output):  # type: ignore[no-untyped-def]
        throttle = engine.health * min(max(inputs.throttle, 0.0), 1.0)
        along = here.air_velocity[0]
        force = thrust(throttle, along, here.density, engine)
        speed = engine.spin_speed * throttle
        wrench.force[0] = force
        wrench.torque[0] = -engine.direction * engine.torque_coefficient * speed * speed
        wrench.joint_torque = engine.axle_gain * (engine.direction * speed - here.joint_velocity)
        output.thrust = force
        output.speed = engine.direction * speed
        output.wake = wake(force, along, here.density, engine.disc_area)
