"""One number measured: the Kalman update of the navigation filter, its gate, and what it does after a long row of rejections.

    S = h P h^T + r,    K = P h^T / S,    x <- x + K (z - z_predicted),    P <- P - K S K^T

h the jacobian of the number, r its variance. Numbers of one reading are used one after the other, which is the same as together
where their noises are independent. P is changed by -u u^T with u = P h^T / sqrt(S): symmetric to the bit, and positive as long
as r is not smaller than the rounding of h P h^T, which the floors of `filter_noise` see to.

A reading is used where every number of it passes its gate: (z - z_predicted)^2 < gate^2 S, chi-square with one degree of freedom
(gate = 5: one in two million is lost by chance). Where all readings of `patience` seconds were rejected, it is the filter that is
wrong: the error that the number shows is added to the variance of what it measures directly, and the reading is used. Correlated
states then hardly move: a position that was lost does not tip the attitude.

The correction of the attitude is a rotation in the world. That the covariance turns with it is left out (second order).
"""

from __future__ import annotations

import math
from typing import Any

from didymos.compiled import kernel
from didymos.control.filter_layout import (
    ACCEL_BIAS,
    AIRSPEED_BIAS,
    ATTITUDE,
    FIELD_BIAS,
    FIELD_DIP,
    GPS_BIAS,
    GYRO_BIAS,
    HEIGHT_BIAS,
    POSITION,
    VELOCITY,
    WIND,
)  # fmt: skip
from didymos.control.filter_predict import multiply, rotation_quaternion

__all__ = ["clear_jacobian", "correct", "innovation_variance", "may_use"]


@kernel
def clear_jacobian(errors: int, memory: Any) -> Any:
    """The jacobian of the number at hand, all zero."""
    for j in range(errors):
        memory.jacobian[j] = 0.0
    return memory.jacobian


@kernel
def innovation_variance(errors: int, variance: float, memory: Any) -> float:
    """Variance S of what a number differs by from its prediction, and `memory.spread` = P h^T."""
    covariance, jacobian, spread = memory.covariance, memory.jacobian, memory.spread
    for i in range(errors):
        spread[i] = 0.0
    for j in range(errors):
        share = jacobian[j]
        if share != 0.0:
            for i in range(errors):
                spread[i] += share * covariance[j, i]
    total = variance
    for j in range(errors):
        total += jacobian[j] * spread[j]
    return total


@kernel
def correct(errors: int, innovation: float, total: float, memory: Any) -> None:
    """Use a number, after `innovation_variance` said S of it."""
    covariance, spread, state = memory.covariance, memory.spread, memory.nominal
    root = 1.0 / math.sqrt(total)
    for i in range(errors):
        spread[i] *= root
    for i in range(errors):
        share = spread[i]
        for j in range(errors):
            covariance[i, j] -= share * spread[j]
    step = innovation * root
    w, x, y, z = rotation_quaternion(step * spread[ATTITUDE], step * spread[ATTITUDE + 1], step * spread[ATTITUDE + 2])
    q = state.orientation
    w, x, y, z = multiply(w, x, y, z, q[0], q[1], q[2], q[3])
    size = math.sqrt(w * w + x * x + y * y + z * z)
    q[0], q[1], q[2], q[3] = w / size, x / size, y / size, z / size
    for i in range(3):
        state.velocity[i] += step * spread[VELOCITY + i]
        state.position[i] += step * spread[POSITION + i]
        state.gyro_bias[i] += step * spread[GYRO_BIAS + i]
        state.accel_bias[i] += step * spread[ACCEL_BIAS + i]
        state.gps_bias[i] += step * spread[GPS_BIAS + i]
        state.field_bias[i] += step * spread[FIELD_BIAS + i]
    state.field_dip[0] += step * spread[FIELD_DIP]
    state.height_bias[0] += step * spread[HEIGHT_BIAS]
    if errors > WIND:
        state.wind[0] += step * spread[WIND]
        state.wind[1] += step * spread[WIND + 1]
        state.airspeed_bias[0] += step * spread[AIRSPEED_BIAS]


@kernel
def may_use(ratio: float, patience: float, monitor: Any) -> tuple[bool, bool]:
    """Whether a reading of a test ratio is used, and whether only because patience [s] has run out; notes what became of it."""
    monitor.ratio = ratio
    if ratio <= 1.0:
        monitor.rejected_since = -1.0
        monitor.used = monitor.stamp
        return True, False
    if monitor.rejected_since < 0.0:
        monitor.rejected_since = monitor.stamp
    if monitor.stamp - monitor.rejected_since < patience:
        return False, False
    monitor.rejected_since = -1.0
    monitor.used = monitor.stamp
    return True, True
