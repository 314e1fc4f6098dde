"""Which limbs of a robot are legs: found from its tree of joints and its shapes, no name is asked for.

A limb is a row of two joints or more that ends in one last link (fingers and toes that hang on the second joint or later
belong to one limb). Legs are limbs that are alike: at least two with as many joints and about the same length; and of those the
ones that reach deepest under the robot's centre of mass, and what reaches nearly as deep. So an arm on the back, a head or a
tail, of which there is one, is no leg, nor are the two arms of a humanoid, whose hands do not reach as far down as its feet.

The foot is the point of the last link's shapes that is farthest from the knee (`foot_shape.py`). Legs have names by where they
stand, left and right (L, R), front and rear (F, R), middle (M) of six; of more, numbers from the front.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from didymos.control.foot_shape import Foot, foot_of
from didymos.control.leg_chain import Chain, Tree
from didymos.errors import InputError
from didymos.model import RobotModel

__all__ = ["Leg", "find_legs", "legs_of"]

Array = NDArray[np.float64]

_ALIKE = 0.2  # of their length: limbs of one kind differ by less
_NEARLY = 0.75  # of the depth of the deepest foot: others that reach as deep stand too
_LEAST = 2  # joints
_SAMPLES = 512


@dataclass(frozen=True, eq=False)
class Leg:
    """A leg: its name, its joints from the trunk to the foot, its foot; `chain` and `end` (the foot) are in the root's frame."""

    name: str
    joints: tuple[str, ...]
    foot: Foot
    chain: Chain
    end: Array  # [3] [m] centre of the foot at the reference
    reach: float
    """[m] from its hip to the foot, straight."""

    @property
    def hip(self) -> Array:
        """[m] where it hangs: the first joint that swings the foot fore and aft, or its first, at the reference."""
        for axis, point in zip(self.chain.axis, self.chain.point, strict=True):
            if abs(axis[1]) > 0.7:
                return np.array(point)
        return np.array(self.chain.point[0])

    @property
    def sprawls(self) -> bool:
        """Whether it turns about an upright axis first, as an insect's."""
        return bool(abs(self.chain.axis[0][2]) > 0.7)


@dataclass(frozen=True, eq=False)
class _Limb:
    chain: Chain
    foot: Foot
    end: Array
    length: float
    depth: float  # [m] to which the foot reaches under the robot's centre of mass


def find_legs(model: RobotModel) -> tuple[Leg, ...]:
    """The legs of a robot, the left one of a pair first, from front to rear; none where it has none."""
    tree = Tree(model)
    limbs = [limb for tips in _limbs(tree) if (limb := _longest(model, tree, tips)) is not None]
    alike = [a for a in limbs if any(b is not a and _same_kind(a, b) for b in limbs)]
    if not alike:
        return ()
    deepest = max(limb.depth for limb in alike)
    if deepest <= 0.0:
        return ()
    standing = [limb for limb in alike if limb.depth > _NEARLY * deepest]
    return _named(standing)


def legs_of(model: RobotModel, named: Mapping[str, Sequence[str]]) -> tuple[Leg, ...]:
    """Legs by the joints that somebody names, from the trunk to the foot; `named` by their names, from front to rear."""
    tree = Tree(model)
    legs = []
    for name, joints in named.items():
        path, limb = f"control.options.legs.{name}", None
        if not name.startswith(("L", "R")):
            raise InputError(f"found a leg {name!r}, expected a name that begins with L or R", path="control.options.legs")
        for joint in joints:
            model.joint(joint)
        if joints and tree.path(joints[-1]) == tuple(joints):
            limb = _limb(model, tree, joints[-1])
        if limb is None:
            raise InputError("expected the joints of a leg one behind the other, from the trunk to the foot", path=path)
        legs.append(_leg(name, limb))
    return tuple(legs)


def _limbs(tree: Tree) -> list[list[str]]:
    """The last joints of every limb; those that part behind the second joint of a limb are one limb's."""
    found: dict[tuple[str, ...], list[str]] = {}
    for joint in tree.above:
        path = tree.path(joint)
        if joint not in tree.children and len(path) >= _LEAST:
            found.setdefault(path[:_LEAST], []).append(joint)
    return list(found.values())


