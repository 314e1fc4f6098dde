"""Where the numbers of the capture program lie: its readings, its settings, its gains and its memory."""

from __future__ import annotations

from didymos.control.free_flyer import FREE_FLYER

__all__ = ["MEMORY", "POSES", "SETTINGS", "WINDOW"]

POSES = ("base", "tool", "port")
JOINTS = ("shoulder", "elbow", "wrist")
TARGET = ("mt", "it", "dt")  # mass, inertia, distance from its port to its centre
TRAVEL = tuple(f"{joint}_{end}" for joint in JOINTS for end in ("low", "high"))  # [rad] of the joints
HOME = tuple(f"{joint}_home" for joint in JOINTS)  # [rad], the posture in which the encoders are set
POSTURE = tuple(f"{joint}_start" for joint in JOINTS)  # [rad], from which the approach begins
SETTINGS = (*FREE_FLYER, *TARGET, *TRAVEL, *HOME, *POSTURE)
S_TARGET, S_TRAVEL, S_HOME, S_POSTURE = 16, 19, 25, 28

# readings: four numbers of each pose and three joints, then
READ_POSES, READ_JOINTS, READ_FORCE, READ_GRIPPER, READ_TRIPPED, READ_SATURATED, READ_STAMPS = 0, 12, 15, 16, 17, 21, 22
READINGS = 26

# gains, in the order in which the class lists them
(
    G_PATH, G_CLEARANCE, G_CREEP, G_OVERRUN, G_DWELL, G_HOLD, G_RETREAT, G_PATIENCE, G_SETTLED, G_SETTLED_ANGLE,
    G_MASS, G_NORMAL, G_ACROSS, G_TURN, G_CONTACT_DAMPING, G_FORCE, G_DEAD_BAND, G_FULL, G_WINDOW, G_BASE, G_BASE_DAMPING,
    G_JOINTS, G_BRAKE, G_TRACK_BASE, G_TRACK_JOINTS, G_TRACK_PORT, G_ROTOR, G_LIMIT, G_SLEW, G_WATCH, G_SINGULAR, G_TRAVEL,
    G_THRUST_KP, G_THRUST_KD, G_THRUST, G_UNFOLD, G_HOMED, G_PD, G_PD_BASE, G_PD_X, G_PD_Y, G_PD_CROSS, G_PD_TURN,
    G_PD_BASE_DAMPING, G_PD_DAMPING, G_PD_TURN_DAMPING,
) = range(46)  # fmt: skip
GAINS = 46

# memory: first what is reported
(
    STAGE, REASON, FORCE, BLEND, E_NORMAL, E_ACROSS, E_TURN, E_BASE, TOUCHING, SINCE, COUNT, TARE, ANGLE0, AGE,
    BASE_X, BASE_Y, HELD_TARGET,
) = range(17)  # fmt: skip
OFFSET, STAMPS, LAGS, ENCODERS, HELD, HELD_RATE, START, TORQUE, TRACKS = 17, 20, 24, 28, 31, 34, 37, 40, 44
RING = TRACKS + 24
WINDOW = 64  # longest of the force's moving average
MEMORY = RING + WINDOW
