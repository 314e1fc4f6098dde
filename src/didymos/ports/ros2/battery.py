"""`sensor_msgs/BatteryState` of batteries among a robot's parts: voltage under load, current and charge where they are told."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from didymos.parts import PartSpec
from didymos.ports.ros2.encode import NOTHING, Array, Batch
from didymos.ports.ros2.form import MessageForm

__all__ = ["BatteryStates", "batteries"]

_TYPE = "sensor_msgs/msg/BatteryState"
_DISCHARGING = 2  # sensor_msgs/BatteryState.POWER_SUPPLY_STATUS_DISCHARGING
_FIELDS = {"voltage": ("voltage", 1.0), "current": ("current", -1.0), "charge": ("percentage", 1.0)}  # drawn is negative
_NOT_KNOWN = ("temperature", "current", "charge", "capacity", "design_capacity", "percentage")


def batteries(columns: Sequence[str], parts: Mapping[str, PartSpec]) -> dict[str, dict[str, int]]:
    """The parts that tell of a battery, each with the columns of the stream `parts` that do.

    One without a capacity never runs down: its charge is not known.
    """
    found = {}
    for name, part in parts.items():
        own = {field: columns.index(f"{name}.{field}") for field in _FIELDS if f"{name}.{field}" in columns}
        if "voltage" in own and (part.kind == "battery" or "charge" in own):
            if getattr(part, "capacity", 0.0) == 0.0:
                own.pop("charge", None)
            found[name] = own
    return found


class BatteryStates:
    """The state of one battery; what nobody tells is NaN, as the message asks for."""

    def __init__(self, part: str, columns: dict[str, int]) -> None:
        self._columns = list(columns.values())
        fields = [_FIELDS[name] for name in columns]
        self._factors = np.array([factor for _, factor in fields])
        constants = dict.fromkeys(_NOT_KNOWN, math.nan) | {"power_supply_status": _DISCHARGING, "present": 1, "location": part}
        self._form = MessageForm(_TYPE, constants, numbers=[path for path, _ in fields])
        self.type_name, self.size = _TYPE, self._form.size

    def encode(self, times: Array, values: Array, batch: Batch = NOTHING) -> list[list[bytes]]:
        """A message per row of the stream `parts`."""
        return [self._form.fill(times, values[:, self._columns] * self._factors)]
