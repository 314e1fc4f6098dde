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

from didymos.compiled import kernel
from didymos.control import legged_memory as at
from didymos.control.leg import inverse

__all__ = ["advance_gait", "swing"]

_SEARCH = 0.8  # [m/s] at which a foot that found no ground goes on downward
_DEEPEST = 0.15  # [m] to which it does
_WAIT = 0.15  # [s] for which the other diagonal waits
_TAKE_LOAD = 0.03  # [s] in which a leg that has touched takes its share of the load
_DERIVED = 0.006  # [s] low-pass of the rates and accelerations that a swinging leg is asked for
_GRAVITY = 9.80665  # [m/s^2]


@kernel
def _phase(leg: int, phase: float) -> float:
    """Phase of a leg, 0 to 1; the diagonals LF-RR and RF-LR are half a period apart."""
    shifted = phase + (0.0 if leg == 0 or leg == 3 else 0.5)
    return shifted - math.floor(shifted)


@kernel
def _carries(leg: int, m: Any) -> bool:
    """Whether both feet of the other diagonal stand."""
    first = 1 if leg == 0 or leg == 3 else 0
    for other in (first, 3 - first):
        if m[at.SWING + other] > 0.5 or m[at.CONTACT + other] < 0.5:
            return False
    return True


@kernel
def advance_gait(walking: bool, period: float, duty: float, dt: float, m: Any) -> None:
    """Move the phase on and let legs leave or touch the ground."""
    late, moving = False, walking
    for leg in range(4):
        moving = moving or m[at.SWING + leg] > 0.5
        late = late or (m[at.SWING + leg] > 0.5 and m[at.SINCE + leg] > (1.0 - duty) * period)
        due = m[at.SWING + leg] < 0.5 and m[at.TOUCHED + leg] < 0.5 and _phase(leg, m[at.PHASE]) >= duty
        late = late or (due and not _carries(leg, m))
    m[at.HELD] = m[at.HELD] + dt if late else 0.0
    late = late and m[at.HELD] < _WAIT
    if not moving:
        m[at.PHASE] = 0.0
    elif not late:
        m[at.PHASE] += dt / period
    for leg in range(4):
        m[at.SINCE + leg] += dt
        scheduled = moving and _phase(leg, m[at.PHASE]) >= duty
        if not scheduled:
            m[at.TOUCHED + leg] = 0.0
        if m[at.SWING + leg] > 0.5:
            since = m[at.SINCE + leg]
            done = since / ((1.0 - duty) * period)
            if (done > 0.55 and m[at.CONTACT + leg] > 0.5) or since > (1.0 - duty) * period + _WAIT:
                m[at.SWING + leg], m[at.TOUCHED + leg], m[at.SINCE + leg] = 0.0, 1.0, 0.0
        elif scheduled and walking and not late and m[at.TOUCHED + leg] < 0.5:
            m[at.SWING + leg], m[at.SINCE + leg] = 1.0, 0.0
            for i in range(3):
                m[at.LIFT + 3 * leg + i] = m[at.LEVEL + 3 * leg + i]
        share = 0.0
        if m[at.SWING + leg] < 0.5:
            share = min(m[at.SINCE + leg] / _TAKE_LOAD, 1.0)
            if walking:  # give the load away before leaving
                left = (duty - _phase(leg, m[at.PHASE])) * period
                if left > 0.0:
                    share = min(share, max(left / _TAKE_LOAD, 0.1))
        m[at.SHARE + leg] = share


@kernel
def _landing(
    settings: Any, leg: int, stand: float, capture: float, stance_y: float, wx: float, wy: float, turn: float, m: Any
) -> None:
    """Where a foot shall come down, level frame, into `TORQUE` (scratch) [3]."""
    end, side = 1.0 - 2.0 * (leg // 2), 1.0 - 2.0 * (leg % 2)
    hx, hy = end * (settings[0] + settings[2]) + settings[13], side * (settings[1] + settings[3] + stance_y)
    r, v = at.ROTATION, at.VELOCITY
    x, y = m[r] * hx + m[r + 1] * hy, m[r + 3] * hx + m[r + 4] * hy
    angle = 0.5 * stand * turn
    x, y = x - angle * y, y + angle * x
    reach = 0.55 * m[at.HEIGHT]
    lean = m[at.HEIGHT] / _GRAVITY
    sx = 0.5 * stand * m[v] + capture * (m[v] - wx) - lean * m[at.TREND]
    sy = 0.5 * stand * m[v + 1] + capture * (m[v + 1] - wy) - lean * m[at.TREND + 1]
    size = math.sqrt(sx * sx + sy * sy)
    part = reach / size if size > reach else 1.0
    x, y = x + part * sx, y + part * sy
    m[at.TORQUE], m[at.TORQUE + 1] = x, y
    m[at.TORQUE + 2] = m[at.SLOPE] * x + m[at.SLOPE + 1] * y - (m[at.HEIGHT] - settings[10])


@kernel
def swing(
    settings: Any, leg: int, duty: float, period: float, lift: float, capture: float, stance_y: float,
    wx: float, wy: float, turn: float, dt: float, m: Any,
) -> None:  # fmt: skip
    """Angles, rates and accelerations of the joints of a leg in the air, into `GOAL`, `GOAL_RATE`, `GOAL_PUSH`."""
    _landing(settings, leg, duty * period, capture, stance_y, wx, wy, turn, m)
    since, whole = m[at.SINCE + leg], (1.0 - duty) * period
    done = min(since / whole, 1.0)
    forward = done - math.sin(2.0 * math.pi * done) / (2.0 * math.pi)
    up = 0.5 * (1.0 - math.cos(2.0 * math.pi * done))
    start = at.LIFT + 3 * leg
    x = m[start] + forward * (m[at.TORQUE] - m[start])
    y = m[start + 1] + forward * (m[at.TORQUE + 1] - m[start + 1])
    z = m[start + 2] + forward * (m[at.TORQUE + 2] - m[start + 2]) + lift * up
    if since > whole:
        z -= min(_SEARCH * (since - whole), _DEEPEST)
    r, k = at.ROTATION, at.GOAL + 3 * leg
    px = m[r] * x + m[r + 3] * y + m[r + 6] * z
    py = m[r + 1] * x + m[r + 4] * y + m[r + 7] * z
    pz = m[r + 2] * x + m[r + 5] * y + m[r + 8] * z
    end, side = 1.0 - 2.0 * (leg // 2), 1.0 - 2.0 * (leg % 2)
    q = m[at.TORQUE : at.TORQUE + 3]
    inverse(settings, end, side, px, py, pz, q)
    part = min(dt / _DERIVED, 1.0)
    for i in range(3):
        rate = (q[i] - m[k + i]) / dt if since > 1.5 * dt else 0.0
        push = (rate - m[at.GOAL_RATE + 3 * leg + i]) / dt if since > 2.5 * dt else 0.0
        m[k + i] = q[i]
        m[at.GOAL_RATE + 3 * leg + i] = rate
        m[at.GOAL_PUSH + 3 * leg + i] += part * (push - m[at.GOAL_PUSH + 3 * leg + i])
