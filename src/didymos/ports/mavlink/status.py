"""Health and power: SYS_STATUS, BATTERY_STATUS, and what the vehicle says it can do (AUTOPILOT_VERSION)."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from didymos.ports.mavlink.conversions import clipped
from didymos.ports.mavlink.dialect import mavlink
from didymos.ports.mavlink.flight import Flight
from didymos.sensors.environment import Airspeed, Barometer, Magnetometer
from didymos.sensors.motion import Gps, Imu
from didymos.sensors.sensor import Sensor

__all__ = ["autopilot_version", "battery_status", "sys_status"]

_BITS: dict[type[Sensor], int] = {
    Imu: mavlink.MAV_SYS_STATUS_SENSOR_3D_GYRO | mavlink.MAV_SYS_STATUS_SENSOR_3D_ACCEL,
    Magnetometer: mavlink.MAV_SYS_STATUS_SENSOR_3D_MAG,
    Barometer: mavlink.MAV_SYS_STATUS_SENSOR_ABSOLUTE_PRESSURE,
    Airspeed: mavlink.MAV_SYS_STATUS_SENSOR_DIFFERENTIAL_PRESSURE,
    Gps: mavlink.MAV_SYS_STATUS_SENSOR_GPS,
}
_MOTORS, _AHRS, _BATTERY = (
    mavlink.MAV_SYS_STATUS_SENSOR_MOTOR_OUTPUTS, mavlink.MAV_SYS_STATUS_AHRS, mavlink.MAV_SYS_STATUS_SENSOR_BATTERY,
)  # fmt: skip
_POSE, _ARMABLE = mavlink.MAV_SYS_STATUS_SENSOR_VISION_POSITION, mavlink.MAV_SYS_STATUS_PREARM_CHECK
_FENCE = mavlink.MAV_SYS_STATUS_GEOFENCE
_ABLE = (
    mavlink.MAV_PROTOCOL_CAPABILITY_MISSION_INT, mavlink.MAV_PROTOCOL_CAPABILITY_COMMAND_INT,
    mavlink.MAV_PROTOCOL_CAPABILITY_PARAM_ENCODE_BYTEWISE, mavlink.MAV_PROTOCOL_CAPABILITY_SET_ATTITUDE_TARGET,
    mavlink.MAV_PROTOCOL_CAPABILITY_SET_POSITION_TARGET_LOCAL_NED,
    mavlink.MAV_PROTOCOL_CAPABILITY_SET_POSITION_TARGET_GLOBAL_INT, mavlink.MAV_PROTOCOL_CAPABILITY_FLIGHT_TERMINATION,
    mavlink.MAV_PROTOCOL_CAPABILITY_MAVLINK2,
)  # fmt: skip
_UNKNOWN = 65535


def sys_status(flight: Flight) -> Any:
    """Which sensors there are and which of them speak, whether it can be armed, the voltage.

    A robot that navigates by a sensor of pose says that it has one by vision: where that knows, the robot does.
    """
    robot = flight.robot
    present = healthy = int(_MOTORS)
    for kind in robot.present:
        present |= int(_BITS[kind])
        healthy |= int(_BITS[kind]) if robot.is_fresh(kind) else 0
    known = int(_AHRS) | (0 if robot.estimates else int(_POSE))
    present |= known | int(_ARMABLE)
    healthy |= int(_FENCE)  # there is none, so it is not broken
    healthy |= (known if robot.navigates else 0) | (int(_ARMABLE) if flight.may_arm else 0)
    voltage = _UNKNOWN
    if robot.voltage is not None:
        present, healthy = present | int(_BATTERY), healthy | int(_BATTERY)
        voltage = clipped(1000.0 * float(robot.voltage[0]), 0, _UNKNOWN - 1)
    return mavlink.MAVLink_sys_status_message(present, present, healthy, 0, voltage, -1, -1, 0, 0, 0, 0, 0, 0)


def battery_status(flight: Flight) -> Any:
    """The voltage of the battery; None without one. Current and charge are not known to the twin's battery."""
    if flight.robot.voltage is None:
        return None
    voltages = [clipped(1000.0 * float(flight.robot.voltage[0]), 0, _UNKNOWN - 1)] + [_UNKNOWN] * 9
    return mavlink.MAVLink_battery_status_message(0, 0, 0, _UNKNOWN // 2, voltages, -1, -1, -1, -1)


def autopilot_version(system: int) -> Any:
    """What it is and can do: this package's own version, not one of PX4."""
    numbers = [int(part) if part.isdigit() else 0 for part in version("didymos").split(".")[:3]]
    number = sum(part << shift for part, shift in zip(numbers, (24, 16, 8), strict=False))
    return mavlink.MAVLink_autopilot_version_message(
        sum(map(int, _ABLE)), number, 0, 0, 0, [0] * 8, [0] * 8, [0] * 8, 0, 0, system
    )
