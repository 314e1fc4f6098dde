"""What a robot stands on or flies with, seen in its shape and its names: legs, rotors.

A **limb** is a branch of the tree behind a joint, unless it is short beside others. Limbs are **legs** where at least two of
them, from one body, reach below all else of the robot, by `_DEEP` of their own length, to about the same depth, and the centre
of mass lies between their tips; or where four and more equal ones spread around the root in both directions (a spider whose legs
lie flat at zero) and can reach below it.

This is not `control/leg_finder.py`, which finds the joints, feet and reach of the legs of a robot that is known to walk: that
would take the arms of a humanoid on a pedestal, or of one on a wheeled base, for legs. Here the question is whether there is
anything to stand on, also of a robot with one joint per leg, without collision shapes, or drawn with y upward; `didymos new`
asks the finder after this one has said yes.

**Rotors** cannot be told by their shape: a link or joint on the root is one by its name, or by a plugin.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

import mujoco
import numpy as np

from didymos.describe.new.body_geometry import BodyGeometry

__all__ = ["Limb", "flyer", "legs"]

_DEEP = 0.3  # of a leg's length, at least below the trunk
_LEVEL = 0.25  # of a leg's length, within which feet are equally low
_ALIKE = 0.05  # of mass
_LONG = 0.4  # of the longest branch: fingers and toes are no legs
_SPREAD = 0.15  # of the larger extent: four fingers stand in a row
_SAMPLES = 40
_FLIES = re.compile(
    r"(?<![a-z])((quad|hexa|octo|tri|multi)?(rotor|copter)s?|flying|uav|drone|propellers?|props?|blades?)(?![a-z])",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Limb:
    """A branch: its groups, the first on the trunk, its tip, its length [m] from joint to joint, its lowest point [m]."""

    groups: tuple[int, ...]
    trunk: int
    tip: int
    length: float
    lowest: float


def legs(robot: BodyGeometry) -> tuple[Limb, ...]:
    """The limbs that the robot can stand on, at the posture in which it is placed; none or at least two."""
    limbs = {trunk: [_limb(robot, trunk, head) for head in robot.children(trunk)] for trunk in robot.groups}
    longest = max((limb.length for branches in limbs.values() for limb in branches), default=0.0)
    for branches in limbs.values():
        long = [limb for limb in branches if limb.length >= _LONG * longest > 0.0]
        if found := _standing(robot, long) or _around(robot, long):
            return found
    return ()


def _limb(robot: BodyGeometry, trunk: int, head: int) -> Limb:
    """The branch that a group carries by one joint, whole; its length is that of the longest way from joint to joint to a tip."""
    ways = {head: 0.0}
    for group in robot.below(head)[1:]:
        carrier = robot.parent[group]
        ways[group] = ways[carrier] + float(np.linalg.norm(robot.data.xpos[group] - robot.data.xpos[carrier]))
    tip = max(ways, key=lambda group: ways[group] + robot.reach(group))
    groups = tuple(ways)
    return Limb(groups, trunk, tip, ways[tip] + robot.reach(tip), robot.lowest(groups, seen=True))


def _standing(robot: BodyGeometry, limbs: list[Limb]) -> tuple[Limb, ...]:
    deepest = min((limb.lowest for limb in limbs), default=0.0)
    feet = [limb for limb in limbs if limb.lowest - deepest <= _LEVEL * limb.length]
    used = {group for limb in feet for group in limb.groups}
    above = robot.lowest([group for group in robot.groups if group not in used], seen=True)
    deep = all(above - limb.lowest >= _DEEP * limb.length for limb in feet)
    return tuple(feet) if len(feet) > 1 and deep and _between(robot, feet) else ()


def _between(robot: BodyGeometry, feet: Iterable[Limb]) -> bool:
    """Whether the centre of mass lies above what the feet span, widened by half of their length: shoes and zero postures."""
    level = np.eye(3) - np.outer(robot.up, robot.up)
    tips = np.array([robot.data.xpos[limb.tip] for limb in feet]) @ level
    room = 0.5 * max(limb.length for limb in feet)
    com = level @ robot.data.subtree_com[int(robot.model.body_rootid[robot.root])]
    return bool(np.all(com >= tips.min(axis=0) - room) and np.all(com <= tips.max(axis=0) + room))


def _around(robot: BodyGeometry, limbs: list[Limb]) -> tuple[Limb, ...]:
    for first in limbs if limbs and limbs[0].trunk == robot.root_group else ():
        mass = robot.mass(first.groups)
        alike = [
            limb for limb in limbs
            if len(limb.groups) == len(first.groups) and abs(robot.mass(limb.groups) - mass) <= _ALIKE * mass
        ]  # fmt: skip
        if len(alike) < 4:
            continue
        places = np.array([robot.data.xpos[limb.groups[0]] for limb in alike]) @ (np.eye(3) - np.outer(robot.up, robot.up))
        spread = np.linalg.svd(places - places.mean(axis=0), compute_uv=False)
        if spread[1] > _SPREAD * spread[0] and _can_reach_below(robot, alike):
            return tuple(alike)
    return ()


def _can_reach_below(robot: BodyGeometry, limbs: list[Limb]) -> bool:
    """Whether the tips of all limbs get below the root by `_DEEP` of their length, at some of many postures."""
    model, kept = robot.model, robot.data.qpos.copy()
    random = np.random.default_rng(0)
    bottom = robot.lowest([robot.root_group], seen=True)
    best = dict.fromkeys(limbs, math.inf)
    for _ in range(_SAMPLES):
        for joint in range(model.njnt):
            if int(model.jnt_type[joint]) in (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE):
                low, high = model.jnt_range[joint] if model.jnt_limited[joint] else (-math.pi, math.pi)
                robot.data.qpos[model.jnt_qposadr[joint]] = random.uniform(low, high)
        mujoco.mj_kinematics(model, robot.data)
        for limb in limbs:
            best[limb] = min(best[limb], robot.lowest([limb.tip], seen=True))
    robot.data.qpos[:] = kept
    mujoco.mj_kinematics(model, robot.data)
    return all(bottom - depth >= _DEEP * limb.length for limb, depth in best.items())


def flyer(robot: BodyGeometry) -> str | None:
    """What says that a robot flies: the name of the robot, or of a link or joint on its root, or a part of kind rotor."""
    description = robot.description
    if any(device.record["kind"] == "rotor" for device in description.devices):
        return "it has rotors"
    groups = (robot.root_group, *robot.children(robot.root_group))
    near = {robot.model.body(body).name for head in groups for body in robot.groups[head]}
    words = [description.name, *(link.name for link in description.links.values() if link.body in near)]
    words += [joint.name for joint in description.joints.values() if joint.parent in words]
    return next((f"{word!r} is the name of one that flies" for word in words if _FLIES.search(word.replace("_", " "))), None)
