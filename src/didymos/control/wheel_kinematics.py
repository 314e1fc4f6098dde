"""Kinematics of a base on wheels: a twist to wheel speeds and steering angles, and what the wheels did back to a twist.

Twist T = (v_x, v_y, w_z) of the root link's frame, in its axes. Wheel i at (x, y), of radius r, rolls towards f and grips along g
(f of a tyre, the roller's axis of a mecanum or omni wheel); its hub moves at u = (v_x - w_z y, v_y + w_z x).

    w_i = g . u / (r g . f)                                        wheel speed, for all kinds
    a . u = 0,  a = z x f                                          a tyre does not move sideways
    theta = angle(u) + asin(w_z t / |u|)                           heading of a steered wheel, t its trail ahead of the pivot

Odometry solves for T, in the least squares sense, over the rows

    (g_x, g_y, x g_y - y g_x) . T = r (g . f) w_i                  each driven wheel
    s (a_x, a_y, x a_y - y a_x) . T = 0                            each tyre, steered as it is; s = 1

What is left, its root mean square over the rows, is the slip [m/s]: zero where all wheels roll. Of a base on two driven wheels it
is zero always: two speeds fit some twist in any case.

Tyres on several axles that are not steered must slide when the base turns (skid steering). Where sliding costs the same in all
directions, as with Coulomb's friction and equal loads, moments about the middle balance just where the squares are least:

    w_z = (w_z of the wheel speeds alone) / chi,      chi = 1 + s^2 sum (x_i - x)^2 / sum (y_i - y)^2

so the wheels are told chi times the difference of speeds. A measured chi (`wheel_separation_multiplier` of ROS) sets s.

A twist moves the base along an arc: with turn = w_z dt, the displacement (v_x, v_y) dt is scaled by sin(turn/2)/(turn/2) and
turned by turn/2, exactly.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from didymos.compiled import kernel
from didymos.control.angles import limit, wrap
from didymos.control.wheels import Wheel, Wheels

__all__ = ["MOST_WHEELS", "WHEEL", "advance", "side_row", "steer", "twist_of_wheels", "wheel_rows", "wheel_speed"]

MOST_WHEELS = 16

WHEEL = np.dtype(
    [
        ("x", np.float64),  # [m] hub, at a steering angle of zero
        ("y", np.float64),
        ("radius", np.float64),  # [m]
        ("forward_x", np.float64),  # f
        ("forward_y", np.float64),
        ("grip_x", np.float64),  # g
        ("grip_y", np.float64),
        ("driven", np.float64),  # 1: its speed is measured and commanded
        ("holds", np.float64),  # s: 1 of a tyre, which does not move sideways; 0 of others
        ("skid", np.float64),  # [m] how much longer its lever is in a turn, since it slides: chi - 1 times its own
        ("steered", np.float64),
        ("pivot_x", np.float64),  # [m]
        ("pivot_y", np.float64),
        ("trail", np.float64),  # [m] of the hub ahead of the pivot
        ("sign", np.float64),  # of its steering joint: +1 counter-clockwise
        ("lower", np.float64),  # [rad] of the steering, counter-clockwise
        ("upper", np.float64),
        ("drive", np.float64),  # index of its joint among those that the program commands; -1 for none
        ("pivot", np.float64),  # index of its steering joint there; -1 for none
    ]
)
"""A wheel in the settings of a program; angles counter-clockwise."""


def wheel_rows(wheels: Wheels, joints: Sequence[str], chi: float | None = None) -> Any:
    """The records of all wheels of a base, whose driven and steered `joints` a program commands in this order; shape [n].

    `chi` is that of a skid-steered base where it was measured.
    """
    rows = np.zeros(len(wheels.wheels), dtype=WHEEL)
    tyres = [wheel for wheel in wheels.wheels if _holds(wheels, wheel)]
    for row, wheel in zip(rows, wheels.wheels, strict=True):
        row["x"], row["y"], row["radius"] = *wheel.position[:2], wheel.radius
        row["forward_x"], row["forward_y"] = wheel.forward[:2]
        row["grip_x"], row["grip_y"] = wheel.grip[:2]
        row["driven"], row["holds"] = float(wheel.driven), float(any(wheel is tyre for tyre in tyres))
        row["drive"], row["pivot"] = joints.index(wheel.joint) if wheel.driven else -1, -1
        if wheel.steering is not None:
            row["pivot"] = joints.index(wheel.steering.joint)
            pivot, sign = wheel.steering.position[:2], wheel.steering.sign
            ends = sorted((sign * wheel.steering.lower, sign * wheel.steering.upper))
            row["steered"], row["sign"], row["lower"], row["upper"] = 1.0, sign, *ends
            row["pivot_x"], row["pivot_y"] = pivot
            row["trail"] = (wheel.position[:2] - pivot) @ wheel.forward[:2]
    if wheels.kind == "differential":
        _skid(rows, chi)
    return rows


def _skid(rows: Any, chi: float | None) -> None:
    """Lengthen the levers of tyres on several axles."""
    tyres = rows["holds"] > 0.0
    ax, ay, _, count = side_row(rows, len(rows))
    if not count:
        return
    same = np.sign(rows["forward_x"] * ay - rows["forward_y"] * ax)  # along f = a x z, or against
    ahead, lever = ay * rows["x"] - ax * rows["y"], -ax * rows["x"] - ay * rows["y"]
    spread = float(np.sum((ahead - ahead[tyres].mean())[tyres] ** 2) / np.sum((lever - lever[tyres].mean())[tyres] ** 2))
    if chi is not None and spread > 1e-9:
        rows["holds"][tyres] = math.sqrt(max(chi - 1.0, 0.0) / spread)
    rows["skid"] = same * (lever - lever[tyres].mean()) * (spread if chi is None else chi - 1.0)


def _holds(wheels: Wheels, wheel: Wheel) -> bool:
    if wheel.roller is not None:
        return False
    return wheel.steering is not None or wheel.driven or wheels.kind == "ackermann"


@kernel
def _placed(wheel: Any, angle: float) -> tuple[float, float, float, float, float, float]:
    """Hub x, y [m], f and g of a wheel steered by an angle [rad]."""
    x, y, fx, fy, gx, gy = wheel.x, wheel.y, wheel.forward_x, wheel.forward_y, wheel.grip_x, wheel.grip_y
    if wheel.steered > 0.0:
        c, s = math.cos(angle), math.sin(angle)
        dx, dy = x - wheel.pivot_x, y - wheel.pivot_y
        x, y = wheel.pivot_x + c * dx - s * dy, wheel.pivot_y + s * dx + c * dy
        fx, fy = c * fx - s * fy, s * fx + c * fy
        gx, gy = c * gx - s * gy, s * gx + c * gy
    return x, y, fx, fy, gx, gy


@kernel
def wheel_speed(wheel: Any, angle: float, vx: float, vy: float, wz: float) -> float:
    """Speed [rad/s] of a wheel, steered by an angle, that rolls while the base has a twist."""
    x, y, fx, fy, gx, gy = _placed(wheel, angle)
    return (gx * (vx - wz * y) + gy * (vy + wz * x) + wz * wheel.skid) / (wheel.radius * (gx * fx + gy * fy))


@kernel
def steer(wheel: Any, angle: float, vx: float, vy: float, wz: float) -> float:
    """Steering angle [rad] at which a wheel rolls while the base has a twist, the nearest to `angle` that it can reach."""
    ux, uy = vx - wz * wheel.pivot_y, vy + wz * wheel.pivot_x
    size = math.sqrt(ux * ux + uy * uy)
    if size < 1e-6:
        return angle
    straight = math.atan2(wheel.forward_y, wheel.forward_x)
    ahead = math.atan2(uy, ux) + math.asin(limit(wz * wheel.trail / size, -1.0, 1.0)) - straight
    nearest = angle + wrap(ahead - angle)
    other = nearest - math.pi if nearest > angle else nearest + math.pi  # backwards
    found = nearest if abs(nearest - angle) <= abs(other - angle) else other
    if found < wheel.lower or found > wheel.upper:
        turned = found + math.pi if found < wheel.lower else found - math.pi
        if turned >= wheel.lower and turned <= wheel.upper:
            return turned
    return limit(found, wheel.lower, wheel.upper)


@kernel
def side_row(wheels: Any, count: int) -> tuple[float, float, float, float]:
    """The mean row (a_x, a_y, x a_y - y a_x) of the tyres that are not steered, a of length 1, and how many there are."""
    ax, ay, turn, tyres = 0.0, 0.0, 0.0, 0.0
    first_x, first_y = 0.0, 0.0
    for i in range(count):
        wheel = wheels[i]
        if wheel.holds > 0.0 and wheel.steered == 0.0:
            x, y = -wheel.forward_y, wheel.forward_x
            if tyres == 0.0:
                first_x, first_y = x, y
            if x * first_x + y * first_y < 0.0:
                x, y = -x, -y
            ax, ay, turn, tyres = ax + x, ay + y, turn + wheel.x * y - wheel.y * x, tyres + 1.0
    size = math.sqrt(ax * ax + ay * ay) if tyres > 0.0 else 1.0
    return ax / size, ay / size, turn / size, tyres


@kernel
def twist_of_wheels(wheels: Any, count: int, speeds: Any, angles: Any, twist: Any) -> float:
    """Write the twist that fits speeds [rad/s] (or angles turned [rad]) and steering angles best; its residual is returned.

    The normal equations N T = n are solved by Cramer's rule.
    """
    n11, n12, n13, n22, n23, n33, n1, n2, n3 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for row in range(2 * count):  # each wheel along its grip, then sideways
        wheel = wheels[row // 2]
        x, y, fx, fy, gx, gy = _placed(wheel, angles[row // 2])
        a, b, value = -wheel.holds * fy, wheel.holds * fx, 0.0
        if row % 2 == 0:
            a, b = wheel.driven * gx, wheel.driven * gy
            value = wheel.driven * wheel.radius * (gx * fx + gy * fy) * speeds[row // 2]
        c = x * b - y * a
        n11, n12, n13, n1 = n11 + a * a, n12 + a * b, n13 + a * c, n1 + a * value
        n22, n23, n2 = n22 + b * b, n23 + b * c, n2 + b * value
        n33, n3 = n33 + c * c, n3 + c * value
    i11, i12, i13 = n22 * n33 - n23 * n23, n13 * n23 - n12 * n33, n12 * n23 - n13 * n22
    i22, i23, i33 = n11 * n33 - n13 * n13, n12 * n13 - n11 * n23, n11 * n22 - n12 * n12
    whole = n11 * i11 + n12 * i12 + n13 * i13
    scale = 1.0 / whole if whole > 0.0 else 0.0
    twist[0] = scale * (i11 * n1 + i12 * n2 + i13 * n3)
    twist[1] = scale * (i12 * n1 + i22 * n2 + i23 * n3)
    twist[2] = scale * (i13 * n1 + i23 * n2 + i33 * n3)
    return _residual(wheels, count, speeds, angles, twist)


@kernel
def _residual(wheels: Any, count: int, speeds: Any, angles: Any, twist: Any) -> float:
    """Root mean square [m/s] of what the wheels do beside a twist."""
    total, rows = 0.0, 0.0
    for i in range(count):
        wheel = wheels[i]
        x, y, fx, fy, gx, gy = _placed(wheel, angles[i])
        ux, uy = twist[0] - twist[2] * y, twist[1] + twist[2] * x
        if wheel.driven > 0.0:
            total += (gx * ux + gy * uy - wheel.radius * (gx * fx + gy * fy) * speeds[i]) ** 2
            rows += 1.0
        if wheel.holds > 0.0:
            total += (wheel.holds * (fx * uy - fy * ux)) ** 2
            rows += 1.0
    return math.sqrt(total / max(rows, 1.0))


@kernel
def advance(x: float, y: float, yaw: float, twist: Any) -> tuple[float, float, float]:
    """Where a base is after a displacement (v_x dt, v_y dt, w_z dt) along an arc."""
    turn = twist[2]
    half = 0.5 * turn
    chord = math.sin(half) / half if abs(half) > 1e-6 else 1.0 - half * half / 6.0
    c, s = math.cos(yaw + half), math.sin(yaw + half)
    return x + chord * (c * twist[0] - s * twist[1]), y + chord * (s * twist[0] + c * twist[1]), yaw + turn
