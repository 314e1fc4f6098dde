"""Parameters: gains and every number of the twin that may change during a run, and the port's own (`settings`), all real32.

PARAM_REQUEST_LIST sends all of them, a few with every slice of time so that no buffer overflows; PARAM_REQUEST_READ one, by
number or name. PARAM_SET is answered by the value that then counts: one that does not fit stays as it was. A write to a number
of the twin is an intervention.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from didymos.ports.flown_robot import FlownRobot
from didymos.ports.mavlink.dialect import mavlink
from didymos.ports.mavlink.parameter_names import LONGEST, parameter_names
from didymos.ports.mavlink.settings import Settings

__all__ = ["Parameter", "Parameters", "parameter_table"]

_AT_ONCE = 8  # parameters of a list that are sent with one slice of time
_REAL32 = 9


@dataclass(frozen=True)
class Parameter:
    """A parameter: its name, what it is in the twin, how it is read, and written (answers whether the value fits)."""

    name: str
    path: str
    read: Callable[[], float]
    write: Callable[[float], bool]


def parameter_table(robot: FlownRobot, settings: Settings) -> list[Parameter]:
    """All parameters of a vehicle, sorted by name, which is the order of their numbers."""

    def of_port(name: str) -> Parameter:
        return Parameter(name, "", lambda: settings[name], lambda value: settings.set(name, value))

    def of_twin(name: str, path: str) -> Parameter:
        return Parameter(name, path, lambda: robot.parameter(path), lambda value: robot.set_parameters({path: value}))

    live = [path for path, item in robot.robot.twin.parameters.items() if item.live]
    paths = [path for path in live if not (robot.prefix and path.startswith("world."))]  # a world's own are no robot's
    names = parameter_names(paths, settings.about)
    found = [*map(of_port, settings.about), *(of_twin(name, path) for name, path in names.items())]
    return sorted(found, key=lambda item: item.name)


class Parameters:
    """Answers requests; `refused` counts writes that were not taken."""

    def __init__(self, table: list[Parameter]) -> None:
        self.table = table
        self._numbers = {item.name: i for i, item in enumerate(table)}
        self._listed = len(table)  # the next one of a list that is being sent
        self.refused = 0

    def handle(self, message: Any) -> Iterator[Any]:
        """The answers to a message."""
        kind = message.get_type()
        if kind == "PARAM_REQUEST_LIST":
            self._listed = 0
        elif kind == "PARAM_REQUEST_READ":
            number = message.param_index if message.param_index >= 0 else self._numbers.get(message.param_id, -1)
            if 0 <= number < len(self.table):
                yield self._value(number)
        elif kind == "PARAM_SET":
            number = self._numbers.get(message.param_id, -1)
            if number >= 0:
                if not self._write(self.table[number], message):
                    self.refused += 1
                yield self._value(number)
            else:
                self.refused += 1

    def due(self) -> Iterator[Any]:
        """The next ones of a list."""
        if self._listed < len(self.table):
            begin, self._listed = self._listed, min(self._listed + _AT_ONCE, len(self.table))
            yield from map(self._value, range(begin, self._listed))

    def _write(self, item: Parameter, message: Any) -> bool:
        value = float(message.param_value)
        if message.param_type != _REAL32:  # a whole number in the bytes of the float, as PX4 has it
            if message.param_type not in _WHOLE:
                return False
            form = _WHOLE[message.param_type]
            value = float(struct.unpack_from(form, struct.pack("<f", value))[0])
        return item.write(_shortest(value))

    def _value(self, number: int) -> Any:
        item = self.table[number]
        name = item.name.encode()[:LONGEST]
        return mavlink.MAVLink_param_value_message(name, _real32(item.read()), _REAL32, len(self.table), number)


_WHOLE = {1: "<B", 2: "<b", 3: "<H", 4: "<h", 5: "<I", 6: "<i"}


def _real32(value: float) -> float:
    """A number as far as 32 bits hold it."""
    try:
        return float(struct.unpack("<f", struct.pack("<f", value))[0])
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def _shortest(value: float) -> float:
    """The number of fewest decimals that has these 32 bits: 0.3, not 0.30000001192092896."""
    text = next((text for digits in range(1, 10) if _real32(float(text := f"{value:.{digits}g}")) == value), None)
    return value if text is None else float(text)
