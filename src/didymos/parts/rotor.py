"""Rotor: thrust and drag torque by the square of its speed, the speed following the command with a first-order lag.

    F = k_T (rho / rho0) w^2,    Q = -d k_M (rho / rho0) w^2,    T dw/dt = K u + C - w

u input in [0, 1], w >= 0 the speed (a continuous state, integrated by the engine with everything else), d = +1 or -1 the
sense of rotation about +x, rho0 = 1.225 kg/m^3 the density at which k_T and k_M were measured. F acts along +x of the
part's frame. T = 0 means no lag: w = K u + C at once. Reference: momentum theory in hover (Seddon, Basic Helicopter
Aerodynamics). Valid near hover: no inflow correction, no flapping.
"""

from __future__ import annotations

from typing import Literal

from numba import carray

from didymos.compiled import c_function
from didymos.parts.law import Law, Output, PartSpec, law_signature
from didymos.spec import number

__all__ = ["ROTOR", "RotorSpec"]

DENSITY_OF_BENCH = 1.225  # [kg/m^3], ISA at sea level


class RotorSpec(PartSpec):
    """Parameters of a rotor."""

    kind: Literal["rotor"] = "rotor"
    direction: float = number(unit="1", low=-1, high=1, live=False, doc="sense of rotation about +x: 1 or -1")
    thrust_coefficient: float = number(unit="N s^2", low=0, doc="k_T, thrust per squared speed")
    torque_coefficient: float = number(0.0, unit="N m s^2", low=0, doc="k_M, drag torque per squared speed")
    speed_per_input: float = number(unit="rad/s", low=0, doc="K")
    speed_at_zero: float = number(0.0, unit="rad/s", low=0, doc="C")
    time_constant: float = number(0.0, unit="s", low=0, doc="T; 0 for no lag")
    axle_gain: float = number(0.0, unit="N m s/rad", low=0, doc="torque per error of axle speed, where there is a joint")


@c_function(law_signature(RotorSpec))
def _law(parameters, tables, motion, upstream, inputs, memory, states, rates, wrench, outputs):  # type: ignore[no-untyped-def]
    rotor = carray(parameters, 1)[0]
    here = carray(motion, 1)[0]
    answer = carray(wrench, 1)[0]
    settled = rotor.speed_per_input * min(max(inputs[0], 0.0), 1.0) + rotor.speed_at_zero
    if rotor.time_constant > 0.0:
        speed = states[0]
        rates[0] = (settled - speed) / rotor.time_constant
    else:
        speed = settled
        rates[0] = 0.0
    square = here.density / DENSITY_OF_BENCH * speed * speed
    answer.force[0] = rotor.thrust_coefficient * square
    answer.torque[0] = -rotor.direction * rotor.torque_coefficient * square
    answer.joint_torque = rotor.axle_gain * (rotor.direction * speed - here.joint_velocity)
    outputs[0] = answer.force[0]
    outputs[1] = rotor.direction * speed


ROTOR = Law(
    spec=RotorSpec,
    function=_law,
    inputs=("command",),
    states=("speed",),
    outputs=(Output("thrust", "N"), Output("speed", "rad/s")),
)
