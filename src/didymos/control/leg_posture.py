"""How a legged robot stands: knees bent, the trunk level, the feet under the hips and about its centre of mass.

A foot is put under its hip (of a leg that sprawls beside it) at a part of the leg's reach, moved so that the middle of all
feet is under the centre of mass. Of the angles that bring it there inside the joints' limits those are taken
which are nearest to the joints' zero, with a knee that points backward where both ways are open. Where a leg cannot get there,
the robot stands higher or lower.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from didymos.control.leg_finder import Leg
from didymos.errors import InputError
from didymos.model import RobotModel

__all__ = ["Posture", "bend_of", "standing_posture"]

Array = NDArray[np.float64]

_BENT = (0.77, 0.72, 0.82, 0.66, 0.87, 0.6, 0.92, 0.5, 0.97)
"""Parts of its reach at which a leg stands, in the order in which they are tried."""
_BESIDE = 0.6  # of its reach: how far beside its hip a leg that sprawls stands
_LOWER = 0.6  # of the height of another leg: how high it does
_NEAR = 1e-3  # of the reach: a foot that comes as near as this is there
_MARGIN = 0.05  # [rad] that a joint keeps from its limits
_SEEDS = 48
_WIDE = 1.6  # [rad] about the zero of the joints, or the limit next to it, in which angles are looked for
_FORWARD = 0.5  # cost of a knee that points forward


@dataclass(frozen=True, eq=False)
class Posture:
    """A robot that stands: `joints` [rad] of all its joints; `height` [m] of the root over the floor; `q` of the model."""

    joints: Mapping[str, float]
    height: float
    q: Array  # [nq]
    feet: Array  # [legs, 3] [m] centres of the feet, in the frame of the root


def standing_posture(
    model: RobotModel, legs: Sequence[Leg], bend: float | None = None, others: Mapping[str, float] | None = None
) -> Posture:
    """The posture in which a robot stands on these legs.

    `bend` is the part of their reach that they stand at; `others` are the angles of joints that belong to no leg, which are as
    drawn where they are left out.
    """
    if not legs:
        raise InputError("a robot without legs does not stand", path="description")
    for part in _BENT if bend is None else (bend,):
        posture = _stand(model, legs, part, others or {})
        if posture is not None:
            return posture
    raise InputError("no posture was found in which all feet are on the floor inside the joints' limits", path="description")


def bend_of(legs: Sequence[Leg], height: float) -> float:
    """The part of their reach at which legs stand whose first joints are so high [m] over the floor."""
    hips = np.mean([leg.hip[2] - leg.chain.point[0][2] for leg in legs])
    reach = np.mean([leg.reach * (_LOWER if _beside(leg) else 1.0) for leg in legs])
    return float((height + hips - np.mean([leg.foot.radius for leg in legs])) / reach)


def _stand(model: RobotModel, legs: Sequence[Leg], part: float, others: Mapping[str, float]) -> Posture | None:
    """On legs that are bent to a part of their reach; None where one of them cannot get there."""
    shift = np.zeros(2)
    angles: list[Array | None] = [None] * len(legs)
    deep = float(min(_home(leg, part)[2] - leg.foot.radius for leg in legs))
    for _ in range(3):
        feet = []
        for i, leg in enumerate(legs):
            target = _home(leg, part)
            target[2] = deep + leg.foot.radius
            if len(leg.joints) > 2:
                target[:2] += shift
            angles[i] = _bend(leg, target, angles[i])
            if angles[i] is None:
                return None
            feet.append(target)
        q = _assembled(model, legs, angles, others)
        centre = model.at(q).center_of_mass
        shift = shift + centre[:2] - np.mean(feet, axis=0)[:2]
    joints = {name: float(q[model.position_index(name)]) for name in model.joints if model.joint(name).nq == 1}
    q[model.position_index(model.base_joint.name) + 2 if model.base_joint else 2] = -deep
    return Posture(joints, -deep, q, np.array(feet))


def _beside(leg: Leg) -> bool:
    """Whether a leg stands beside its hip: an insect's, not one of a humanoid that can turn on its heel."""
    return leg.sprawls and len(leg.joints) < 5


def _home(leg: Leg, part: float) -> Array:
    """Where a foot stands [m], in the frame of the root."""
    hip, chain = leg.hip, leg.chain
    if _beside(leg):
        out = leg.end[:2] - hip[:2]
        if np.linalg.norm(out) < 0.1 * leg.reach:
            out = hip[:2]
        out = out / max(float(np.linalg.norm(out)), 1e-9)
        return np.array([*(hip[:2] + _BESIDE * leg.reach * out), hip[2] - _LOWER * part * leg.reach])
    if len(leg.joints) == 2:
        return _planar_home(leg, part)
    middle = np.clip(0.0, chain.lower, chain.upper)
    ends, _, points = chain.place(middle[None], leg.end)
    aside = float(ends[0, 1] if abs(ends[0, 1] - hip[1]) < 0.5 * leg.reach else points[0, -1, 1])
    return np.array([hip[0], aside, hip[2] - part * leg.reach])


def _planar_home(leg: Leg, part: float) -> Array:
    """Of a leg of two joints: in the plane in which it swings."""
    hip = leg.hip
    across = leg.end[1] - hip[1]
    return np.array([hip[0], hip[1] + across, hip[2] - np.sqrt(max((part * leg.reach) ** 2 - across**2, 0.0))])


def _bend(leg: Leg, target: Array, before: Array | None) -> Array | None:
    """The best angles that bring a foot to a point; None where there are none."""
    chain = leg.chain
    room = np.maximum(0.5 * (chain.upper - chain.lower) - 1e-9, 0.0)
    lower, upper = chain.lower + np.minimum(_MARGIN, room), chain.upper - np.minimum(_MARGIN, room)
    if before is not None:
        starts = before[None]
    else:
        rest = np.clip(0.0, lower, upper)
        starts = rest + np.random.default_rng(1).uniform(-_WIDE, _WIDE, (_SEEDS, len(chain.joints)))
    inner = type(chain)(chain.joints, chain.axis, chain.point, chain.slides, chain.reference, lower, upper)
    found = inner.solve(leg.end, target, starts)
    ends, _, points = chain.place(found, leg.end)
    there = np.linalg.norm(ends - target, axis=1) < _NEAR * leg.reach
    if not there.any():
        return None
    rest = np.clip(0.0, lower, upper)
    cost = ((found - rest) ** 2).sum(axis=1)
    knee = points[:, -1] if len(leg.joints) < 5 else points[:, 3]
    ahead = knee[:, 0] - 0.5 * (leg.hip[0] + target[0])
    cost += np.where(ahead > 0.02 * leg.reach, _FORWARD if len(leg.joints) < 5 else -_FORWARD, 0.0)
    cost[~there] = np.inf
    return np.array(found[int(np.argmin(cost))])


def _assembled(
    model: RobotModel, legs: Sequence[Leg], angles: Sequence[Array | None], others: Mapping[str, float]
) -> Array:
    """q of the model: legs at their angles, other joints at their reference, inside their limits."""
    q = model.reference
    if model.base_joint is not None:
        at = model.position_index(model.base_joint.name)
        q[at : at + 7] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    for name, lower, upper in zip(model.joints, model.lower, model.upper, strict=True):
        if model.joint(name).nq == 1:
            at = model.position_index(name)
            q[at] = min(max(others.get(name, q[at]), lower), upper)
    for leg, values in zip(legs, angles, strict=True):
        if values is not None:
            for name, value in zip(leg.joints, values, strict=True):
                q[model.position_index(name)] = value
    return q
