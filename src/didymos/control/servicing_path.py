"""Where base and tool shall be at a time: references of the servicing program, and their rates by differences.

Base, on its way: offset from the client's centre of mass, which drifts; its direction turns on a great circle from the first to
the last while its length goes to that of the way around, then its length shrinks to the last. Its attitude turns about one axis
on the way around. Tool: the handle's frame, drawn back along its x axis by the clearance, then not; at first with an offset and
a turn that fade, so that the reference begins where the tool is. All fade on quintics.

Rates and accelerations are central differences over 2 x 0.05 s: of motions with frequencies of at most 1 rad/s they err by 4e-4.
"""

from __future__ import annotations

import math
from typing import Any

from didymos.compiled import kernel
from didymos.control import servicing_stages as st
from didymos.control.capture_law import quintic
from didymos.control.pose_goal import difference, turned
from didymos.control.servicing_observe import client_at, handle_at
from didymos.control.servicing_plan import angle_between, length
from didymos.model.vectors import turn_by

__all__ = ["base_attitude", "base_place", "moving", "tool_pose", "turning"]

H = 0.05
"""[s] of differences."""

Quaternion = tuple[float, float, float, float]
Vector = tuple[float, float, float]


@kernel
def _axis_between(a: Vector, b: Vector) -> Vector:
    """A unit vector about which a turns into b on the shorter way; any across a where both are opposite."""
    n = (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
    size = length(n)
    if size < 1e-6 * length(a) * length(b):
        n = (0.0, -a[2], a[1]) if abs(a[0]) < 0.6 * length(a) else (-a[2], 0.0, a[0])
        size = length(n)
    return n[0] / size, n[1] / size, n[2] / size


@kernel
def _offset(path: Any, time: float) -> Vector:
    """Of the base from the client's centre of mass, on its way."""
    a, b = (path.offset[0], path.offset[1], path.offset[2]), (path.goal[0], path.goal[1], path.goal[2])
    near, far = length(a), length(b)
    part, _, _ = quintic(time - path.begin, path.around)
    inward, _, _ = quintic(time - path.begin - path.around, path.inward)
    n, angle = _axis_between(a, b), part * angle_between(a, b)
    s, c = math.sin(0.5 * angle), math.cos(0.5 * angle)
    x, y, z = turn_by((c, s * n[0], s * n[1], s * n[2]), a[0] / near, a[1] / near, a[2] / near)
    size = near + part * (path.distance - near) + inward * (far - path.distance)
    return size * x, size * y, size * z


@kernel
def base_place(settings: Any, memory: Any, time: float) -> Vector:
    """Where the base shall be at a time [s]."""
    start = memory.stage_start
    if memory.stage in (st.APPROACH, st.HOLD):
        center, _, _ = client_at(memory.client, time)
        x, y, z = _offset(memory.path, time)
        return center[0] + x, center[1] + y, center[2] + z
    p, away = start.base_position, start.away
    part = 0.0
    if memory.stage == st.ABORTED:
        part, _, _ = quintic(time - start.time, 60.0)
    return p[0] + part * away[0], p[1] + part * away[1], p[2] + part * away[2]


@kernel
def base_attitude(memory: Any, time: float) -> Quaternion:
    """How the base shall stand at a time [s]."""
    path = memory.path
    a, b = path.orientation, path.goal_orientation
    begin = (a[0], a[1], a[2], a[3])
    x, y, z = difference((b[0], b[1], b[2], b[3]), begin)
    part, _, _ = quintic(time - path.begin, path.around)
    return turned(begin, part * x, part * y, part * z)


@kernel
def tool_pose(settings: Any, gains: Any, memory: Any, time: float) -> tuple[Vector, Quaternion]:
    """Where the tool shall be at a time [s]."""
    handle, held = handle_at(settings.client, memory.client, time)
    since = time - memory.stage_start.time
    back, left = 0.0, 0.0
    if memory.stage == st.TRACK:
        part, _, _ = quintic(since, gains.track_seconds)
        back, left = gains.track_clearance, 1.0 - part
    elif memory.stage == st.CLOSE:
        part, _, _ = quintic(since, gains.close_seconds)
        back = (1.0 - part) * gains.track_clearance
    x, y, z = turn_by(held, back, 0.0, 0.0)
    o, w = memory.stage_start.tool_offset, memory.stage_start.tool_turn
    place = (handle[0] - x + left * o[0], handle[1] - y + left * o[1], handle[2] - z + left * o[2])
    return place, turned(held, left * w[0], left * w[1], left * w[2])


@kernel
def moving(before: Vector, now: Vector, after: Vector) -> tuple[Vector, Vector]:
    """Velocity and acceleration of three places `H` apart."""
    v = ((after[0] - before[0]) / (2 * H), (after[1] - before[1]) / (2 * H), (after[2] - before[2]) / (2 * H))
    s = H * H
    a = (
        (after[0] - 2.0 * now[0] + before[0]) / s,
        (after[1] - 2.0 * now[1] + before[1]) / s,
        (after[2] - 2.0 * now[2] + before[2]) / s,
    )
    return v, a


@kernel
def turning(before: Quaternion, now: Quaternion, after: Quaternion) -> tuple[Vector, Vector]:
    """Rate and its change, along the axes of the world, of three attitudes `H` apart."""
    one, two = difference(now, before), difference(after, now)
    w = ((one[0] + two[0]) / (2 * H), (one[1] + two[1]) / (2 * H), (one[2] + two[2]) / (2 * H))
    s = H * H
    return w, ((two[0] - one[0]) / s, (two[1] - one[1]) / s, (two[2] - one[2]) / s)
