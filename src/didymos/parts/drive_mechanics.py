"""What the motor and the gear of a drive do, whatever its controller asks for; symbols as in `drive.py`.

    |tau| <= tau_peak min(1, (v_top - |v|) / (v_top - v_knee))  where tau drives; tau_cont once the motor is hot
    ripple     sum_i s_i sin(k_i th) + c_i cos(k_i th)          over the motor's angle th
    mesh       k (x - clip(x, -b/2, b/2)) + d dx/dt             x twist of a springy gear, b its play; flanks do not pull
"""

from __future__ import annotations

import math
from typing import Any

from didymos.compiled import kernel

__all__ = ["mesh_torque", "ripple_torque", "torque_limit"]


@kernel
def torque_limit(speed: float, torque: float, heat: float, drive: Any) -> float:
    """Largest torque [N m] that the motor gives at a speed [rev/s]; `torque` says which way it is wanted."""
    limit = drive.peak_torque
    if drive.continuous_torque > 0.0 and heat > 1.0:
        limit = min(limit, drive.continuous_torque)
    if drive.top_speed > 0.0 and torque * speed > 0.0:
        left = (drive.top_speed - abs(speed)) / (drive.top_speed - drive.knee_speed)
        limit *= min(max(left, 0.0), 1.0)
    return limit


@kernel
def _wave(angle: float, order: float, sine: float, cosine: float) -> float:
    return sine * math.sin(order * angle) + cosine * math.cos(order * angle)


@kernel
def ripple_torque(angle: float, drive: Any) -> float:
    """Ripple [N m] at an angle of the motor [rad]."""
    total = _wave(angle, drive.ripple1_order, drive.ripple1_sine, drive.ripple1_cosine)
    total += _wave(angle, drive.ripple2_order, drive.ripple2_sine, drive.ripple2_cosine)
    total += _wave(angle, drive.ripple3_order, drive.ripple3_sine, drive.ripple3_cosine)
    total += _wave(angle, drive.ripple4_order, drive.ripple4_sine, drive.ripple4_cosine)
    return drive.ripple * total


@kernel
def mesh_torque(twist: float, twist_rate: float, drive: Any) -> float:
    """Torque through a springy gear [N m] at the output; its flanks push and do not pull."""
    half = 0.5 * drive.backlash
    stretch = twist - min(max(twist, -half), half)
    torque = drive.gear_stiffness * stretch + drive.gear_damping * twist_rate
    if stretch > 0.0:
        return max(torque, 0.0)
    if stretch < 0.0:
        return min(torque, 0.0)
    return torque if half == 0.0 else 0.0
