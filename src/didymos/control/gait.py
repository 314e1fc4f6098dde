"""Trot: which legs swing, where they are going, and the curve of a foot through the air.

Both legs of a diagonal swing together. A leg swings for (1 - duty) of the period; it stands from when its torques say so (in
the second half of its swing), and goes on downward until they do. The other diagonal does not leave before both stand, or it
has waited long enough. In the level frame a foot goes to (after Raibert, Legged robots that balance, 1986)

    p = hip + v T / 2 + k (v - v*) - a z / g + turn,    T = duty x period

a the acceleration that holding the speed takes (learnt), z the height. p lies on the plane that the feet stood on last. A foot
gets there along a cycloid forward and a hump (1 - cos) / 2 upward.
"""

from __future__ import annotations

import math
from typing import Any

from didymos.air.atmosphere import GRAVITY
from didymos.compiled import kernel
from didymos.control.leg import inverse, signs, to_trunk
from didymos.control.legged_state import stands

__all__ = ["advance_gait", "swing"]

_SEARCH = 0.8  # [m/s] at which a foot that found no ground goes on downward
_DEEPEST = 0.15  # [m] to which it does
_WAIT = 0.15  # [s] for which the other diagonal waits
_TAKE_LOAD = 0.03  # [s] in which a leg that has touched takes its share of the load
_DERIVED = 0.006  # [s] low-pass of the rates and accelerations that a swinging leg is asked for


@kernel
def _phase(number: int, phase: float) -> float:
    """Phase of a leg, 0 to 1; the diagonals LF-RR and RF-LR are half a period apart."""
    shifted = phase + (0.0 if number == 0 or number == 3 else 0.5)
    return shifted - math.floor(shifted)


@kernel
def _carries(number: int, memory: Any) -> bool:
    """Whether both feet of the other diagonal stand."""
    first = 1 if number == 0 or number == 3 else 0
    return bool(stands(first, memory) and stands(3 - first, memory))


@kernel
def _swings(memory: Any) -> bool:
    """Whether any leg is in the air."""
    for number in range(4):
        if memory.legs[number].swings > 0.5:
            return True
    return False


@kernel
def _late(gains: Any, memory: Any) -> bool:
    """Whether a leg that swings has found no ground in time, or one is due that the others would not carry."""
    for number in range(4):
        leg = memory.legs[number]
        if leg.swings > 0.5 and leg.since > (1.0 - gains.duty) * gains.period:
            return True
        due = leg.swings < 0.5 and leg.touched < 0.5 and _phase(number, memory.phase) >= gains.duty
        if due and not _carries(number, memory):
            return True
    return False


@kernel
def _leave_or_touch(gains: Any, scheduled: bool, free: bool, contact: float, leg: Any) -> None:
    """Let a leg that swings touch the ground, or one that stands leave it if it is `free` to."""
    if not scheduled:
        leg.touched = 0.0
    if leg.swings > 0.5:
        whole = (1.0 - gains.duty) * gains.period
        if (leg.since / whole > 0.55 and contact > 0.5) or leg.since > whole + _WAIT:
            leg.swings, leg.touched, leg.since = 0.0, 1.0, 0.0
    elif scheduled and free and leg.touched < 0.5:
        leg.swings, leg.since = 1.0, 0.0
        for i in range(3):
            leg.lift_off[i] = leg.foot_level[i]


@kernel
def _share(gains: Any, walking: bool, phase: float, leg: Any) -> float:
    """How much of the load a leg may take: it takes its share up and gives it away before leaving."""
    if leg.swings > 0.5:
        return 0.0
    share = min(leg.since / _TAKE_LOAD, 1.0)
    left = (gains.duty - phase) * gains.period
    if walking and left > 0.0:
        share = min(share, max(left / _TAKE_LOAD, 0.1))
    return float(share)


@kernel
def advance_gait(walking: bool, gains: Any, dt: float, memory: Any) -> None:
    """Move the phase on and let legs leave or touch the ground."""
    moving, late = walking or _swings(memory), _late(gains, memory)
    memory.waited = memory.waited + dt if late else 0.0
    late = late and memory.waited < _WAIT
    if not moving:
        memory.phase = 0.0
    elif not late:
        memory.phase += dt / gains.period
    for number in range(4):
        leg, phase = memory.legs[number], _phase(number, memory.phase)
        leg.since += dt
        _leave_or_touch(gains, moving and phase >= gains.duty, walking and not late, memory.contact[number], leg)
        leg.share = _share(gains, walking, phase, leg)


@kernel
def _landing(robot: Any, number: int, gains: Any, turn: float, memory: Any) -> tuple[float, float, float]:
    """Where a foot shall come down [m], level frame."""
    end, side = signs(number)
    rotation, velocity, goal, height = memory.body.rotation, memory.body.velocity, memory.goal, memory.height
    stand = gains.duty * gains.period
    hip_x = end * (robot.t_x + robot.h_x) + robot.com_x
    hip_y = side * (robot.t_y + robot.h_y + gains.stance_y)
    x, y = rotation[0, 0] * hip_x + rotation[0, 1] * hip_y, rotation[1, 0] * hip_x + rotation[1, 1] * hip_y
    angle = 0.5 * stand * turn
    x, y = x - angle * y, y + angle * x
    lean = height / GRAVITY
    sx = 0.5 * stand * velocity[0] + gains.capture * (velocity[0] - goal.velocity[0]) - lean * goal.acceleration[0]
    sy = 0.5 * stand * velocity[1] + gains.capture * (velocity[1] - goal.velocity[1]) - lean * goal.acceleration[1]
    size, reach = math.sqrt(sx * sx + sy * sy), 0.55 * height
    part = reach / size if size > reach else 1.0
    x, y = x + part * sx, y + part * sy
    return x, y, memory.slope[0] * x + memory.slope[1] * y - (height - robot.foot_radius)


@kernel
def _curve(gains: Any, leg: Any, x: float, y: float, z: float) -> tuple[float, float, float]:
    """Where a foot on its way to a point shall be now [m], level frame."""
    whole, start = (1.0 - gains.duty) * gains.period, leg.lift_off
    done = min(leg.since / whole, 1.0)
    forward = done - math.sin(2.0 * math.pi * done) / (2.0 * math.pi)
    up = 0.5 * (1.0 - math.cos(2.0 * math.pi * done))
    z = start[2] + forward * (z - start[2]) + gains.lift * up
    if leg.since > whole:
        z -= min(_SEARCH * (leg.since - whole), _DEEPEST)
    return start[0] + forward * (x - start[0]), start[1] + forward * (y - start[1]), z


@kernel
def swing(robot: Any, number: int, gains: Any, turn: float, dt: float, memory: Any) -> None:
    """The angles, rates and accelerations that the joints of a leg in the air are asked for."""
    leg = memory.legs[number]
    x, y, z = _landing(robot, number, gains, turn, memory)
    x, y, z = _curve(gains, leg, x, y, z)
    x, y, z = to_trunk(memory.body.rotation, x, y, z)
    angle = inverse(robot, number, x, y, z)
    part = min(dt / _DERIVED, 1.0)
    for i in range(3):
        velocity = (angle[i] - leg.goal_angle[i]) / dt if leg.since > 1.5 * dt else 0.0
        acceleration = (velocity - leg.goal_velocity[i]) / dt if leg.since > 2.5 * dt else 0.0
        leg.goal_angle[i] = angle[i]
        leg.goal_velocity[i] = velocity
        leg.goal_acceleration[i] += part * (acceleration - leg.goal_acceleration[i])
