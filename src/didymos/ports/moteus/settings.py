"""The configuration of a moteus as its console shows it (`conf`): what of it the twin has, under the names of the firmware.

Gains and limits are parameters of the drive: setting one is an intervention in the run, and the log has it.
"""

from __future__ import annotations

import math

from didymos.errors import InputError
from didymos.ports.moteus.controller import Controller

__all__ = ["Settings"]

_DRIVE = {  # parameters of the drive
    "servo.pid_position.kp": "kp",
    "servo.pid_position.ki": "ki",
    "servo.pid_position.kd": "kd",
    "servo.pid_position.ilimit": "integral_limit",
    "servo.default_timeout_s": "watchdog",
}
_LISTS = {  # numbers of the controller
    "servopos.position_min": ("bounds", 0),
    "servopos.position_max": ("bounds", 1),
    "servo.default_velocity_limit": ("limits", 0),
    "servo.default_accel_limit": ("limits", 1),
}
_FIXED = {"motor_position.rotor_to_output_ratio": 1.0, "servo.timeout_mode": 12}
_OFFSET = "motor_position.output.offset"
_LARGEST = 1e9  # of any number: a drive with larger ones would not be one


class Settings:
    """Names and values of the configuration of a controller."""

    def __init__(self, controller: Controller) -> None:
        self._controller = controller

    @property
    def names(self) -> list[str]:
        """All of them, in order."""
        return ["id.id", *(f"uuid.uuid.{i}" for i in range(16)), *_DRIVE, *_LISTS, *_FIXED, _OFFSET]

    @property
    def groups(self) -> set[str]:
        """What stands before the first dot."""
        return {name.partition(".")[0] for name in self.names}

    def get(self, name: str) -> str | None:
        """A value as text; None where there is no such name."""
        if name not in self.names:
            return None
        controller = self._controller
        if name == "id.id":
            return str(controller.board.number)
        if name.startswith("uuid."):
            return str(controller.board.uuid[int(name.rpartition(".")[2])])
        if name in _FIXED:
            return str(_FIXED[name])
        value = controller.offset if name == _OFFSET else self._number(name)
        return repr(value)

    def _number(self, name: str) -> float:
        if name in _LISTS:
            attribute, index = _LISTS[name]
            return float(getattr(self._controller, attribute)[index])
        value = self._controller.drive.parameter(_DRIVE[name])
        return math.nan if _DRIVE[name] == "watchdog" and value == 0.0 else value

    def set(self, name: str, text: str) -> bool:
        """Set a value; False where it cannot be."""
        try:
            value = float(text)
        except ValueError:
            return False
        if abs(value) > _LARGEST:
            return False
        if name == _OFFSET and math.isfinite(value):
            self._controller.offset = value
            return True
        if name in _LISTS:
            attribute, index = _LISTS[name]
            getattr(self._controller, attribute)[index] = value
            return True
        if name in _DRIVE:
            try:
                self._controller.drive.set_parameter(_DRIVE[name], 0.0 if math.isnan(value) else value)
            except InputError:
                return False
            return True
        return self.get(name) == text.strip()  # the rest is what it is
