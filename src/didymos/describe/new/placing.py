"""Where a new twin starts: its posture, how high its base is, how high the ground is, and what of it passes through itself.

A **floating** robot is put with its lowest collision point on the ground, exactly. A **fixed** one stays where the description
has it, and the ground fits it: at zero where nothing of the robot is below that; at the bottom of the base where that is the
lowest; below all that the robot reaches where it hangs.

The posture is that of `posture.py`. Where links are inside each other there, or an arm inside the ground on which it stands, or
too heavy for its drives, postures on the way to the middle of the limits are tried, then a quarter turn of each joint, then some
at random (always the same), and the first that is free is taken.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from didymos.describe.description import Description
from didymos.describe.names import movable_joints
from didymos.describe.new.body_geometry import BodyGeometry
from didymos.describe.new.overlaps import Pair, always_overlapping, overlaps

__all__ = ["Placement", "place_fixed", "place_floating"]

_BLENDS = (0.0, 0.25, 0.5, 0.75, 1.0)
_TRIES = 40
_MOUNT = 0.02  # [m] below the origin that a base on the ground may reach
_SUNK = 2e-3  # [m] below the ground that counts as inside it
_SAMPLES = 60
_CENTIMETRE = 0.01  # [m] to which the height of a ground below a hanging robot is rounded


Bears = Callable[[Mapping[str, float]], bool]


@dataclass(frozen=True)
class Placement:
    """`joints` [rad] or [m]; `position` [m] of the root link and `roll` [rad], of a floating one; `ground` [m], None where the
    description brings its own; `passing` are pairs of links inside each other, which are to pass through each other.
    """

    joints: dict[str, float]
    position: tuple[float, float, float] | None
    roll: float
    ground: float | None
    passing: tuple[Pair, ...]


def place_floating(robot: BodyGeometry, joints: Mapping[str, float], *, up: int, chosen: bool) -> Placement:
    """Stand a robot on the ground, with the axis `up` of its description upward; `chosen` says that the posture is meant so."""
    kept, passing = dict(joints), overlaps_at(robot, joints)
    if passing and not chosen:
        kept, passing = _free_posture(robot, joints, None)
    robot.place(kept)
    before, robot.up = robot.up, np.eye(3)[up]
    lowest = robot.lowest(robot.groups)
    lowest = robot.lowest(robot.groups, seen=True) if not math.isfinite(lowest) else lowest
    x, y, _ = robot.data.xpos[robot.root]
    z = (robot.floor or 0.0) + robot.height(robot.data.xpos[robot.root]) - lowest
    robot.up = before
    ground = 0.0 if robot.floor is None else None
    return Placement(kept, (float(x), float(y), z), math.pi / 2 if up == 1 else 0.0, ground, tuple(sorted(passing)))


def place_fixed(robot: BodyGeometry, joints: Mapping[str, float], *, chosen: bool, bears: Bears = lambda _: True) -> Placement:
    """Leave a robot where it is held, and fit the ground to it; `bears` says whether its drives can hold a posture."""
    robot.place(joints)
    bottom = robot.lowest([robot.root_group])
    stands = bottom > -_MOUNT or (math.isfinite(bottom) and bottom <= robot.lowest(robot.groups) + _SUNK)
    stands = stands and not _hangs(robot, bottom)
    floor = robot.floor if robot.floor is not None else min(round(bottom, 4), 0.0) + 0.0 if stands else None
    kept, passing = dict(joints), overlaps_at(robot, joints)
    sinks = floor is not None and _sinks(robot, joints, floor)
    if not chosen and (passing or sinks or not bears(joints)):
        kept, passing = _free_posture(robot, joints, floor, bears)
    ground = None if robot.floor is not None else floor
    if floor is None or (robot.floor is None and _sinks(robot, kept, floor)):
        ground = _below_all(robot, kept)
    return Placement(kept, None, 0.0, ground, tuple(sorted(passing)))


def overlaps_at(robot: BodyGeometry, joints: Mapping[str, float]) -> set[Pair]:
    """The pairs of links that are inside each other at a posture."""
    robot.place(joints)
    return overlaps(robot)


def _free_posture(
    robot: BodyGeometry, joints: Mapping[str, float], floor: float | None, bears: Bears = lambda _: True
) -> tuple[dict[str, float], set[Pair]]:
    """The first posture that its drives bear and at which nothing is inside each other or the floor but what always is.

    Where there is none, the one with the fewest faults, and of these the fewest overlaps. The second answer is what is inside
    each other there.
    """
    always = always_overlapping(robot)
    best: tuple[tuple[int, int], dict[str, float], set[Pair]] | None = None
    for candidate in _candidates(robot.description, joints):
        found = overlaps_at(robot, candidate)
        faults = int(not bears(candidate)) + int(floor is not None and _sinks(robot, candidate, floor))
        rank = (faults, len(found - always))
        if best is None or rank < best[0]:
            best = rank, candidate, found
        if rank == (0, 0):
            break
    assert best is not None
    return best[1], best[2]


def _candidates(description: Description, joints: Mapping[str, float]) -> Iterator[dict[str, float]]:
    limits = {}
    for name in joints:
        joint = description.joints[name]
        if joint.lower is not None and joint.upper is not None:
            limits[name] = (joint.lower, joint.upper)
    for share in _BLENDS:
        middle = {name: (1 - share) * joints[name] + share * (low + high) / 2 for name, (low, high) in limits.items()}
        yield {**joints, **middle}
    for name, (low, high) in limits.items():
        for turn in (-math.pi / 2, math.pi / 2):
            if low <= turn <= high:
                yield {**joints, name: turn}
    random = np.random.default_rng(0)
    for _ in range(_TRIES):
        yield {**joints, **{name: float(random.uniform(low, high)) for name, (low, high) in limits.items()}}


def _hangs(robot: BodyGeometry, bottom: float) -> bool:
    """Whether what moves has its centre of mass below the base's bottom."""
    moving = [body for group, bodies in robot.groups.items() if group != robot.root_group for body in bodies]
    masses = robot.model.body_mass[moving]
    heights = robot.data.xipos[moving][:, 2]
    return bool(masses.sum() > 0.0) and math.isfinite(bottom) and float(masses @ heights) < bottom * float(masses.sum())


def _sinks(robot: BodyGeometry, joints: Mapping[str, float], floor: float) -> bool:
    """Whether what moves is inside the floor at a posture."""
    robot.place(joints)
    return robot.lowest([group for group in robot.groups if group != robot.root_group]) < floor - _SUNK


def _below_all(robot: BodyGeometry, joints: Mapping[str, float]) -> float:
    """A height [m] below all that a robot reaches at many postures, rounded down to a centimetre."""
    random, reached = np.random.default_rng(0), []
    for sample in range(_SAMPLES):
        drawn = dict(joints)
        for name in movable_joints(robot.description) if sample else ():
            joint = robot.description.joints[name]
            low = -math.pi if joint.lower is None else joint.lower
            high = math.pi if joint.upper is None else joint.upper
            drawn[name] = float(random.uniform(low, high))
        robot.place(drawn)
        reached.append(min(robot.lowest(robot.groups), robot.lowest(robot.groups, seen=True)))
    lowest = min(reached)
    return min(0.0, math.floor(lowest / _CENTIMETRE) * _CENTIMETRE) if math.isfinite(lowest) else 0.0
