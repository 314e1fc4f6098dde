"""Wheel of an undercarriage: a leg that springs, a tyre that rolls, brakes and steers, without a joint; also a skid.

    d    = r - h,    N = max(0, k d + c dd/dt) where d > 0                     leg and tyre, upward
    F_x  = -mu_x N sat(a_x + T_x da_x/dt),     mu_x = mu_r + u_b mu_b           along the wheel: rolling resistance and brake
    F_y  = -mu_y N sat(a_y + T_y da_y/dt),     mu_y = sqrt(mu^2 - mu_x^2)       across it: what the friction circle leaves

h is the height of the hub (the part's origin, leg extended) above the ground, r the radius; x is the part's x axis turned by the
steering angle and laid onto the ground. The forces act at the point of the ground below the hub; v is the velocity of the
airframe there. a in [-1, 1] is how far the tread is bent, of what it bends before it slides (Dahl's model of dry friction):

    da_x/dt = (v_x - |v_x| a_x) / (s + |v_x| T),       da_y/dt = (v_y - w a_y) / (s + w T),    w = |v_y| + kappa |v_x|

so a wheel that rolls has a_x = +-1 and the steady side force mu_y N tan(alpha) / (tan(alpha) + kappa) at a slip angle alpha, and
one that stands holds a side wind, or a slope under its brakes, by a bend that stays: nothing creeps. s is the `presliding` way,
T two physics steps, T_x = sqrt(s / (mu_x g)) damps the airframe on its tread. In the air the bend is let go within 0.1 s.

steering    angle = -limit u_s about z: positive input turns the wheel, and with a positive limit a nose wheel's plane, to the
            right; a wheel behind the centre of mass has a negative limit, so that positive input yaws right there too
skid        mu_r = mu: the same friction along and across (the circle is not divided)
switch      `enabled` 0 takes it away: no law is called

Valid on level ground (world.ground), for a plane that stands about upright; the mass of the wheel is the airframe's and its spin
is left out, as is camber. With explicit steps k and c need the step: sqrt(k / m) dt < 1. References: Dahl (1968); Pacejka, Tire
and Vehicle Dynamics (2012), ch. 1 and 7 (slip angle, relaxation); JSBSim's FGLGear for the spring.
"""

from __future__ import annotations

import math
from typing import Any

from didymos.compiled import kernel
from didymos.contract import input, memory, output, parameter, state
from didymos.parts.part import Motion, Part, law, tick

__all__ = ["Wheel"]

_GRAVITY = 9.81  # [m/s^2], for the damping of the tread
_LET_GO = 0.1  # [s]
_AIRBORNE = 0.5  # [s] without load, after which the next load is a touch-down


@kernel
def _held(value: float) -> float:
    """The value inside [-1, 1]."""
    return min(max(value, -1.0), 1.0)


@kernel
def _bend_rate(slip: float, wear: float, bend: float, presliding: float, step: float) -> float:
    """da/dt [1/s] for a slip speed and the speed at which the tread is renewed [m/s]."""
    return (slip - wear * bend) / (presliding + 2.0 * step * wear)


@kernel
def _grip(friction: float, bend: float, rate: float, presliding: float) -> float:
    """Friction over load, against the slip."""
    if friction <= 0.0:
        return 0.0
    return -friction * _held(bend + math.sqrt(presliding / (friction * _GRAVITY)) * rate)


