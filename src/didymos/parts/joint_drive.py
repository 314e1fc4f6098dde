"""Joint drive: a motor behind a gear that a current driver feeds; it turns the joint and its mount feels the reaction.

    i = tau* / (k_t n),    |i| <= i_max,    i in steps of the driver's PWM,    tau = k_t n i

tau* commanded torque at the joint, k_t torque constant, n gear ratio. The torque does not push the joint beyond its speed
limit v_max: where it drives it falls, without a jump, by (v_max - |v|) / (v_max - v_knee) from v_knee on. The driver of the
original trips when the command jumps and faults when it is exactly zero; a driver that tripped gives no torque until the end.
Everything beyond the torque itself is off unless a number is given.
"""

from __future__ import annotations

import math
from typing import Any

from didymos.contract import input, memory, output, parameter
from didymos.parts.actuation import JointActuation
from didymos.parts.part import JointDemand, Motion, Part, law, tick

__all__ = ["JointDrive"]

_KNEE = 0.99  # of the speed limit


class JointDrive(Part):
    """Parameters of a joint drive."""

    needs_joint = True
    motion = Motion.JOINT

    direction = parameter(1.0, unit="1", low=-1, high=1, live=False, doc="joint torque per commanded torque: 1 or -1")
    gear = parameter(1.0, unit="1", above=0, doc="n, turns of the motor per turn of the joint")
    torque_constant = parameter(1.0, unit="N m/A", above=0, doc="k_t of the motor")
    current_limit = parameter(0.0, unit="A", low=0, doc="0 for none")
    current_step = parameter(0.0, unit="A", low=0, doc="one count of the driver's PWM; 0 for continuous")
    speed_limit = parameter(0.0, unit="rad/s", low=0, doc="v_max of the joint, where no torque is left; 0 for none")
    knee_speed = parameter(0.0, unit="rad/s", low=0, doc="v_knee of the joint, from where torque falls; 0 for 0.99 v_max")
    trip_jump = parameter(0.0, unit="N m", low=0, doc="jump of the command within a tick that trips the driver; 0: never")
    trip_at_zero = parameter(0.0, unit="1", low=0, high=1, doc="1: a command of exactly zero trips the driver")
    torque = input(range=(-1000.0, 1000.0), unit="N m", doc="tau*, commanded at the joint")
    tripped = memory(doc="1 once the driver tripped")
    awake = memory(doc="1 from the first tick on")
    last_torque = memory(unit="N m", doc="the command of the tick before")
    joint_torque = output("torque", unit="N m", doc="tau")
    current = output(unit="A", doc="i")
    speed = output(unit="rad/s", doc="of the joint")
    shown_tripped = output("tripped", doc="1 once the driver tripped")
    saturated = output(doc="1 while the speed limit takes torque away")

    @classmethod
    def check(cls, spec: Any) -> None:
        """The knee lies below the limit."""
        if spec.knee_speed > 0.0 and spec.knee_speed >= spec.speed_limit:
            raise ValueError(f"found knee_speed {spec.knee_speed:g}, expected less than speed_limit {spec.speed_limit:g} rad/s")

    @classmethod
    def at_most(cls, numbers: Any) -> JointDemand:
        """What the largest current gives, and the speed limit."""
        effort = numbers.torque_constant * numbers.gear * numbers.current_limit
        return JointDemand(effort or math.inf, "current_limit", numbers.speed_limit or math.inf, "speed_limit")

    @classmethod
    def actuation(cls, numbers: Any) -> JointActuation:
        """A torque at the joint."""
        return JointActuation("effort", {"effort": "torque"}, per_input=numbers.direction)

    @tick
    def watch(drive, clock, inputs, memory, output):  # type: ignore[no-untyped-def]
        # the first command after power-on has nothing to jump from
        if memory.awake != 0.0:
            if drive.trip_jump > 0.0 and abs(inputs.torque - memory.last_torque) > drive.trip_jump:
                memory.tripped = 1.0
            if drive.trip_at_zero > 0.5 and inputs.torque == 0.0:
                memory.tripped = 1.0
        memory.awake = 1.0
        memory.last_torque = inputs.torque

    @law
    def act(drive, here, inputs, memory, state, rate, wrench, output):  # type: ignore[no-untyped-def]
        stiff = drive.torque_constant * drive.gear
        current = 0.0 if memory.tripped > 0.5 else inputs.torque / stiff
        if drive.current_step > 0.0:
            current = drive.current_step * math.floor(current / drive.current_step + 0.5)
        if drive.current_limit > 0.0:
            current = min(max(current, -drive.current_limit), drive.current_limit)
        torque = drive.direction * stiff * current
        speed = here.joint_velocity
        left = 1.0
        if drive.speed_limit > 0.0 and torque * speed > 0.0:
            knee = drive.knee_speed if drive.knee_speed > 0.0 else _KNEE * drive.speed_limit
            left = (drive.speed_limit - abs(speed)) / (drive.speed_limit - knee)
            if left < 1.0:
                torque *= max(left, 0.0)
        wrench.joint_torque = torque
        output.torque = torque
        output.current = current
        output.speed = speed
        output.tripped = memory.tripped
        output.saturated = 1.0 if left < 1.0 else 0.0
