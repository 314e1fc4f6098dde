"""What the capture program does: references of the present stage, setpoints accelerations, torques, thrust.

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

from didymos.compiled import kernel
from didymos.control import capture_layout as at
from didymos.control import capture_stages as st
from didymos.control.capture_law import quintic, wrap
from didymos.control.capture_observe import whereabouts
from didymos.control.free_flyer import carry, free_flyer, inverse_dynamics, solve

__all__ = ["begin_approach", "send", "thrust", "torques"]


@kernel
def begin_approach(m: Any, gains: Any) -> None:
    """What is latched when the approach begins."""
    m[at.BASE_X], m[at.BASE_Y] = whereabouts(m, 0, 0), whereabouts(m, 0, 1)
    port = whereabouts(m, 2, 2)
    m[at.OFFSET] = whereabouts(m, 1, 0) - whereabouts(m, 2, 0) + gains[at.G_CLEARANCE] * math.cos(port)
    m[at.OFFSET + 1] = whereabouts(m, 1, 1) - whereabouts(m, 2, 1) + gains[at.G_CLEARANCE] * math.sin(port)
    m[at.OFFSET + 2] = wrap(whereabouts(m, 1, 2) - port)
    for i in range(3):
        m[at.START + i] = whereabouts(m, 3, i)


@kernel
def _reference(m: Any, gains: Any, since: float, ref: Any, rate: Any, second: Any) -> None:
    """Wanted pose of the end effector, its rate and acceleration, [3] each."""
    for i in range(3):
        ref[i], rate[i], second[i] = whereabouts(m, 2, i), m[at.TRACKS + 13 + 2 * i], 0.0
    ahead, speed = 0.0, 0.0
    if m[at.STAGE] == st.APPROACH:
        way, first, then = quintic(since, gains[at.G_PATH])
        for i in range(3):
            ref[i] += (1.0 - way) * m[at.OFFSET + i]
            rate[i] -= first * m[at.OFFSET + i]
            second[i] = -then * m[at.OFFSET + i]
        ahead = -gains[at.G_CLEARANCE]
    elif m[at.STAGE] == st.CONTACT:
        ahead = gains[at.G_CREEP] * since - gains[at.G_CLEARANCE]
        speed = (1.0 - m[at.BLEND]) * gains[at.G_CREEP]
        if ahead > gains[at.G_OVERRUN]:
            ahead, speed = gains[at.G_OVERRUN], 0.0
    port = whereabouts(m, 2, 2)
    c, s = math.cos(port), math.sin(port)
    turn = m[at.TRACKS + 17]
    ref[0] += ahead * c
    ref[1] += ahead * s
    rate[0] += speed * c - ahead * turn * s
    rate[1] += speed * s + ahead * turn * c


@kernel
def _errors(m: Any, gains: Any, since: float, velocity: Any, e: Any, v: Any, second: Any) -> None:
    """Errors of the end effector and their rates [3] in its own frame (normal, across, turn), setpoints acceleration [3], world."""
    ref, rate = np.zeros(3), np.zeros(3)
    _reference(m, gains, since, ref, rate, second)
    angle = whereabouts(m, 1, 2)
    c, s = math.cos(angle), math.sin(angle)
    ex, ey = whereabouts(m, 1, 0) - ref[0], whereabouts(m, 1, 1) - ref[1]
    vx, vy = velocity[0] - rate[0], velocity[1] - rate[1]
    e[0], e[1], e[2] = c * ex + s * ey, c * ey - s * ex, wrap(angle - ref[2])
    v[0], v[1], v[2] = c * vx + s * vy, c * vy - s * vx, velocity[2] - rate[2]
    m[at.E_NORMAL], m[at.E_ACROSS], m[at.E_TURN] = e[0], e[1], e[2]


@kernel
def _impedance(m: Any, gains: Any, target_mass: float, e: Any, v: Any, second: Any, u: Any, push: Any) -> None:
    """Wanted accelerations of the end effector [3], world, and the force that it exerts on the target."""
    angle = whereabouts(m, 1, 2)
    c, s = math.cos(angle), math.sin(angle)
    mass, w = gains[at.G_MASS], m[at.BLEND]
    demanded = gains[at.G_FORCE]
    if m[at.STAGE] == st.HARD_GRIP:
        demanded = 0.0  # the soft stage holds the target already
    free = gains[at.G_NORMAL]
    damping = (1.0 - w) * 2.0 * free * mass + w * gains[at.G_CONTACT_DAMPING]
    force = w * (demanded * (1.0 + mass / target_mass) - m[at.FORCE])
    a_normal = (force - damping * v[0]) / mass - (1.0 - w) * free * free * e[0]
    a_across = -2.0 * gains[at.G_ACROSS] * v[1] - gains[at.G_ACROSS] ** 2 * e[1]
    u[0] = second[0] + c * a_normal - s * a_across
    u[1] = second[1] + s * a_normal + c * a_across
    u[2] = second[2] - 2.0 * gains[at.G_TURN] * v[2] - gains[at.G_TURN] ** 2 * e[2]
    push[0], push[1], push[2] = w * m[at.FORCE] * c, w * m[at.FORCE] * s, 0.0


@kernel
def _fallback(m: Any, gains: Any, e: Any, v: Any, je: Any, base_rate: float, tau: Any) -> None:
    """Torques [4] of a spring and a damper between the end effector and its reference, and of the base's own."""
    angle = whereabouts(m, 1, 2)
    c, s = math.cos(angle), math.sin(angle)
    ex, ey, vx, vy = c * e[0] - s * e[1], s * e[0] + c * e[1], c * v[0] - s * v[1], s * v[0] + c * v[1]
    fx = -gains[at.G_PD_X] * ex - gains[at.G_PD_CROSS] * ey - gains[at.G_PD_DAMPING] * vx
    fy = -gains[at.G_PD_CROSS] * ex - gains[at.G_PD_Y] * ey - gains[at.G_PD_DAMPING] * vy
    turn = -gains[at.G_PD_TURN] * e[2] - gains[at.G_PD_TURN_DAMPING] * v[2]
    tau[0] = -gains[at.G_PD_BASE] * m[at.E_BASE] - gains[at.G_PD_BASE_DAMPING] * base_rate
    for i in range(3):
        tau[1 + i] = je[0, 3 + i] * fx + je[1, 3 + i] * fy + je[2, 3 + i] * turn