class Wheel(Part):
    """Leg, tyre, brake and steering of a wheel that rolls without a joint."""

    motion = Motion.FRAME
    switch = "enabled"

    radius = parameter(unit="m", above=0, doc="r")
    stiffness = parameter(unit="N/m", above=0, doc="k, of leg and tyre")
    damping = parameter(unit="N s/m", low=0, doc="c")
    friction = parameter(0.8, unit="1", low=0, high=3, doc="mu, tyre on ground")
    rolling = parameter(0.03, unit="1", low=0, high=3, doc="mu_r, rolling resistance; as much as `friction`: a skid")
    brake_friction = parameter(0.0, unit="1", low=0, high=3, doc="mu_b, of the full brake")
    steering_limit = parameter(0.0, unit="rad", low=-1.5, high=1.5, doc="at full input; negative behind the centre of mass")
    slip_angle = parameter(0.1, unit="rad", above=0, high=1.5, doc="kappa, at which half of the side force is there")
    presliding = parameter(0.003, unit="m", above=0, high=0.1, doc="s, by which the tread bends before it slides")
    enabled = parameter(1.0, unit="1", low=0, high=1, doc="0 takes the wheel away")
    brake = input(range=(0.0, 1.0), doc="u_b")
    steer = input(range=(-1.0, 1.0), doc="u_s, positive to the right")
    bend_x = state(doc="a_x")
    bend_y = state(doc="a_y")
    airborne = memory(unit="s", doc="time without load")
    falling = memory(unit="m/s", doc="the sink of the tick before, without load")
    hardest = memory(unit="m/s", doc="the fastest sink at a touch-down")
    load = output(unit="N", doc="N, upward")
    along = output(unit="N", doc="F_x, along the wheel")
    across = output(unit="N", doc="F_y, to its left")
    sink = output(unit="m/s", doc="of the hub, downward")
    touch_sink = output(unit="m/s", doc="the fastest at which it met the ground after half a second without; 0 before")

    @classmethod
    def check(cls, spec: Any) -> None:
        """Brake and rolling resistance are friction of the tyre."""
        if spec.rolling + spec.brake_friction > spec.friction:
            raise ValueError(
                f"found rolling {spec.rolling:g} and brake_friction {spec.brake_friction:g}, expected no more together than"
                f" friction {spec.friction:g}"
            )

    @law
    def act(wheel, here, inputs, memory, state, rate, wrench, output):  # type: ignore[no-untyped-def]
        r = here.rotation
        sink = -(r[6] * here.velocity[0] + r[7] * here.velocity[1] + r[8] * here.velocity[2])
        depth = wheel.radius - here.height
        load = max(wheel.stiffness * depth + wheel.damping * sink, 0.0) if depth > 0.0 else 0.0
        along, across = 0.0, 0.0
        if load > 0.0:
            # the point of the ground below the hub, from the hub, and its velocity, in the part's frame
            at = (-here.height * r[6], -here.height * r[7], -here.height * r[8])
            w, v = here.rate, here.velocity
            vx = v[0] + w[1] * at[2] - w[2] * at[1]
            vy = v[1] + w[2] * at[0] - w[0] * at[2]
            vz = v[2] + w[0] * at[1] - w[1] * at[0]
            angle = -wheel.steering_limit * _held(inputs.steer)
            c, s = math.cos(angle), math.sin(angle)
            ex, ey = r[0] * c + r[1] * s, r[3] * c + r[4] * s  # the wheel's x axis, laid onto the ground
            size = math.sqrt(ex * ex + ey * ey)
            ex, ey = (ex / size, ey / size) if size > 0.0 else (1.0, 0.0)
            over_x, over_y = r[0] * vx + r[1] * vy + r[2] * vz, r[3] * vx + r[4] * vy + r[5] * vz
            slip_x, slip_y = ex * over_x + ey * over_y, ex * over_y - ey * over_x
            skid = wheel.rolling >= wheel.friction
            mu_x = min(wheel.rolling + wheel.brake_friction * min(max(inputs.brake, 0.0), 1.0), wheel.friction)
            mu_y = wheel.friction if skid else math.sqrt(max(wheel.friction * wheel.friction - mu_x * mu_x, 0.0))
            speed = math.sqrt(slip_x * slip_x + slip_y * slip_y)
            wear_x, wear_y = abs(slip_x), abs(slip_y) + wheel.slip_angle * abs(slip_x)
            if skid:
                wear_x = wear_y = speed
            rate.bend_x = _bend_rate(slip_x, wear_x, state.bend_x, wheel.presliding, here.step)
            rate.bend_y = _bend_rate(slip_y, wear_y, state.bend_y, wheel.presliding, here.step)
            along = load * _grip(mu_x, state.bend_x, rate.bend_x, wheel.presliding)
            across = load * _grip(mu_y, state.bend_y, rate.bend_y, wheel.presliding)
            fx, fy = ex * along - ey * across, ey * along + ex * across
            for i in range(3):
                wrench.force[i] = r[i] * fx + r[3 + i] * fy + r[6 + i] * load
            f = wrench.force
            wrench.torque[0] = at[1] * f[2] - at[2] * f[1]
            wrench.torque[1] = at[2] * f[0] - at[0] * f[2]
            wrench.torque[2] = at[0] * f[1] - at[1] * f[0]
        else:
            rate.bend_x = -state.bend_x / _LET_GO
            rate.bend_y = -state.bend_y / _LET_GO
        output.load, output.along, output.across, output.sink = load, along, across, sink
        output.touch_sink = memory.hardest

    @tick
    def watch(wheel, clock, inputs, memory, output):  # type: ignore[no-untyped-def]
        """Keep the fastest sink with which a touch-down began, before leg and tyre took any of it."""
        if output.load > 0.0:
            if memory.airborne > _AIRBORNE:
                memory.hardest = max(memory.hardest, memory.falling)
            memory.airborne = 0.0
        else:
            memory.airborne += clock.period
            memory.falling = output.sink
