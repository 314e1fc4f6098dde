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
import numpy as np
from numpy.typing import NDArray

from didymos.compiled import kernel
from didymos.engine.layout import DISABLE_FLAGS
from didymos.native import doubles, integers, longs, row_at

__all__ = [
    "ALWAYS", "ASK", "BALL", "BOX", "HARDEST", "NEVER", "PAIR", "PLANE", "SLIDE", "ContactSearch", "anything_near",
    "search_if_near", "search_on",
]  # fmt: skip

HARDEST = 1e4
"""[m/s^2] no link in free flight accelerates harder."""

NEVER, ASK, ALWAYS = 0, 1, 2
"""When a model's contacts are searched for."""

_CONTACT = int(mujoco.mjtDisableBit.mjDSBL_CONTACT)


BALL = np.dtype([("middle", np.float64, 3), ("radius", np.float64)])

SLIDE = np.dtype([
    ("tree", np.int64), ("qpos", np.int64), ("qvel", np.int64),
    ("whole", np.int64),  # 1 where it moves the middle of its tree, 0 where it enlarges the ball
    ("axis", np.float64, 3),  # direction in the world
    ("rest", np.float64),  # position at which it is not out
])  # fmt: skip
"""A direction in which a tree, or something in it, can slide; a floating one slides in three."""

PLANE = np.dtype([("tree", np.int64), ("normal", np.float64, 3), ("offset", np.float64)])

BOX = np.dtype([("tree", np.int64), ("middle", np.float64, 3), ("half", np.float64, 3), ("rotation", np.float64, 9)])
"""The box around a shape that stands still."""

PAIR = np.dtype([("first", np.int64), ("second", np.int64)])
"""Trees that may meet."""


class ContactSearch(NamedTuple):
    """What `anything_near` reads; lengths in [m], world frame."""

    when: int  # NEVER, ASK or ALWAYS
    trees: NDArray[Any]  # BALL [n], at the model's own positions
    slides: NDArray[Any]  # SLIDE [n], in the order of their trees
    planes: NDArray[Any]  # PLANE [n]
    boxes: NDArray[Any]  # BOX [n]
    pairs: NDArray[Any]  # PAIR [n]
    balls: NDArray[Any]  # BALL [trees], scratch: with what may happen during a step


@kernel
def _grow_balls(search: Any, qpos: Any, qvel: Any, ahead: float) -> None:
    """Where the balls are and how far they may reach within a time [s]."""
    sudden = ahead * ahead * HARDEST
    row = 0
    for tree in range(search.trees_count):
        ball = row_at(search.trees, tree, BALL)
        middle, radius = ball.middle, ball.radius + sudden
        x, y, z = middle[0], middle[1], middle[2]
        vx, vy, vz = 0.0, 0.0, 0.0
        while row < search.slides_count and row_at(search.slides, row, SLIDE).tree == tree:
            slide = row_at(search.slides, row, SLIDE)
            out, rate, axis = qpos[slide.qpos] - slide.rest, qvel[slide.qvel], slide.axis
            if slide.whole == 1:
                x, y, z = x + out * axis[0], y + out * axis[1], z + out * axis[2]
                vx, vy, vz = vx + rate * axis[0], vy + rate * axis[1], vz + rate * axis[2]
            else:
                radius += abs(out) + ahead * abs(rate) + sudden
            row += 1
        ball = row_at(search.balls, tree, BALL)
        ball.middle[0], ball.middle[1], ball.middle[2] = x, y, z
        ball.radius = radius + ahead * math.sqrt(vx * vx + vy * vy + vz * vz)


@kernel
def anything_near(search: Any, qpos: Any, qvel: Any, ahead: float) -> bool:
    """Whether anything may touch within a time [s] from a state on; ahead = 0 asks for the state itself.

    `search` is a packed `ContactSearch` (packed_context.py). A comparison with what is not a number is false: then it is near.
    """
    if search.when != ASK:
        return bool(search.when == ALWAYS)
    _grow_balls(search, qpos, qvel, ahead)
    for i in range(search.planes_count):
        plane = row_at(search.planes, i, PLANE)
        ball = row_at(search.balls, plane.tree, BALL)
        normal, middle = plane.normal, ball.middle
        height = normal[0] * middle[0] + normal[1] * middle[1] + normal[2] * middle[2] - plane.offset
        if not height > ball.radius:
            return True
    for i in range(search.boxes_count):
        box, apart = row_at(search.boxes, i, BOX), 0.0
        ball, turn = row_at(search.balls, box.tree, BALL), box.rotation
        x, y, z = ball.middle[0] - box.middle[0], ball.middle[1] - box.middle[1], ball.middle[2] - box.middle[2]
        for k in range(3):
            beyond = abs(turn[k] * x + turn[3 + k] * y + turn[6 + k] * z) - box.half[k]
            apart += beyond * beyond if not beyond < 0.0 else 0.0
        if not apart > ball.radius * ball.radius:
            return True
    for i in range(search.pairs_count):
        pair = row_at(search.pairs, i, PAIR)
        one, other = row_at(search.balls, pair.first, BALL), row_at(search.balls, pair.second, BALL)
        x, y, z = one.middle[0] - other.middle[0], one.middle[1] - other.middle[1], one.middle[2] - other.middle[2]
        both = one.radius + other.radius
        if not x * x + y * y + z * z > both * both:
            return True
    return False


@kernel
def search_if_near(search: Any, idle: Any, engine: Any, ahead: float) -> None:
    """Let the engine search for contacts in the coming evaluations only if anything may be near within a time [s].

    `idle` is a packed `IdleTerms` (idle_terms.py): without contacts there may be no constraints at all.
    """
    flags, untouched = integers(engine.model + DISABLE_FLAGS), _CONTACT | longs(idle.untouched)[0]
    if anything_near(search, doubles(engine.qpos), doubles(engine.qvel), ahead):
        flags[0] &= ~untouched
    else:
        flags[0] |= untouched


@kernel
def search_on(search: Any, model: int) -> None:
    """Leave a model as it was built: whoever steps it next may be anywhere."""
    if search.when == ASK:
        flags = integers(model + DISABLE_FLAGS)
        flags[0] &= ~_CONTACT


