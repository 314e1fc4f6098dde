"""The `Controller` protocol, stimuli, mixers and the shipped programs, which `PROGRAMS` names."""

from didymos.control.controller import CompiledController, Controller, Gain, Robot, Rotor
from didymos.control.multirotor_pd import MultirotorPd
from didymos.control.omni_drive import OmniDrive
from didymos.control.values import Values

__all__ = ["PROGRAMS", "CompiledController", "Controller", "Gain", "Robot", "Rotor", "Values"]

PROGRAMS: dict[str, type[Controller]] = {"multirotor_pd": MultirotorPd, "omni_drive": OmniDrive}
