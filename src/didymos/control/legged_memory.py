"""What the program of a legged robot believes, reads and remembers: memory layouts, shared by the files that make it up.

Frames: *trunk*, forward-left-up, origin in the middle of the hips; *level*, the same origin and heading with z straight up.
"""

from __future__ import annotations

import numpy as np

__all__ = [
    "BALANCE", "BODY", "GOAL", "HOLD", "LEG", "LIMB", "MOST_LEGS", "MOST_LIMB_JOINTS", "POSE", "ROBOT",
]  # fmt: skip

MOST_LEGS = 8
"""Legs that a robot can have here."""
MOST_LIMB_JOINTS = 7
"""Joints that a leg can have."""

_LIMB_JOINT = np.dtype(
    [
        ("axis", np.float64, 3),  # a, trunk frame, at the reference posture; of length 1
        ("point", np.float64, 3),  # [m] o, on the axis
        ("slides", np.float64),  # 1 for a prismatic joint
        ("reference", np.float64),  # [rad] of the reference posture
        ("lower", np.float64),  # [rad]
        ("upper", np.float64),  # [rad]
        ("mass", np.float64),  # [kg] of what this joint moves and the next one does not
        ("centre", np.float64, 3),  # [m] its centre of mass, trunk frame, at the reference posture
        ("rotor", np.float64),  # [kg m^2] of its motor, at the joint
        ("friction", np.float64),  # [N m] of its motor and gear, at the joint
        ("viscous", np.float64),  # [N m s/rad] the same
        ("felt", np.float64),  # [N m] at the joint per unit of the effort that is read; 0 where none is
        ("belt", np.float64),  # 1 where its motor's belt runs over the joint before it, so that the motor turns the sum of both
    ]
)

LIMB = np.dtype(
    [
        ("count", np.float64),  # joints
        ("first", np.float64),  # number of the first of them among the robot's joints
        ("joints", _LIMB_JOINT, MOST_LIMB_JOINTS),
        ("foot", np.float64, 3),  # [m] centre of the foot, trunk frame, at the reference posture
        ("radius", np.float64),  # [m] of the foot
        ("hip", np.float64, 3),  # [m] from where `reach` is counted, trunk frame
        ("reach", np.float64),  # [m] from there to the foot of the leg that is nearly straight
        ("home", np.float64, 2),  # [m] where the foot stands beside the centre of mass, trunk frame
        ("inertia", np.float64, (MOST_LIMB_JOINTS, MOST_LIMB_JOINTS)),  # [kg m^2] of the bent leg, without rotors
        ("trot", np.float64),  # phase of the gait in which the leg swings first, of a period
        ("walk", np.float64),
    ]
)
"""The program's own model of a leg."""

ROBOT = np.dtype(
    [
        ("legs", np.float64),  # how many
        ("joints", np.float64),  # how many that are driven, those of the legs first
        ("leg_joints", np.float64),  # how many of them are the legs'
        ("mass", np.float64),  # [kg] of the whole robot
        ("inertia", np.float64, 3),  # [kg m^2] of the robot that stands, about its centre of mass
        ("trunk_mass", np.float64),  # [kg] of all but the legs
        ("trunk_centre", np.float64, 3),  # [m] its centre of mass
        ("length", np.float64),  # [m] l, height of the hips over the floor when it stands: the unit of length
        ("time", np.float64),  # [s] T = sqrt(l / g), the unit of time
        ("gravity", np.float64),  # [m/s^2] g
        ("imu", np.float64, (3, 3)),  # rotation from the frame of the IMU to the trunk's
    ]
)
"""The program's own model of the whole."""

HOLD = np.dtype([(name, np.float64) for name in ("position", "effort", "kp", "kd")])
"""How a joint that belongs to no leg is held: where [rad], with what effort [N m], [N m/rad], [N m s/rad]."""

BODY = np.dtype(
    [
        ("up", np.float64, 3),  # trunk frame
        ("gyro_bias", np.float64, 3),  # [rad/s]
        ("rate", np.float64, 3),  # [rad/s] trunk frame, without the bias
        ("accel", np.float64, 3),  # [m/s^2] trunk frame
        ("rotation", np.float64, (3, 3)),  # trunk to level
        ("steady_tilt", np.float64, 2),  # [rad] roll and pitch, low-passed
        ("steady_rotation", np.float64, (3, 3)),  # trunk to level, by these
        ("velocity", np.float64, 3),  # [m/s] level frame
        ("centre", np.float64, 3),  # [m] centre of mass, level frame
    ]
)
"""How the trunk moves, as estimated."""

POSE = np.dtype(
    [
        ("rotation", np.float64, (3, 3)),  # of the last link since the reference posture
        ("shift", np.float64, 3),  # [m]
        ("axis", np.float64, (MOST_LIMB_JOINTS, 3)),
        ("point", np.float64, (MOST_LIMB_JOINTS, 3)),
        ("centre", np.float64, (MOST_LIMB_JOINTS, 3)),
        ("foot", np.float64, 3),  # [m]
        ("jacobian", np.float64, (3, MOST_LIMB_JOINTS)),  # of the foot by the joints' angles
        ("weight", np.float64, MOST_LIMB_JOINTS),  # [N m] that hold the leg's own weight
        ("moment", np.float64, 3),  # [kg m] mass by centre of mass of the leg
    ]
)
"""A leg at some angles of its joints, trunk frame."""

LEG = np.dtype(
    [
        ("pose", POSE),
        ("foot_level", np.float64, 3),  # [m] level frame
        ("foothold", np.float64, 3),  # [m] where the foot stood last, level frame
        ("angle", np.float64, MOST_LIMB_JOINTS),  # [rad] of the joints
        ("velocity", np.float64, MOST_LIMB_JOINTS),  # [rad/s]
        ("acceleration", np.float64, MOST_LIMB_JOINTS),  # [rad/s^2]
        ("effort", np.float64, MOST_LIMB_JOINTS),  # [N m] that the joints carry to the ground, low-passed
        ("swings", np.float64),  # 1 in the air
        ("touched", np.float64),  # 1 once it has touched the ground in this part of the period
        ("since", np.float64),  # [s] that it swings or stands
        ("lift_off", np.float64, 3),  # [m] where it left the ground, level frame
        ("landing", np.float64, 3),  # [m] where it shall come down, level frame, low-passed
        ("goal_angle", np.float64, MOST_LIMB_JOINTS),  # [rad] of the joints in swing
        ("goal_velocity", np.float64, MOST_LIMB_JOINTS),  # [rad/s]
        ("goal_acceleration", np.float64, MOST_LIMB_JOINTS),  # [rad/s^2]
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
