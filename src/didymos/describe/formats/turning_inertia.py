"""Joints that would turn next to nothing: refused, as any touch would spin what they carry faster than a step can follow.

What a joint feels when all joints beyond it are free is its entry of D in the factors of the mass matrix, M = L^T D L, taken from
the tips inward (Featherstone, Rigid Body Dynamics Algorithms, 2008, chapter 6). A link that is a point far from its joint (a
pendulum) has D = m l^2, one between two crossing joints has that of what it carries; both are fine. Asked of rigid groups with
links that are points, and with next to no inertia about some axis (`inertia.thin_points`), at zero, is whether

    D < m (0.1 mm)^2,          m the mass of the group

for a joint that moves it: a point in its own joint's axis, with nothing beyond that would have to turn with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import mujoco

from didymos.describe.formats.inertia import THIN, RigidGroup, thin_points
from didymos.describe.formats.mechanism import LinkSource
from didymos.errors import InputError

__all__ = ["refuse_turning_points"]


def refuse_turning_points(
    model: mujoco.MjModel, groups: Mapping[str, RigidGroup], links: dict[str, LinkSource], *, filled: bool
) -> None:
    """An `InputError` for the first rigid group, by the engine's body that carries it, that a joint turns against nothing.

    `filled`: links with a shape had its inertia already (`estimated_inertia.fill_points`).
    """
    if not groups:
        return
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_makeM(model, data)
    mujoco.mj_factorM(model, data)
    for body, group in groups.items():
        mass = sum(links[name].inertial.mass for name in group.members)
        if not all(0.0 < mass * THIN**2 * data.qLDiagInv[dof] < 1.0 for dof in _dofs(model, body)):
            raise _refusal(group, links, filled)


def _dofs(model: mujoco.MjModel, body: str) -> Iterable[int]:
    first, count = int(model.body(body).dofadr[0]), int(model.body(body).dofnum[0])
    return range(first, first + count)


def _refusal(group: RigidGroup, links: dict[str, LinkSource], filled: bool) -> InputError:
    name = max(thin_points(group, links), key=lambda name: links[name].inertial.mass)
    shaped = any(links[member].shapes for member in group.members)
    by = "" if group.joint is None else f" by joint {group.joint!r}"
    help_ = "write the moments into its <inertia>"
    if shaped and not filled:
        help_ += ", or description.inertia: from_shapes into the twin file, which takes those of its shapes"
    elif not shaped:
        help_ += ", or give it a shape, from which they are estimated"
    return links[name].inertial_element.error(
        f"link {name!r} is turned{by} about an axis in which all of its {links[name].inertial.mass:g} kg lie, "
        f"and has no inertia about it: {help_}"
    )
