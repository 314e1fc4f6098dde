"""Readouts: what the robot's own electronics report about its parts."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from didymos.contract import Declaration, option, quantity
from didymos.sensors.sensor import Sensor

__all__ = ["Readout"]


class Readout(Sensor):
    """Readouts of parts that the robot's own electronics report: a driver's fault line, a gripper's switch, a tank's gauge."""

    has_link = False
    readouts = option(Annotated[tuple[str, ...], Field(min_length=1)], doc="PART.READOUT each")
    values = quantity("readouts", columns=(), unit="")

    @classmethod
    def columns(cls, spec: Any, item: Declaration) -> tuple[str, ...]:
        """The readouts' own names."""
        return tuple(spec.readouts)
