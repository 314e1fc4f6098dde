"""A compiled step function in a shared library, through ctypes.

    void step(double time, const double *sensors, const double *attitude, const double *setpoints, double *commands);
    int start(int sensors, int setpoints, int commands);         optional; a status other than 0 refuses the robot

Numbers are in the order of `didymos show TWIN`: all readings, all set-points, all inputs. `attitude` is NULL, or the true roll,
pitch and yaw [rad] where the twin allows it. The commands hold the last answer when it is called.
"""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import numpy as np

from didymos.control.controller import Robot
from didymos.control.values import Values
from didymos.errors import InputError

__all__ = ["Library"]

_STEP = ctypes.CFUNCTYPE(None, ctypes.c_double, *[ctypes.c_void_p] * 4)


class Library:
    """The step interface of a shared library."""

    def __init__(self, file: Path, function: str = "step") -> None:
        try:
            self._library = ctypes.CDLL(str(file.resolve()))
        except OSError as error:
            raise InputError(f"cannot be loaded: {error}", file=file) from None
        try:
            self._step: Any = _STEP((function, self._library))
        except AttributeError:
            raise InputError(f"there is no function {function!r} in this library", file=file) from None
        self._file = file

    def start(self, robot: Robot) -> None:
        """Tell the library how many numbers it will see and give."""
        self._names = robot.measured, robot.setpoints
        self._commands = np.zeros(len(robot.inputs))
        begin = getattr(self._library, "start", None)
        if begin is not None:
            status = int(begin(len(robot.measured), len(robot.setpoints), len(robot.inputs)))
            if status != 0:
                raise InputError(f"its function 'start' refuses this robot with status {status}", file=self._file)

    def step(self, time: float, sensors: Values, attitude: tuple[float, float, float] | None, setpoints: Values) -> list[float]:
        """One step."""
        readings = np.array([sensors[name] for name in self._names[0]])
        targets = np.array([setpoints[name] for name in self._names[1]])
        angles = None if attitude is None else np.array(attitude)
        pointer = None if angles is None else angles.ctypes.data
        self._step(time, readings.ctypes.data, pointer, targets.ctypes.data, self._commands.ctypes.data)
        return [float(value) for value in self._commands]
