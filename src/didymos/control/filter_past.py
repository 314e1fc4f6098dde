"""What the navigation filter's state was at the stamp of a reading that arrives late.

Beside the state, the filter reckons on an attitude r and the integrals u and w of the specific force from the IMU alone
(`reckoned`), in a frame of their own that no correction moves, and keeps some of them (`history`). Corrections of the attitude
are rotations in the world, so they cancel in the turn between two instants; and C = q r_now^-1 leads from that frame to the
world as it is known now. With D the lag, at the instant of the stamp

    q_s = q (r_now^-1 r_s),    v_s = v - A + g D,    p_s = p - D v + C [D u_now - (w_now - w_s)] - 1/2 g D^2
    A   = C (u_now - u_s)      integral of the specific force over the lag

the state of the past with all that was learned since: an attitude corrected within the lag turns what was gained in it, too (5
degrees in a turn of 2.8 g with a lag of 0.2 s are 0.5 m/s). Its errors are those of now, led back by the filter's own transition:

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
    if stamp >= memory.time:
        _look_ahead(settings, stamp - memory.time, memory)
        return True
    count = int(memory.kept)
    newer = memory.reckoned
    for k in range(min(count, HISTORY)):
        older = memory.history[(count - 1 - k) % HISTORY]
        if older.time <= stamp:
            share = (stamp - older.time) / (newer.time - older.time)
            return _between(settings, older, newer, share, stamp, memory)
        newer = older
    return False


@kernel
def _between(settings: Any, older: Any, newer: Any, share: float, stamp: float, memory: Any) -> bool:
    """The past at a share of the way between two reckoned states."""
    past, now, q = memory.past, memory.reckoned, memory.nominal.orientation
    lag = now.time - stamp
    r, o, n = now.orientation, older.orientation, newer.orientation
    same = 1.0 if o[0] * n[0] + o[1] * n[1] + o[2] * n[2] + o[3] * n[3] >= 0.0 else -1.0
    a, b = 1.0 - share, same * share
    turn = multiply(
        r[0], -r[1], -r[2], -r[3],
        a * o[0] + b * n[0], a * o[1] + b * n[1], a * o[2] + b * n[2], a * o[3] + b * n[3],
    )  # fmt: skip
    size = math.sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2] + turn[3] * turn[3])
    for i in range(4):
        past.turn[i] = turn[i] / size
    for i in range(3):
        velocity = (1.0 - share) * older.velocity[i] + share * newer.velocity[i]
        position = (1.0 - share) * older.position[i] + share * newer.position[i]
        past.push[i] = now.velocity[i] - velocity
        past.moved[i] = lag * now.velocity[i] - (now.position[i] - position)
    to_world = multiply(q[0], q[1], q[2], q[3], r[0], -r[1], -r[2], -r[3])
    push = turn_vector(to_world, past.push[0], past.push[1], past.push[2])
    moved = turn_vector(to_world, past.moved[0], past.moved[1], past.moved[2])
    for i in range(3):
        gravity = settings.gravity if i == 2 else 0.0
        past.push[i] = push[i]
        past.gained[i] = push[i] - lag * gravity
        past.moved[i] = moved[i] - 0.5 * lag * lag * gravity
    past.lag = lag
    return True
