"""What the servicing program does in each stage: demanded accelerations of base and arm into efforts, torque and force.

    w_b' = w_b'* + 2 k (w_b* - w_b) + k^2 e_b               attitude of the base, in every stage
    f    = m (a* + 2 c (v* - v) + c^2 e)                    its position: until the tool is led, and after an abort
    x''  = x''* + 2 n (x'* - x') + n^2 e                    tool, from `track` to `grasp`
    y    = y* + 2 j (y'* - y') + j^2 (q* - q)               joints, else

* marks references (`servicing_path.py`). Inverse dynamics (`free_base.py`) turns them into efforts, so that to a push at the
tool the arm answers as a spring and a damper of stiffness n^2 L and damping 2 n L, L the inertia that the tool has by nature:
an impedance. In `damp` the joints' references come smoothly to rest, y'(t) = y'(0) exp(-t / T): the client is braked by forces
that fade in no more than its momentum over T. From the grasp on the model carries the client as part of the hand.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from didymos.compiled import kernel
from didymos.control import servicing_stages as st
from didymos.control.angles import limit
from didymos.control.capture_law import quintic
from didymos.control.free_base import arm_accelerations, base_torque, efforts, respond
from didymos.control.pose_goal import difference, matrix_quaternion
from didymos.control.servicing_layout import ARM
from didymos.control.servicing_path import H, base_attitude, base_place, moving, tool_pose, turning
from didymos.control.servicing_thrust import drive_wheels, fired_force, pulse
from didymos.model import bias, frame_drift, frame_position, frame_rotation, frame_velocity, jacobian, mass_matrix, place
from didymos.model.vectors import turn_by

__all__ = ["act", "tool_now"]

_FAR = 0.3  # [m or rad] of an error that counts

Quaternion = tuple[float, float, float, float]
Vector = tuple[float, float, float]


@kernel
def tool_now(model: Any, frame: int) -> tuple[Vector, Quaternion]:
    """The tool's pose, by a model that was placed."""
    rotation = np.zeros((3, 3))
    frame_rotation(model, frame, rotation)
    return frame_position(model, frame), matrix_quaternion(rotation)


@kernel
def _base_turning(gains: Any, memory: Any, time: float, q: Any, v: Any, out: Any) -> None:
    """w_b' along the base's axes, into the base's three of `out` [nv]."""
    here = (q[3], q[4], q[5], q[6])
    back = (q[3], -q[4], -q[5], -q[6])
    asked = base_attitude(memory, time)
    rate, change = turning(base_attitude(memory, time - H), asked, base_attitude(memory, time + H))
    e = difference(asked, here)
    memory.error_attitude = math.sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2])
    e, rate, change = turn_by(back, e[0], e[1], e[2]), turn_by(back, rate[0], rate[1], rate[2]), turn_by(
        back, change[0], change[1], change[2]
    )
    k = gains.base_frequency
    for i in range(3):
        out[3 + i] = change[i] + 2.0 * k * (rate[i] - v[3 + i]) + k * k * limit(e[i], -_FAR, _FAR)


@kernel
def _base_force(settings: Any, gains: Any, memory: Any, time: float, q: Any, v: Any, out: Any) -> None:
    """f [3] on the base along the world's axes; none while the tool is led and once the client is held."""
    if st.TRACK <= memory.stage <= st.RETREAT or (memory.stage == st.ABORTED and memory.holds > 0.5):
        return
    asked = base_place(settings, memory, time)
    rate, change = moving(base_place(settings, memory, time - H), asked, base_place(settings, memory, time + H))
    k = gains.base_position
    far = 0.0
    for i in range(3):
        e = asked[i] - q[i]
        far += e * e
        out[i] = settings.mass * (change[i] + 2.0 * k * (rate[i] - v[i]) + k * k * limit(e, -_FAR, _FAR))
    memory.error_position = math.sqrt(far)


@kernel
def _tool_acceleration(settings: Any, gains: Any, memory: Any, time: float, model: Any, out: Any) -> None:
    """x'' [6] of the tool, its drift taken off."""
    frame = int(settings.tool)
    here, stands = tool_now(model, frame)
    twist, drift = np.zeros(6), np.zeros(6)
    frame_velocity(model, frame, twist)
    frame_drift(model, frame, drift)
    p0, q0 = tool_pose(settings, gains, memory, time - H)
    p1, q1 = tool_pose(settings, gains, memory, time)
    p2, q2 = tool_pose(settings, gains, memory, time + H)
    speed, change = moving(p0, p1, p2)
    rate, rate_change = turning(q0, q1, q2)
    e = difference(q1, stands)
    n = gains.arm_frequency
    away, turn = 0.0, 0.0
    for i in range(3):
        gap = p1[i] - here[i]
        away, turn = away + gap * gap, turn + e[i] * e[i]
        out[i] = change[i] - drift[i] + 2.0 * n * (speed[i] - twist[i]) + n * n * limit(gap, -_FAR, _FAR)
        out[3 + i] = (
            rate_change[i] - drift[3 + i] + 2.0 * n * (rate[i] - twist[3 + i]) + n * n * limit(e[i], -_FAR, _FAR)
        )
    memory.error_tool, memory.error_tool_angle = math.sqrt(away), math.sqrt(turn)


