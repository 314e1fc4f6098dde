"""The engine's coordinates in pinocchio's.

A free joint: pinocchio's velocity is that of the body in the body's own frame; the engine's is linear in the world, angular in
the body. With R the body's rotation, the velocities go over by a matrix T that is orthogonal, and accelerations by

    v' = T v,    a' = T a + c,    c = (-w x R^T v, 0),    f' = T f

so that mass matrix and bias forces come back as M = T^T M' T and h = T^T (h' + M' c). Hinges, sliders and balls are the same in
both, but for the order of a quaternion.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.rotations import quaternion_to_matrix

__all__ = ["BALL", "FREE", "HINGE", "SLIDE", "Coordinates", "SharedJoint"]

Array = NDArray[np.float64]

FREE, BALL, SLIDE, HINGE = (int(getattr(mujoco.mjtJoint, f"mjJNT_{name}")) for name in ("FREE", "BALL", "SLIDE", "HINGE"))
"""Kinds of the engine's joints."""


@dataclass(frozen=True)
class SharedJoint:
    """A joint in both: its kind in the engine, where its numbers begin in the engine's vectors and in pinocchio's."""

    kind: int
    qpos: int
    dof: int
    their_q: int
    their_v: int


class Coordinates:
    """From the engine's vectors to pinocchio's, for the joints that they share."""

    def __init__(self, joints: tuple[SharedJoint, ...], nq: int, nv: int) -> None:
        self.joints, self._nq, self._nv = joints, nq, nv

    def position(self, qpos: Array) -> Array:
        """pinocchio's configuration; quaternions are normalised."""
        q = np.zeros(self._nq)
        for joint in self.joints:
            here, there = joint.qpos, joint.their_q
            if joint.kind == FREE:
                q[there : there + 3] = qpos[here : here + 3]
                here, there = here + 3, there + 3
            if joint.kind in (FREE, BALL):
                w, x, y, z = qpos[here : here + 4] / np.linalg.norm(qpos[here : here + 4])
                q[there : there + 4] = x, y, z, w
            else:
                q[there] = qpos[here]
        return q

    def transform(self, qpos: Array) -> Array:
        """The matrix T, shape [nv, nv]: pinocchio's velocities are T times the engine's."""
        made = np.zeros((self._nv, self._nv))
        for joint in self.joints:
            rows, columns = joint.their_v, joint.dof
            if joint.kind == FREE:
                w = qpos[joint.qpos + 3 : joint.qpos + 7]
                made[rows : rows + 3, columns : columns + 3] = quaternion_to_matrix(w / np.linalg.norm(w)).T
                made[rows + 3 : rows + 6, columns + 3 : columns + 6] = np.eye(3)
            elif joint.kind == BALL:
                made[rows : rows + 3, columns : columns + 3] = np.eye(3)
            else:
                made[rows, columns] = 1.0
        return made

    def drift(self, velocity: Array) -> Array:
        """The vector c, of pinocchio's velocities."""
        made = np.zeros(self._nv)
        for joint in self.joints:
            if joint.kind == FREE:
                at = joint.their_v
                linear, angular = velocity[at : at + 3], velocity[at + 3 : at + 6]
                made[at : at + 3] = -np.cross(angular, linear)
        return made

    def rate(self, qpos: Array, qvel: Array) -> Array:
        """The time derivative of the engine's positions."""
        made = np.zeros(len(qpos))
        for joint in self.joints:
            here, dof = joint.qpos, joint.dof
            if joint.kind == FREE:
                made[here : here + 3] = qvel[dof : dof + 3]
                here, dof = here + 3, dof + 3
            if joint.kind in (FREE, BALL):
                w, x, y, z = qpos[here : here + 4]
                p, q, r = 0.5 * qvel[dof : dof + 3]
                made[here : here + 2] = -x * p - y * q - z * r, w * p + y * r - z * q
                made[here + 2 : here + 4] = w * q + z * p - x * r, w * r + x * q - y * p
            else:
                made[here] = qvel[dof]
        return made
