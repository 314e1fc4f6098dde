"""A case of contact in our engine, and what is measured in either."""

from __future__ import annotations

import copy
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.crosscheck.contact_case import ContactStart

__all__ = ["ContactRun", "run_ours"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ContactRun:
    """What happened, sample by sample: place [m], tilt [rad] of the root link, depth of contacts [m], load of the ground [N]."""

    time: Array
    position: Array  # [n, 3]
    tilt: Array
    depth: Array
    support: Array

    def speed(self, along: Array) -> Array:
        """Speed [m/s] of the root link along a direction."""
        found: Array = np.gradient(self.position @ along, self.time)
        return found


def run_ours(start: ContactStart) -> ContactRun:
    """The case in our engine."""
    model = copy.copy(start.model)
    model.opt.gravity[:] = start.gravity
    data = mujoco.MjData(model)
    data.qpos[:] = start.qpos
    steps, samples, before = round(start.sample / model.opt.timestep), round(start.seconds / start.sample), start.settling
    position, tilt, depth, support = np.zeros((samples, 3)), np.zeros(samples), np.zeros(samples), np.zeros(samples)
    for i in range(-before, samples):
        if i == 0:
            first = int(model.body_dofadr[start.root])
            data.qvel[first : first + 3] += start.kick
        data.qfrc_applied[:] = start.hold(data.qpos, data.qvel)
        mujoco.mj_step(model, data, steps)
        if i < 0:
            continue
        mujoco.mj_forward(model, data)
        position[i] = data.xpos[start.root]
        tilt[i] = np.arccos(np.clip(data.xmat[start.root][8], -1.0, 1.0))
        depth[i], support[i] = _contacts(model, data)
    return ContactRun(start.times, position, tilt, depth, support)


def _contacts(model: mujoco.MjModel, data: mujoco.MjData) -> tuple[float, float]:
    """The deepest penetration [m], and the sum of normal forces [N], of contacts with the world."""
    depth, total, force = 0.0, 0.0, np.zeros(6)
    for i in range(data.ncon):
        contact = data.contact[i]
        if 0 in (model.geom_bodyid[contact.geom1], model.geom_bodyid[contact.geom2]):
            mujoco.mj_contactForce(model, data, i, force)
            depth, total = max(depth, -float(contact.dist)), total + float(force[0])
    return depth, total
