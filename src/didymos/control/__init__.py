"""The `Controller` protocol, stimuli, mixers and the shipped programs, which `PROGRAMS` names."""

from didymos.control.capture import Capture
from didymos.control.controller import CompiledController, Controller, Gain, Robot, Rotor
from didymos.control.multirotor_pd import MultirotorPd
from didymos.control.values import Values

__all__ = ["PROGRAMS", "Capture", "CompiledController", "Controller", "Gain", "Robot", "Rotor", "Values"]

PROGRAMS: dict[str, type[Controller]] = {"multirotor_pd": MultirotorPd, "capture": Capture}
