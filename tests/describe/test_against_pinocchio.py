"""Forward dynamics of imported robots against pinocchio's articulated-body algorithm, at random states.

Free base: pinocchio's velocity is in the base's frame; the engine's is linear in the world, angular in the base.

    a_world = R (a + w x v),   f_world = R f
"""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pinocchio
import pytest
from test_public_descriptions import without_shapes

from didymos.describe.float_base import float_base
from didymos.describe.formats.importer import read_description


@pytest.mark.parametrize(
    ("file", "floating"),
    [
        ("ur_description/urdf/ur5_robot.urdf", False),
        ("panda_description/urdf/panda.urdf", False),
        ("solo_description/robots/solo12.urdf", True),
        ("talos_data/robots/talos_reduced.urdf", True),
        ("anymal_b_simple_description/robots/anymal.urdf", True),  # whose root lends an impossible inertia
        ("human_description/robots/human.urdf", False),  # universal joints with massless crosspieces
    ],
)
def test_accelerations_agree(file: str, floating: bool, tmp_path: Path) -> None:
    path = without_shapes(file, tmp_path)
    description = read_description(path)
    description = float_base(description) if floating else description
    model = description.spec.compile()
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    model.dof_damping[:] = 0
    free = (pinocchio.JointModelFreeFlyer(),) if floating else ()
    other = pinocchio.buildModelFromUrdf(str(path), *free)
    data, other_data = mujoco.MjData(model), other.createData()
    random = np.random.default_rng(7)
    pairs = [
        (model.joint(name), other.joints[other.getJointId(name)]) for name in other.names[1:] if name != "root_joint"
    ]
    assert model.nv == other.nv
    for _ in range(5):
        q, v, tau = pinocchio.neutral(other), random.normal(size=other.nv), random.normal(size=other.nv)
        expected = np.zeros(model.nv)
        for mine, theirs in pairs:
            angle = random.uniform(-1, 1)
            data.qpos[mine.qposadr[0]] = angle
            q[theirs.idx_q : theirs.idx_q + theirs.nq] = angle if theirs.nq == 1 else [np.cos(angle), np.sin(angle)]
            data.qvel[mine.dofadr[0]], data.qfrc_applied[mine.dofadr[0]] = v[theirs.idx_v], tau[theirs.idx_v]
        if floating:
            x, y, z, w = quaternion = (lambda draw: draw / np.linalg.norm(draw))(random.normal(size=4))
            q[:7] = [*random.normal(size=3), *quaternion]
            rotation = pinocchio.Quaternion(w, x, y, z).matrix()
            data.qpos[:7] = [*q[:3], w, x, y, z]
            data.qvel[:6] = [*(rotation @ v[:3]), *v[3:6]]
            data.qfrc_applied[:6] = [*(rotation @ tau[:3]), *tau[3:6]]
        acceleration = pinocchio.aba(other, other_data, q, v, tau)
        for mine, theirs in pairs:
            expected[mine.dofadr[0]] = acceleration[theirs.idx_v]
        if floating:
            linear = rotation @ (acceleration[:3] + np.cross(v[3:6], v[:3]))
            expected[:6] = [*linear, *acceleration[3:6]]
        mujoco.mj_forward(model, data)
        np.testing.assert_allclose(data.qacc, expected, rtol=1e-8, atol=1e-8 * np.abs(expected).max())
