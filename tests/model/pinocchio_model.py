"""How far `robot.model` is from pinocchio, which reads the same URDF with its own parser, at random states.

A quantity is off by its largest difference over its largest entry at that state; poses, Jacobians, velocities and their drift of
links over at least one (metre, second), as those of a link that stands still are nothing. Pinocchio's free joint has velocities
along the axes of the base, the engine's has linear ones along those of the world: v' = T v, v'' = T v' + c, f' = T f, with R the
rotation of the base and c = (-w x R^T u, 0).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio
from described import random_states

from didymos.model import ModelState, RobotModel

Array = np.ndarray

ALIGNED = pinocchio.ReferenceFrame.LOCAL_WORLD_ALIGNED


class Theirs:
    """Pinocchio's model of a URDF, asked at q and v of ours."""

    def __init__(self, path: Path, ours: RobotModel) -> None:
        free = (pinocchio.JointModelFreeFlyer(),) if ours.floating else ()
        self.model: Any = pinocchio.buildModelFromUrdf(str(path), *free)
        self.model.gravity.linear = np.array([0.0, 0.0, -ours.gravity])
        self.data, self.ours = self.model.createData(), ours
        assert self.model.nv == ours.nv
        self.moving = sum(inertia.mass for inertia in self.model.inertias[1:])  # [kg]; what stands in the world it leaves out

    def place(self, q: Array, v: Array) -> None:
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

    def whole(self) -> dict[str, Array]:
        """Quantities of the whole robot; the angular momentum about the origin of the world."""
        upper = np.triu(pinocchio.crba(self.model, self.data, self.q))
        inner = upper + np.triu(upper, 1).T
        forces = pinocchio.nonLinearEffects(self.model, self.data, self.q, self.v).copy()
        momentum = pinocchio.computeCentroidalMomentum(self.model, self.data, self.q, self.v).vector.copy()
        center = pinocchio.centerOfMass(self.model, self.data, self.q).copy()
        return {
            "mass matrix": self.turn.T @ inner @ self.turn,
            "bias": self.turn.T @ (forces + inner @ self.drift),
            "gravity": self.turn.T @ pinocchio.computeGeneralizedGravity(self.model, self.data, self.q),
            "centre of mass": self.moving * center,
            "momentum": np.concatenate([momentum[:3], momentum[3:] + np.cross(center, momentum[:3])]),
        }

    def link(self, name: str) -> dict[str, Array]:
        """Quantities of a link."""
        number = self.model.getFrameId(name, pinocchio.FrameType.BODY)
        placed = self.data.oMf[number]
        return {
            "pose": np.column_stack([placed.translation, placed.rotation]),
            "Jacobian": pinocchio.getFrameJacobian(self.model, self.data, number, ALIGNED) @ self.turn,
            "velocity": pinocchio.getFrameVelocity(self.model, self.data, number, ALIGNED).vector,
            "drift": pinocchio.getFrameClassicalAcceleration(self.model, self.data, number, ALIGNED).vector,
        }


def _whole(model: RobotModel, state: ModelState) -> dict[str, Array]:
    linear, center = state.momentum[:3], state.center_of_mass
    return {
        "mass matrix": state.mass_matrix, "bias": state.bias, "gravity": state.gravity, "centre of mass": model.mass * center,
        "momentum": np.concatenate([linear, state.momentum[3:] + np.cross(center, linear)]),
    }  # fmt: skip


def _link(state: ModelState, name: str) -> dict[str, Array]:
    return {
        "pose": np.column_stack([state.position(name), state.rotation(name)]), "Jacobian": state.jacobian(name),
        "velocity": state.velocity(name), "drift": state.drift(name),
    }  # fmt: skip


def deviations(path: Path, ours: RobotModel, states: int) -> dict[str, float]:
    """The largest deviation of every quantity over some random states."""
    theirs, worst = Theirs(path, ours), dict[str, float]()
    theirs.place(ours.reference, np.zeros(ours.nv))
    rest = _whole(ours, ours.at(ours.reference))["centre of mass"] - theirs.whole()["centre of mass"]  # what stands in the world
    for q, v in random_states(ours, states):
        theirs.place(q, v)
        for name, off in _compared(ours.at(q, v), theirs, rest):
            worst[name] = max(worst.get(name, 0.0), off)
    return worst


def _compared(state: ModelState, theirs: Theirs, rest: Array) -> Iterator[tuple[str, float]]:
    model = state.model
    own, other = _whole(model, state), theirs.whole()
    own["centre of mass"] = own["centre of mass"] - rest
    yield from ((name, _off(own[name], other[name], 0.0)) for name in own)
    for link in list(model.links)[:: max(1, len(model.links) // 6)]:
        own, other = _link(state, link), theirs.link(link)
        yield from ((name, _off(own[name], other[name], 1.0)) for name in own)


def _off(own: Array, other: Array, least: float) -> float:
    return float(np.abs(own - other).max() / max(np.abs(other).max(), least))
