"""The configuration of a moteus as its console shows it (`conf`): all names of the firmware, kept in RAM, written and loaded.

What the twin has is the twin's: gains and limits are parameters of the drive, and setting one is an intervention in the run, so
that the log has it. What describes the motor begins as the twin's motor and is kept, but makes no other motor of it.

    conf write   RAM -> flash        conf load   flash -> RAM        conf default   what the twin began with -> RAM

The flash lasts as long as the server.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from didymos.errors import InputError
from didymos.ports.moteus.configuration import GROUPS
from didymos.ports.moteus.controller import Controller
from didymos.ports.moteus.schema import Choice, Kind, Record, Row, Scalar

__all__ = ["Settings"]

_DRIVE = {  # parameters of the drive
    "servo.pid_position.kp": "kp",
    "servo.pid_position.ki": "ki",
    "servo.pid_position.kd": "kd",
    "servo.pid_position.ilimit": "integral_limit",
    "servo.default_timeout_s": "watchdog",
    "servo.timeout_mode": "timeout_mode",
    "servo.max_current_A": "current_limit",
}
_CONTROLLER = {  # numbers of the controller
    "servopos.position_min": "lowest",
    "servopos.position_max": "highest",
    "servo.default_velocity_limit": "velocity_limit",
    "servo.default_accel_limit": "acceleration_limit",
    "servo.max_voltage": "highest_voltage",
    "motor_position.output.offset": "offset",
    "motor.poles": "poles",
    "id.id": "number",
    "can.prefix": "prefix",
}
_FIXED = ("uuid.", "motor_position.rotor_to_output_ratio", "motor_position.output.sign")  # another would be another twin
_LARGEST = 1e9  # of any number: a drive with larger ones would not be one
_NUMBERS = range(1, 127)  # on a bus
_KV = 1.5 / math.sqrt(3.0) * 60.0 / (2.0 * math.pi)  # torque constant [N m/A] times Kv [rpm/V]


class Settings:
    """Names and values of the configuration of a controller."""

    def __init__(self, controller: Controller) -> None:
        self._controller = controller
        self._kinds: dict[str, Scalar | Choice] = {}
        self._values: dict[str, Any] = {}
        for group, record in GROUPS.items():
            for name, kind, value in record.leaves(group, record.default):
                self._kinds[name], self._values[name] = kind, value
        self._values |= _own(controller)
        self._factory = {name: self._value(name) for name in self._kinds}
        self._flash = dict(self._factory)

    @property
    def groups(self) -> tuple[str, ...]:
        """What stands before the first dot, in order."""
        return tuple(GROUPS)

    def lines(self, group: str = "") -> Iterator[tuple[str, str]]:
        """Names and values of a group, or of all."""
        for name in self._kinds:
            if not group or name.startswith(f"{group}."):
                yield name, self._kinds[name].text(self._value(name))

    def get(self, name: str) -> str | None:
        """A value as text; None where there is no such name."""
        return self._kinds[name].text(self._value(name)) if name in self._kinds else None

    def set(self, name: str, text: str) -> bool:
        """Set a value; False where it cannot be."""
        if name not in self._kinds:
            return False
        try:
            value = self._kinds[name].parse(text)
        except ValueError:
            return False
        return self._put(name, value)

    def write(self) -> None:
        """Keep all values."""
        self._flash = {name: self._value(name) for name in self._kinds}

    def load(self) -> None:
        """Go back to what was kept."""
        self._put_all(self._flash)

    def default(self) -> None:
        """Go back to what the twin began with; it stays where it is on the bus."""
        self._put_all(self._factory)

    def schema(self, group: str) -> bytes:
        """The schema of a group."""
        return GROUPS[group].schema()

    def data(self, group: str) -> bytes:
        """The values of a group, in the order of its schema."""
        return GROUPS[group].data(self._tree(group, GROUPS[group]))

    def _tree(self, name: str, kind: Kind) -> Any:
        if isinstance(kind, Record):
            return {key: self._tree(f"{name}.{key}", item) for key, item in kind.fields.items()}
        if isinstance(kind, Row):
            return [self._tree(f"{name}.{i}", kind.item) for i in range(kind.count)]
        return self._value(name)

    def _value(self, name: str) -> Any:
        if name in _CONTROLLER:
            return getattr(self._controller, _CONTROLLER[name])
        if name not in _DRIVE:
            return self._values[name]
        value = self._controller.drive.parameter(_DRIVE[name])
        if _DRIVE[name] == "watchdog" and value == 0.0:
            return math.nan
        return self._values[name] if _DRIVE[name] == "current_limit" and value == 0.0 else value  # the board's own

    def _put(self, name: str, value: Any) -> bool:
        controller, here = self._controller, self._value(name)
        if value == here or (value != value and here != here):
            return True
        if name.startswith(_FIXED) or (isinstance(value, float) and abs(value) > _LARGEST):
            return False
        if name in _DRIVE:
            try:
                controller.drive.set_parameter(_DRIVE[name], 0.0 if math.isnan(value) else float(value))
            except InputError:
                return False
        elif name in _CONTROLLER:
            attribute = _CONTROLLER[name]
            if attribute == "number" and value not in _NUMBERS:
                return False
            if attribute in ("offset", "highest_voltage") and math.isnan(value):
                return False
            setattr(controller, attribute, value)
        self._values[name] = value
        return True

    def _put_all(self, values: dict[str, Any]) -> None:
        for name, value in values.items():
            if name != "id.id":
                self._put(name, value)


def _own(controller: Controller) -> dict[str, Any]:
    """What the twin's motor and board are."""
    parameter = controller.drive.parameter
    constant, inductance = parameter("torque_constant"), parameter("phase_inductance")
    return {
        **{f"uuid.uuid.{i}": byte for i, byte in enumerate(controller.board.uuid)},
        "motor_position.sources.0.type": 1,
        "motor.resistance_ohm": parameter("phase_resistance"),
        "motor.inductance_d_H": inductance,
        "motor.inductance_q_H": inductance,
        "motor.Kv": _KV / constant if constant > 0.0 else 0.0,
    }
