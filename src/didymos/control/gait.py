"""Gaits: which legs swing, where they are going, and the curve of a foot through the air.

A leg swings for (1 - duty) of the period, from its own phase on: in a trot every second leg of a side together with the others on
the other side (the diagonals of four legs, the tripods of six), in a walk one leg after the other. It stands from when its
efforts say so (in the second half of its swing), and goes on downward until they do. No leg leaves before all that swing at
other times stand, or it has waited long enough. In the level frame a foot goes to (after Raibert, 1986)

    p = home + v T_s / 2 + k (v - v*) - a z / g + turn,    T_s = duty x period

a the acceleration that holding the speed takes (learnt), z the height. p lies on the plane that the feet stood on last. A foot
gets there along a cycloid forward and a hump (1 - cos) / 2 upward. The swing follows the tilt and the speed of the trunk only
as fast as it must: a leg that answered every shake would shake the trunk back, the more the heavier it is beside it.
"""

from __future__ import annotations

import math
from typing import Any

from didymos.compiled import kernel
from didymos.control.leg import inverse, to_level, to_trunk
from didymos.control.leg_state import stands

__all__ = ["advance_gait", "swing"]

_SEARCH = 0.39  # [l/T] at which a foot that found no ground goes on downward
_DEEPEST = 0.36  # [l] to which it does
_WAIT = 0.72  # [T] for which the other legs wait
_TAKE_LOAD = 0.145  # [T] in which a leg that has touched takes its share of the load
_DERIVED = 3.0  # [calls] low-pass of the accelerations that a swinging leg is asked for
_AIMED = 0.15  # [T] low-pass of where a foot shall come down
_FARTHEST = 0.55  # [z] of a step


@kernel
def _phase(limb: Any, memory: Any) -> float:
    """Phase of a leg, 0 to 1."""
    shifted = memory.phase + (limb.walk if memory.one_by_one > 0.5 else limb.trot)
    return shifted - math.floor(shifted)


@kernel
def _carries(settings: Any, number: int, memory: Any) -> bool:
    """Whether all legs that swing at other times than this one stand."""
    own = _phase(settings.limbs[number], memory)
    for other in range(int(settings.robot.legs)):
        apart = abs(_phase(settings.limbs[other], memory) - own)
        if min(apart, 1.0 - apart) > 0.01 and not stands(other, memory):
            return False
    return True


@kernel
def _swings(count: int, memory: Any) -> bool:
    """Whether any leg is in the air."""
    for number in range(count):
        if memory.legs[number].swings > 0.5:
            return True
    return False


@kernel
def _late(settings: Any, memory: Any) -> bool:
    """Whether a leg that swings has found no ground in time, or one is due that the others would not carry."""
    for number in range(int(settings.robot.legs)):
        leg = memory.legs[number]
        if leg.swings > 0.5 and leg.since > (1.0 - memory.duty) * memory.period:
            return True
        due = leg.swings < 0.5 and leg.touched < 0.5 and _phase(settings.limbs[number], memory) >= memory.duty
        if due and not _carries(settings, number, memory):
            return True
    return False


@kernel
def _leave_or_touch(whole: float, wait: float, scheduled: bool, free: bool, contact: float, lift_off: Any, leg: Any) -> None:
    """Let a leg that swings (for `whole` [s]) touch the ground, or one that stands leave it if it is `free` to."""
    if not scheduled:
        leg.touched = 0.0
    if leg.swings > 0.5:
        if (leg.since / whole > 0.55 and contact > 0.5) or leg.since > whole + wait:
            leg.swings, leg.touched, leg.since = 0.0, 1.0, 0.0
    elif scheduled and free and leg.touched < 0.5:
        leg.swings, leg.since = 1.0, 0.0
        for i in range(3):
            leg.lift_off[i] = lift_off[i]
        for i in range(len(leg.angle)):
            leg.goal_angle[i] = leg.angle[i]


@kernel
def _share(take: float, walking: bool, left: float, leg: Any) -> float:
    """How much of the load a leg may take: it takes its share up and gives it away before leaving, in `left` [s]."""
    if leg.swings > 0.5:
        return 0.0
    share = min(leg.since / take, 1.0)
    if walking and left > 0.0:
        share = min(share, max(left / take, 0.1))
    return float(share)


