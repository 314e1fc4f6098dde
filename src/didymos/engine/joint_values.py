"""Inertia, dry friction and damping of a joint in the engine: as described or set, and what parts lend to it."""

from __future__ import annotations

from collections.abc import Mapping

import mujoco
import numpy as np

from didymos.describe.twin import Twin
from didymos.parts import PARTS
from didymos.parts.law import JointLoad

__all__ = ["apply_joint", "loaded_joints"]

# Dry friction is a constraint that the engine softens. With these it yields by less than 1e-4 of the acceleration that it holds
# back, and a joint that sticks creeps by micrometres, not by the millimetres of the defaults (0.9 and 20 ms).
_STIFF = (0.9999, 0.9999, 0.001, 0.5, 2.0)


def loaded_joints(twin: Twin) -> dict[str, list[str]]:
    """Joints that parts lend something to, and the names of those parts."""
    found: dict[str, list[str]] = {}
    for name, part in twin.file.parts.items():
        if part.joint is not None and PARTS[part.kind].on_joint is not None:
            found.setdefault(part.joint, []).append(name)
    return found


def apply_joint(model: mujoco.MjModel, twin: Twin, name: str, loaded: Mapping[str, list[str]]) -> None:
    """Write a joint's armature, friction and damping into a model; `mj_setConst` has to follow."""
    dof = int(model.joint(twin.description.joints[name].engine_joints[0]).dofadr[0])
    loads = [_load(twin, part) for part in loaded.get(name, ())]
    for quantity, field in (
        ("armature", model.dof_armature), ("friction", model.dof_frictionloss), ("damping", model.dof_damping),
    ):  # fmt: skip
        own = twin.parameters[f"joints.{name}.{quantity}"].value
        np.reshape(field, (model.nv, -1))[dof, 0] = own + sum(getattr(load, quantity) for load in loads)
    if any(load.friction > 0.0 for load in loads):
        model.dof_solimp[dof] = _STIFF
        model.dof_solref[dof] = 2.0 * twin.file.world.step, 1.0


def _load(twin: Twin, part: str) -> JointLoad:
    spec = twin.file.parts[part]
    lend = PARTS[spec.kind].on_joint
    assert lend is not None
    return lend(spec)
