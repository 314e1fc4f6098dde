"""Gripper with two stages that holds a port on another body: soft (compliant, aligns), then hard (stiff).

    F = -sat( k (p - p_port) + d (v - v_port), F_hold ),     T = sat( k_r e - d_r (w - w_port), T_hold )

on the gripper at its origin p, and the opposite on the port: what one gains in momentum the other loses. k and d grow from zero
to the soft values while the jaws close, then to the hard ones. The jaws take hold only of a port within reach; a stage is
reported when its jaws are closed and the port sits in the middle. e is the rotation vector from the gripper to the port: its
axis times its true angle, 0 to 180 deg.

sat shortens a vector to what the jaws can hold: pulled by more, the port slips in them against that force, and once it is out of
reach it has broken away (`lost`); the jaws take it again only after they were opened. Without a holding force and torque nothing
slips. A port that slipped and stayed within reach is drawn back to the middle, as jaws with a centring shape do; friction that
would keep it where it slipped to is not modelled. At exactly 180 deg the axis is not defined and there is no torque.

A law acts on one link, so a gripper is three parts, in this order: `gripper_port` on the other body says where the port is,
`gripper` (input_from: the port) computes and acts, `gripper_reaction` (input_from: the gripper) acts on the other body. The port
is held where the gripper's frame is, with the same axes.
"""

from __future__ import annotations

import math
from typing import Any

from didymos.compiled import kernel
from didymos.contract import input, memory, needs, output, parameter
from didymos.parts.part import Motion, Part, law, tick

__all__ = ["Gripper", "GripperPort", "GripperReaction"]


@kernel
def _shorten(vector: Any, most: float) -> None:
    """Shorten a vector to a length, 0 for any."""
    size = math.sqrt(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2])
    if most > 0.0 and size > most:
        for i in range(3):
            vector[i] *= most / size


class GripperPort(Part):
    """Where a port is: no parameters."""

    motion = Motion.FRAME

    position = output(columns="xyz", unit="m", recorded=False, doc="in the world")
    rotation = output(count=9, recorded=False, doc="to the world, row by row")
    velocity = output(columns="xyz", unit="m/s", recorded=False, doc="in the world's axes")
    rate = output(columns="xyz", unit="rad/s", recorded=False, doc="in the world's axes")

    @law
    def act(port, here, inputs, memory, state, rate, wrench, output):  # type: ignore[no-untyped-def]
        turn, v, w = here.rotation, here.velocity, here.rate
        for i in range(3):
            row = 3 * i
            output.position[i] = here.position_world[i]
            for k in range(3):
                output.rotation[row + k] = turn[row + k]
            output.velocity[i] = turn[row] * v[0] + turn[row + 1] * v[1] + turn[row + 2] * v[2]
            output.rate[i] = turn[row] * w[0] + turn[row + 1] * w[1] + turn[row + 2] * w[2]


