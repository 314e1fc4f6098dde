"""What the arm of a robot does to a base that floats, and what it takes to move both: inverse dynamics of a free-flyer.

    M v' + h = (f, t, u, tau),      v = (u_b, w_b, wheels, arm)

f force on the base from outside, along the world's axes, t torque on the base along its own, u torques of reaction wheels, tau
efforts of the arm. Nobody chooses how the base's origin accelerates nor how the wheels turn: for given f, a demanded w_b' and free
wheels (u = 0), their rows of the equations of motion say it, and all of v' follows from the accelerations y of the arm alone,

    v' = start + per_joint y,       (M_xx x = -h_x + f - M_xa w_b' - M_xy y,   x = origin and wheels)

so that a frame of the arm accelerates by J v' + J' v = J_g y + ..., J_g the generalized Jacobian of a free-floating robot (Umetani
and Yoshida 1989). y comes from its damped inverse with a wish of its own in the null space,

    y = y_0 + J_g^T (J_g J_g^T + d^2)^-1 (b - J_g y_0)

and efforts and torque from the other rows. The torque t that is found is shared: thrusters give one part of it, wheels the rest, each
by a motor torque of minus what the base shall feel, which changes neither w_b' nor the arm, for rotors that are balanced about
their axes. Valid where the base's rotation is driven; where it is not, the caller lets w_b' be what it will be.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from didymos.compiled import kernel
from didymos.control.small_linear import factor, solve

__all__ = ["arm_accelerations", "efforts", "respond"]


@kernel
def respond(mass: Any, bias: Any, base: int, wheels: Any, arm: Any, force: Any, turning: Any, start: Any, per_joint: Any) -> None:
    """`start` [nv] and `per_joint` [nv, joints] of v' = start + per_joint y.

    `mass` [nv, nv], `bias` [nv] of the model; `base` where the base's six begin in v; `wheels`, `arm` where those joints are;
    `force` [3] on the base's origin from outside, along the world's axes; `turning` [3] its demanded w_b' along its own.
    """
    nw, na, nv = len(wheels), len(arm), len(start)
    n = 3 + nw
    own = np.zeros(n, np.int64)
    for i in range(3):
        own[i] = base + i
    for i in range(nw):
        own[3 + i] = int(wheels[i])
    lower, right, found = np.zeros((n, n)), np.zeros(n), np.zeros(n)
    for i in range(n):
        for k in range(n):
            lower[i, k] = mass[own[i], own[k]]
    factor(lower, n)
    for i in range(nv):
        start[i] = 0.0
        for k in range(na):
            per_joint[i, k] = 0.0
    for i in range(n):
        right[i] = -bias[own[i]] + (force[i] if i < 3 else 0.0)
        for k in range(3):
            right[i] -= mass[own[i], base + 3 + k] * turning[k]
    solve(lower, n, right, found)
    for i in range(n):
        start[own[i]] = found[i]
    for k in range(3):
        start[base + 3 + k] = turning[k]
    for k in range(na):
        for i in range(n):
            right[i] = -mass[own[i], int(arm[k])]
        solve(lower, n, right, found)
        for i in range(n):
            per_joint[own[i], k] = found[i]
        per_joint[int(arm[k]), k] = 1.0


@kernel
def arm_accelerations(jacobian: Any, start: Any, per_joint: Any, demanded: Any, damping: float, wish: Any, out: Any) -> None:
    """y [joints] that accelerates a frame by `demanded` [6] (its drift J' v taken off), near the `wish` [joints] where it is free."""
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
def efforts(mass: Any, bias: Any, base: int, arm: Any, start: Any, per_joint: Any, y: Any, tau: Any, torque: Any) -> None:
    """Efforts of the arm into `tau` [joints] and the torque on the base, along its own axes, into `torque` [3]."""
    nv, na = per_joint.shape
    moved = np.zeros(nv)
    for i in range(nv):
        moved[i] = start[i]
        for k in range(na):
            moved[i] += per_joint[i, k] * y[k]
    for k in range(na):
        row = int(arm[k])
        tau[k] = bias[row]
        for i in range(nv):
            tau[k] += mass[row, i] * moved[i]
    for k in range(3):
        row = base + 3 + k
        torque[k] = bias[row]
        for i in range(nv):
            torque[k] += mass[row, i] * moved[i]
