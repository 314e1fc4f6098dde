"""Kinematic drive: a base that moves exactly as its wheels say, without contact, slip or inertia.

    (v_x, v_y, w_z) = sum over wheels of w_i (g_x, g_y, g_z)          one `kinematic_wheel` each, chained by `input_from`
    p(t + h) = p(t) + integral of R(w_z s) (v_x, v_y) ds, 0 <= s <= h      one `kinematic_base` at the end of the chain

g columns of the forward matrix. The wheel turns at exactly its demand; the torque that it takes is given back to the link
that carries it, so that nothing is felt. The base gets the force m (d / h - v) / h with d the exact displacement of a step:
an integrator that adds h times the new velocity (implicitfast) then lands on the exact path, to rounding. Valid with the
step that the world has, without gravity and contact, for a robot whose centre of mass is the origin of the base link.
"""

from __future__ import annotations

import math
from typing import Literal

from numba import carray

from didymos.compiled import c_function
from didymos.parts.law import Law, Output, PartSpec, Told, law_signature
from didymos.spec import number

__all__ = ["KINEMATIC_BASE", "KINEMATIC_WHEEL", "KinematicBaseSpec", "KinematicWheelSpec"]


class KinematicWheelSpec(PartSpec):
    """A wheel and its column of the forward matrix. The joint turns about -x of the part's frame."""

    kind: Literal["kinematic_wheel"] = "kinematic_wheel"
    per_x: float = number(unit="m", doc="g_x, velocity along x per speed")
    per_y: float = number(unit="m", doc="g_y, velocity along y per speed")
    per_turn: float = number(unit="1", doc="g_z, yaw rate per speed")
    inertia: float = number(unit="kg m^2", above=0, doc="of the wheel about its axle")
    step: float = number(unit="s", above=0, live=False, doc="the physics step")


class KinematicBaseSpec(PartSpec):
    """The body that the wheels move."""

    kind: Literal["kinematic_base"] = "kinematic_base"
    mass: float = number(unit="kg", above=0, doc="of the whole robot")
    inertia_x: float = number(unit="kg m^2", above=0, doc="of the whole robot")
    inertia_y: float = number(unit="kg m^2", above=0, doc="of the whole robot")
    inertia_z: float = number(unit="kg m^2", above=0, doc="of the whole robot")
    step: float = number(unit="s", above=0, live=False, doc="the physics step")


@c_function(law_signature(KinematicWheelSpec))
def _wheel(parameters, tables, motion, input_from, inputs, memory, states, rates, wrench, outputs):  # type: ignore[no-untyped-def]
    wheel = carray(parameters, 1)[0]
    here = carray(motion, 1)[0]
    answer = carray(wrench, 1)[0]
    torque = wheel.inertia * (inputs[0] - here.joint_velocity) / wheel.step
    answer.joint_torque = torque
    answer.torque[0] = -torque  # the joint's axis is -x: what the engine takes from the link, we give back
    outputs[0] = input_from[0] + wheel.per_x * inputs[0]
    outputs[1] = input_from[1] + wheel.per_y * inputs[0]
    outputs[2] = input_from[2] + wheel.per_turn * inputs[0]


@c_function(law_signature(KinematicBaseSpec))
def _base(parameters, tables, motion, input_from, inputs, memory, states, rates, wrench, outputs):  # type: ignore[no-untyped-def]
    base = carray(parameters, 1)[0]
    here = carray(motion, 1)[0]
    answer = carray(wrench, 1)[0]
    h = base.step
    turn = input_from[2] * h
    if abs(turn) > 1e-4:
        along, aside = math.sin(turn) / turn, (1.0 - math.cos(turn)) / turn
    else:
        along, aside = 1.0 - turn * turn / 6.0, turn * (0.5 - turn * turn / 24.0)
    x = along * input_from[0] - aside * input_from[1]
    y = aside * input_from[0] + along * input_from[1]
    answer.force[0] = base.mass * (x - here.velocity[0]) / h
    answer.force[1] = base.mass * (y - here.velocity[1]) / h
    answer.force[2] = -base.mass * here.velocity[2] / h
    answer.torque[0] = -base.inertia_x * here.rate[0] / h
    answer.torque[1] = -base.inertia_y * here.rate[1] / h
    answer.torque[2] = base.inertia_z * (input_from[2] - here.rate[2]) / h
    outputs[0] = input_from[0]
    outputs[1] = input_from[1]
    outputs[2] = input_from[2]


_TWIST = (Output("velocity.x", "m/s"), Output("velocity.y", "m/s"), Output("turn", "rad/s"))

KINEMATIC_WHEEL = Law(
    spec=KinematicWheelSpec, function=_wheel, inputs=("speed",), outputs=_TWIST, input_range=(-1e9, 1e9), needs_joint=True,
    told=Told.MOTION,
)  # fmt: skip
KINEMATIC_BASE = Law(spec=KinematicBaseSpec, function=_base, outputs=_TWIST, told=Told.MOTION)
