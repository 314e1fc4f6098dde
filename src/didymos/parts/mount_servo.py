"""Mount servo: holds a joint at a commanded position, as the turning mount of a camera or a scanner does.

    tau = sat( k (u* - q) - d dq/dt ),    |du*/dt| <= speed limit, u* toward u

u commanded position, q the joint's. The servo's own trajectory u* starts at zero and moves at the speed limit at most. Both ends
of the joint feel the torque. Valid where k / I, d / I are slow beside the physics step (I inertia about
the joint): sqrt(k / I) h < 1.
"""

from __future__ import annotations

import math
from typing import Any

from didymos.contract import input, memory, output, parameter
from didymos.parts.part import JointDemand, Part, law, tick

__all__ = ["MountServo"]


class MountServo(Part):
    """Parameters of a mount servo; of a slider N for N m and m for rad."""

    needs_joint = True
    may_slide = True

    stiffness = parameter(unit="N m/rad", low=0, doc="k")
    damping = parameter(0.0, unit="N m s/rad", low=0, doc="d")
    torque_limit = parameter(0.0, unit="N m", low=0, doc="0 for none")
    speed_limit = parameter(0.0, unit="rad/s", low=0, doc="of the commanded motion; 0 for none")
    position = input(range=(-100.0, 100.0), unit="rad", doc="u, commanded position")
    commanded = memory(unit="rad", doc="u*, on the way to u")
    measured_position = output("position", unit="rad", doc="q, of the joint")
    torque = output(unit="N m", doc="tau")

    @classmethod
    def at_most(cls, numbers: Any) -> JointDemand:
        """Its own limits."""
        return JointDemand(numbers.torque_limit or math.inf, "torque_limit", numbers.speed_limit or math.inf, "speed_limit")

    @tick
    def approach(servo, clock, inputs, memory, output):  # type: ignore[no-untyped-def]
        step = inputs.position - memory.commanded
        if servo.speed_limit > 0.0:
            most = servo.speed_limit * clock.period
            step = min(max(step, -most), most)
        memory.commanded += step

    @law
    def act(servo, here, inputs, memory, state, rate, wrench, output):  # type: ignore[no-untyped-def]
        torque = servo.stiffness * (memory.commanded - here.joint_position) - servo.damping * here.joint_velocity
        if servo.torque_limit > 0.0:
            torque = min(max(torque, -servo.torque_limit), servo.torque_limit)
        wrench.joint_torque = torque
        output.position = here.joint_position
        output.torque = torque
