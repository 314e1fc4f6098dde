"""The `Controller` protocol, stimuli, allocation and the shipped programs, which `PROGRAMS` names."""

from didymos.control.actuator import Actuator
from didymos.control.allocation import Allocation, Allocations
from didymos.control.compiled_controller import CompiledController, program
from didymos.control.controller import Controller, Gain, Robot
from didymos.control.programs import Programs
from didymos.control.rotor_place import Rotor
from didymos.control.values import Values

__all__ = [
    "PROGRAMS", "Actuator", "Allocation", "Allocations", "CompiledController", "Controller", "Gain", "Robot", "Rotor", "Values",
    "program",
]  # fmt: skip

PROGRAMS = Programs(
    "a control program",
    "didymos.programs",
    "didymos.control.controller:Controller",
    {
        "backstepping": "didymos.control.backstepping:Backstepping",
        "cartesian": "didymos.control.cartesian:Cartesian",
        "capture": "didymos.control.capture:Capture",
        "fixed_wing": "didymos.control.fixed_wing:FixedWing",
        "idle": "didymos.control.idle:Idle",
        "joints": "didymos.control.joints:Joints",
        "multirotor_commander": "didymos.control.multirotor_commander:MultirotorCommander",
        "multirotor_follow": "didymos.control.multirotor_follow:MultirotorFollow",
        "multirotor_hold": "didymos.control.multirotor_hold:MultirotorHold",
        "multirotor_landing": "didymos.control.multirotor_landing:MultirotorLanding",
        "multirotor_pd": "didymos.control.multirotor_pd:MultirotorPd",
        "omni_drive": "didymos.control.omni_drive:OmniDrive",
        "pick": "didymos.control.pick:Pick",
        "position_command": "didymos.control.position_command:PositionCommand",
        "legged": "didymos.control.legged:Legged",
        "servicing": "didymos.control.servicing:Servicing",
        "sticks": "didymos.control.sticks:Sticks",
        "vtol": "didymos.control.vtol:Vtol",
        "wheeled": "didymos.control.wheeled:Wheeled",
    },
)
