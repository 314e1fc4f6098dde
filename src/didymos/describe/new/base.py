"""Whether the root link of a robot is held or free, and why.

In this order; the first that applies decides:

| what the description shows | base |
|---|---|
| a free joint of the root (MJCF, a floating joint) | floating |
| a joint that holds the root in the world, a static model, a root link called `world` | fixed |
| MJCF without a free joint: by the rules of the format | fixed |
| neither the root nor a link welded to it has mass | fixed |
| no joint that moves (or is welded by its limits, with more than 5 % of the mass behind it): an object | floating |
| wheels that stand on the ground (`control/wheel_finder.py`) | floating |
| legs: two and more limbs that it can stand on | floating |
| rotors, or the name of one that flies | floating |
| legs, were y upward, as some files have it | floating, and turned at the start |
| a root link called `base_footprint`: what moves about on the floor (REP 120) | floating |
| else: an arm, a hand, a mechanism that has nothing to stand on but its root | fixed |

Gazebo lets every model of an SDF fall that is not static and has no joint to the world; an arm would only tip over, so the shape
decides there, too. A description that asks for another base than this gets it in `twin.yaml`: `description.base`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from didymos.control.wheel_finder import find_wheels
from didymos.describe.description import Description
from didymos.describe.float_base import why_not_floating
from didymos.describe.formats.mechanism import WORLD
from didymos.describe.new.body_geometry import BodyGeometry
from didymos.describe.new.limbs import Limb, flyer, legs
from didymos.model import RobotModel

__all__ = ["Base", "decide_base"]

_FOOTPRINT = "base_footprint"
_HEAVY = 0.05  # of the robot's mass


@dataclass(frozen=True)
class Base:
    """`floating` or not, and `why`, the end of a sentence; `frees` says that the twin file has to set the root free.

    `up` is the axis of the description, 1 for y and 2 for z, that has to point upward for the robot to stand.
    """

    floating: bool
    why: str
    frees: bool = False
    up: int = 2

    def __str__(self) -> str:
        return f"{'floating' if self.floating else 'fixed'} base: {self.why}"


def decide_base(robot: BodyGeometry, model: RobotModel) -> Base:
    """The base of a robot, placed at a posture within its limits; `model` is that of its description."""
    description = robot.description
    if description.floating:
        return Base(True, "the description gives its root a free joint")
    if description.root == WORLD:
        return Base(False, f"its root link {WORLD!r} is the world")
    if description.stands:
        return Base(False, "MJCF gives its root no joint")
    if reason := why_not_floating(description):
        return Base(False, reason.replace("it ", f"its root link {description.root!r} ", 1))
    if not _has_joints(description):
        return Base(True, "it has no joints", frees=True)
    if (rolling := find_wheels(model)) is not None:
        return Base(True, f"it rolls on {len(rolling.wheels)} wheels", frees=True)
    if standing := legs(robot):
        return Base(True, f"it stands on {len(standing)} legs", frees=True)
    if flies := flyer(robot):
        return Base(True, flies, frees=True)
    if standing := _legs_with_y_upward(robot):
        return Base(True, f"it stands on {len(standing)} legs, with y upward", frees=True, up=1)
    if description.root == _FOOTPRINT:
        return Base(True, f"{_FOOTPRINT!r} is the root of what moves about on the floor", frees=True)
    return Base(False, _arm(robot))


def _legs_with_y_upward(robot: BodyGeometry) -> tuple[Limb, ...]:
    kept, robot.up = robot.up, np.eye(3)[1]
    try:
        return legs(robot)
    finally:
        robot.up = kept


def _has_joints(description: Description) -> bool:
    """Whether joints move, or would, had their limits room: these count where they carry some weight, as sensors do not."""
    mass = sum(link.mass for link in description.links.values())
    held = [description.links[joint.child].mass for joint in description.joints.values() if joint.welded]
    return any(joint.engine_joints for joint in description.joints.values()) or any(one > _HEAVY * mass for one in held)


def _arm(robot: BodyGeometry) -> str:
    tips = sum(not robot.children(head) for head in robot.groups)
    shape = "one chain of joints" if tips == 1 else f"{tips} branches of joints"
    return f"{shape} on {robot.description.root!r}, and neither legs, wheels nor rotors"
