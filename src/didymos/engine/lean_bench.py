"""The bare engine on the leanest model of the same motion: what a twin's speed is held against.

The model has the twin's moving bodies, joints, inertias and integrator, and nothing else: fixed links are fused, there are no
sensors, no plugin and no shapes that cannot touch anything now. It begins at the twin's state with the twin's last generalized
forces held, so that it stays where the twin is: in the air, or in contact. Contacts are searched for if the twin's own loop
would search for them there.
"""

from __future__ import annotations

import time

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.compiled import kernel
from didymos.engine.calls import engine_function
from didymos.engine.contact_search import anything_near
from didymos.engine.packed_context import CONTEXT
from didymos.engine.simulation import Simulation
from didymos.native import doubles, record_at

__all__ = ["LeanEngine"]

_RUN = 200  # steps before it is put back to the twin's state
_CONTACT = int(mujoco.mjtDisableBit.mjDSBL_CONTACT)

_mj_step = engine_function("mj_step")


@kernel
def _step(model: int, data: int, count: int) -> None:
    for _ in range(count):
        _mj_step(model, data)


@kernel
def _is_near(context: int) -> bool:
    w = record_at(context, CONTEXT)
    return bool(anything_near(w.contacts, doubles(w.engine.qpos), doubles(w.engine.qvel), w.timing.ahead))


class LeanEngine:
    """The leanest `model` of a simulation's motion, from the state in which the simulation is."""

    def __init__(self, simulation: Simulation) -> None:
        spec = next(iter(simulation.robots.values())).built.assembly.bare_spec()
        self.model = spec.compile()
        self.model.opt.disableflags = simulation.model.opt.disableflags
        _copy_inertias(simulation.model, self.model)
        if not _is_near(simulation.address):
            self.model.opt.disableflags = int(self.model.opt.disableflags) | _CONTACT
        self._data = mujoco.MjData(self.model)
        data = simulation.data
        self._qpos, self._qvel, self._forces = data.qpos.copy(), data.qvel.copy(), data.qfrc_applied.copy()
        self._ctrl = data.ctrl[: self.model.nu].copy()
        own = data.act[: self.model.na]
        self._act: NDArray[np.float64] = own.copy()
        self._restart()
        _step(self.model._address, self._data._address, 1)

    def _restart(self) -> None:
        mujoco.mj_resetData(self.model, self._data)
        self._data.qpos[:], self._data.qvel[:], self._data.qfrc_applied[:] = self._qpos, self._qvel, self._forces
        self._data.ctrl[:], self._data.act[:] = self._ctrl, self._act

    def seconds(self, count: int) -> float:
        """CPU time [s] of so many steps."""
        spent = 0.0
        for _ in range(max(1, count // _RUN)):
            self._restart()
            began = time.thread_time()
            _step(self.model._address, self._data._address, _RUN)
            spent += time.thread_time() - began
        return spent * count / (max(1, count // _RUN) * _RUN)


def _copy_inertias(source: mujoco.MjModel, target: mujoco.MjModel) -> None:
    """Masses, inertias and what parts lend to joints, as the simulation has them."""
    for name in ("body_mass", "body_inertia", "body_ipos", "body_iquat", "dof_armature", "dof_damping", "dof_frictionloss"):
        np.copyto(getattr(target, name), getattr(source, name))
    for name in ("tendon_armature", "tendon_damping", "tendon_frictionloss", "tendon_solref_fri", "tendon_solimp_fri"):
        np.copyto(getattr(target, name), getattr(source, name))
    for name in ("dof_solref", "dof_solimp"):
        np.copyto(getattr(target, name), getattr(source, name))
    mujoco.mj_setConst(target, mujoco.MjData(target))