@kernel
def advance_gait(settings: Any, gains: Any, walking: bool, one_by_one: bool, dt: float, memory: Any) -> None:
    """Move the phase on and let legs leave or touch the ground."""
    robot, count = settings.robot, int(settings.robot.legs)
    moving = walking or _swings(count, memory)
    if not moving:
        memory.phase = 0.0
    if walking and not _swings(count, memory):  # a gait changes only while all legs stand
        memory.one_by_one = 1.0 if one_by_one else 0.0
    memory.period = robot.time * (gains.walk_period if memory.one_by_one > 0.5 else gains.period)
    memory.duty = 1.0 - gains.walk_swing / robot.legs if memory.one_by_one > 0.5 else gains.duty
    late = _late(settings, memory)
    memory.waited = memory.waited + dt if late else 0.0
    late = late and memory.waited < _WAIT * robot.time
    if moving and not late:
        memory.phase += dt / memory.period
    whole = (1.0 - memory.duty) * memory.period
    for number in range(count):
        leg, phase = memory.legs[number], _phase(settings.limbs[number], memory)
        leg.since += dt
        scheduled = moving and phase >= memory.duty
        foot = leg.pose.foot
        lift_off = to_level(memory.body.steady_rotation, foot[0], foot[1], foot[2])
        _leave_or_touch(whole, _WAIT * robot.time, scheduled, walking and not late, memory.contact[number], lift_off, leg)
        leg.share = _share(_TAKE_LOAD * robot.time, walking, (memory.duty - phase) * memory.period, leg)


@kernel
def _landing(robot: Any, limb: Any, gains: Any, turn: float, memory: Any) -> tuple[float, float, float]:
    """Where a foot shall come down [m], level frame."""
    rotation, velocity, goal, height = memory.body.rotation, memory.body.velocity, memory.goal, memory.height
    stand = memory.duty * memory.period
    home_x, home_y = limb.home[0], limb.home[1]
    home_y += math.copysign(gains.stance_y * robot.length, home_y)
    x, y = rotation[0, 0] * home_x + rotation[0, 1] * home_y, rotation[1, 0] * home_x + rotation[1, 1] * home_y
    angle = 0.5 * stand * turn
    x, y = x - angle * y, y + angle * x
    lean, capture = height / robot.gravity, gains.capture * robot.time
    sx = 0.5 * stand * velocity[0] + capture * (velocity[0] - goal.velocity[0]) - lean * goal.acceleration[0]
    sy = 0.5 * stand * velocity[1] + capture * (velocity[1] - goal.velocity[1]) - lean * goal.acceleration[1]
    size, reach = math.sqrt(sx * sx + sy * sy), _FARTHEST * max(height, 0.0)
    part = reach / size if size > reach else 1.0
    x, y = x + part * sx, y + part * sy
    return x, y, memory.slope[0] * x + memory.slope[1] * y - (height - limb.radius)


@kernel
def _curve(robot: Any, gains: Any, memory: Any, leg: Any, x: float, y: float, z: float) -> tuple[float, float, float]:
    """Where a foot on its way to a point shall be now [m], level frame."""
    whole, start = (1.0 - memory.duty) * memory.period, leg.lift_off
    done = min(leg.since / whole, 1.0)
    forward = done - math.sin(2.0 * math.pi * done) / (2.0 * math.pi)
    up = 0.5 * (1.0 - math.cos(2.0 * math.pi * done))
    z = start[2] + forward * (z - start[2]) + gains.lift * robot.length * up
    if leg.since > whole:
        z -= robot.length * min(_SEARCH * (leg.since - whole) / robot.time, _DEEPEST)
    return start[0] + forward * (x - start[0]), start[1] + forward * (y - start[1]), z


@kernel
def swing(settings: Any, number: int, gains: Any, turn: float, dt: float, memory: Any) -> None:
    """The angles, rates and accelerations that the joints of a leg in the air are asked for."""
    robot, limb, leg = settings.robot, settings.limbs[number], memory.legs[number]
    x, y, z = _landing(robot, limb, gains, turn, memory)
    part, landing = min(dt / (_AIMED * robot.time), 1.0) if leg.since > 1.5 * dt else 1.0, leg.landing
    landing[0], landing[1] = landing[0] + part * (x - landing[0]), landing[1] + part * (y - landing[1])
    landing[2] += part * (z - landing[2])
    x, y, z = _curve(robot, gains, memory, leg, landing[0], landing[1], landing[2])
    x, y, z = to_trunk(memory.body.steady_rotation, x, y, z)
    angle = memory.trial
    for i in range(int(limb.count)):
        angle[i] = leg.goal_angle[i]
    inverse(limb, x, y, z, angle, memory.pose)
    for i in range(int(limb.count)):
        velocity = (angle[i] - leg.goal_angle[i]) / dt if leg.since > 1.5 * dt else 0.0
        acceleration = (velocity - leg.goal_velocity[i]) / dt if leg.since > 2.5 * dt else 0.0
        leg.goal_angle[i] = angle[i]
        leg.goal_velocity[i] = velocity
        leg.goal_acceleration[i] += (acceleration - leg.goal_acceleration[i]) / _DERIVED
