"""What the program of a legged robot believes, reads and remembers: memory layouts, shared by the files that make it up.

Frames: *trunk*, forward-left-up in the trunk's centre; *level*, the same origin and heading with z straight up. Four legs in the
order of `leg.LEGS`, three joints each: trunk joint (T), hip (H), knee (K).
"""

from __future__ import annotations

import numpy as np

__all__ = ["BALANCE", "BODY", "GOAL", "LEG", "LEG_READING", "ROBOT"]

ROBOT = np.dtype(
    [
        ("t_x", np.float64),  # [m] trunk joint in the trunk, forward
        ("t_y", np.float64),  # [m] and to its side
        ("h_x", np.float64),  # [m] hip from the trunk joint, forward
        ("h_y", np.float64),  # [m] and to its side
        ("limb", np.float64),  # [m] l, length of both limbs
        ("ratio", np.float64),  # n, motor turns per joint turn
        ("friction", np.float64),  # [N m] F, dry friction at the motor
        ("inertia_T", np.float64),  # [kg m^2] of a bent leg about its trunk joint
        ("inertia_H", np.float64),  # [kg m^2] about its hip
        ("inertia_K", np.float64),  # [kg m^2] about its knee
        ("foot_radius", np.float64),  # [m] r
        ("mass", np.float64),  # [kg] of the whole robot
        ("delay", np.float64),  # [s] from sending a command to its effect
        ("com_x", np.float64),  # [m] centre of mass of the robot that stands, trunk frame
        ("com_z", np.float64),  # [m]
        ("rotor", np.float64),  # [kg m^2] of a motor, at the joint
    ]
)
"""The program's own model of the robot; its names are the keys of the option `robot`."""

LEG_READING = np.dtype(
    [
        ("angle", np.float64, 3),  # [rad] of the joints
        ("velocity", np.float64, 3),  # [rad/s]
        ("motor_torque", np.float64, 3),  # [N m]
    ]
)
"""What a leg's encoders and drives say."""

BODY = np.dtype(
    [
        ("up", np.float64, 3),  # trunk frame
        ("gyro_bias", np.float64, 3),  # [rad/s]
        ("rate", np.float64, 3),  # [rad/s] trunk frame, without the bias
        ("rotation", np.float64, (3, 3)),  # trunk to level
        ("velocity", np.float64, 3),  # [m/s] level frame
    ]
)
"""How the trunk moves, as estimated."""

LEG = np.dtype(
    [
        ("foot", np.float64, 3),  # [m] trunk frame
        ("jacobian", np.float64, (3, 3)),  # of the foot by the joints' angles
        ("foot_level", np.float64, 3),  # [m] level frame
        ("foothold", np.float64, 3),  # [m] where the foot stood last, level frame
        ("velocity", np.float64, 3),  # [rad/s] of the joints
        ("acceleration", np.float64, 3),  # [rad/s^2]
        ("torque", np.float64, 3),  # [N m] that the joints carry to the ground, low-passed
        ("swings", np.float64),  # 1 in the air
        ("touched", np.float64),  # 1 once it has touched the ground in this part of the period
        ("since", np.float64),  # [s] that it swings or stands
        ("lift_off", np.float64, 3),  # [m] where it left the ground, level frame
        ("goal_angle", np.float64, 3),  # [rad] of the joints in swing
        ("goal_velocity", np.float64, 3),  # [rad/s]
        ("goal_acceleration", np.float64, 3),  # [rad/s^2]
        ("force", np.float64, 3),  # [N] that the ground shall exert on the foot, level frame
        ("share", np.float64),  # of the load that the leg may take, 0 to 1
    ]
)
"""What is remembered of a leg."""

GOAL = np.dtype(
    [
        ("height", np.float64),  # [m]
        ("yaw", np.float64),  # [rad]
        ("velocity", np.float64, 2),  # [m/s] level frame
        ("acceleration", np.float64, 2),  # [m/s^2] that holding this velocity takes, learnt
    ]
)
"""Where the trunk is on its way to: set-points, approached at their rates."""

BALANCE = np.dtype(
    [
        ("wrench", np.float64, 6),  # that the ground shall exert on the trunk: force [N], torque [N m], level frame
        ("matrix", np.float64, (6, 6)),
        ("multiplier", np.float64, 6),
    ]
)
"""Working memory of the distribution of forces (`stance.py`)."""