@kernel
def _joint_accelerations(settings: Any, gains: Any, memory: Any, time: float, q: Any, v: Any, out: Any) -> None:
    """y [7]: hold the ready posture, go back to it, come to rest and stay there, or brake."""
    since, start = time - memory.stage_start.time, memory.stage_start
    n = gains.arm_loaded if memory.holds > 0.5 else gains.arm_joints
    for i in range(ARM):
        at, speed = q[int(settings.arm_q[i])], v[int(settings.arm[i])]
        asked, rate, change = settings.ready[i], 0.0, 0.0
        if memory.stage == st.RETREAT:
            part, first, then = quintic(since, gains.retreat_seconds)
            gap = settings.ready[i] - start.joints[i]
            asked, rate, change = start.joints[i] + part * gap, first * gap, then * gap
        elif memory.stage == st.ABORTED:
            asked = at
        elif memory.stage >= st.DAMP:
            fade = math.exp(-since / gains.damp_time) if memory.stage == st.DAMP else 0.0
            asked = start.joints[i] + start.joint_rates[i] * gains.damp_time * (1.0 - fade)
            rate, change = start.joint_rates[i] * fade, -start.joint_rates[i] * fade / gains.damp_time
        out[i] = change + 2.0 * n * (rate - speed) + n * n * (asked - at)


@kernel
def act(settings: Any, gains: Any, memory: Any, clock: Any, q: Any, v: Any, inputs: Any) -> None:
    """Torques of wheels and joints, and duties of thrusters."""
    if memory.holds > 0.5:
        _drive(settings, gains, memory, clock, settings.loaded, q, v, inputs)
    else:
        _drive(settings, gains, memory, clock, settings.model, q, v, inputs)


@kernel
def _drive(settings: Any, gains: Any, memory: Any, clock: Any, model: Any, q: Any, v: Any, inputs: Any) -> None:
    nv = int(model.nv)
    place(model, q, v)
    mass, force, start, per_joint = np.zeros((nv, nv)), np.zeros(nv), np.zeros(nv), np.zeros((nv, ARM))
    mass_matrix(model, mass)
    bias(model, force)
    acting, led, y, tau, torque = np.zeros(nv), np.zeros(nv), np.zeros(ARM), np.zeros(ARM), np.zeros(3)
    _acting_forces(settings, memory, q, acting)
    respond(mass, force, settings.floating, acting, led, settings.arm, start, per_joint)
    if st.TRACK <= memory.stage <= st.GRASP:
        reach, demanded, wish = np.zeros((6, nv)), np.zeros(6), np.zeros(ARM)
        jacobian(model, int(settings.tool), reach)
        _tool_acceleration(settings, gains, memory, clock.time, model, demanded)
        n = gains.arm_posture
        for i in range(ARM):
            gap = settings.capture[i] - q[int(settings.arm_q[i])]
            wish[i] = n * n * gap - 2.0 * n * v[int(settings.arm[i])]
        arm_accelerations(reach, start, per_joint, demanded, gains.arm_damping, wish, y)
    else:
        _joint_accelerations(settings, gains, memory, clock.time, q, v, y)
    efforts(mass, force, settings.arm, start, per_joint, y, tau)
    for i in range(ARM):
        inputs.joints[i] = limit(tau[i], -gains.torque_limit, gains.torque_limit)
    _base_turning(gains, memory, clock.time, q, v, led)
    for i in range(3):
        acting[3 + i], acting[int(settings.wheels[i])] = 0.0, 0.0
    respond(mass, force, settings.sliding, acting, led, settings.arm, start, per_joint)
    base_torque(mass, force, 3, start, per_joint, y, torque)
    _push(settings, gains, memory, clock, q, v, torque, inputs)


@kernel
def _acting_forces(settings: Any, memory: Any, q: Any, out: Any) -> None:
    """What thrusters and wheels do at this moment, as generalized forces [nv]."""
    fired = np.zeros(6)
    fired_force(settings.thrusters, memory.duty, fired)
    out[0], out[1], out[2] = turn_by((q[3], q[4], q[5], q[6]), fired[0], fired[1], fired[2])
    for i in range(3):
        out[3 + i] = fired[3 + i]
        out[int(settings.wheels[i])] = -memory.wheel_torque[i]


@kernel
def _push(settings: Any, gains: Any, memory: Any, clock: Any, q: Any, v: Any, torque: Any, inputs: Any) -> None:
    """Torque [3] on the base and the force that it needs, to wheels and thrusters."""
    speeds, push, wrench = np.zeros(3), np.zeros(3), np.zeros(6)
    for i in range(3):
        speeds[i] = v[int(settings.wheels[i])]
    drive_wheels(settings.rotors, speeds, torque, memory.wheel_torque)
    _base_force(settings, gains, memory, clock.time, q, v, push)
    wrench[0], wrench[1], wrench[2] = turn_by((q[3], -q[4], -q[5], -q[6]), push[0], push[1], push[2])
    for i in range(3):
        wrench[3 + i] = torque[i]
    pulse(settings.thrusters, wrench, clock.time, clock.period, memory)
    for i in range(int(settings.thrusters.count)):
        inputs.duty[i] = memory.duty[i]
    for i in range(3):
        inputs.wheels[i] = memory.wheel_torque[i]
