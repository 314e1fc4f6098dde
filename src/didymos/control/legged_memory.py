"""What the program of a legged robot remembers: the places of its numbers, shared by the files that make it up.

Frames: *trunk*, forward-left-up in the trunk's centre; *level*, the same origin and heading with z straight up. Four legs in the
order of `leg.LEGS`. The first numbers are reported.
"""

from __future__ import annotations

__all__ = ["MEMORY", "REPORTS"]

REPORTS = (
    ("mode", "1"), ("height", "m"), ("roll", "rad"), ("pitch", "rad"), ("yaw", "rad"), ("vx", "m/s"), ("vy", "m/s"),
    ("vz", "m/s"), ("slope.x", "1"), ("slope.y", "1"),
    ("contact.LF", "1"), ("contact.RF", "1"), ("contact.LR", "1"), ("contact.RR", "1"),
    ("load.LF", "N"), ("load.RF", "N"), ("load.LR", "N"), ("load.RR", "N"),
)  # fmt: skip

MODE, HEIGHT, ROLL, PITCH, YAW, VELOCITY, SLOPE, CONTACT, LOAD = 0, 1, 2, 3, 4, 5, 8, 10, 14
# velocity and slope in the level frame; contact 1 where the torques of a leg say so; load the force that they say [N]
UP, BIAS, RATE = 18, 21, 24  # up in the trunk's frame, bias of the gyro, rate without it
ROTATION = 27  # trunk to level, row-major
FOOT, JACOBIAN = 36, 48  # in the trunk's frame, [4, 3] and [4, 9]
LEVEL = 84  # feet in the level frame, [4, 3]
FLOOR = 96  # where each foot stood last, in the level frame, [4, 3]
SPEED, EFFORT = 108, 120  # of the joints: rates, and the torques that they carry to the ground, [12]
SWING, TOUCHED, SINCE, LIFT = 132, 136, 140, 144  # swings, has touched since, time in this state [s], where it left [4, 3]
GOAL, GOAL_RATE, GOAL_PUSH = 156, 168, 180  # of the joints in swing: angles, rates, accelerations, [12]
FORCE, SHARE = 192, 204  # of the ground on each foot in the level frame [4, 3]; how much of the load a leg may take, 0 to 1
PHASE, WANTED_HEIGHT, WANTED_YAW, WANTED_V, BEAT = 208, 209, 210, 211, 213
TREND = 214  # acceleration that it takes to hold the setpoints speed, learnt, [2]
TORQUE = 216  # of the joints, scratch [3]
HELD = 219  # time for which the gait has waited for a foot [s]
MATRIX, WRENCH = 220, 256  # scratch of the distribution, [36] and [6]
MEMORY = 264
