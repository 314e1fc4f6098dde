"""A compiled step function in a shared library, through ctypes.

    void step(double time, const double *sensors, const double *attitude, const double *setpoints, double *commands);
    int start(int sensors, int setpoints, int commands);         optional; a status other than 0 refuses the robot

Numbers are in the order of `Robot`: all readings, all set-points, all inputs; `header.py` writes them as a C
header, and a library that was compiled with the header of another layout is refused. `attitude` is NULL, or the
true roll, pitch and yaw [rad] where the twin allows it. The commands hold the last answer when it is called.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.control.controller import Robot
from didymos.control.values import Values
from didymos.errors import InputError
from didymos.ports.firmware.header import LAYOUT_SIZE, SYMBOL, check_layout

__all__ = ["AllNumbers", "Library"]

_STEP = ctypes.CFUNCTYPE(None, ctypes.c_double, *[ctypes.c_void_p] * 4)


class AllNumbers:
    """Reads all numbers of one kind in their order; values that come as the same object each time are looked up once."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._values: Values | None = None

    def __call__(self, values: Values) -> NDArray[np.float64]:
        """The numbers now, shape [n]."""
        if values is not self._values:
            self._values, self._read = values, values.reader(self._names)
        return self._read()


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
        """Tell the library how many numbers it will see and give, once it is the right one."""
        layout = self._layout()
        if layout is not None:
            check_layout(layout, robot.layout, self._file)
        self._read = AllNumbers(robot.measured), AllNumbers(robot.setpoints)
        self._commands = np.zeros(len(robot.inputs))
        begin = getattr(self._library, "start", None)
        if begin is not None:
            status = int(begin(len(robot.measured), len(robot.setpoints), len(robot.inputs)))
            if status != 0:
                raise InputError(f"its function 'start' refuses this robot with status {status}", file=self._file)

    def _layout(self) -> str | None:
        """The layout that its header told, None where it was compiled without one."""
        try:
            return (ctypes.c_char * (LAYOUT_SIZE + 1)).in_dll(self._library, SYMBOL).value.decode("ascii", "replace")
        except ValueError:
            return None

    def step(self, time: float, sensors: Values, attitude: tuple[float, float, float] | None, setpoints: Values) -> list[float]:
        """One step."""
        readings, targets = self._read[0](sensors), self._read[1](setpoints)
        angles = None if attitude is None else np.array(attitude)
        pointer = None if angles is None else angles.ctypes.data
        self._step(time, readings.ctypes.data, pointer, targets.ctypes.data, self._commands.ctypes.data)
        return [float(value) for value in self._commands]
