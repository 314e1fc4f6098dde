"""The `Controller` protocol, stimuli, mixers and the shipped programs, which `PROGRAMS` names."""

from didymos.control.backstepping import Backstepping
from didymos.control.capture import Capture
from didymos.control.controller import CompiledController, Controller, Gain, Robot, Rotor
from didymos.control.fixed_wing import FixedWing
from didymos.control.idle import Idle
from didymos.control.joint_trajectory import JointTrajectory
from didymos.control.multirotor_hold import MultirotorHold
from didymos.control.multirotor_pd import MultirotorPd
from didymos.control.omni_drive import OmniDrive
from didymos.control.position_command import PositionCommand
from didymos.control.quadruped import Quadruped
from didymos.control.sticks import Sticks
from didymos.control.values import Values

__all__ = ["PROGRAMS", "Capture", "CompiledController", "Controller", "Gain", "Robot", "Rotor", "Values"]

PROGRAMS: dict[str, type[Controller]] = {
    "backstepping": Backstepping,
    "capture": Capture,
    "fixed_wing": FixedWing,
    "idle": Idle,
    "joint_trajectory": JointTrajectory,
    "multirotor_hold": MultirotorHold,
    "multirotor_pd": MultirotorPd,
    "omni_drive": OmniDrive,
    "position_command": PositionCommand,
    "quadruped": Quadruped,
    "sticks": Sticks,
}
