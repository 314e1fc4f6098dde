"""What the capture program knows: readings into positions, velocities and force; what forbids to go on."""

from __future__ import annotations

import math
from typing import Any

from didymos.compiled import kernel
from didymos.control import capture_layout as at
from didymos.control import capture_stages as st
from didymos.control.capture_law import average, blend, track

__all__ = ["fault", "feel", "has_seen", "observe", "wake", "whereabouts"]

_TARE_TIME = 2.0  # [s] over which the zero of the force follows, as long as nothing touches: a real sensor creeps


@kernel
def _reading(measured: Any, m: Any, group: int, i: int) -> float:
    """Channel i of a group (base, end effector, port: x, y, angle; the joints)."""
    if group == 3:
        return measured[at.READ_JOINTS + i] + m[at.ENCODERS + i]
    first = at.READ_POSES + 4 * group
    if i == 2:
        return 2.0 * math.atan2(measured[first + 3], measured[first + 2])
    return measured[first + i]


@kernel
def has_seen(measured: Any) -> bool:
    """Whether every pose has come at least once: a quaternion is not zero."""
    for group in range(3):
        w, z = measured[at.READ_POSES + 4 * group + 2], measured[at.READ_POSES + 4 * group + 3]
        if w * w + z * z < 0.5:
            return False
    return True


@kernel
def wake(measured: Any, gains: Any, settings: Any, m: Any) -> None:
    """Set the encoders, whose counts begin anywhere, in the known posture, and begin to follow what is seen."""
    if gains[at.G_HOMED] > 0.5:
        for i in range(3):
            m[at.ENCODERS + i] = settings[at.S_HOME + i] - measured[at.READ_JOINTS + i]
    for place in range(12):
        m[at.TRACKS + 2 * place] = _reading(measured, m, place // 3, place % 3)


@kernel
def observe(measured: Any, gains: Any, time: float, period: float, m: Any) -> None:
    """Readings into positions and velocities; how old the oldest pose is."""
    m[at.AGE] = 0.0
    for group in range(4):
        stamp = measured[at.READ_STAMPS + group]
        is_new = stamp != m[at.STAMPS + group]
        if is_new:
            m[at.LAGS + group] = time - stamp
        m[at.STAMPS + group] = stamp
        if group < 3:
            m[at.AGE] = max(m[at.AGE], time - stamp)
        bandwidth = gains[(at.G_TRACK_BASE, at.G_TRACK_BASE, at.G_TRACK_PORT, at.G_TRACK_JOINTS)[group]]
        for i in range(3):
            place = at.TRACKS + 6 * group + 2 * i
            track(m[place : place + 2], _reading(measured, m, group, i), i == 2 and group < 3, is_new, bandwidth, period)


@kernel
def whereabouts(m: Any, group: int, i: int) -> float:
    """A tracked position as it is now: the track is as late as its readings are."""
    place = at.TRACKS + 6 * group + 2 * i
    return m[place] + m[at.LAGS + group] * m[place + 1]


@kernel
def feel(push: float, gains: Any, period: float, m: Any) -> None:
    """The force on the target [N], tared and averaged, and the weight of contact."""
    count = int(m[at.COUNT])
    m[at.COUNT] = count + 1
    if m[at.STAGE] <= st.APPROACH:
        m[at.TARE] += (push - m[at.TARE]) * max(1.0 / (count + 1), period / _TARE_TIME)
    window = min(max(int(gains[at.G_WINDOW]), 1), at.WINDOW)
    m[at.FORCE] = average(m[at.RING : at.RING + window], count, window, push - m[at.TARE])
    goal = blend(m[at.FORCE], gains[at.G_DEAD_BAND], gains[at.G_FULL])
    if not (st.CONTACT <= m[at.STAGE] <= st.HARD_GRIP):
        goal = 0.0
    # rises at once and fades slowly: a touch that is lost for a moment is pushed back into contact
    m[at.BLEND] = max(goal, m[at.BLEND] * math.exp(-period / 0.5))
    m[at.TOUCHING] = m[at.TOUCHING] + period if m[at.BLEND] > 0.3 else 0.0


@kernel
def _out_of_reach(par: Any, m: Any) -> bool:
    """Whether the wrist would have to be further from the shoulder than the arm is long."""
    angle, port = whereabouts(m, 0, 2), whereabouts(m, 2, 2)
    c, s = math.cos(angle), math.sin(angle)
    x = whereabouts(m, 2, 0) - (par[14] + par[15]) * math.cos(port) - whereabouts(m, 0, 0) - c * par[2] + s * par[3]
    y = whereabouts(m, 2, 1) - (par[14] + par[15]) * math.sin(port) - whereabouts(m, 0, 1) - s * par[2] - c * par[3]
    return x * x + y * y > (par[6] + par[7] + par[10] + par[11]) ** 2


@kernel
def fault(measured: Any, asked: float, gains: Any, settings: Any, m: Any) -> int:
    """What forbids to go on, or 0; the gravest of them."""
    found = 0
    stage = m[at.STAGE]
    if st.APPROACH <= stage <= st.HARD_GRIP and abs(math.sin(m[at.TRACKS + 20])) < gains[at.G_SINGULAR]:
        found = st.SINGULAR
    if stage >= st.APPROACH and gains[at.G_TRAVEL] > 0.0:  # the encoders' posture lies at the ends of the travel
        for i in range(3):
            q, low, high = m[at.TRACKS + 18 + 2 * i], settings[at.S_TRAVEL + 2 * i], settings[at.S_TRAVEL + 2 * i + 1]
            if q < low + gains[at.G_TRAVEL] or q > high - gains[at.G_TRAVEL]:
                found = st.TRAVEL
    if stage <= st.APPROACH and _out_of_reach(settings, m):
        found = st.REACH
    if gains[at.G_WATCH] > 0.0 and m[at.AGE] > gains[at.G_WATCH]:
        found = st.MOCAP
    if measured[at.READ_SATURATED] > 0.5:
        found = st.WHEEL
    for i in range(4):
        if measured[at.READ_TRIPPED + i] > 0.5:
            found = st.DRIVE
    if asked > 0.5:
        found = st.OPERATOR
    return found
