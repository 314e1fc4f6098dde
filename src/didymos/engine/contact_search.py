"""Where nothing can be near, contacts are not searched for.

The engine looks for contacts in every evaluation, though most robots that fly touch nothing for most of their time; on a
quadcopter the search costs half as much as all else. Before a step we ask a cheaper question. Everything that moves together
(a tree of bodies) is inside a ball about the origin of the body that stands in the world, for any angles of its joints:

    r = max over shapes ( sum of lengths along the chain + bound of the shape + margin )

(plus how far sliding joints are out). During the coming step of length h its middle moves by no more than

    h |v| + h^2 a,    a = 10^4 m/s^2

where a, a thousand times gravity, bounds what the stages of the integrator may add to the speed; a link in free flight that
accelerates harder has diverged already. If no ball so enlarged reaches a plane, the box around another shape that stands
still, or another ball, then no stage can find a contact, and the engine's search is switched off for this step
(`mjDSBL_CONTACT`): the same bits in less time. The state is enough to ask, before any position is computed.

`contact_plan.py` finds out what there is to look at, once for a model.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import mujoco

from didymos.compiled import inlined
from didymos.engine.layout import DISABLE_FLAGS
from didymos.engine.memory import integers

__all__ = ["ALWAYS", "ASK", "HARDEST", "NEVER", "ContactSearch", "anything_near", "search_if_near", "search_on"]

HARDEST = 1e4
"""[m/s^2] no link in free flight accelerates harder."""

NEVER, ASK, ALWAYS = range(3)
"""When a model's contacts are searched for."""

_CONTACT = int(mujoco.mjtDisableBit.mjDSBL_CONTACT)


class ContactSearch(NamedTuple):
    """What `anything_near` reads; lengths in [m], world frame."""

    when: int  # NEVER, ASK or ALWAYS
    trees: Any  # float64 [trees, 4]: middle of the ball at the model's own positions, radius
    first: Any  # int64 [trees + 1]: the first of each tree's rows in the two tables below
    slides: Any  # int64 [n, 3]: place in qpos and qvel, 1 where it moves the middle and 0 where it enlarges the ball
    axes: Any  # float64 [n, 4]: direction of each in the world, its position at which it is not out
    planes: Any  # float64 [n, 5]: tree, normal, offset along it
    boxes: Any  # float64 [n, 16]: tree, middle, half sizes and rotation of the box around a shape
    pairs: Any  # int64 [n, 2]: trees that may meet
    balls: Any  # float64 [trees, 4], scratch: middles and radii, with what may happen during a step


@inlined
def anything_near(search: Any, qpos: Any, qvel: Any, ahead: float) -> bool:
    """Whether anything may touch within a time [s] from a state on; ahead = 0 asks for the state itself."""
    if search.when != ASK:
        return bool(search.when == ALWAYS)
    balls, slides, axes = search.balls, search.slides, search.axes
    planes, boxes, pairs = search.planes, search.boxes, search.pairs
    sudden = ahead * ahead * HARDEST
    for tree in range(balls.shape[0]):
        x, y, z, radius = search.trees[tree, 0], search.trees[tree, 1], search.trees[tree, 2], search.trees[tree, 3] + sudden
        vx, vy, vz = 0.0, 0.0, 0.0
        for row in range(search.first[tree], search.first[tree + 1]):
            out, rate = qpos[slides[row, 0]] - axes[row, 3], qvel[slides[row, 1]]
            if slides[row, 2] == 1:
                x, y, z = x + out * axes[row, 0], y + out * axes[row, 1], z + out * axes[row, 2]
                vx, vy, vz = vx + rate * axes[row, 0], vy + rate * axes[row, 1], vz + rate * axes[row, 2]
            else:
                radius += abs(out) + ahead * abs(rate) + sudden
        balls[tree, 0], balls[tree, 1], balls[tree, 2] = x, y, z
        balls[tree, 3] = radius + ahead * math.sqrt(vx * vx + vy * vy + vz * vz)
    near = False
    # a comparison with what is not a number is false: then it is near
    for i in range(planes.shape[0]):
        tree = int(planes[i, 0])
        height = planes[i, 1] * balls[tree, 0] + planes[i, 2] * balls[tree, 1] + planes[i, 3] * balls[tree, 2] - planes[i, 4]
        near |= not height > balls[tree, 3]
    for i in range(boxes.shape[0]):
        tree, apart = int(boxes[i, 0]), 0.0
        x, y, z = balls[tree, 0] - boxes[i, 1], balls[tree, 1] - boxes[i, 2], balls[tree, 2] - boxes[i, 3]
        for k in range(3):
            beyond = abs(boxes[i, 7 + k] * x + boxes[i, 10 + k] * y + boxes[i, 13 + k] * z) - boxes[i, 4 + k]
            apart += beyond * beyond if not beyond < 0.0 else 0.0
        near |= not apart > balls[tree, 3] * balls[tree, 3]
    for i in range(pairs.shape[0]):
        a, b = pairs[i, 0], pairs[i, 1]
        x, y, z, sum_ = balls[a, 0] - balls[b, 0], balls[a, 1] - balls[b, 1], balls[a, 2] - balls[b, 2], balls[a, 3] + balls[b, 3]
        near |= not x * x + y * y + z * z > sum_ * sum_
    return near


@inlined
def search_if_near(search: Any, model: int, qpos: Any, qvel: Any, ahead: float) -> None:
    """Let the engine search for contacts in the coming evaluations only if anything may be near within a time [s]."""
    flags = integers(model + DISABLE_FLAGS)
    if anything_near(search, qpos, qvel, ahead):
        flags[0] &= ~_CONTACT
    else:
        flags[0] |= _CONTACT


@inlined
def search_on(search: Any, model: int) -> None:
    """Leave a model as it was built: whoever steps it next may be anywhere."""
    if search.when == ASK:
        integers(model + DISABLE_FLAGS)[0] &= ~_CONTACT


