"""The step interface: firmware in this process, called once per step of the twin's clock.

An object takes part by one method (and `start(robot)`, where it wants to know names before the first step):

    def step(self, time, sensors, attitude, setpoints): return commands

`time` [s] is the twin's; `sensors.imu.gyro.x` and the like are what the sensors say; `attitude` is the true roll, pitch and yaw
[rad] where the option `attitude` names a pose sensor to take them from, else None; `setpoints.z` and the like are the pilot's
set-points. `commands` are the inputs, by name or in the order of `robot.inputs`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from didymos.control.angles import roll_pitch_yaw
from didymos.control.controller import Controller, Robot
from didymos.control.values import Values
from didymos.errors import InputError, RunError, nearest
from didymos.kinds import load_module
from didymos.ports.firmware.library import Library

__all__ = ["Attitude", "Firmware", "Step"]

Attitude = tuple[float, float, float]
Commands = Mapping[str, float] | Sequence[float]


class Firmware(Protocol):
    """What an object needs to fly a twin."""

    def step(self, time: float, sensors: Values, attitude: Attitude | None, setpoints: Values) -> Commands:
        """Commands at a time [s]."""
        ...


class Step(Controller):
    """An object with the step interface as a control program; or what a text names: FILE.py:NAME, MODULE:NAME, FILE.so."""

    rate = float("inf")

    def __init__(self, firmware: Firmware | str = "", attitude: str | None = None) -> None:
        self.firmware: Any = _named(firmware) if isinstance(firmware, str) else firmware
        if not callable(getattr(self.firmware, "step", None)):
            name = type(self.firmware).__name__
            raise InputError(f"{name} has no method step(time, sensors, attitude, setpoints)", option="firmware")
        self.attitude = attitude

    def start(self, robot: Robot) -> None:
        """Hand over the names."""
        self._inputs = robot.inputs
        check_pose(self.attitude, robot)
        begin = getattr(self.firmware, "start", None)
        if callable(begin):
            begin(robot)

    def update(self, t: float, measured: Values, setpoints: Values) -> Mapping[str, float]:
        """One step."""
        answer = self.firmware.step(t, measured, true_attitude(self.attitude, measured), setpoints)
        if isinstance(answer, Mapping):
            return answer
        try:
            values = [float(value) for value in answer]
        except (TypeError, ValueError):
            raise RunError(f"the firmware answered {answer!r}, expected {len(self._inputs)} numbers", time=t) from None
        if len(values) != len(self._inputs):
            raise RunError(f"the firmware answered {len(values)} numbers, expected {len(self._inputs)}", time=t)
        return dict(zip(self._inputs, values, strict=True))


def check_pose(sensor: str | None, robot: Robot) -> None:
    """Refuse a pose sensor that is not there."""
    if sensor is not None and f"{sensor}.orientation.w" not in robot.measured:
        known = [name.removesuffix(".orientation.w") for name in robot.measured if name.endswith(".orientation.w")]
        raise InputError(f"there is no pose sensor {sensor!r}{nearest(sensor, known)}", path="control.options.attitude")


def true_attitude(sensor: str | None, measured: Values) -> Attitude | None:
    """Roll, pitch and yaw [rad] from a pose sensor, None where none is named."""
    return None if sensor is None else roll_pitch_yaw(np.array(measured[sensor].orientation))


def _named(text: str) -> Any:
    if text.endswith(".so") or ".so:" in text:
        file, _, function = text.partition(".so:")
        return Library(Path(text if not function else f"{file}.so"), function or "step")
    module_name, _, name = text.rpartition(":")
    try:
        firmware = getattr(load_module(module_name, Path(), modules_too=True), name, None)
    except InputError as error:
        raise InputError(str(error), option="firmware") from None
    if firmware is None:
        raise InputError(f"{module_name} has no {name!r}", option="firmware")
    if isinstance(firmware, type):
        try:
            return firmware()
        except Exception as error:  # the user's own code
            what = f"{text} cannot be created without arguments: {type(error).__name__}: {error}"
            raise InputError(what, option="firmware") from error
    return firmware
