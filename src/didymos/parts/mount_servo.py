"""Mount servo: holds a joint at a commanded position, as the turning mount of a camera or a scanner does.

    tau = sat( k (u* - q) - d dq/dt ),    |du*/dt| <= speed limit, u* toward u

u commanded position, q the joint's. The servo's own trajectory u* starts at zero and moves at the speed limit at most. Both ends
of the joint feel the torque. Valid where k / I, d / I are slow beside the physics step (I inertia about
the joint): sqrt(k / I) h < 1.
"""

from __future__ import annotations

from typing import Literal

from numba import carray

from didymos.compiled import c_function
from didymos.parts.law import Law, Output, PartSpec, law_signature, tick_signature
from didymos.spec import number

__all__ = ["MOUNT_SERVO", "MountServoSpec"]


class MountServoSpec(PartSpec):
    """Parameters of a mount servo."""

    kind: Literal["mount_servo"] = "mount_servo"
    stiffness: float = number(unit="N m/rad", low=0, doc="k")
    damping: float = number(0.0, unit="N m s/rad", low=0, doc="d")
    torque_limit: float = number(0.0, unit="N m", low=0, doc="0 for none")
    speed_limit: float = number(0.0, unit="rad/s", low=0, doc="of the commanded motion; 0 for none")


@c_function(tick_signature(MountServoSpec))
def _tick(parameters, tables, clock, inputs, outputs, memory):  # type: ignore[no-untyped-def]
    servo = carray(parameters, 1)[0]
    step = inputs[0] - memory[0]
    if servo.speed_limit > 0.0:
        most = servo.speed_limit * clock[1]
        step = min(max(step, -most), most)
    memory[0] += step


@c_function(law_signature(MountServoSpec))
def _law(parameters, tables, motion, input_from, inputs, memory, states, rates, wrench, outputs):  # type: ignore[no-untyped-def]
    servo = carray(parameters, 1)[0]
    here = carray(motion, 1)[0]
    answer = carray(wrench, 1)[0]
    torque = servo.stiffness * (memory[0] - here.joint_position) - servo.damping * here.joint_velocity
    if servo.torque_limit > 0.0:
        torque = min(max(torque, -servo.torque_limit), servo.torque_limit)
    answer.joint_torque = torque
    outputs[0] = here.joint_position
    outputs[1] = torque


MOUNT_SERVO = Law(
    spec=MountServoSpec,
    function=_law,
    tick=_tick,
    inputs=("position",),
    memory=("commanded",),
    outputs=(Output("position", "rad"), Output("torque", "N m")),
    input_range=(-100.0, 100.0),
    needs_joint=True,
)
