"""Whether two engines compute the same at the same state: mass matrix, forces of gravity and of motion, accelerations.

States are drawn about the twin's start: coordinates within 1 rad or m, velocities normal with 3 rad/s or m/s, forces such that
every degree of freedom would accelerate by some 10 rad/s^2 or m/s^2. Errors are relative to what belongs to each degree of
freedom, so that a light joint on a heavy body counts as much as the body:

    |dM_ij| / sqrt(M_ii M_jj),    |df_i| / (|f_i| + 10 M_ii),    |da_i| / (|a_i| + 10)
"""

from __future__ import annotations

import mujoco
import numpy as np

from didymos.crosscheck.findings import EngineErrors
from didymos.crosscheck.our_mechanism import OurMechanism
from didymos.crosscheck.rigid_bodies import RigidBodies
from didymos.crosscheck.trajectory import mass_matrix

__all__ = ["compare_engines"]

_STATES = 20
_LIVELY = 10.0  # [rad/s^2] or [m/s^2]


def compare_engines(ours: OurMechanism, theirs: RigidBodies, seed: int) -> EngineErrors:
    """The largest errors at random states."""
    model, random = ours.model, np.random.default_rng(seed)
    data = mujoco.MjData(model)
    errors = np.zeros(5)
    for _ in range(_STATES):
        qpos, qvel = ours.qpos.copy(), 3.0 * random.normal(size=model.nv)
        mujoco.mj_integratePos(model, qpos, random.uniform(-1.0, 1.0, model.nv), 1.0)
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = qpos, 0.0, 0.0
        mujoco.mj_forward(model, data)
        gravity, matrix = data.qfrc_bias.copy(), mass_matrix(model, data)
        force = matrix @ (_LIVELY * random.normal(size=model.nv))
        data.qvel[:], data.qfrc_applied[:] = qvel, force
        mujoco.mj_forward(model, data)
        other_gravity = theirs.bias(qpos, np.zeros(model.nv))
        pairs = (
            (matrix, theirs.mass_matrix(qpos)),
            (gravity, other_gravity),
            (data.qfrc_bias - gravity, theirs.bias(qpos, qvel) - other_gravity),
            (data.qfrc_passive, theirs.passive(qpos, qvel)),
            (data.qacc, theirs.acceleration(qpos, qvel, force)),
        )
        weight = np.diag(matrix)
        scales = (
            np.sqrt(np.outer(weight, weight)),
            *(np.abs(b) + _LIVELY * weight for _, b in pairs[1:4]),
            np.abs(pairs[4][1]) + _LIVELY,
        )
        errors = np.maximum(errors, [np.max(np.abs(a - b) / scale) for (a, b), scale in zip(pairs, scales, strict=True)])
    return EngineErrors(*map(float, errors))
