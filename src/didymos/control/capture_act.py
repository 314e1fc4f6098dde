"""What the capture program does: demanded accelerations, torques, thrust.

Two laws move the end effector. The impedance (`capture_law`) asks for accelerations, from which the model finds torques. The
fallback needs no model and no inverse: a spring and a damper pull the end effector along its path,

    tau_joints = J^T (K e + D e'),      tau_base = k_b e_b + d_b e_b'

and it takes over by itself where the first one has no answer. The original puts the errors of x and y straight on shoulder and
elbow, which is right in one posture only: hence J^T. Its damping of 0.05 is a fiftieth of what its stiffness asks for.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.compiled import kernel
from didymos.control import capture_stages as st
from didymos.control.angles import limit, wrap
from didymos.control.capture_layout import Pose
from didymos.control.capture_observe import now, pose_now
from didymos.control.capture_path import Axes, errors, joint_reference
from didymos.control.free_flyer import Dynamics, free_flyer, inverse_dynamics, solve

__all__ = ["send", "thrust", "torques"]


@kernel
def _impedance(
    memory: Any, gains: Any, target_mass: float, e: Axes, v: Axes, reference: Pose
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Demanded acceleration of the end effector [3], world, and the force and moment that it exerts on the target [3]."""
    angle = now(memory.estimate.tool, 2)
    c, s = math.cos(angle), math.sin(angle)
    mass, w = gains.impedance_mass, memory.blend
    # in the hard grip the soft one holds the target already
    demanded = 0.0 if memory.stage == st.HARD_GRIP else gains.contact_force
    free = gains.impedance_normal
    damping = (1.0 - w) * 2.0 * free * mass + w * gains.contact_damping
    force = w * (demanded * (1.0 + mass / target_mass) - memory.force)
    a_normal = (force - damping * v.normal) / mass - (1.0 - w) * free * free * e.normal
    a_across = -2.0 * gains.impedance_across * v.across - gains.impedance_across**2 * e.across
    acceleration = np.empty(3)
    acceleration[0] = reference.x + c * a_normal - s * a_across
    acceleration[1] = reference.y + s * a_normal + c * a_across
    acceleration[2] = reference.angle - 2.0 * gains.impedance_turn * v.turn - gains.impedance_turn**2 * e.turn
    return acceleration, np.array([w * memory.force * c, w * memory.force * s, 0.0])


@kernel
def _fallback(memory: Any, gains: Any, e: Axes, v: Axes, jacobian: Any, base_rate: float, tau: Any) -> None:
    """Torques [4] of a spring and a damper between the end effector and its reference, and of the base's own."""
    angle = now(memory.estimate.tool, 2)
    c, s = math.cos(angle), math.sin(angle)
    ex, ey = c * e.normal - s * e.across, s * e.normal + c * e.across
    vx, vy = c * v.normal - s * v.across, s * v.normal + c * v.across
    fx = -gains.pd_x * ex - gains.pd_cross * ey - gains.pd_damping * vx
    fy = -gains.pd_cross * ex - gains.pd_y * ey - gains.pd_damping * vy
    turn = -gains.pd_turn * e.turn - gains.pd_turn_damping * v.turn
    tau[0] = -gains.pd_base * memory.error_base - gains.pd_base_damping * base_rate
    for i in range(3):
        tau[1 + i] = jacobian[0, 3 + i] * fx + jacobian[1, 3 + i] * fy + jacobian[2, 3 + i] * turn


@kernel
def _brake(rate: float, mass_matrix: Any, zd: Any, tau: Any) -> None:
    """Damping of base and joints, each by what it alone has to move: d_i = rate / (H^-1)_ii.

    A damper takes energy whatever else happens, a drive that does nothing included. The fastest motion that it can damp has
    at most the trace of H^-1 D, which is 4 times the rate: held over a period of 10 ms that is stable up to 50 / s.
    """
    for i in range(4):
        a, column = mass_matrix.copy(), np.zeros(6)
        column[2 + i] = 1.0
        tau[i] = -rate / column[2 + i] * zd[2 + i] if solve(a, column) else 0.0


@kernel
def _base_acceleration(memory: Any, gains: Any, rate: float) -> float:
    """Demanded angular acceleration of the base: its own spring and damper."""
    spring = gains.base_frequency**2 * memory.error_base
    return -2.0 * gains.base_damping * gains.base_frequency * rate - spring


