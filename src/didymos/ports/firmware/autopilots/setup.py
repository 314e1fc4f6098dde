"""What an autopilot needs of a twin that its file does not say: sensors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from didymos.describe.twin import Twin
from didymos.ports.firmware.autopilots.readings import needed_sensors

__all__ = ["complete"]

_NEEDED: dict[str, dict[str, float]] = {  # kinds of sensors, and how often [Hz] an ideal one reads; 0: with every step
    "ardupilot": {"imu": 0.0, "odometry": 0.0},
    "px4": {"imu": 0.0, "odometry": 0.0, "magnetometer": 50.0, "barometer": 50.0, "gps": 5.0},
}


def complete(
    twin: Twin, kind: str, rate: float, options: Mapping[str, Any], sensors: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Options and overlaid sensors with what the twin tells by itself; what its file says stays."""
    chosen, added = needed_sensors(twin, _NEEDED[kind], ("airspeed",), options, rate)
    return {**chosen, **options}, {**sensors, **added}
