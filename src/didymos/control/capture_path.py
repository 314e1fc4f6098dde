"""Where the end effector and the joints shall be in each stage of a capture, and how far the end effector is from it.

Before the grip the end effector goes, in the frame of the moving port, along a quintic path that ends short of the port, then
creeps forward. While it unfolds, holds and retreats, the joints have references of their own.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from didymos.compiled import kernel
from didymos.control import capture_stages as st
from didymos.control.angles import wrap
from didymos.control.capture_law import quintic
from didymos.control.capture_layout import Pose
from didymos.control.capture_observe import now, pose_now

__all__ = ["Axes", "begin_approach", "errors", "joint_reference"]


class Axes(NamedTuple):
    """A vector along the axes of the end effector: normal (towards the target), across, and about the third axis."""

    normal: float
    across: float
    turn: float


@kernel
def begin_approach(memory: Any, gains: Any) -> None:
    """What is latched when the approach begins."""
    base, tool, port = pose_now(memory.estimate.base), pose_now(memory.estimate.tool), pose_now(memory.estimate.port)
    approach = memory.approach_start
    approach.base_position[0], approach.base_position[1] = base.x, base.y
    approach.offset[0] = tool.x - port.x + gains.path_clearance * math.cos(port.angle)
    approach.offset[1] = tool.y - port.y + gains.path_clearance * math.sin(port.angle)
    approach.offset[2] = wrap(tool.angle - port.angle)
    for i in range(3):
        approach.joints[i] = now(memory.estimate.joints, i)


@kernel
def _ahead(memory: Any, gains: Any, since: float) -> tuple[float, float]:
    """How far beyond the port the end effector shall be [m], and how fast it goes on [m/s]."""
    if memory.stage == st.APPROACH:
        return -gains.path_clearance, 0.0
    if memory.stage != st.CONTACT:
        return 0.0, 0.0
    ahead = gains.contact_creep * since - gains.path_clearance
    if ahead > gains.contact_overrun:
        return gains.contact_overrun, 0.0
    return ahead, (1.0 - memory.blend) * gains.contact_creep


@kernel
def _reference(memory: Any, gains: Any, since: float) -> tuple[Pose, Pose, Pose]:
    """Reference of the end effector in the world, its rate and its acceleration."""
    port, rate = pose_now(memory.estimate.port), memory.estimate.port.velocity
    x, y, angle = port.x, port.y, port.angle
    vx, vy, turn = rate[0], rate[1], rate[2]
    ax, ay, a_turn = 0.0, 0.0, 0.0
    if memory.stage == st.APPROACH:
        way, first, then = quintic(since, gains.path_seconds)
        offset = memory.approach_start.offset
        x, y, angle = x + (1.0 - way) * offset[0], y + (1.0 - way) * offset[1], angle + (1.0 - way) * offset[2]
        vx, vy, turn = vx - first * offset[0], vy - first * offset[1], turn - first * offset[2]
        ax, ay, a_turn = -then * offset[0], -then * offset[1], -then * offset[2]
    ahead, speed = _ahead(memory, gains, since)
    c, s = math.cos(port.angle), math.sin(port.angle)
    x += ahead * c
    y += ahead * s
    vx += speed * c - ahead * rate[2] * s
    vy += speed * s + ahead * rate[2] * c
    return Pose(x, y, angle), Pose(vx, vy, turn), Pose(ax, ay, a_turn)


@kernel
def errors(memory: Any, gains: Any, since: float, velocity: Any) -> tuple[Axes, Axes, Pose]:
    """Errors of the end effector and their rates in its own frame; the reference's acceleration in the world.

    `velocity` [3] is the end effector's, in the world.
    """
    reference, rate, acceleration = _reference(memory, gains, since)
    tool = pose_now(memory.estimate.tool)
    c, s = math.cos(tool.angle), math.sin(tool.angle)
    ex, ey = tool.x - reference.x, tool.y - reference.y
    vx, vy = velocity[0] - rate.x, velocity[1] - rate.y
    error = Axes(c * ex + s * ey, c * ey - s * ex, wrap(tool.angle - reference.angle))
    memory.error_normal, memory.error_across, memory.error_turn = error.normal, error.across, error.turn
    return error, Axes(c * vx + s * vy, c * vy - s * vx, velocity[2] - rate.angle), acceleration


@kernel
def joint_reference(settings: Any, gains: Any, memory: Any, since: float, i: int) -> tuple[float, float, float]:
    """Reference of a joint, its rate and acceleration: unfold; come smoothly to rest, then, in retreat, go back to the start."""
    held, rate = memory.stage_start.joints[i], memory.stage_start.joint_rates[i]
    if memory.stage == st.HOLD:
        fade = math.exp(-since)
        return held + rate * (1.0 - fade), rate * fade, -(rate * fade)
    if memory.stage == st.UNFOLD:
        gap = settings.joints[i].start - held  # not wrapped: along its travel
        way, first, then = quintic(since, gains.unfold_seconds)
    else:
        gap = wrap(memory.approach_start.joints[i] - held)
        way, first, then = quintic(gains.retreat_seconds if memory.stage == st.DONE else since, gains.retreat_seconds)
    return held + way * gap, first * gap, then * gap
