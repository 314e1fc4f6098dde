"""Memory layout of a robot's model: the tables of its bodies, joints and frames, and the workspace of one owner.

A record of `MODEL` holds everything that a kernel of this room needs, by value: it can be copied, kept in the settings of a
program and sent to another thread or process, and two copies share nothing. Row 0 of the bodies is the world, which carries the
links that do not move; links behind fixed joints are part of the body that carries them, and live on as frames. Parents come
before children.
"""

from __future__ import annotations

import numpy as np

__all__ = ["BALL", "BASE_IMU", "BASE_NONE", "BASE_POSE", "FREE", "HINGE", "MODEL", "MOST_BODIES", "MOST_DOFS", "MOST_FRAMES",
           "MOST_JOINTS", "MOST_POSITIONS", "READING", "SLIDE"]  # fmt: skip

MOST_BODIES = 257
"""Bodies that move, and the world."""
MOST_JOINTS = 256
MOST_DOFS = 256
"""Degrees of freedom, the length of v."""
MOST_POSITIONS = 320
"""The length of q: a free joint has one number more than freedoms, and so has a ball."""
MOST_FRAMES = 1024
"""Links and named frames together."""

HINGE, SLIDE, BALL, FREE = 0, 1, 2, 3
"""Kinds of joints, one of `JOINT.kind`."""

BASE_NONE, BASE_POSE, BASE_IMU = 0, 1, 2
"""Where the pose of a floating base is read from: nowhere, a sensor of poses, or the tilt that an accelerometer shows."""

BODY = np.dtype(
    [
        ("parent", np.int64),
        ("first_joint", np.int64),
        ("joints", np.int64),
        ("first_dof", np.int64),
        ("dofs", np.int64),
        ("position", np.float64, 3),  # [m] of its frame in the parent's, with all joints at their reference
        ("rotation", np.float64, (3, 3)),  # its frame to the parent's
        ("mass", np.float64),  # [kg]
        ("moment", np.float64, 3),  # [kg m] mass times centre of mass, in its frame
        ("inertia", np.float64, 6),  # [kg m^2] about the origin of its frame: xx, yy, zz, xy, xz, yz
    ]
)
"""A rigid body: several links where fixed joints join them."""

JOINT = np.dtype(
    [
        ("kind", np.int64),
        ("position", np.int64),  # where its numbers begin in q
        ("dof", np.int64),  # where its numbers begin in v
        ("axis", np.float64, 3),  # unit, in the frame of its body
        ("anchor", np.float64, 3),  # [m] in the frame of its body
        ("at_origin", np.int64),  # 1 where the anchor is the origin of that frame
        ("reference", np.float64),  # [rad] or [m] at which the body stands as `BODY` says
    ]
)
"""A joint of a body; several on one body act one after the other."""

FRAME = np.dtype(
    [
        ("body", np.int64),
        ("position", np.float64, 3),  # [m] in the frame of the body
        ("rotation", np.float64, (3, 3)),  # the frame to the body
    ]
)
"""A link, or a named frame."""

ENCODER = np.dtype([("position", np.int64), ("dof", np.int64)])
"""Which number of q and of v the encoder of a joint reads."""

MOUNT = np.dtype([("position", np.float64, 3), ("quaternion", np.float64, 4)])
"""Where a sensor sits in the frame of the base [m], and the rotation from its frame to the base's, w first."""

PLACED = np.dtype(
    [
        ("position", np.float64, 3),  # [m] of the origin
        ("rotation", np.float64, (3, 3)),  # body to world
        ("offset", np.float64, 3),  # [m] from the parent's origin
        ("velocity", np.float64, 3),  # [m/s] of the origin
        ("rate", np.float64, 3),  # [rad/s]
        ("acceleration", np.float64, 3),  # [m/s^2] of the origin while all of v stays as it is
        ("rate_change", np.float64, 3),  # [rad/s^2] while all of v stays as it is
        ("moment", np.float64, 3),  # [kg m]
        ("inertia", np.float64, 6),  # [kg m^2] about the origin
        ("composite_mass", np.float64),  # [kg] of the body and all that it carries
        ("composite_moment", np.float64, 3),
        ("composite_inertia", np.float64, 6),
        ("force", np.float64, 3),  # [N] that the body and all that it carries takes
        ("torque", np.float64, 3),  # [N m] about the origin
    ]
)
"""Workspace of a body: all of it along the axes of the world."""

MOTION = np.dtype([("linear", np.float64, 3), ("angular", np.float64, 3)])
"""Velocity of a body's origin, and its rate, when one number of v is 1 and all others are 0; along the axes of the world."""

MODEL = np.dtype(
    [
        ("bodies_count", np.int64),
        ("frames_count", np.int64),
        ("encoders_count", np.int64),
        ("nq", np.int64),
        ("nv", np.int64),
        ("gravity", np.float64),  # [m/s^2], downward
        ("base", np.int64),  # the body of a floating base, 0 where it is held
        ("base_source", np.int64),  # BASE_NONE, ...
        ("base_twist", np.int64),  # 1 where a sensor tells the base's velocity and rate
        ("base_gyro", np.int64),  # 1 where a gyro tells its rate
        ("base_mount", MOUNT),  # of the sensor of its pose
        ("imu_mount", MOUNT),
        ("reference", np.float64, MOST_POSITIONS),  # q where nothing is read
        ("armature", np.float64, MOST_DOFS),  # [kg m^2] or [kg]
        ("bodies", BODY, MOST_BODIES),
        ("joints", JOINT, MOST_JOINTS),
        ("frames", FRAME, MOST_FRAMES),
        ("encoders", ENCODER, MOST_JOINTS),
        ("placed", PLACED, MOST_BODIES),
        ("motions", MOTION, MOST_DOFS),
    ]
)
"""A robot's model and its workspace: `setting(layout=MODEL)` of a program, `RobotModel.record()` fills it."""

READING = np.dtype(
    [
        ("position", np.float64, 3),  # [m] of the sensor of the base's pose, in the world
        ("orientation", np.float64, 4),  # quaternion, w first
        ("velocity", np.float64, 3),  # [m/s] of that sensor, in its own frame
        ("angular_velocity", np.float64, 3),  # [rad/s], in its own frame
        ("gyro", np.float64, 3),  # [rad/s]
        ("accel", np.float64, 3),  # [m/s^2]
        ("joint_position", np.float64, MOST_JOINTS),  # [rad] or [m], in the order of `RobotModel.encoders`
        ("joint_velocity", np.float64, MOST_JOINTS),
    ]
)
"""What sensors say about q and v: `measurement(layout=READING)` of a program; `RobotModel.reads` says which they are."""
