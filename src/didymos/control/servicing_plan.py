"""Where the base has to be, and when, for the client's handle to come by where the arm takes it best.

Of all times within the horizon, the handle's predicted pose tells the one pose of the base from which the arm would hold it in
its capture posture:

    R_b = R_h R_t^T,     p_b = p_h - R_b p_t

(h handle, t the tool in the base's frame at that posture). The way there leads around the client on a sphere, then straight in;
it takes the longest of what the base's largest speed and rate allow on quintics (peak 15/8 of the mean). A time is possible if
there is enough left for the way; the cheapest is taken, its cost being how far off it is and what turning costs.
"""

from __future__ import annotations

import math
from typing import Any

from didymos.compiled import kernel
from didymos.control.pose_goal import difference
from didymos.control.servicing_observe import client_at, handle_at, handle_of
from didymos.control.tumbling import tumble
from didymos.model.vectors import quaternion_product, turn_by

__all__ = ["angle_between", "begin_path", "is_near", "make_plan", "turn_between", "way"]

PEAK = 1.875
"""Largest rate of a quintic from rest to rest, over its mean."""
_STEP = 0.5  # [s] between the times that are looked at
_SHORTEST = 10.0  # [s] of a way
_REST = 5.0  # [s] for the base to come to rest

Quaternion = tuple[float, float, float, float]
Vector = tuple[float, float, float]


@kernel
def length(v: Vector) -> float:
    """[m] of a vector."""
    return math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])


@kernel
def angle_between(a: Vector, b: Vector) -> float:
    """Angle [rad] between two vectors, 0 to pi."""
    x, y, z = a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
    return math.atan2(math.sqrt(x * x + y * y + z * z), a[0] * b[0] + a[1] * b[1] + a[2] * b[2])


@kernel
def turn_between(a: Quaternion, b: Quaternion) -> float:
    """Angle [rad] between two attitudes, 0 to pi."""
    return length(difference(a, b))


@kernel
def way(offset: Vector, goal: Vector, turn: float, gains: Any) -> tuple[float, float]:
    """How long [s] the ways around the client and inward take, from an offset of the base to another; it turns by `turn`."""
    far = max(gains.plan_distance, length(offset))
    around = PEAK * max(far * angle_between(offset, goal) / gains.plan_speed, turn / gains.plan_rate)
    around = max(around, PEAK * abs(length(offset) - gains.plan_distance) / gains.plan_speed)
    inward = PEAK * abs(gains.plan_distance - length(goal)) / gains.plan_speed
    return max(around, _SHORTEST), max(inward, _SHORTEST)


@kernel
def base_for(settings: Any, handle: Vector, held: Quaternion) -> tuple[Vector, Quaternion]:
    """The pose of the base at which the arm in its capture posture holds a handle."""
    p, o = settings.capture_position, settings.capture_orientation
    turned = quaternion_product(held, (o[0], -o[1], -o[2], -o[3]))
    x, y, z = turn_by(turned, p[0], p[1], p[2])
    return (handle[0] - x, handle[1] - y, handle[2] - z), turned


@kernel
def make_plan(settings: Any, gains: Any, memory: Any, time: float, q: Any) -> None:
    """The cheapest capture into `memory.plan`; `q` [7+] of the robot's model."""
    known, plan = settings.client, memory.plan
    center, attitude, rate = client_at(memory.client, time)
    u, k = memory.client.velocity, memory.client.shape
    here = (q[3], q[4], q[5], q[6])
    offset = (q[0] - center[0], q[1] - center[1], q[2] - center[2])
    plan.found = 0.0
    best = 0.0
    for n in range(1, int(gains.plan_horizon / _STEP) + 1):
        attitude, rate = tumble((k[0], k[1], k[2]), attitude, rate, _STEP, _STEP)
        ahead = n * _STEP
        then = (center[0] + ahead * u[0], center[1] + ahead * u[1], center[2] + ahead * u[2])
        handle, held = handle_of(known, then, attitude)
        goal, turned = base_for(settings, handle, held)
        goal = (goal[0] - then[0], goal[1] - then[1], goal[2] - then[2])
        turn = turn_between(turned, here)
        around, inward = way(offset, goal, turn, gains)
        cost = ahead + gains.plan_turn_cost * turn
        if ahead < around + inward + _REST + gains.track_lead or (plan.found > 0.5 and cost >= best):
            continue
        best, plan.found, plan.time, plan.angle = cost, 1.0, time + ahead, turn
        plan.position[0], plan.position[1], plan.position[2] = goal
        plan.orientation[0], plan.orientation[1], plan.orientation[2], plan.orientation[3] = turned


@kernel
def begin_path(settings: Any, gains: Any, memory: Any, time: float, q: Any) -> None:
    """The way of the base from here to where the plan wants it."""
    path, plan = memory.path, memory.plan
    center, _, _ = client_at(memory.client, time)
    for i in range(3):
        path.offset[i] = q[i] - center[i]
        path.goal[i] = plan.position[i]
    for i in range(4):
        path.orientation[i] = q[3 + i]
        path.goal_orientation[i] = plan.orientation[i]
    a, b = path.offset, path.goal
    path.begin, path.distance = time, gains.plan_distance
    path.around, path.inward = way((a[0], a[1], a[2]), (b[0], b[1], b[2]), plan.angle, gains)


@kernel
def is_near(settings: Any, gains: Any, memory: Any, q: Any) -> bool:
    """Whether the handle will pass, when the plan says, where the arm can take it from the base as it is; `q` [7+]."""
    handle, held = handle_at(settings.client, memory.client, memory.plan.time)
    goal, turned = base_for(settings, handle, held)
    gap = (goal[0] - q[0], goal[1] - q[1], goal[2] - q[2])
    return length(gap) < gains.plan_margin and turn_between(turned, (q[3], q[4], q[5], q[6])) < gains.plan_angle
