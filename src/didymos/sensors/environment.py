"""Sensors of the air and of the earth's field."""

from __future__ import annotations

import math

from didymos.contract import quantity
from didymos.sensors.sensor import Sensor, measure

__all__ = ["Airspeed", "Barometer", "Magnetometer"]

DENSITY_OF_PITOT = 1.225  # [kg/m^3], for which airspeed sensors are marked


class Magnetometer(Sensor):
    """The magnetic field of the world (`world.magnetic`) in the frame of its link."""

    message = "magnetic_field"
    field = quantity("magnetometer", columns="xyz", unit="T")


class Barometer(Sensor):
    """Static pressure of the air at its link."""

    message = "pressure"
    pressure = quantity(unit="Pa")

    @measure
    def look(sensor, here, reading):  # type: ignore[no-untyped-def]
        reading.pressure = here.pressure


class Airspeed(Sensor):
    """Pitot tube along x of its link: calibrated airspeed, sqrt(2 q / rho0) with q the dynamic pressure of the flow along x."""

    airspeed = quantity(unit="m/s")

    @measure
    def look(sensor, here, reading):  # type: ignore[no-untyped-def]
        reading.airspeed = max(here.air_velocity[0], 0.0) * math.sqrt(here.density / DENSITY_OF_PITOT)
