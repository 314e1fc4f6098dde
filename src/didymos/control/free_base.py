"""What the arm of a robot does to a base that floats, and what it takes to move both: dynamics of a free-flyer.

    M v' + h = g,      v = (u_b, w_b, wheels, arm),   g = (f, t, u, tau)

f force on the base from outside, along the world's axes, t torque on the base along its own, u torques of reaction wheels, tau
efforts of the arm. Freedoms that nobody leads (x) follow the forces that act on them, whatever the arm does: their rows of the
equations of motion say how, for given accelerations a of those that are led and y of the arm,

    M_xx x = g_x - h_x - M_xa a - M_xy y        so that         v' = start + per_joint y

Two cases are needed. With x = (u_b, w_b, wheels) and the forces that act at this moment, a frame of the arm accelerates by J v'
+ J' v = J_g y + ..., J_g the generalized Jacobian of a free-floating robot (Umetani and Yoshida 1989): the arm moves its tool
rightly although the base gives way. y comes from the damped inverse with a wish of its own in the null space,

    y = y_0 + J_g^T (J_g J_g^T + d^2)^-1 (b - J_g y_0)

With x = (u_b, wheels), wheels without torque, and w_b' as it shall be, the base's row of the equations of motion is the torque
t that the base needs while the arm moves so: the reaction of the arm, fed forward. Thrusters give one part of t, wheels the
rest, each by a motor torque of minus what the base shall feel; rotors that are balanced about their axes change nothing else by
it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from didymos.compiled import kernel
from didymos.control.small_linear import factor, solve

__all__ = ["arm_accelerations", "base_torque", "efforts", "respond"]


@kernel
def respond(mass: Any, bias: Any, free: Any, forces: Any, led: Any, arm: Any, start: Any, per_joint: Any) -> None:
    """`start` [nv] and `per_joint` [nv, joints] of v' = start + per_joint y.

    `mass` [nv, nv], `bias` [nv] of the model; `free` where in v the freedoms are that nobody leads, `arm` where the arm's;
    `forces` [nv] that act on the first; `led` [nv] accelerations of the others, the arm's left out.
    """
    n, na, nv = len(free), len(arm), len(start)
    lower, right, found = np.zeros((n, n)), np.zeros(n), np.zeros(n)
    for i in range(nv):
        start[i] = led[i]
        for k in range(na):
            per_joint[i, k] = 0.0
    for k in range(na):
        start[int(arm[k])] = 0.0
    for i in range(n):
        start[int(free[i])] = 0.0
    for i in range(n):
        row = int(free[i])
        for k in range(n):
            lower[i, k] = mass[row, int(free[k])]
        right[i] = forces[row] - bias[row]
        for k in range(nv):
            right[i] -= mass[row, k] * start[k]
    factor(lower, n)
    solve(lower, n, right, found)
    for i in range(n):
        start[int(free[i])] = found[i]
    for k in range(na):
        for i in range(n):
            right[i] = -mass[int(free[i]), int(arm[k])]
        solve(lower, n, right, found)
        for i in range(n):
            per_joint[int(free[i]), k] = found[i]
        per_joint[int(arm[k]), k] = 1.0


@kernel
def arm_accelerations(jacobian: Any, start: Any, per_joint: Any, demanded: Any, damping: float, wish: Any, out: Any) -> None:
    """y [joints] that accelerates a frame by `demanded` [6], its drift J' v taken off, near the `wish` [joints] where it may."""
    nv, na = per_joint.shape
    general, square, gap = np.zeros((6, na)), np.zeros((6, 6)), np.zeros(6)
    for a in range(6):
        gap[a] = demanded[a]
        for i in range(nv):
            if jacobian[a, i] != 0.0:
                gap[a] -= jacobian[a, i] * start[i]
                for k in range(na):
                    general[a, k] += jacobian[a, i] * per_joint[i, k]
        for k in range(na):
            gap[a] -= general[a, k] * wish[k]
    for a in range(6):
        for b in range(6):
            for k in range(na):
                square[a, b] += general[a, k] * general[b, k]
        square[a, a] += damping * damping
    factor(square, 6)
    solve(square, 6, gap, gap)
    for k in range(na):
        out[k] = wish[k]
        for a in range(6):
            out[k] += general[a, k] * gap[a]


@kernel
def _moved(start: Any, per_joint: Any, y: Any) -> Any:
    """v' [nv]."""
    nv, na = per_joint.shape
    moved = np.zeros(nv)
    for i in range(nv):
        moved[i] = start[i]
        for k in range(na):
            moved[i] += per_joint[i, k] * y[k]
    return moved


@kernel
def efforts(mass: Any, bias: Any, arm: Any, start: Any, per_joint: Any, y: Any, out: Any) -> None:
    """Efforts of the arm [joints] for accelerations y [joints]."""
    moved = _moved(start, per_joint, y)
    for k in range(len(arm)):
        row = int(arm[k])
        out[k] = bias[row]
        for i in range(len(moved)):
            out[k] += mass[row, i] * moved[i]


@kernel
def base_torque(mass: Any, bias: Any, first: int, start: Any, per_joint: Any, y: Any, out: Any) -> None:
    """Torque on the base [3], along its own axes, while the arm accelerates by y [joints]; `first` of the base's rates in v."""
    moved = _moved(start, per_joint, y)
    for k in range(3):
        out[k] = bias[first + k]
        for i in range(len(moved)):
            out[k] += mass[first + k, i] * moved[i]
