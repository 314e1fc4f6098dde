"""Joint drive: a motor behind a gear that a current driver feeds; it turns the joint and its mount feels the reaction.

    i = tau* / (k_t n),    |i| <= i_max,    i in steps of the driver's PWM,    tau = k_t n i

tau* commanded torque at the joint, k_t torque constant, n gear ratio. The torque does not push the joint beyond its speed
limit. The driver of the original trips when the command jumps and faults when it is exactly zero; a driver that tripped gives
no torque until the end. Everything beyond the torque itself is off unless a number is given.
"""

from __future__ import annotations

import math
from typing import Literal

from numba import carray

from didymos.compiled import c_function
from didymos.parts.law import Law, Output, PartSpec, Told, law_signature, tick_signature
from didymos.spec import number

__all__ = ["JOINT_DRIVE", "JointDriveSpec"]


class JointDriveSpec(PartSpec):
    """Parameters of a joint drive."""

    kind: Literal["joint_drive"] = "joint_drive"
    direction: float = number(1.0, unit="1", low=-1, high=1, live=False, doc="joint torque per commanded torque: 1 or -1")
    gear: float = number(1.0, unit="1", above=0, doc="n, turns of the motor per turn of the joint")
    torque_constant: float = number(1.0, unit="N m/A", above=0, doc="k_t of the motor")
    current_limit: float = number(0.0, unit="A", low=0, doc="0 for none")
    current_step: float = number(0.0, unit="A", low=0, doc="one count of the driver's PWM; 0 for continuous")
    speed_limit: float = number(0.0, unit="rad/s", low=0, doc="of the joint; 0 for none")
    trip_jump: float = number(0.0, unit="N m", low=0, doc="jump of the command within a tick that trips the driver; 0: never")
    trip_at_zero: float = number(0.0, unit="1", low=0, high=1, doc="1: a command of exactly zero trips the driver")


@c_function(tick_signature(JointDriveSpec))
def _tick(parameters, tables, clock, inputs, outputs, memory):  # type: ignore[no-untyped-def]
    drive = carray(parameters, 1)[0]
    # the first command after power-on has nothing to jump from
    if memory[1] != 0.0:
        if drive.trip_jump > 0.0 and abs(inputs[0] - memory[2]) > drive.trip_jump:
            memory[0] = 1.0
        if drive.trip_at_zero > 0.5 and inputs[0] == 0.0:
            memory[0] = 1.0
    memory[1] = 1.0
    memory[2] = inputs[0]


@c_function(law_signature(JointDriveSpec))
def _law(parameters, tables, motion, input_from, inputs, memory, states, rates, wrench, outputs):  # type: ignore[no-untyped-def]
    drive = carray(parameters, 1)[0]
    here = carray(motion, 1)[0]
    answer = carray(wrench, 1)[0]
    stiff = drive.torque_constant * drive.gear
    current = 0.0 if memory[0] > 0.5 else inputs[0] / stiff
    if drive.current_step > 0.0:
        current = drive.current_step * math.floor(current / drive.current_step + 0.5)
    if drive.current_limit > 0.0:
        current = min(max(current, -drive.current_limit), drive.current_limit)
    torque = drive.direction * stiff * current
    speed = here.joint_velocity
    saturated = drive.speed_limit > 0.0 and abs(speed) >= drive.speed_limit and torque * speed > 0.0
    if saturated:
        torque = 0.0
    answer.joint_torque = torque
    outputs[0] = torque
    outputs[1] = current
    outputs[2] = speed
    outputs[3] = memory[0]
    outputs[4] = 1.0 if saturated else 0.0


JOINT_DRIVE = Law(
    spec=JointDriveSpec,
    function=_law,
    tick=_tick,
    inputs=("torque",),
    memory=("tripped", "awake", "last"),
    outputs=(
        Output("torque", "N m"), Output("current", "A"), Output("speed", "rad/s"), Output("tripped", "1"),
        Output("saturated", "1"),
    ),
    input_range=(-1000.0, 1000.0),
    needs_joint=True,
    told=Told.JOINT,
)  # fmt: skip
