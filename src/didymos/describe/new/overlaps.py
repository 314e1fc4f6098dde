"""Links that are inside each other at the posture in which a twin starts, and would be pushed apart by the engine.

Shapes of neighbours in the tree do not meet. Beyond those, the shapes of real descriptions often overlap by construction: a wrist
whose covers are convex hulls, a thigh inside a hip two joints up. Such pairs overlap at (nearly) every posture, and are to pass
through each other; planners of motion leave them out by the same rule ("always in collision"). A pair that overlaps at this one
posture only calls for another posture, or, where none is found, is left out as well ("in collision by default").
"""

from __future__ import annotations

import math

import mujoco
import numpy as np

from didymos.describe.new.body_geometry import BodyGeometry

__all__ = ["Pair", "always_overlapping", "overlaps"]

_DEEP = 1e-3  # [m] of overlap that counts
_SAMPLES = 24
_ALWAYS = 0.9  # of the samples

Pair = tuple[str, str]


def overlaps(robot: BodyGeometry) -> set[Pair]:
    """The pairs of links of the robot that are inside each other by more than a millimetre, as the robot is placed."""
    model, data = robot.model, robot.data
    mujoco.mj_collision(model, data)
    names = {int(model.body(link.body).id): name for name, link in robot.description.links.items()}
    own = set(robot.bodies)
    found = set()
    for contact in range(data.ncon):
        first, second = (int(model.geom_bodyid[geom]) for geom in data.contact.geom[contact])
        if first in own and second in own and data.contact.dist[contact] < -_DEEP:
            found.add((names[min(first, second)], names[max(first, second)]))
    return found


def always_overlapping(robot: BodyGeometry) -> set[Pair]:
    """The pairs of links that are inside each other at nine of ten postures, drawn from the limits of the joints."""
    model, random, count = robot.model, np.random.default_rng(0), dict[Pair, int]()
    kept = robot.data.qpos.copy()
    for _ in range(_SAMPLES):
        for joint in range(model.njnt):
            if int(model.jnt_type[joint]) in (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE):
                low, high = model.jnt_range[joint] if model.jnt_limited[joint] else (-math.pi / 2, math.pi / 2)
                robot.data.qpos[model.jnt_qposadr[joint]] = random.uniform(low, high)
        mujoco.mj_kinematics(model, robot.data)
        mujoco.mj_comPos(model, robot.data)
        for pair in overlaps(robot):
            count[pair] = count.get(pair, 0) + 1
    robot.data.qpos[:] = kept
    mujoco.mj_kinematics(model, robot.data)
    mujoco.mj_comPos(model, robot.data)
    return {pair for pair, times in count.items() if times >= _ALWAYS * _SAMPLES}
