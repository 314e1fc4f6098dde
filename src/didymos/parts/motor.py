"""A brushless motor behind its speed controller, in steady state.

    I = max(0, (d E - k w) / (R_m + d^2 R_s)),   k = 1 / (2 pi K_v)        the battery gives d I

d the duty (a throttle in [0, 1]), E the battery's voltage, R_s its resistance (0 where E is that under load), w the speed. The
controller does not push current back into the battery. Reference: last_letter_2 (its electricEngine), with R_s d^2 for R_s d.
"""

from __future__ import annotations

import math

from didymos.compiled import kernel

__all__ = ["motor_current", "torque_constant"]


@kernel
def torque_constant(speed_constant: float) -> float:
    """k [N m/A] of K_v [1/(s V)]."""
    return 1.0 / (2.0 * math.pi * speed_constant)


@kernel
def motor_current(duty: float, voltage: float, constant: float, speed: float, motor: float, battery: float) -> float:
    """I [A] at a duty, a voltage [V] and a speed [rad/s]; k [N m/A], resistances of motor and battery [ohm]."""
    return max((duty * voltage - constant * speed) / (motor + duty * duty * battery), 0.0)
