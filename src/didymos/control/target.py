"""Another robot, or a deck, as a program knows it from a sensor of its relative pose: where it is, how it moves and turns.

    d^-   = d + (v_t - v) dt                      between readings: v is the robot's own velocity, by its estimate
    r     = R z + (v_t - v) late - d^-            of a reading z, turned into the world's axes by the own attitude R
    d     = d^- + (1 - theta^2) r
    v_t   = v_t + (1 - theta)^2 r / T,            theta = exp(-T / lag),  T [s] since the last reading, by the stamps

d [m] leads from the robot to the target, v_t [m/s] is the target's velocity over ground; its heading and the rate of turn are
found in the same way. This is the fading-memory filter of first degree (critically damped g-h filter): where readings fail to
come, theta falls with the gap, so the first that comes back is believed, and v_t learns the mean velocity over the gap.

In the limit of fast readings a target that accelerates at a leads d by lag^2 a and v_t by 2 lag a; of the noise sigma of a
reading sqrt(5 T / (4 lag)) sigma is left in d and sqrt(T / lag) sigma / (2 lag) in v_t. The robot's own acceleration is no error:
its velocity is known. Readings that are late are carried on by the velocities; the attitude is taken for that of now, so `delay`
times rate times distance is an error. Where the own velocity is off, so is v_t, by as much: their difference, by which a program
flies, is right.

Reference: Brookner, Tracking and Kalman filtering made easy (1998), 1.2.6 and 7.5. Frames: world east-north-up, body
forward-left-up; the reading is the target's pose in the frame of the robot's root link, where the sensor is taken to sit.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from didymos.compiled import kernel
from didymos.control.angles import turn_vector, wrap
from didymos.control.controller import Robot
from didymos.control.filter_predict import multiply
from didymos.errors import InputError, nearest

__all__ = ["TARGET", "TARGET_READING", "place_at_target", "target_reads", "track_target"]

TARGET_READING = np.dtype(
    [
        ("position", np.float64, 3),  # [m] of the target in the robot's frame
        ("orientation", np.float64, 4),  # of the target in the robot's frame, w first
        ("stamp", np.float64),  # [s]; below zero: nothing has come yet
    ]
)

TARGET = np.dtype(
    [
        ("offset", np.float64, 3),  # [m] d, from the robot to the target, in the world's axes
        ("velocity", np.float64, 3),  # [m/s] v_t
        ("heading", np.float64),  # [rad] of the target's x axis
        ("turn_rate", np.float64),  # [rad/s]
        ("stamp", np.float64),  # [s] of the last reading that was used
        ("age", np.float64),  # [s] since then; negative as long as nothing was seen
    ]
)


def target_reads(robot: Robot, sensor: str, program: str) -> dict[str, list[str]]:
    """Which readings of a sensor of relative pose go into `measured.target`; an `InputError` where there is no such sensor."""
    reads = {
        "target.position": [f"{sensor}.position.{axis}" for axis in "xyz"],
        "target.orientation": [f"{sensor}.orientation.{axis}" for axis in "wxyz"],
        "target.stamp": [f"{sensor}.stamp"],
    }
    for name in (name for names in reads.values() for name in names):
        if name not in robot.measured:
            raise InputError(
                f"{program} needs the reading {name!r}, which no sensor gives{nearest(name, robot.measured)}",
                path="control.options.target",
            )
    return reads


@kernel
def _heading(own: Any, other: Any) -> float:
    """Heading [rad] of a target of the relative orientation `other`, for a robot of the orientation `own`, w first, [4] each."""
    w, x, y, z = multiply(own[0], own[1], own[2], own[3], other[0], other[1], other[2], other[3])
    return math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))


@kernel
def track_target(clock: Any, lag: float, reading: Any, estimate: Any, target: Any) -> None:
    """Bring what is known of the target, a `TARGET`, up to this call.

    `reading` a `TARGET_READING`, `estimate` of the own motion, `lag` [s] of the filter, `clock` of the program.
    """
    if clock.first > 0.0:
        target.age, target.stamp = -1.0, -1.0
    if target.age >= 0.0:
        for i in range(3):
            target.offset[i] += (target.velocity[i] - estimate.velocity[i]) * clock.period
        target.heading = wrap(target.heading + target.turn_rate * clock.period)
        target.age += clock.period
    if reading.stamp < 0.0 or reading.stamp == target.stamp:
        return
    late, z = clock.time - reading.stamp, reading.position
    seen = turn_vector(estimate.orientation, z[0], z[1], z[2])
    heading = _heading(estimate.orientation, reading.orientation)
    if target.age < 0.0:
        for i in range(3):
            target.offset[i], target.velocity[i] = seen[i] - estimate.velocity[i] * late, 0.0
        target.heading, target.turn_rate = heading, 0.0
    else:
        gap = reading.stamp - target.stamp
        theta = math.exp(-gap / lag) if lag > 0.0 else 0.0
        place, rate = 1.0 - theta * theta, (1.0 - theta) ** 2 / gap
        for i in range(3):
            residual = seen[i] + (target.velocity[i] - estimate.velocity[i]) * late - target.offset[i]
            target.offset[i] += place * residual
            target.velocity[i] += rate * residual
        residual = wrap(heading + target.turn_rate * late - target.heading)
        target.heading = wrap(target.heading + place * residual)
        target.turn_rate += rate * residual
    target.stamp, target.age = reading.stamp, late


@kernel
def place_at_target(
    target: Any, x: float, y: float, z: float
) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """The way [m] to a place beside the target and that place's velocity [m/s], both in the world's axes.

    x, y, z [m] from the target, along its heading, to its left, and up.
    """
    c, s = math.cos(target.heading), math.sin(target.heading)
    along, across = c * x - s * y, s * x + c * y
    way = (target.offset[0] + along, target.offset[1] + across, target.offset[2] + z)
    turning = target.turn_rate
    return way, (target.velocity[0] - turning * across, target.velocity[1] + turning * along, target.velocity[2])