@kernel
def _joints(m: Any, gains: Any, settings: Any, since: float, zd: Any, u: Any) -> None:
    """Wanted accelerations of the joints [3]: unfold; come smoothly to rest, then, in retreat, go back to the start."""
    omega = gains[at.G_JOINTS]
    for i in range(3):
        q, qd = whereabouts(m, 3, i), zd[3 + i]
        ref, rate, second = m[at.HELD + i], 0.0, 0.0
        if m[at.STAGE] == st.HOLD:
            fade = math.exp(-since)
            ref += m[at.HELD_RATE + i] * (1.0 - fade)
            rate = m[at.HELD_RATE + i] * fade
            second = -rate
        else:
            goal, seconds = m[at.START + i], gains[at.G_RETREAT]
            if m[at.STAGE] == st.UNFOLD:
                goal, seconds = settings[at.S_POSTURE + i], gains[at.G_UNFOLD]
            way, first, then = quintic(seconds if m[at.STAGE] == st.DONE else since, seconds)
            gap = goal - ref if m[at.STAGE] == st.UNFOLD else wrap(goal - ref)
            ref, rate, second = ref + way * gap, first * gap, then * gap
        u[i] = second - 2.0 * omega * (qd - rate) - omega * omega * wrap(q - ref)


@kernel
def _brake(rate: float, h: Any, zd: Any, tau: Any) -> None:
    """Damping of base and joints, each by what it alone has to move: d_i = rate / (H^-1)_ii.

    A damper takes energy whatever else happens, a drive that does nothing included. The fastest motion that it can damp has
    at most the trace of H^-1 D, which is 4 times the rate: held over a period of 10 ms that is stable up to 50 / s.
    """
    for i in range(4):
        a, column = h.copy(), np.zeros(6)
        column[2 + i] = 1.0
        tau[i] = -rate / column[2 + i] * zd[2 + i] if solve(a, column) else 0.0


