"""Kinematic drive: a base that moves exactly as its wheels say, without contact, slip or inertia.

    (v_x, v_y, w_z) = sum over wheels of w_i (g_x, g_y, g_z)          one `kinematic_wheel` each, chained by `input_from`
    p(t + h) = p(t) + integral of R(w_z s) (v_x, v_y) ds, 0 <= s <= h      one `kinematic_base` at the end of the chain

g columns of the forward matrix. The wheel turns at exactly its demand; the torque that it takes is given back to the link
that carries it, so that nothing is felt. The base gets the force m (d / h - v) / h with d the exact displacement of a step:
an integrator that adds h times the new velocity (implicitfast) then lands on the exact path, to rounding. h is the engine's own
step. RK4, which weighs four such forces of which each alone would do, cannot hold it and is refused. Valid without gravity and
contact, for a robot whose centre of mass is the origin of the base link.
"""

from __future__ import annotations

import math
from typing import Any

from didymos.contract import input, needs, output, parameter
from didymos.parts.actuation import JointActuation
from didymos.parts.part import Motion, Part, law

__all__ = ["KinematicBase", "KinematicWheel"]


class KinematicWheel(Part):
    """A wheel and its column of the forward matrix. The joint turns about y of the part's frame, to the left of x."""

    needs_joint = True
    motion = Motion.FRAME
    integrators = ("implicitfast",)

    per_x = parameter(unit="m", doc="g_x, velocity along x per speed")
    per_y = parameter(unit="m", doc="g_y, velocity along y per speed")
    per_turn = parameter(unit="1", doc="g_z, yaw rate per speed")
    inertia = parameter(unit="kg m^2", above=0, doc="of the wheel about its axle")
    speed = input(range=(-1e9, 1e9), unit="rad/s", doc="w_i, about the axle")
    others_velocity = needs("velocity", columns="xy", unit="m/s", doc="by the wheels before this one")
    others_turn = needs("turn", unit="rad/s", doc="by the wheels before this one")
    velocity = output(columns="xy", unit="m/s", doc="v_x, v_y, by the wheels up to this one")
    turn = output(unit="rad/s", doc="w_z, by the wheels up to this one")

    @classmethod
    def actuation(cls, numbers: Any) -> JointActuation:
        """A speed, which the wheel has at once."""
        return JointActuation("speed", {"velocity": "speed"}, kd=math.inf)

    @law
    def act(wheel, here, inputs, memory, state, rate, wrench, output):  # type: ignore[no-untyped-def]
        torque = wheel.inertia * (inputs.speed - here.joint_velocity) / here.step
        wrench.joint_torque = torque
        wrench.joint_passive = torque  # a motion, not a drive: no limit of the joint binds it
        wrench.torque[1] = torque  # the joint's axis is y: what the engine takes from the link, we give back
        output.velocity[0] = inputs.velocity[0] + wheel.per_x * inputs.speed
        output.velocity[1] = inputs.velocity[1] + wheel.per_y * inputs.speed
        output.turn = inputs.turn + wheel.per_turn * inputs.speed


class KinematicBase(Part):
    """The body that the wheels move."""

    motion = Motion.FRAME
    integrators = ("implicitfast",)

    mass = parameter(unit="kg", above=0, doc="of the whole robot")
    inertia_x = parameter(unit="kg m^2", above=0, doc="of the whole robot")
    inertia_y = parameter(unit="kg m^2", above=0, doc="of the whole robot")
    inertia_z = parameter(unit="kg m^2", above=0, doc="of the whole robot")
    wheels_velocity = needs("velocity", columns="xy", unit="m/s", doc="by all wheels")
    wheels_turn = needs("turn", unit="rad/s", doc="by all wheels")
    velocity = output(columns="xy", unit="m/s", doc="v_x, v_y")
    turn = output(unit="rad/s", doc="w_z")

    @law
    def act(base, here, inputs, memory, state, rate, wrench, output):  # type: ignore[no-untyped-def]
        h = here.step
        u, v = inputs.velocity[0], inputs.velocity[1]
        turn = inputs.turn * h
        if abs(turn) > 1e-4:
            along, aside = math.sin(turn) / turn, (1.0 - math.cos(turn)) / turn
        else:
            along, aside = 1.0 - turn * turn / 6.0, turn * (0.5 - turn * turn / 24.0)
        x = along * u - aside * v
        y = aside * u + along * v
        wrench.force[0] = base.mass * (x - here.velocity[0]) / h
        wrench.force[1] = base.mass * (y - here.velocity[1]) / h
        wrench.force[2] = -base.mass * here.velocity[2] / h
        wrench.torque[0] = -base.inertia_x * here.rate[0] / h
        wrench.torque[1] = -base.inertia_y * here.rate[1] / h
        wrench.torque[2] = base.inertia_z * (inputs.turn - here.rate[2]) / h
        output.velocity[0] = u
        output.velocity[1] = v
        output.turn = inputs.turn
