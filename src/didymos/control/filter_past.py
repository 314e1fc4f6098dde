"""What the navigation filter's state was at the stamp of a reading that arrives late.

Beside the state, the filter reckons on an attitude, a velocity and a position from the IMU alone (`reckoned`), which no
correction moves, and keeps some of them (`history`). Corrections of the attitude are rotations in the world, so they cancel in
the turn between two instants; those of velocity and position cancel in what was gained between them. With D the lag, at the
instant of the stamp

    q_s = q (r_now^-1 r_s),    v_s = v - (u_now - u_s),    p_s = p - D v + D u_now - (w_now - w_s)

r, u, w the reckoned attitude, velocity and position: the state of the past with all that was learned since. Its errors are
those of now, led back by the filter's own transition (A = int R f dt over the lag):

    v_s: v + A x e + D R b_a,    p_s: p - D v - 1/2 D A x e

What noise adds within the lag is left out: 1 mm/s for a small MEMS unit in 0.2 s. Between two kept states, values are
interpolated linearly (an error of a h^2 / 8, h the distance in time: 1 mm for 1 g and 30 ms). A stamp ahead of the last reading
of the IMU is reached by holding that reading. A stamp before the oldest state that is kept cannot be served: such a reading is
not used.
"""

from __future__ import annotations

import math
from typing import Any

from didymos.compiled import kernel
from didymos.control.angles import turn_vector
from didymos.control.filter_layout import HISTORY
from didymos.control.filter_predict import multiply, rotation_quaternion

__all__ = ["look_back"]


@kernel
def _look_ahead(settings: Any, ahead: float, memory: Any) -> None:
    """Hold the last reading of the IMU for some time [s]."""
    past, state = memory.past, memory.nominal
    past.lag = -ahead
    turn = rotation_quaternion(
        ahead * (memory.gyro[0] - state.gyro_bias[0]),
        ahead * (memory.gyro[1] - state.gyro_bias[1]),
        ahead * (memory.gyro[2] - state.gyro_bias[2]),
    )
    for i in range(4):
        past.turn[i] = turn[i]
    push = turn_vector(
        state.orientation,
        memory.accel[0] - state.accel_bias[0], memory.accel[1] - state.accel_bias[1], memory.accel[2] - state.accel_bias[2],
    )  # fmt: skip
    for i in range(3):
        acceleration = push[i] - (settings.gravity if i == 2 else 0.0)
        past.push[i] = -ahead * push[i]
        past.gained[i] = -ahead * acceleration
        past.moved[i] = 0.5 * ahead * ahead * acceleration


@kernel
def look_back(settings: Any, stamp: float, memory: Any) -> bool:
    """Fill `memory.past` for the instant of a stamp [s]; False where it lies too far back."""
    past, now = memory.past, memory.reckoned
    if stamp >= memory.time:
        _look_ahead(settings, stamp - memory.time, memory)
        return True
    count = int(memory.kept)
    newer = memory.reckoned
    for k in range(min(count, HISTORY)):
        older = memory.history[(count - 1 - k) % HISTORY]
        if older.time <= stamp:
            share = (stamp - older.time) / (newer.time - older.time)
            return _between(settings, older, newer, share, stamp, now, past)
        newer = older
    return False


@kernel
def _between(settings: Any, older: Any, newer: Any, share: float, stamp: float, now: Any, past: Any) -> bool:
    """The past at a share of the way between two reckoned states."""
    lag = now.time - stamp
    q, o, n = now.orientation, older.orientation, newer.orientation
    same = 1.0 if o[0] * n[0] + o[1] * n[1] + o[2] * n[2] + o[3] * n[3] >= 0.0 else -1.0
    a, b = 1.0 - share, same * share
    turn = multiply(
        q[0], -q[1], -q[2], -q[3],
        a * o[0] + b * n[0], a * o[1] + b * n[1], a * o[2] + b * n[2], a * o[3] + b * n[3],
    )  # fmt: skip
    size = math.sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2] + turn[3] * turn[3])
    for i in range(4):
        past.turn[i] = turn[i] / size
    for i in range(3):
        velocity = (1.0 - share) * older.velocity[i] + share * newer.velocity[i]
        position = (1.0 - share) * older.position[i] + share * newer.position[i]
        past.gained[i] = now.velocity[i] - velocity
        past.moved[i] = lag * now.velocity[i] - (now.position[i] - position)
        past.push[i] = past.gained[i] + (lag * settings.gravity if i == 2 else 0.0)
    past.lag = lag
    return True