@kernel
def _reach_out(settings: Any, gains: Any, memory: Any, since: float, model: Dynamics, zd: Any, tau: Any) -> None:
    """Torques [4] that hold the base's angle and bring the end effector along its path, by impedance or by the fallback."""
    tool_rate = np.zeros(3)
    for i in range(3):
        for j in range(6):
            tool_rate[i] += model.jacobian[i, j] * zd[j]
    e, v, reference = errors(memory, gains, since, tool_rate)
    acceleration, push = _impedance(memory, gains, settings.target.mass, e, v, reference)
    rows, demanded = np.zeros((4, 6)), np.zeros(4)
    rows[0, 2] = 1.0
    demanded[0] = _base_acceleration(memory, gains, zd[2])
    for i in range(3):
        demanded[1 + i] = acceleration[i] - model.drift[i]
        for j in range(6):
            rows[1 + i, j] = model.jacobian[i, j]
    if gains.pd_use > 0.5 or not inverse_dynamics(model, rows, demanded, push, tau):
        _fallback(memory, gains, e, v, model.jacobian, zd[2], tau)


@kernel
def _move_joints(settings: Any, gains: Any, memory: Any, since: float, model: Dynamics, zd: Any, tau: Any) -> None:
    """Torques [4] that hold the base's angle and bring the joints along their references."""
    omega = gains.joints_frequency
    rows, demanded = np.zeros((4, 6)), np.zeros(4)
    rows[0, 2] = 1.0
    demanded[0] = _base_acceleration(memory, gains, zd[2])
    for i in range(3):
        position, rate, acceleration = joint_reference(settings, gains, memory, since, i)
        error = wrap(now(memory.estimate.joints, i) - position)
        rows[1 + i, 3 + i] = 1.0
        demanded[1 + i] = acceleration - 2.0 * omega * (zd[3 + i] - rate) - omega * omega * error
    inverse_dynamics(model, rows, demanded, np.zeros(3), tau)


@kernel
def torques(settings: Any, gains: Any, memory: Any, since: float, tau: Any) -> None:
    """Torques [4] on base and joints of the present stage, in which it has been `since` [s]."""
    base, joints = memory.estimate.base, memory.estimate.joints
    z, zd = np.zeros(6), np.zeros(6)
    for i in range(3):
        z[i], z[3 + i] = now(base, i), now(joints, i)
        zd[i], zd[3 + i] = base.velocity[i], joints.velocity[i]
    model = free_flyer(settings.loaded if memory.holds_target > 0.5 else settings.robot, z, zd)
    for i in range(3):
        model.mass_matrix[3 + i, 3 + i] += gains.model_rotor
    memory.error_base = wrap(z[2] - memory.base_angle)
    if st.APPROACH <= memory.stage <= st.HARD_GRIP:
        _reach_out(settings, gains, memory, since, model, zd, tau)
    elif memory.stage != st.ABORTED:
        _move_joints(settings, gains, memory, since, model, zd, tau)
    else:
        _brake(gains.joints_brake, model.mass_matrix, zd, tau)
        if memory.pose_age > gains.watch_mocap:
            tau[0] = 0.0  # not on a guess while motion capture is lost


@kernel
def send(gains: Any, period: float, tau: Any, memory: Any, inputs: Any) -> None:
    """Limits of torque and of its slope; never exactly zero, at which the drivers fault."""
    for i in range(4):
        value, last = tau[i], memory.sent_torque[i]
        if gains.torque_slew > 0.0:
            step = gains.torque_slew * period
            value = limit(value, last - step, last + step)
        value = limit(value, -gains.torque_limit, gains.torque_limit)
        if value == 0.0:
            value = -1e-5 if last < 0.0 else 1e-5
        memory.sent_torque[i] = value
        inputs.torque[i] = value


@kernel
def thrust(gains: Any, memory: Any, inputs: Any) -> None:
    """Duties of three thruster pairs, tangential at 120 deg, that bring the base back to where it began; none without gains."""
    base, velocity, start = pose_now(memory.estimate.base), memory.estimate.base.velocity, memory.approach_start.base_position
    fx = gains.thrust_kp * (start[0] - base.x) - gains.thrust_kd * velocity[0]
    fy = gains.thrust_kp * (start[1] - base.y) - gains.thrust_kd * velocity[1]
    for i in range(3):
        along = base.angle + 0.5 * math.pi + (0.0, 2.0 * math.pi / 3.0, -2.0 * math.pi / 3.0)[i]
        inputs.thrust[i] = 2.0 / 3.0 * (math.cos(along) * fx + math.sin(along) * fy) / gains.thrust_full