def _longest(model: RobotModel, tree: Tree, tips: list[str]) -> _Limb | None:
    made = [limb for tip in tips if (limb := _limb(model, tree, tip)) is not None]
    return max(made, key=lambda limb: limb.length, default=None)


def _limb(model: RobotModel, tree: Tree, tip: str) -> _Limb | None:
    """The limb that ends with a joint; None for one that no foot can end, or whose joints are of other kinds."""
    try:
        chain = Chain.of(model, tree.path(tip))
    except ValueError:
        return None
    links = tree.links(tip)
    state = model.at(model.reference)
    turn, origin = state.rotation(model.root), state.position(model.root)
    knee = origin + turn @ chain.point[-1]
    knees = {link: state.rotation(link).T @ (knee - state.position(link)) for link in links}
    shapes = [shape for shape in model.shapes if shape.link in knees and np.isfinite(shape.size).all()]
    if shapes:
        foot = foot_of(shapes, knees)
    else:
        link = max(links, key=lambda name: float(np.linalg.norm(knees[name])))
        foot = Foot(link, np.zeros(3), 0.0)
    end = turn.T @ (state.position(foot.link) + state.rotation(foot.link) @ foot.centre - origin)
    stops = [*chain.point, end]
    length = float(sum(np.linalg.norm(b - a) for a, b in pairwise(stops)))
    if length < 1e-3:
        return None
    spread = np.random.default_rng(1).uniform(chain.lower, chain.upper, (_SAMPLES, len(chain.joints)))
    ends, _, _ = chain.place(spread, end)
    middle = turn.T @ (state.center_of_mass - origin)
    return _Limb(chain, foot, end, length, float(middle[2] - ends[:, 2].min()))


def _same_kind(a: _Limb, b: _Limb) -> bool:
    return len(a.chain.joints) == len(b.chain.joints) and abs(a.length - b.length) < _ALIKE * max(a.length, b.length)


def _reach(limb: _Limb, hip: Array) -> float:
    """The longest distance from the hip to the foot inside the limits, by what the last joints can do."""
    chain = limb.chain
    spread = np.random.default_rng(1).uniform(chain.lower, chain.upper, (_SAMPLES, len(chain.joints)))
    first = int(np.argmin(np.linalg.norm(chain.point - hip, axis=1)))
    spread[:, : first + 1] = np.clip(chain.reference, chain.lower, chain.upper)[: first + 1]
    spread[0], spread[1], spread[2] = np.clip(chain.reference, chain.lower, chain.upper), chain.lower, chain.upper
    ends, _, points = chain.place(spread, limb.end)
    return float(np.linalg.norm(ends - points[:, first], axis=1).max())


def _leg(name: str, limb: _Limb) -> Leg:
    leg = Leg(name, limb.chain.joints, limb.foot, limb.chain, limb.end, 0.0)
    return replace(leg, reach=_reach(limb, leg.hip))


def _named(limbs: list[_Limb]) -> tuple[Leg, ...]:
    """Sorted and named by where their hips are."""
    places = np.array([limb.chain.point[: min(2, len(limb.chain.point))].mean(axis=0) + 0.2 * limb.end for limb in limbs])
    middle = 0.5 * (places[:, 1].max() + places[:, 1].min())
    sides = {1: [], -1: []}  # type: dict[int, list[int]]
    for i, place in enumerate(places):
        sides[1 if place[1] >= middle else -1].append(i)
    legs: list[tuple[int, int, Leg]] = []
    for side, members in sides.items():
        members.sort(key=lambda i: -float(places[i, 0]))
        for row, i in enumerate(members):
            limb = limbs[i]
            name = ("L" if side > 0 else "R") + _end(row, len(members))
            legs.append((row, -side, _leg(name, limb)))
    return tuple(leg for _, _, leg in sorted(legs, key=lambda each: each[:2]))


def _end(row: int, rows: int) -> str:
    return {1: ("",), 2: ("F", "R"), 3: ("F", "M", "R")}.get(rows, tuple(str(i + 1) for i in range(rows)))[row]

