"""Terms of the engine's equations that are nothing for a robot are not computed.

The engine asks in every evaluation for springs, dampers, limits and dry friction, though most robots that fly have none: on a
quadcopter that is a tenth of a tick. Two terms are switched off while the loop runs, where they are zero:

    passive      `mjDSBL_SPRING`, `mjDSBL_DAMPER`   no joint has stiffness or damping, and nothing else is passive: tendons,
                                                    flexes, actuators with damping, compensated gravity, a medium, a callback
    constraint   `mjDSBL_CONSTRAINT`                in steps in which nothing can touch (contact_search.py), of a robot without
                                                    equalities, limits, dry friction, tendons and flexes

What can be set between ticks (stiffness, damping and friction of joints, the medium, the callback) is looked at whenever the loop
begins, the rest once for a model. The same bits in less time; afterwards the model is as it was built.
"""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.compiled import kernel
from didymos.engine.layout import DENSITY, DISABLE_FLAGS, MODEL, VISCOSITY, library_path
from didymos.native import doubles, integers, longs, word

__all__ = ["CONSTRAINT", "PASSIVE", "IdleTerms", "end_idle", "find_idle", "plan_idle"]

CONSTRAINT = int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
PASSIVE = int(mujoco.mjtDisableBit.mjDSBL_SPRING) | int(mujoco.mjtDisableBit.mjDSBL_DAMPER)

_NV, _NJNT = MODEL["nv"], MODEL["njnt"]
_STIFFNESS, _DAMPING, _FRICTION = MODEL["jnt_stiffness"], MODEL["dof_damping"], MODEL["dof_frictionloss"]


class IdleTerms(NamedTuple):
    """What `find_idle` reads and writes."""

    possible: int  # of CONSTRAINT and PASSIVE: terms that are nothing unless a number is set
    callback: int  # address of the engine's `mjcb_passive`
    untouched: NDArray[np.int64]  # [1], written: CONSTRAINT, or 0; what is idle in steps without contacts


def plan_idle(model: mujoco.MjModel) -> IdleTerms:
    """The terms of a model that can be nothing; those that its description has switched off are left alone."""
    none = model.ntendon == 0 and model.nflex == 0
    free = none and model.neq == 0 and not model.jnt_limited.any()
    passive = ("body_gravcomp", "jnt_stiffnesspoly", "dof_dampingpoly", "actuator_damping", "actuator_dampingpoly")
    still = none and model.nplugin <= 1 and not any(getattr(model, name).any() for name in passive)
    possible = (CONSTRAINT if free else 0) | (PASSIVE if still else 0)
    for term in (CONSTRAINT, PASSIVE):
        if int(model.opt.disableflags) & term:
            possible &= ~term
    callback = ctypes.addressof(ctypes.c_void_p.in_dll(ctypes.CDLL(library_path()), "mjcb_passive"))
    return IdleTerms(possible, callback, np.zeros(1, dtype=np.int64))


@kernel
def _any(address: int, count: int) -> bool:
    values = doubles(address)
    for i in range(count):
        if values[i] != 0.0:
            return True
    return False


@kernel
def find_idle(idle: Any, model: int) -> None:
    """Switch off what is nothing in all steps to come, and find out what is so in steps without contacts."""
    dofs, joints = word(model + _NV), word(model + _NJNT)
    constrained = idle.possible & CONSTRAINT == 0 or _any(word(model + _FRICTION), dofs)
    longs(idle.untouched)[0] = 0 if constrained else CONSTRAINT
    if idle.possible & PASSIVE == 0 or word(idle.callback) != 0:
        return
    medium = doubles(model + DENSITY)[0] != 0.0 or doubles(model + VISCOSITY)[0] != 0.0
    if not (medium or _any(word(model + _STIFFNESS), joints) or _any(word(model + _DAMPING), dofs)):
        integers(model + DISABLE_FLAGS)[0] |= PASSIVE


@kernel
def end_idle(idle: Any, model: int) -> None:
    """Leave a model as it was built."""
    integers(model + DISABLE_FLAGS)[0] &= ~idle.possible
