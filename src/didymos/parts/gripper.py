"""Gripper with two stages that holds a port on another body: soft (compliant, aligns), then hard (stiff).

    F = -k (p - p_port) - d (v - v_port),     T = k_r e - d_r (w - w_port)

on the gripper at its origin p, and the opposite on the port: what one gains in momentum the other loses. k and d grow from zero
to the soft values while the jaws close, then to the hard ones. The jaws take hold only of a port within reach; a stage is
reported when its jaws are closed and the port sits in the middle.

A law acts on one link, so a gripper is three parts, in this order: `gripper_port` on the other body says where the port is,
`gripper` (input_from: the port) computes and acts, `gripper_reaction` (input_from: the gripper) acts on the other body. The port
is held where the gripper's frame is, with the same axes. e is the small-angle rotation from the gripper to the port.
"""

from __future__ import annotations

import math
from typing import Literal

from numba import carray

from didymos.compiled import c_function
from didymos.parts.law import Law, Output, PartSpec, Told, law_signature, tick_signature
from didymos.spec import number

__all__ = ["GRIPPER", "GRIPPER_PORT", "GRIPPER_REACTION", "GripperPortSpec", "GripperReactionSpec", "GripperSpec"]


class GripperPortSpec(PartSpec):
    """Where a port is: no parameters."""

    kind: Literal["gripper_port"] = "gripper_port"


class GripperReactionSpec(PartSpec):
    """What a gripper does to the body that it holds: no parameters."""

    kind: Literal["gripper_reaction"] = "gripper_reaction"


class GripperSpec(PartSpec):
    """Parameters of a gripper."""

    kind: Literal["gripper"] = "gripper"
    reach: float = number(unit="m", above=0, doc="a port further away is not taken hold of")
    reach_angle: float = number(unit="rad", above=0, doc="a port turned by more is not taken hold of")
    seated: float = number(unit="m", above=0, doc="a stage is complete when the port is nearer than this")
    soft_time: float = number(unit="s", above=0, doc="for the jaws to close softly")
    hard_time: float = number(unit="s", above=0, doc="further, to close hard")
    soft_stiffness: float = number(unit="N/m", low=0)
    soft_damping: float = number(unit="N s/m", low=0)
    hard_stiffness: float = number(unit="N/m", low=0)
    hard_damping: float = number(unit="N s/m", low=0)
    arm: float = number(unit="m", low=0, doc="stiffness and damping in rotation are those times the square of this")


@c_function(law_signature(GripperPortSpec))
def _port(parameters, tables, motion, input_from, inputs, memory, states, rates, wrench, outputs):  # type: ignore[no-untyped-def]
    here = carray(motion, 1)[0]
    for i in range(3):
        outputs[i] = here.position_world[i]
        row = 3 * i
        for k in range(3):
            outputs[3 + row + k] = here.rotation[row + k]
        v, w = here.velocity, here.rate
        turn = here.rotation
        outputs[12 + i] = turn[row] * v[0] + turn[row + 1] * v[1] + turn[row + 2] * v[2]
        outputs[15 + i] = turn[row] * w[0] + turn[row + 1] * w[1] + turn[row + 2] * w[2]


@c_function(tick_signature(GripperSpec))
def _tick(parameters, tables, clock, inputs, outputs, memory):  # type: ignore[no-untyped-def]
    gripper = carray(parameters, 1)[0]
    # at the first tick nobody has looked yet where the port is
    order, within = inputs[0], memory[3] > 0.5 and outputs[9] < gripper.reach and outputs[10] < gripper.reach_angle
    memory[3] = 1.0
    if order < 0.5:
        memory[0] = 0.0
        memory[1] = 0.0
    elif memory[1] > 0.5 or within:
        memory[1] = 1.0
        step = clock[1] / (gripper.soft_time if memory[0] < 1.0 else gripper.hard_time)
        memory[0] = min(memory[0] + step, 2.0 if order > 1.5 else max(memory[0], 1.0))
    stage = 0.0
    if outputs[9] < gripper.seated:
        stage = 2.0 if memory[0] >= 2.0 else (1.0 if memory[0] >= 1.0 else 0.0)
    memory[2] = stage


