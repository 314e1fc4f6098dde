"""Inertia, dry friction and damping of a joint in the engine: as described or set, and what parts lend to it.

A part whose belt runs over a second joint lends them to the sum of both angles, which is a fixed tendon of the engine.
"""

from __future__ import annotations

from collections.abc import Mapping

import mujoco
import numpy as np

from didymos.describe.twin import Twin
from didymos.parts.part import JointLoad

__all__ = ["add_belts", "apply_belt", "apply_joint", "belted_parts", "joint_dof", "joint_load", "lends", "loaded_joints"]

# Dry friction is a constraint that the engine softens. With these it yields by less than 1e-4 of the acceleration that it holds
# back, and a joint that sticks creeps by micrometres, not by the millimetres of the defaults (0.9 and 20 ms).
_STIFF = (0.9999, 0.9999, 0.001, 0.5, 2.0)


def loaded_joints(twin: Twin) -> dict[str, list[str]]:
    """Joints that parts lend something to, and the names of those parts."""
    found: dict[str, list[str]] = {}
    for name, part in twin.file.parts.items():
        if part.joint is not None and part.belt is None and lends(twin, name):
            found.setdefault(part.joint, []).append(name)
    return found


def lends(twin: Twin, part: str) -> bool:
    """Whether a part lends something to what it turns."""
    return _load(twin, part) is not None


def belted_parts(twin: Twin) -> list[str]:
    """Parts that lend something to the sum of two joints."""
    return [name for name, part in twin.file.parts.items() if part.belt is not None and lends(twin, name)]


def _tendon(twin: Twin, part: str) -> str:
    return twin.description.own_name(f"belt:{part}")


def add_belts(spec: mujoco.MjSpec, twin: Twin) -> None:
    """A tendon of the engine for every part that lends something to the sum of two joints."""
    for name in belted_parts(twin):
        part = twin.file.parts[name]
        tendon = spec.add_tendon(name=_tendon(twin, name))
        for joint in (part.joint, part.belt):
            assert joint is not None
            tendon.wrap_joint(twin.description.joints[joint].engine_joints[0], 1.0)


def apply_belt(model: mujoco.MjModel, twin: Twin, part: str) -> None:
    """Write what a part lends to the sum of two joints into a model; `mj_setConst` has to follow."""
    tendon = int(model.tendon(_tendon(twin, part)).id)
    load = _load(twin, part) or JointLoad()
    for field, value in (
        (model.tendon_armature, load.armature), (model.tendon_frictionloss, load.friction), (model.tendon_damping, load.damping),
    ):  # fmt: skip
        np.reshape(field, (model.ntendon, -1))[tendon, 0] = value
    model.tendon_solimp_fri[tendon] = _STIFF
    model.tendon_solref_fri[tendon] = 2.0 * twin.file.world.step, 1.0


def joint_dof(model: mujoco.MjModel, twin: Twin, name: str) -> int:
    """The number of a joint among the engine's velocities."""
    return int(model.joint(twin.description.joints[name].engine_joints[0]).dofadr[0])


def joint_load(twin: Twin, name: str, loaded: Mapping[str, list[str]]) -> JointLoad:
    """Armature, friction and damping of a joint: its own and what parts lend to it."""
    own = [twin.parameters[f"joints.{name}.{quantity}"].value for quantity in ("armature", "friction", "damping")]
    loads = [_load(twin, part) or JointLoad() for part in loaded.get(name, ())]
    return JointLoad(
        own[0] + sum(load.armature for load in loads), own[1] + sum(load.friction for load in loads),
        own[2] + sum(load.damping for load in loads),
    )  # fmt: skip


def apply_joint(model: mujoco.MjModel, twin: Twin, name: str, loaded: Mapping[str, list[str]]) -> None:
    """Write a joint's armature, friction and damping into a model; `mj_setConst` has to follow."""
    dof, whole = joint_dof(model, twin, name), joint_load(twin, name, loaded)
    for value, field in (
        (whole.armature, model.dof_armature), (whole.friction, model.dof_frictionloss), (whole.damping, model.dof_damping),
    ):  # fmt: skip
        np.reshape(field, (model.nv, -1))[dof, 0] = value
    if np.reshape(model.dof_frictionloss, (model.nv, -1))[dof, 0] > 0.0:
        model.dof_solimp[dof] = _STIFF
        model.dof_solref[dof] = 2.0 * twin.file.world.step, 1.0


def _load(twin: Twin, part: str) -> JointLoad | None:
    spec = twin.file.parts[part]
    return spec.contract.on_joint(spec)
