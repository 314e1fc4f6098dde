"""What the motor and the gear of a drive do, whatever its controller asks for; symbols as in `drive.py`.

    |tau| <= tau_max min(1, (v_top - |v|) / (v_top - v_knee))   where tau drives
    tau_max    tau_cont + (tau_peak - tau_cont) (1 - heat) / f, held between the two: falls as the motor gets hot, without a jump
    ripple     sum_i s_i sin(k_i (th + th_0)) + c_i cos(k_i (th + th_0)) + R(th + th_0)      over the motor's angle th
    breakaway  F_S - f(th + th_0)                               beyond the friction F_C + f of a moving shaft
    mesh       k x + d dx/dt                                    x twist of a springy gear without play
               k y + d min(1, |y| / (b/10)) dx/dt, of y's sign  y = x - clip(x, -b/2, b/2), b its play: flanks do not pull

A flank that begins to press has nothing to damp with yet, as in Hunt and Crossley's law of impact (J. Appl. Mech. 42, 1975): the
torque does not jump where flanks meet.
"""

from __future__ import annotations

import math
from typing import Any

from didymos.compiled import kernel
from didymos.parts.angle_table import from_table

__all__ = ["breakaway_excess", "mesh_torque", "ripple_torque", "torque_limit"]

_TURN = 2.0 * math.pi
_MEETING = 0.1  # of the play: how far flanks press before they damp in full


@kernel
def torque_limit(speed: float, torque: float, heat: float, drive: Any) -> float:
    """Largest torque [N m] that the motor gives at a speed [rev/s]; `torque` says which way it is wanted."""
    limit = drive.peak_torque
    if 0.0 < drive.continuous_torque < limit:
        cool = min(max((1.0 - heat) / drive.fold_back, 0.0), 1.0)
        limit = drive.continuous_torque + (limit - drive.continuous_torque) * cool
    if drive.top_speed > 0.0 and torque * speed > 0.0:
        left = (drive.top_speed - abs(speed)) / (drive.top_speed - drive.knee_speed)
        limit *= min(max(left, 0.0), 1.0)
    return limit


@kernel
def _wave(angle: float, order: float, sine: float, cosine: float) -> float:
    if sine == 0.0 and cosine == 0.0:
        return 0.0
    return sine * math.sin(order * angle) + cosine * math.cos(order * angle)


@kernel
def ripple_torque(angle: float, drive: Any) -> float:
    """Ripple [N m] at an angle of the motor [rad]."""
    angle += _TURN * drive.ripple_angle
    total = _wave(angle, drive.ripple1_order, drive.ripple1_sine, drive.ripple1_cosine)
    total += _wave(angle, drive.ripple2_order, drive.ripple2_sine, drive.ripple2_cosine)
    total += _wave(angle, drive.ripple3_order, drive.ripple3_sine, drive.ripple3_cosine)
    total += _wave(angle, drive.ripple4_order, drive.ripple4_sine, drive.ripple4_cosine)
    total += _wave(angle, drive.ripple5_order, drive.ripple5_sine, drive.ripple5_cosine)
    total += _wave(angle, drive.ripple6_order, drive.ripple6_sine, drive.ripple6_cosine)
    if drive.ripple_table.count > 0.0:
        total += from_table(drive.ripple_table, angle / _TURN)
    return drive.ripple * total


@kernel
def breakaway_excess(angle: float, drive: Any) -> float:
    """How much more [N m] holds the standing shaft than the moving one at an angle of the motor [rad]."""
    excess = drive.stribeck
    if drive.coulomb_table.count > 0.0:
        excess -= drive.ripple * from_table(drive.coulomb_table, angle / _TURN + drive.ripple_angle)
    return excess


@kernel
def mesh_torque(twist: float, twist_rate: float, drive: Any) -> float:
    """Torque through a springy gear [N m] at the output; with play its flanks push and do not pull."""
    play = drive.backlash
    if play == 0.0:
        return drive.gear_stiffness * twist + drive.gear_damping * twist_rate
    stretch = twist - min(max(twist, -0.5 * play), 0.5 * play)
    damping = drive.gear_damping * min(abs(stretch) / (_MEETING * play), 1.0)
    torque = drive.gear_stiffness * stretch + damping * twist_rate
    return max(torque, 0.0) if stretch > 0.0 else min(torque, 0.0)
