"""Wheel servo: a motor with an encoder that holds the speed of its joint, by PI control within a torque limit.

    T dw*/dt = u - w*                            the drive follows its demand u with a first-order lag
    tau = sat( k_p (w* - w) + z ),   dz/dt = k_i (w* - w), held while the torque is at its limit

u demanded speed [rad/s], w the joint's speed. T = 0 means no lag. A demand whose magnitude exceeds `largest_demand` would
harm the device: it is refused, the last one that was accepted stays, and `fault` reads 1 for as long as it lasts. `enabled`
below one half switches the torque off. Valid for drives whose current loop is much faster than the wheel.
"""

from __future__ import annotations

from typing import Literal

from numba import carray

from didymos.compiled import c_function
from didymos.parts.law import Law, Output, PartSpec, Told, law_signature, tick_signature
from didymos.spec import number

__all__ = ["WHEEL_SERVO", "WheelServoSpec"]


class WheelServoSpec(PartSpec):
    """Parameters of a wheel servo."""

    kind: Literal["wheel_servo"] = "wheel_servo"
    proportional: float = number(unit="N m s/rad", low=0, doc="k_p, torque per error of speed")
    integral: float = number(0.0, unit="N m/rad", low=0, doc="k_i, torque per error of angle")
    torque_limit: float = number(unit="N m", above=0, doc="largest torque")
    time_constant: float = number(0.0, unit="s", low=0, doc="T; 0 for no lag")
    largest_demand: float = number(unit="rad/s", above=0, doc="a faster demand is refused as harmful")
    enabled: float = number(1.0, unit="1", low=0, high=1, doc="0 switches the torque off")


@c_function(law_signature(WheelServoSpec))
def _law(parameters, tables, motion, input_from, inputs, memory, states, rates, wrench, outputs):  # type: ignore[no-untyped-def]
    servo = carray(parameters, 1)[0]
    here = carray(motion, 1)[0]
    answer = carray(wrench, 1)[0]
    demand = memory[0]
    reference = demand
    rates[0] = 0.0
    if servo.time_constant > 0.0:
        reference = states[0]
        rates[0] = (demand - reference) / servo.time_constant
    error = reference - here.joint_velocity
    wish = servo.proportional * error + states[1]
    torque = min(max(wish, -servo.torque_limit), servo.torque_limit)
    rates[1] = 0.0
    if torque == wish or error * states[1] < 0.0:
        rates[1] = servo.integral * error
    if servo.enabled < 0.5:
        torque = 0.0
        rates[1] = 0.0
    answer.joint_torque = torque
    outputs[0] = torque
    outputs[1] = reference
    outputs[2] = memory[1]


@c_function(tick_signature(WheelServoSpec))
def _tick(parameters, tables, clock, inputs, outputs, memory):  # type: ignore[no-untyped-def]
    servo = carray(parameters, 1)[0]
    harmful = not abs(inputs[0]) <= servo.largest_demand
    memory[1] = 1.0 if harmful else 0.0
    if not harmful:
        memory[0] = inputs[0]


WHEEL_SERVO = Law(
    spec=WheelServoSpec,
    function=_law,
    tick=_tick,
    inputs=("speed",),
    memory=("accepted", "fault"),
    states=("reference", "integral"),
    outputs=(Output("torque", "N m"), Output("reference", "rad/s"), Output("fault", "1")),
    input_range=(-1e9, 1e9),
    needs_joint=True,
    told=Told.JOINT,
)