@c_function(law_signature(GripperSpec))
def _law(parameters, tables, motion, input_from, inputs, memory, states, rates, wrench, outputs):  # type: ignore[no-untyped-def]
    gripper = carray(parameters, 1)[0]
    here = carray(motion, 1)[0]
    answer = carray(wrench, 1)[0]
    soft, hard = min(memory[0], 1.0), max(memory[0] - 1.0, 0.0)
    k = soft * gripper.soft_stiffness + hard * (gripper.hard_stiffness - gripper.soft_stiffness)
    d = soft * gripper.soft_damping + hard * (gripper.hard_damping - gripper.soft_damping)
    turn, arm = here.rotation, gripper.arm * gripper.arm
    away = 0.0
    twist = 0.0
    for i in range(3):
        row, j, m = 3 * i, (i + 1) % 3, (i + 2) % 3
        v = turn[row] * here.velocity[0] + turn[row + 1] * here.velocity[1] + turn[row + 2] * here.velocity[2]
        w = turn[row] * here.rate[0] + turn[row + 1] * here.rate[1] + turn[row + 2] * here.rate[2]
        gap = here.position_world[i] - input_from[i]
        lever_j, lever_m = here.position_world[j] - input_from[j], here.position_world[m] - input_from[m]
        carried = input_from[12 + i] + input_from[15 + j] * lever_m - input_from[15 + m] * lever_j  # the port's body, at p
        error = 0.0
        for axis in range(3):
            error += turn[3 * j + axis] * input_from[3 + 3 * m + axis] - turn[3 * m + axis] * input_from[3 + 3 * j + axis]
        error *= 0.5
        outputs[i] = -k * gap - d * (v - carried)
        outputs[3 + i] = arm * (k * error - d * (w - input_from[15 + i]))
        outputs[6 + i] = here.position_world[i]
        away += gap * gap
        twist += error * error
    outputs[9] = math.sqrt(away)
    outputs[10] = math.sqrt(twist)
    outputs[11] = memory[0]
    outputs[12] = memory[2]
    for i in range(3):
        answer.force[i] = turn[i] * outputs[0] + turn[3 + i] * outputs[1] + turn[6 + i] * outputs[2]
        answer.torque[i] = turn[i] * outputs[3] + turn[3 + i] * outputs[4] + turn[6 + i] * outputs[5]


@c_function(law_signature(GripperReactionSpec))
def _reaction(parameters, tables, motion, input_from, inputs, memory, states, rates, wrench, outputs):  # type: ignore[no-untyped-def]
    here = carray(motion, 1)[0]
    answer = carray(wrench, 1)[0]
    turn = here.rotation
    for i in range(3):
        force = 0.0
        torque = 0.0
        for k in range(3):
            j, m = (k + 1) % 3, (k + 2) % 3
            lever_j, lever_m = input_from[6 + j] - here.position_world[j], input_from[6 + m] - here.position_world[m]
            force -= turn[3 * k + i] * input_from[k]
            torque -= turn[3 * k + i] * (input_from[3 + k] + lever_j * input_from[m] - lever_m * input_from[j])
        answer.force[i] = force
        answer.torque[i] = torque


def _vector(name: str, unit: str, recorded: bool = True) -> tuple[Output, ...]:
    return tuple(Output(f"{name}.{axis}", unit, recorded) for axis in "xyz")


GRIPPER_PORT = Law(
    spec=GripperPortSpec,
    function=_port,
    outputs=(
        *_vector("position", "m", False), *(Output(f"rotation.{a}{b}", "1", False) for a in "xyz" for b in "xyz"),
        *_vector("velocity", "m/s", False), *_vector("rate", "rad/s", False),
    ),
    told=Told.MOTION,
)  # fmt: skip
GRIPPER = Law(
    spec=GripperSpec,
    function=_law,
    tick=_tick,
    inputs=("order",),
    memory=("jaws", "holds", "stage", "awake"),
    outputs=(
        *_vector("force", "N"), *_vector("torque", "N m"), *_vector("point", "m", False), Output("distance", "m"),
        Output("angle", "rad"), Output("jaws", "1"), Output("stage", "1"),
    ),
    input_range=(0.0, 2.0),
    told=Told.MOTION,
)  # fmt: skip
GRIPPER_REACTION = Law(spec=GripperReactionSpec, function=_reaction, told=Told.MOTION)
