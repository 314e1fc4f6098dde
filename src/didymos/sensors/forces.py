"""Sensors of force."""

from __future__ import annotations

from didymos.contract import quantity
from didymos.sensors.sensor import Sensor

__all__ = ["ContactForce", "ForceTorque"]


class ContactForce(Sensor):
    """Load cell: the force with which all else pushes on a link and what hangs on it, in the world's frame."""

    message = "wrench"
    force = quantity("contact", columns="xyz", unit="N")


class ForceTorque(Sensor):
    """Force and torque with which the link's parent holds it, in the frame of the sensor.

    As on a real one, that is the sum of what pushes on the link and what hangs on it, and of their own inertia.
    """

    message = "wrench"
    force = quantity("force", columns="xyz", unit="N")
    torque = quantity("torque", columns="xyz", unit="N m")
