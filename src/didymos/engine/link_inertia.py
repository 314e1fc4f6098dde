"""Mass, centre of mass and inertia of the engine's bodies, from those of the links that each is made of.

With the mass m, the centre of mass c and the inertia I about it of every link, all along the axes of the body's frame, the
body has

    m = sum m_i,    c = sum m_i c_i / m,    I = sum (I_i + m_i (d_i . d_i 1 - d_i d_i^T)),    d_i = c_i - c

(the parallel axes theorem). A link that changes while a run goes on changes one row of these sums.
"""

from __future__ import annotations

from collections.abc import Mapping

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.engine.fuse import Fused
from didymos.engine.link_frames import LinkFrames
from didymos.errors import InputError
from didymos.rotations import quaternion_to_matrix

__all__ = ["LinkInertias", "combined"]

Array = NDArray[np.float64]


def combined(masses: Array, coms: Array, inertias: Array) -> tuple[float, Array, Array]:
    """One body of many: masses [kg], shape [n], centres [m], shape [n, 3], inertias about them [kg m^2], shape [n, 3, 3]."""
    mass = float(masses.sum())
    com = masses @ coms / mass if mass > 0.0 else np.zeros(3)
    away = coms - com
    inertia = inertias.sum(axis=0) + np.einsum("i,ij,ij->", masses, away, away) * np.eye(3)
    return mass, com, inertia - np.einsum("i,ij,ik->jk", masses, away, away)


class LinkInertias:
    """The inertias of a model's links as they are now, each along the axes of the body that carries it."""

    def __init__(self, fused: Fused, links: LinkFrames, bodies: Mapping[str, str]) -> None:
        """`links` are where they are in the model, `bodies` names the body of each link in the model as described."""
        self._links = links
        self._names = list(fused.links.links)
        count = len(self._names)
        self._masses, self._coms, self._inertias = np.zeros(count), np.zeros((count, 3)), np.zeros((count, 3, 3))
        described = fused.described
        for name in self._names:
            body = int(described.body(bodies[name]).id)
            turn = quaternion_to_matrix(described.body_iquat[body])
            inertia = turn @ np.diag(described.body_inertia[body]) @ turn.T
            self.set(name, float(described.body_mass[body]), described.body_ipos[body], inertia)

    def set(self, name: str, mass: float, com: Array, inertia: Array) -> None:
        """A link gets a mass [kg], a centre of mass [m] and an inertia about it [kg m^2], in its own frame."""
        row, pose = self._names.index(name), self._links.links[name].pose
        self._masses[row] = mass
        self._coms[row] = pose.position + pose.rotation @ com
        self._inertias[row] = pose.rotation @ inertia @ pose.rotation.T

    def com(self, name: str) -> Array:
        """The centre of mass of a link in the frame of its body [m], shape [3]."""
        return self._coms[self._names.index(name)].copy()

    def of(self, name: str) -> tuple[float, Array, Array]:
        """Mass [kg], centre of mass [m] and inertia about it [kg m^2] of a link, in the frame of its body."""
        row = self._names.index(name)
        return float(self._masses[row]), self._coms[row].copy(), self._inertias[row].copy()

    @property
    def state(self) -> bytes:
        """All numbers, to see whether one has changed."""
        return self._masses.tobytes() + self._coms.tobytes() + self._inertias.tobytes()

    def write(self, model: mujoco.MjModel, name: str) -> None:
        """Write the body of a link, as all its links make it, into a model; `mj_setConst` has to follow."""
        body = self._links.links[name].body
        rows = [self._names.index(name) for name in self._links.bodies[body]]
        with np.errstate(over="ignore", invalid="ignore"):
            mass, com, inertia = combined(self._masses[rows], self._coms[rows], self._inertias[rows])
        if not np.isfinite([mass, *com, *inertia.ravel()]).all():
            raise InputError("its mass, centre of mass and inertia are too large to be reckoned with", path=f"links.{name}")
        moments, axes = np.linalg.eigh(inertia)
        if np.linalg.det(axes) < 0.0:
            axes[:, 2] = -axes[:, 2]
        number = int(model.body(body).id)
        quaternion = np.zeros(4)
        mujoco.mju_mat2Quat(quaternion, axes.ravel())
        model.body_mass[number], model.body_ipos[number] = mass, com
        model.body_iquat[number], model.body_inertia[number] = quaternion, moments

    def write_fused(self, model: mujoco.MjModel) -> None:
        """Write every body that is made of several links; the others are as the engine compiled them."""
        for members in self._links.bodies.values():
            if len(members) > 1:
                self.write(model, members[0])
