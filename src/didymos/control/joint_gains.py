"""Gains of joints from the robot's model: stiff enough for its efforts, soft enough for its step.

    kp = min( tau_max / e, (c / h)^2 I )          kd = 2 sqrt(kp M_ii)

e = 0.05 rad (m) the error at which a joint gives all that it has; I = 1 / (M^-1)_ii the inertia that it feels with all others
free, M_ii with all others held, both at a posture and with the rotor's; c = 0.5. A joint whose effort nobody limits gets
kp = w^2 M_ii with w = 60 rad/s. With D = diag(I) the matrix D^1/2 M^-1 D^1/2 has ones on its diagonal, so that for n joints no
stiffness of theirs exceeds n (c / h)^2 against its inertia: stable with any damping for n < 4 / c^2 = 16 (`servo_is_stable`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from didymos.model import RobotModel

__all__ = ["joint_gains", "posture_of"]

_FULL_EFFORT_AT = 0.05  # [rad or m]
_SHARE = 0.5  # c
_PLAIN = 60.0  # [rad/s]


def posture_of(model: RobotModel, posture: Mapping[str, float]) -> np.ndarray:
    """q [nq] with joints where a posture has them, the rest as drawn."""
    q = np.array(model.reference, dtype=np.float64)
    for name, value in posture.items():
        if name in model.joints and model.joint(name).nq == 1:
            q[model.joint(name).position_index] = value
    return q


def joint_gains(
    model: RobotModel,
    step: float,
    *,
    posture: Mapping[str, float] | None = None,
    armature: Mapping[str, float] | None = None,
    effort: Mapping[str, float] | None = None,
) -> dict[str, tuple[float, float]]:
    """(kp [N m/rad], kd [N m s/rad]) of every joint that turns or slides, for a servo that acts in every physics step [s].

    `armature` [kg m^2] of rotors beside those of the description; `effort` limits [N m] where they are not the description's.
    """
    mass = model.at(posture_of(model, posture or {})).mass_matrix.copy()
    single = [name for name in model.joints if model.joint(name).nv == 1]
    for name in single:
        at = model.joint(name).velocity_index
        mass[at, at] += (armature or {}).get(name, 0.0)
    free = np.diag(np.linalg.pinv(mass))
    found = {}
    for name in single:
        joint = model.joint(name)
        at = joint.velocity_index
        held, felt = float(mass[at, at]), 1.0 / max(float(free[at]), 1e-12)
        most = (effort or {}).get(name, joint.effort)
        wish = most / _FULL_EFFORT_AT if 0.0 < most < math.inf else _PLAIN**2 * held
        kp = min(wish, (_SHARE / step) ** 2 * felt)
        found[name] = kp, 2.0 * math.sqrt(kp * held)
    return found