class Gripper(Part):
    """Parameters of a gripper."""

    motion = Motion.FRAME

    reach = parameter(unit="m", above=0, doc="a port further away is not taken hold of")
    reach_angle = parameter(unit="rad", above=0, doc="a port turned by more is not taken hold of")
    seated = parameter(unit="m", above=0, doc="a stage is complete when the port is nearer than this")
    soft_time = parameter(unit="s", above=0, doc="for the jaws to close softly")
    hard_time = parameter(unit="s", above=0, doc="further, to close hard")
    soft_stiffness = parameter(unit="N/m", low=0)
    soft_damping = parameter(unit="N s/m", low=0)
    hard_stiffness = parameter(unit="N/m", low=0)
    hard_damping = parameter(unit="N s/m", low=0)
    arm = parameter(unit="m", low=0, doc="stiffness and damping in rotation are those times the square of this")
    holding_force = parameter(0.0, unit="N", low=0, doc="F_hold, beyond which the port slips; 0 for none")
    holding_torque = parameter(0.0, unit="N m", low=0, doc="T_hold, beyond which the port turns in the jaws; 0 for none")
    order = input(range=(0.0, 2.0), doc="0 open, 1 close softly, 2 close hard")
    position = needs(columns="xyz", unit="m", required=True, doc="of the port in the world")
    rotation = needs(count=9, required=True, doc="of the port to the world, row by row")
    velocity = needs(columns="xyz", unit="m/s", required=True, doc="of the port in the world's axes")
    rate = needs(columns="xyz", unit="rad/s", required=True, doc="of the port in the world's axes")
    jaws = memory(doc="0 open, 1 closed softly, 2 closed hard")
    holds = memory(doc="1 once the port was within reach")
    lost = memory(doc="1 from when the port broke away until the jaws are opened")
    stage = memory(doc="the stage that is complete")
    awake = memory(doc="1 from the first tick on")
    force = output(columns="xyz", unit="N", doc="F, in the world's axes")
    torque = output(columns="xyz", unit="N m", doc="T, in the world's axes")
    point = output(columns="xyz", unit="m", recorded=False, doc="p, in the world")
    error = output(columns="xyz", unit="rad", recorded=False, doc="e, in the world's axes")
    distance = output(unit="m", doc="of the port")
    angle = output(unit="rad", doc="to the port")
    shown_jaws = output("jaws", doc="0 open, 1 closed softly, 2 closed hard")
    shown_stage = output("stage", doc="the stage that is complete")
    shown_lost = output("lost", doc="1 from when the port broke away until the jaws are opened")

    @tick
    def close(gripper, clock, inputs, memory, output):  # type: ignore[no-untyped-def]
        # at the first tick nobody has looked yet where the port is
        within = memory.awake > 0.5 and output.distance < gripper.reach and output.angle < gripper.reach_angle
        memory.awake = 1.0
        slips = gripper.holding_force > 0.0 or gripper.holding_torque > 0.0
        if slips and memory.holds > 0.5 and not within:
            memory.lost = 1.0
        if inputs.order < 0.5:
            memory.lost = 0.0
        if inputs.order < 0.5 or memory.lost > 0.5:
            memory.jaws = 0.0
            memory.holds = 0.0
        elif memory.holds > 0.5 or within:
            memory.holds = 1.0
            step = clock.period / (gripper.soft_time if memory.jaws < 1.0 else gripper.hard_time)
            memory.jaws = min(memory.jaws + step, 2.0 if inputs.order > 1.5 else max(memory.jaws, 1.0))
        stage = 0.0
        if output.distance < gripper.seated:
            stage = 2.0 if memory.jaws >= 2.0 else (1.0 if memory.jaws >= 1.0 else 0.0)
        memory.stage = stage

    @law
    def act(gripper, here, inputs, memory, state, rate, wrench, output):  # type: ignore[no-untyped-def]
        soft, hard = min(memory.jaws, 1.0), max(memory.jaws - 1.0, 0.0)
        k = soft * gripper.soft_stiffness + hard * (gripper.hard_stiffness - gripper.soft_stiffness)
        d = soft * gripper.soft_damping + hard * (gripper.hard_damping - gripper.soft_damping)
        turn, arm = here.rotation, gripper.arm * gripper.arm
        force, torque, error = output.force, output.torque, output.error
        away, sine, trace = 0.0, 0.0, 0.0
        for i in range(3):
            row, j, m = 3 * i, (i + 1) % 3, (i + 2) % 3
            v = turn[row] * here.velocity[0] + turn[row + 1] * here.velocity[1] + turn[row + 2] * here.velocity[2]
            w = turn[row] * here.rate[0] + turn[row + 1] * here.rate[1] + turn[row + 2] * here.rate[2]
            gap = here.position_world[i] - inputs.position[i]
            lever_j, lever_m = here.position_world[j] - inputs.position[j], here.position_world[m] - inputs.position[m]
            carried = inputs.velocity[i] + inputs.rate[j] * lever_m - inputs.rate[m] * lever_j  # the port's body, at p
            turned = 0.0  # the sine of the angle times its axis
            for axis in range(3):
                turned += turn[3 * j + axis] * inputs.rotation[3 * m + axis] - turn[3 * m + axis] * inputs.rotation[3 * j + axis]
                trace += turn[row + axis] * inputs.rotation[row + axis]
            error[i] = 0.5 * turned
            force[i] = -k * gap - d * (v - carried)
            torque[i] = -arm * d * (w - inputs.rate[i])
            output.point[i] = here.position_world[i]
            away += gap * gap
            sine += error[i] * error[i]
        sine = math.sqrt(sine)
        angle = math.atan2(sine, 0.5 * (trace - 1.0))
        stretch = angle / sine if sine > 1e-12 else (1.0 if trace > 1.0 else 0.0)
        for i in range(3):
            error[i] *= stretch
            torque[i] += arm * k * error[i]
        _shorten(force, gripper.holding_force)
        _shorten(torque, gripper.holding_torque)
        output.distance = math.sqrt(away)
        output.angle = angle
        output.jaws = memory.jaws
        output.stage = memory.stage
        output.lost = memory.lost
        for i in range(3):
            wrench.force[i] = turn[i] * force[0] + turn[3 + i] * force[1] + turn[6 + i] * force[2]
            wrench.torque[i] = turn[i] * torque[0] + turn[3 + i] * torque[1] + turn[6 + i] * torque[2]


class GripperReaction(Part):
    """What a gripper does to the body that it holds: no parameters."""

    motion = Motion.FRAME

    force = needs(columns="xyz", unit="N", required=True, doc="on the gripper, in the world's axes")
    torque = needs(columns="xyz", unit="N m", required=True, doc="on the gripper, in the world's axes")
    point = needs(columns="xyz", unit="m", required=True, doc="where they act, in the world")

    @law
    def act(reaction, here, inputs, memory, state, rate, wrench, output):  # type: ignore[no-untyped-def]
        turn = here.rotation
        for i in range(3):
            force = 0.0
            torque = 0.0
            for k in range(3):
                j, m = (k + 1) % 3, (k + 2) % 3
                lever_j, lever_m = inputs.point[j] - here.position_world[j], inputs.point[m] - here.position_world[m]
                force -= turn[3 * k + i] * inputs.force[k]
                torque -= turn[3 * k + i] * (inputs.torque[k] + lever_j * inputs.force[m] - lever_m * inputs.force[j])
            wrench.force[i] = force
            wrench.torque[i] = torque
