"""What a robot stands on or moves about with, seen in its shape: legs, wheels, rotors.

A **wheel** turns without limits about an axis that is not upright, is round about it, carries its centre of mass on it, and
reaches down to the lowest point of the robot. It is round where its corners, or the axes of its own shapes, say so; of a link
without shapes only the centre of mass is asked.

A **limb** is a branch of the tree behind a joint, unless it is short beside others. Limbs are **legs** where at least two of
them, from one body, reach below all else of the robot, by `_DEEP` of their own length, to about the same depth, and the centre
of mass lies between their tips; or where four and more equal ones spread around the root in both directions (a spider whose legs
lie flat at zero) and can reach below it.

This is not `control/leg_finder.py`, which finds the joints, feet and reach of the legs of a robot that is known to walk: that would
take the arms of a humanoid on a pedestal, or of one on a wheeled base, for legs. Here the question is whether there is anything to
stand on, also on a robot of one joint per leg, without collision shapes, or drawn with y upward; `didymos new` asks the finder
after this one has said yes.

**Rotors** cannot be told by their shape: a link or joint on the root is one by its name, or by a plugin.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.describe.new.body_geometry import BodyGeometry

__all__ = ["Limb", "flyer", "legs", "wheels"]

_DEEP = 0.3  # of a leg's length, at least below the trunk
_LEVEL = 0.25  # of a leg's length, within which feet are equally low
_ROUND = 0.06  # of the radius: meshes of tyres have profiles, cylinders of 24 corners miss by 1 %
_UPRIGHT = 0.8  # |z| of an axis above which a wheel would lie flat
_TURN = 2.0 * math.pi - 0.2  # [rad] of range that counts as no limit
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


def wheels(robot: BodyGeometry) -> tuple[int, ...]:
    """The groups that are wheels, at the posture in which the robot is placed."""
    floor = robot.lowest(robot.groups, seen=True)
    ceiling = max((robot.height(robot.data.xpos[body]) for body in robot.bodies), default=0.0)
    near = floor + max(0.1 * (ceiling - floor), 0.005)
    return tuple(head for head in robot.parent if _is_round(robot, head) and robot.lowest(robot.below(head), seen=True) <= near)


def _is_round(robot: BodyGeometry, head: int) -> bool:
    """Whether a group turns freely about an axis that is not upright and looks the same all around it."""
    model = robot.model
    if int(model.body_jntnum[head]) != 1:
        return False
    joint = int(model.body_jntadr[head])
    low, high = model.jnt_range[joint]
    free = not model.jnt_limited[joint] or high - low > _TURN
    axis, anchor = robot.data.xaxis[joint], robot.data.xanchor[joint]
    if int(model.jnt_type[joint]) != mujoco.mjtJoint.mjJNT_HINGE or not free or abs(robot.height(axis)) > _UPRIGHT:
        return False
    radius = 0.0
    round_ones = True
    for geom in robot.shapes([head], seen=True):
        far, is_round = _roundness(robot, geom, axis, anchor)
        if far > radius:
            radius, round_ones = far, is_round
    bodies = robot.groups[head]
    masses = model.body_mass[list(bodies)]
    if not masses.sum() > 0.0:
        return round_ones and radius > 0.0
    com = masses @ robot.data.xipos[list(bodies)] / masses.sum() - anchor
    off = float(np.linalg.norm(com - (com @ axis) * axis))
    return round_ones and (off < 0.1 * radius if radius > 0.0 else off < 1e-3) and not robot.children(head)


def _roundness(robot: BodyGeometry, geom: int, axis: NDArray[np.float64], anchor: NDArray[np.float64]) -> tuple[float, bool]:
    """How far a shape reaches from an axis [m], and whether it does so all around."""
    model = robot.model
    rotation, size = robot.data.geom_xmat[geom].reshape(3, 3), model.geom_size[geom]
    away = robot.data.geom_xpos[geom] - anchor
    off = float(np.linalg.norm(away - (away @ axis) * axis))
    kind = mujoco.mjtGeom(int(model.geom_type[geom]))
    along = abs(float(rotation[:, 2] @ axis)) > 0.99
    if kind == mujoco.mjtGeom.mjGEOM_SPHERE:
        return off + float(size[0]), off < _ROUND * float(size[0])
    if kind in (mujoco.mjtGeom.mjGEOM_CYLINDER, mujoco.mjtGeom.mjGEOM_CAPSULE):
        return off + float(size[0]), along and off < _ROUND * float(size[0])
    if kind == mujoco.mjtGeom.mjGEOM_MESH:
        points = robot.corners(geom) @ rotation.T + away
        across = points - np.outer(points @ axis, axis)
        return _reach(across, axis)
    return off + float(model.geom_rbound[geom]), False


def _reach(across: NDArray[np.float64], axis: NDArray[np.float64]) -> tuple[float, bool]:
    """The radius of points about an axis, and whether they reach as far in all of sixteen directions."""
    first = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    first /= np.linalg.norm(first)
    second = np.cross(axis, first)
    angles = np.linspace(0.0, 2.0 * math.pi, 16, endpoint=False)
    reaches = (across @ (np.outer(first, np.cos(angles)) + np.outer(second, np.sin(angles)))).max(axis=0)
    return float(reaches.max()), bool(reaches.max() - reaches.min() < _ROUND * reaches.max())


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
