"""`robot.model` against pinocchio at 100 random states of each robot, to 1e-9 of the largest entry of a quantity at a state.

Pinocchio reads the same URDF with its own parser. Its free joint has velocities along the axes of the base, the engine's has
linear ones along those of the world: v' = T v, v'' = T v' + c, f' = T f, with R the rotation of the base and c = (-w x R^T u, 0).
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio
import pytest
import xacro
from described import assert_agree, described, random_states, urdf_tree

import didymos
from didymos.describe.float_base import float_base
from didymos.describe.formats.importer import read_description
from didymos.describe.robot_model import robot_model
from didymos.model import RobotModel

sys.path.append(str(Path(__file__).parents[1] / "describe"))
from test_public_descriptions import without_shapes

STATES = 100
WITHIN = 1e-9
ALIGNED = pinocchio.ReferenceFrame.LOCAL_WORLD_ALIGNED
PUBLIC = {
    "panda_description/urdf/panda.urdf": False,
    "ur_description/urdf/ur5_robot.urdf": False,
    "anymal_b_simple_description/robots/anymal.urdf": True,
    "talos_data/robots/talos_reduced.urdf": True,
}


@dataclass
class Theirs:
    """Pinocchio's model of a URDF, asked at q and v of ours."""

    model: Any
    data: Any
    ours: RobotModel

    def place(self, q: np.ndarray, v: np.ndarray) -> None:
        """Everything of theirs at a state."""
        count = self.ours.nv
        self.q, self.turn, self.drift = pinocchio.neutral(self.model), np.zeros((count, count)), np.zeros(count)
        for name in self.ours.joints:
            joint, other = self.ours.joint(name), self.model.joints[self.model.getJointId(name)]
            angle = q[joint.position_index]
            self.q[other.idx_q : other.idx_q + other.nq] = angle if other.nq == 1 else [np.cos(angle), np.sin(angle)]
            self.turn[other.idx_v, joint.velocity_index] = 1.0
        if self.ours.floating:
            x, y, z, w, i, j, k = q[:7]
            self.q[:7] = [x, y, z, i, j, k, w]
            rotation = pinocchio.Quaternion(w, i, j, k).matrix()
            self.turn[:3, :3], self.turn[3:6, 3:6] = rotation.T, np.eye(3)
            self.drift[:3] = -np.cross(v[3:6], rotation.T @ v[:3])
        self.v = self.turn @ v
        pinocchio.forwardKinematics(self.model, self.data, self.q, self.v, self.drift)
        pinocchio.computeJointJacobians(self.model, self.data, self.q)
        pinocchio.updateFramePlacements(self.model, self.data)
        upper = np.triu(pinocchio.crba(self.model, self.data, self.q))
        inner = upper + np.triu(upper, 1).T
        self.mass_matrix = self.turn.T @ inner @ self.turn
        forces = pinocchio.nonLinearEffects(self.model, self.data, self.q, self.v).copy()
        self.bias = self.turn.T @ (forces + inner @ self.drift)
        self.gravity = self.turn.T @ pinocchio.computeGeneralizedGravity(self.model, self.data, self.q)
        self.momentum = pinocchio.computeCentroidalMomentum(self.model, self.data, self.q, self.v).vector.copy()
        self.center = pinocchio.centerOfMass(self.model, self.data, self.q).copy()

    def frame(self, name: str) -> int:
        """Theirs by the name of a link."""
        return self.model.getFrameId(name, pinocchio.FrameType.BODY)


def compare(path: Path, ours: RobotModel, *, floating: bool) -> None:
    free = (pinocchio.JointModelFreeFlyer(),) if floating else ()
    model = pinocchio.buildModelFromUrdf(str(path), *free)
    model.gravity.linear = np.array([0.0, 0.0, -ours.gravity])
    assert (model.nv, ours.floating) == (ours.nv, floating)
    theirs = Theirs(model, model.createData(), ours)
    moving = sum(inertia.mass for inertia in model.inertias[1:])
    theirs.place(ours.reference, np.zeros(ours.nv))
    rest = ours.mass * ours.at(ours.reference).center_of_mass - moving * theirs.center  # what stands in the world
    for q, v in random_states(ours, STATES):
        state = ours.at(q, v)
        theirs.place(q, v)
        assert_agree(state.mass_matrix, theirs.mass_matrix, WITHIN)
        assert_agree(state.bias, theirs.bias, WITHIN)
        assert_agree(state.gravity, theirs.gravity, WITHIN)
        assert_agree(ours.mass * state.center_of_mass - rest, moving * theirs.center, WITHIN)
        linear, angular = state.momentum[:3], state.momentum[3:] + np.cross(state.center_of_mass, state.momentum[:3])
        assert_agree(linear, theirs.momentum[:3], WITHIN)
        assert_agree(angular, theirs.momentum[3:] + np.cross(theirs.center, theirs.momentum[:3]), WITHIN)
        for name in list(ours.links)[:: max(1, len(ours.links) // 6)]:
            number = theirs.frame(name)
            placed = theirs.data.oMf[number]
            jacobian = pinocchio.getFrameJacobian(model, theirs.data, number, ALIGNED) @ theirs.turn
            velocity = pinocchio.getFrameVelocity(model, theirs.data, number, ALIGNED).vector
            drift = pinocchio.getFrameClassicalAcceleration(model, theirs.data, number, ALIGNED).vector
            assert_agree(state.position(name), placed.translation, WITHIN, least=1.0)
            assert_agree(state.rotation(name), placed.rotation, WITHIN)
            assert_agree(state.jacobian(name), jacobian, WITHIN, least=1.0)  # a link that stands still has none
            assert_agree(state.velocity(name), velocity, WITHIN, least=1.0)
            assert_agree(state.drift(name), drift, WITHIN, least=1.0)


@pytest.mark.parametrize("floating", [False, True], ids=["held", "floating"])
@pytest.mark.parametrize("seed", [1, 2])
def test_trees_of_all_joints_of_urdf(seed: int, floating: bool, tmp_path: Path) -> None:
    ours = robot_model(described(urdf_tree(seed, 12), tmp_path, floating=floating))
    compare(tmp_path / "robot.urdf", ours, floating=floating)


@pytest.mark.parametrize(("file", "floating"), PUBLIC.items(), ids=[Path(file).stem for file in PUBLIC])
def test_public_robots(file: str, floating: bool, tmp_path: Path) -> None:
    path = without_shapes(file, tmp_path)
    description = read_description(path)
    compare(path, robot_model(float_base(description) if floating else description), floating=floating)


def test_meldog(tmp_path: Path) -> None:
    twin, path = didymos.load("meldog"), tmp_path / "meldog.urdf"
    path.write_text(xacro.process_file(str(twin.description.source)).toxml(), encoding="utf-8")
    compare(path, twin.model, floating=True)