@kernel
def torques(gains: Any, settings: Any, m: Any, since: float, z: Any, zd: Any, tau: Any) -> None:
    """Torques [4] on base and joints of the present stage."""
    par = np.empty(16)
    par[:] = settings[:16]
    if m[at.HELD_TARGET] > 0.5:
        carry(settings[:16], settings[at.S_TARGET], settings[at.S_TARGET + 1], settings[at.S_TARGET + 2], par)
    h, c, je, bias, xe = np.zeros((6, 6)), np.zeros(6), np.zeros((3, 6)), np.zeros(3), np.zeros(3)
    free_flyer(par, z, zd, h, c, je, bias, xe)
    for i in range(3):
        h[3 + i, 3 + i] += gains[at.G_ROTOR]
    rows, setpoints, push, u = np.zeros((4, 6)), np.zeros(4), np.zeros(3), np.zeros(3)
    m[at.E_BASE] = wrap(z[2] - m[at.ANGLE0])
    rows[0, 2] = 1.0
    setpoints[0] = -2.0 * gains[at.G_BASE_DAMPING] * gains[at.G_BASE] * zd[2] - gains[at.G_BASE] ** 2 * m[at.E_BASE]
    if st.APPROACH <= m[at.STAGE] <= st.HARD_GRIP:
        e, v, second = np.zeros(3), np.zeros(3), np.zeros(3)
        _errors(m, gains, since, je @ zd, e, v, second)
        _impedance(m, gains, settings[at.S_TARGET], e, v, second, u, push)
        rows[1:, :] = je
        for i in range(3):
            setpoints[1 + i] = u[i] - bias[i]
        if gains[at.G_PD] > 0.5 or not inverse_dynamics(h, c, rows, setpoints, je, push, tau):
            _fallback(m, gains, e, v, je, zd[2], tau)
    elif m[at.STAGE] != st.ABORTED:
        _joints(m, gains, settings, since, zd, u)
        for i in range(3):
            rows[1 + i, 3 + i] = 1.0
            setpoints[1 + i] = u[i]
        inverse_dynamics(h, c, rows, setpoints, je, push, tau)
    else:
        _brake(gains[at.G_BRAKE], h, zd, tau)
        if m[at.AGE] > gains[at.G_WATCH]:
            tau[0] = 0.0  # not on a guess while motion capture is lost


@kernel
def send(gains: Any, period: float, tau: Any, m: Any, inputs: Any) -> None:
    """Limits of torque and of its slope; never exactly zero, at which the drivers fault."""
    for i in range(4):
        value = tau[i]
        if gains[at.G_SLEW] > 0.0:
            step = gains[at.G_SLEW] * period
            value = min(max(value, m[at.TORQUE + i] - step), m[at.TORQUE + i] + step)
        value = min(max(value, -gains[at.G_LIMIT]), gains[at.G_LIMIT])
        if value == 0.0:
            value = -1e-5 if m[at.TORQUE + i] < 0.0 else 1e-5
        m[at.TORQUE + i] = value
        inputs[i] = value


@kernel
def thrust(gains: Any, m: Any, inputs: Any) -> None:
    """Duties of three thruster pairs, tangential at 120 deg, that bring the base back to where it began; none without gains."""
    x, y, angle = whereabouts(m, 0, 0), whereabouts(m, 0, 1), whereabouts(m, 0, 2)
    fx = gains[at.G_THRUST_KP] * (m[at.BASE_X] - x) - gains[at.G_THRUST_KD] * m[at.TRACKS + 1]
    fy = gains[at.G_THRUST_KP] * (m[at.BASE_Y] - y) - gains[at.G_THRUST_KD] * m[at.TRACKS + 3]
    for i in range(3):
        along = angle + 0.5 * math.pi + (0.0, 2.0 * math.pi / 3.0, -2.0 * math.pi / 3.0)[i]
        inputs[5 + i] = 2.0 / 3.0 * (math.cos(along) * fx + math.sin(along) * fy) / gains[at.G_THRUST]
