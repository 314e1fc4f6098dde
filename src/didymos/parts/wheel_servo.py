"""Wheel servo: a motor with an encoder that holds the speed of its joint, by PI control within a torque limit.

    T dw*/dt = u - w*                            the drive follows its demand u with a first-order lag
    tau = sat( k_p (w* - w) + z ),   dz/dt = k_i (w* - w), held while the torque is at its limit

u demanded speed [rad/s], w the joint's speed. T = 0 means no lag. A demand whose magnitude exceeds `largest_demand` would
harm the device: it is refused, the last one that was accepted stays, and `fault` reads 1 for as long as it lasts. `enabled`
below one half switches the torque off. Valid for drives whose current loop is much faster than the wheel.
"""

from __future__ import annotations

from typing import Any

from didymos.contract import input, memory, output, parameter, state
from didymos.parts.actuation import JointActuation
from didymos.parts.part import JointDemand, Motion, Part, law, tick

__all__ = ["WheelServo"]


class WheelServo(Part):
    """Parameters of a wheel servo."""

    needs_joint = True
    motion = Motion.JOINT

    proportional = parameter(unit="N m s/rad", low=0, doc="k_p, torque per error of speed")
    integral = parameter(0.0, unit="N m/rad", low=0, doc="k_i, torque per error of angle")
    torque_limit = parameter(unit="N m", above=0, doc="largest torque")
    time_constant = parameter(0.0, unit="s", low=0, doc="T; 0 for no lag")
    largest_demand = parameter(unit="rad/s", above=0, doc="a faster demand is refused as harmful")
    enabled = parameter(1.0, unit="1", low=0, high=1, doc="0 switches the torque off")
    health = parameter(1.0, unit="1", low=0, high=1, doc="share of the torque that arrives; 0 is a motor that failed")
    speed = input(range=(-1e9, 1e9), unit="rad/s", doc="u, demanded speed")
    accepted = memory(unit="rad/s", doc="the last demand that did no harm")
    fault = memory(doc="1 while the demand is refused")
    reference = state(unit="rad/s", settles=True, doc="w*, the demand behind the lag")
    integral_torque = state("integral", unit="N m", doc="z")
    torque = output(unit="N m", doc="tau")
    shown_reference = output("reference", unit="rad/s", doc="w*")
    shown_fault = output("fault", doc="1 while the demand is refused")

    @classmethod
    def at_most(cls, numbers: Any) -> JointDemand:
        """Its torque limit and the fastest demand that it accepts."""
        return JointDemand(numbers.torque_limit, "torque_limit", numbers.largest_demand, "largest_demand")

    @classmethod
    def actuation(cls, numbers: Any) -> JointActuation:
        """A speed."""
        return JointActuation("speed", {"velocity": "speed"}, kd=numbers.proportional)

    @law
    def act(servo, here, inputs, memory, state, rate, wrench, output):  # type: ignore[no-untyped-def]
        reference = memory.accepted
        rate.reference = 0.0
        if servo.time_constant > 0.0:
            reference = state.reference
            rate.reference = (memory.accepted - reference) / servo.time_constant
        error = reference - here.joint_velocity
        wish = servo.proportional * error + state.integral
        torque = min(max(wish, -servo.torque_limit), servo.torque_limit)
        rate.integral = 0.0
        if torque == wish or error * state.integral < 0.0:
            rate.integral = servo.integral * error
        if servo.enabled < 0.5:
            torque = 0.0
            rate.integral = 0.0
        wrench.joint_torque = servo.health * torque
        output.torque = torque
        output.reference = reference
        output.fault = memory.fault

    @tick
    def accept(servo, clock, inputs, memory, output):  # type: ignore[no-untyped-def]
        harmful = not abs(inputs.speed) <= servo.largest_demand
        memory.fault = 1.0 if harmful else 0.0
        if not harmful:
            memory.accepted = inputs.speed
