"""What a vehicle tells: each message from what its program estimates and its sensors read, none from the truth of the simulation.

    the program's estimate   ATTITUDE, ATTITUDE_QUATERNION, LOCAL_POSITION_NED, GLOBAL_POSITION_INT, ALTITUDE, VFR_HUD,
                             ESTIMATOR_STATUS
    what it commands         SERVO_OUTPUT_RAW
    readings of sensors      GPS_RAW_INT, HIGHRES_IMU, SCALED_PRESSURE; airspeed in VFR_HUD
    parts                    BATTERY_STATUS and SYS_STATUS: the voltage
    the port itself          HEARTBEAT, EXTENDED_SYS_STATE, HOME_POSITION, MISSION_CURRENT, POSITION_TARGET_LOCAL_NED, SYSTEM_TIME

A message is None where the twin lacks what it would say. Times are the twin's clock: of a reading when it was taken, of an
estimate and of what is commanded when the program was called.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from didymos.ports.aviation import euler, frd, ned
from didymos.ports.mavlink.conversions import clipped, heading
from didymos.ports.mavlink.dialect import mavlink
from didymos.ports.mavlink.flight import Flight
from didymos.ports.mavlink.modes import Mode, base_mode
from didymos.ports.mavlink.place import degrees7
from didymos.ports.mavlink.status import battery_status, sys_status
from didymos.sensors.environment import Airspeed, Barometer, Magnetometer
from didymos.sensors.motion import Gps, Imu

__all__ = ["TELEMETRY", "heartbeat", "number_of"]

Build = Callable[[Flight], Any]

_KNOWN = (
    mavlink.ESTIMATOR_ATTITUDE | mavlink.ESTIMATOR_VELOCITY_HORIZ | mavlink.ESTIMATOR_VELOCITY_VERT
    | mavlink.ESTIMATOR_POS_HORIZ_REL | mavlink.ESTIMATOR_POS_HORIZ_ABS | mavlink.ESTIMATOR_POS_VERT_ABS
)  # fmt: skip
_U16, _I16, _I32 = 65535, 32767, (1 << 31) - 1


def _ms(seconds: float) -> int:
    return round(1000.0 * seconds) & 0xFFFFFFFF


def _us(seconds: float) -> int:
    return round(1e6 * seconds)


def _i16(value: float) -> int:
    return clipped(value, -_I16, _I16)


def _i32(value: float) -> int:
    return clipped(value, -_I32, _I32)


def heartbeat(flight: Flight) -> Any:
    """Who it is, its mode, whether it is armed."""
    kind = flight.robot.kind
    state = mavlink.MAV_STATE_ACTIVE if flight.airborne else mavlink.MAV_STATE_STANDBY
    mode = base_mode(flight.mode, flight.armed)
    return mavlink.MAVLink_heartbeat_message(kind, mavlink.MAV_AUTOPILOT_PX4, mode, flight.mode.custom, state, 3)


def _attitude(flight: Flight) -> Any:
    return mavlink.MAVLink_attitude_message(
        _ms(flight.robot.program_time), *euler(flight.robot.attitude), *frd(flight.robot.turning)
    )


def _attitude_quaternion(flight: Flight) -> Any:
    q = flight.robot.attitude
    return mavlink.MAVLink_attitude_quaternion_message(_ms(flight.robot.program_time), *q, *frd(flight.robot.turning))


def _local_position(flight: Flight) -> Any:
    robot = flight.robot
    return mavlink.MAVLink_local_position_ned_message(_ms(robot.program_time), *ned(robot.place), *ned(robot.motion))


def _global_position(flight: Flight) -> Any:
    position, velocity = flight.robot.place, ned(flight.robot.motion)
    latitude, longitude, height = flight.places.globally(position)
    above = 1000.0 * (position[2] - flight.home[2])
    nose = clipped(100.0 * (math.degrees(heading(flight.robot.angles[2])) % 360.0), 0, 35999)
    return mavlink.MAVLink_global_position_int_message(
        _ms(flight.robot.program_time), degrees7(latitude), degrees7(longitude), _i32(1000.0 * height), _i32(above),
        *(_i16(100.0 * speed) for speed in velocity), nose,
    )  # fmt: skip


def _gps(flight: Flight) -> Any:
    if flight.robot.sensor(Gps) is None:
        return None
    place, velocity = flight.robot.reading(Gps, "position"), flight.robot.reading(Gps, "velocity")
    if place is None or velocity is None:
        none = mavlink.GPS_FIX_TYPE_NO_FIX
        return mavlink.MAVLink_gps_raw_int_message(_us(flight.robot.time), none, 0, 0, 0, _U16, _U16, _U16, _U16, 255)
    latitude, longitude, height = flight.places.globally(place)
    north, east, _ = ned(velocity)
    course = clipped(100.0 * (math.degrees(math.atan2(east, north)) % 360.0), 0, 35999)
    return mavlink.MAVLink_gps_raw_int_message(
        _us(flight.robot.stamp(Gps)), mavlink.GPS_FIX_TYPE_3D_FIX, degrees7(latitude), degrees7(longitude), _i32(1000.0 * height),
        _U16, _U16,
        clipped(100.0 * math.hypot(north, east), 0, _U16 - 1), course, 255, _i32(1000.0 * height),
    )  # fmt: skip


def _highres_imu(flight: Flight) -> Any:
    robot = flight.robot
    accel, gyro = robot.reading(Imu, "accel"), robot.reading(Imu, "gyro")
    if accel is None or gyro is None:
        return None
    field, pressure = robot.reading(Magnetometer, "field"), robot.reading(Barometer, "pressure")
    magnetic = (0.0, 0.0, 0.0) if field is None else frd([1e4 * part for part in field])  # gauss
    absolute = 0.0 if pressure is None else pressure[0] / 100.0  # hPa
    updated = 0b111111 | (0 if field is None else 0b111 << 6) | (0 if pressure is None else 1 << 9)
    return mavlink.MAVLink_highres_imu_message(
        _us(robot.stamp(Imu)), *frd(accel), *frd(gyro), *magnetic, absolute, 0.0, 0.0, 0.0, updated
    )


def _pressure(flight: Flight) -> Any:
    pressure = flight.robot.reading(Barometer, "pressure")
    if pressure is None:
        return None
    return mavlink.MAVLink_scaled_pressure_message(_ms(flight.robot.stamp(Barometer)), pressure[0] / 100.0, 0.0, 0)


def _vfr_hud(flight: Flight) -> Any:
    robot = flight.robot
    vx, vy, vz = robot.motion
    airspeed = robot.reading(Airspeed, "airspeed")
    nose = round(math.degrees(heading(robot.angles[2])) % 360.0) % 360
    throttle = clipped(100.0 * robot.throttle, 0, 100)
    ground = math.hypot(vx, vy)
    height = flight.places.globally(robot.place)[2]
    flow = ground if airspeed is None else airspeed[0]
    return mavlink.MAVLink_vfr_hud_message(flow, ground, nose, throttle, height, vz)


def _altitude(flight: Flight) -> Any:
    height, up = flight.places.globally(flight.robot.place)[2], flight.robot.place[2]
    nan = float("nan")
    return mavlink.MAVLink_altitude_message(_us(flight.robot.time), height, height, up, up - flight.home[2], nan, nan)


def _extended_state(flight: Flight) -> Any:
    if not flight.airborne:
        landed = mavlink.MAV_LANDED_STATE_ON_GROUND
    elif flight.is_landing:
        landed = mavlink.MAV_LANDED_STATE_LANDING
    else:
        landed = mavlink.MAV_LANDED_STATE_TAKEOFF if flight.is_taking_off else mavlink.MAV_LANDED_STATE_IN_AIR
    return mavlink.MAVLink_extended_sys_state_message(mavlink.MAV_VTOL_STATE_UNDEFINED, landed)


def _home(flight: Flight) -> Any:
    if flight.places.home is None:
        return None
    latitude, longitude, height = flight.places.globally(flight.home)
    q, nothing = [1.0, 0.0, 0.0, 0.0], (0.0, 0.0, 0.0)
    return mavlink.MAVLink_home_position_message(
        degrees7(latitude), degrees7(longitude), _i32(1000.0 * height), *ned(flight.home), q, *nothing, _us(flight.robot.time)
    )


def _origin(flight: Flight) -> Any:
    latitude, longitude, height = flight.places.origin
    return mavlink.MAVLink_gps_global_origin_message(
        degrees7(latitude), degrees7(longitude), _i32(1000.0 * height), _us(flight.robot.time)
    )


def _servos(flight: Flight) -> Any:
    pulses = flight.robot.pulses
    numbered = [pulses.get(number, 0) for number in range(1, 17)]
    return mavlink.MAVLink_servo_output_raw_message(_us(flight.robot.program_time) & 0xFFFFFFFF, 0, *numbered)


def _mission_current(flight: Flight) -> Any:
    run = flight.mission
    if not run.items:
        state = mavlink.MISSION_STATE_NO_MISSION
    elif run.finished:
        state = mavlink.MISSION_STATE_COMPLETE
    elif flight.mode is Mode.MISSION:
        state = mavlink.MISSION_STATE_ACTIVE
    else:
        state = mavlink.MISSION_STATE_NOT_STARTED if run.current == 0 else mavlink.MISSION_STATE_PAUSED
    mode = 1 if flight.mode is Mode.MISSION else 2
    return mavlink.MAVLink_mission_current_message(run.current, len(run.items), state, mode)


def _target(flight: Flight) -> Any:
    goal = flight.goal
    if goal is None:
        return None
    asked, mask = goal
    place, velocity = ned((asked.x, asked.y, asked.z)), ned((asked.vx, asked.vy, asked.vz))
    acceleration = ned((asked.ax, asked.ay, asked.az))
    yaw = heading(asked.yaw)
    return mavlink.MAVLink_position_target_local_ned_message(
        _ms(flight.robot.time), mavlink.MAV_FRAME_LOCAL_NED, mask, *place, *velocity, *acceleration, yaw, -asked.yaw_rate
    )


def _system_time(flight: Flight) -> Any:
    return mavlink.MAVLink_system_time_message(0, _ms(flight.robot.time))


def _estimator(flight: Flight) -> Any:
    """Attitude, velocities and position, relative and absolute, are known all at once or not at all."""
    known, accuracy = _KNOWN if flight.robot.navigates else 0, flight.robot.accuracy
    return mavlink.MAVLink_estimator_status_message(_us(flight.robot.time), known, *([0.0] * 6), accuracy, accuracy)


def _rc_channels(flight: Flight) -> Any:
    sticks = flight.sticks
    roll, pitch, yaw = (1500 + round(500 * stick) for stick in (sticks.roll, -sticks.pitch, sticks.yaw))
    channels = [roll, pitch, 1000 + round(1000 * sticks.throttle), yaw]
    return mavlink.MAVLink_rc_channels_message(_ms(flight.robot.time), 4, *channels, *([_U16] * 14), 255)


TELEMETRY: Mapping[str, tuple[float, Build]] = {
    "HEARTBEAT": (1.0, heartbeat),
    "SYS_STATUS": (1.0, sys_status),
    "SYSTEM_TIME": (1.0, _system_time),
    "GPS_RAW_INT": (5.0, _gps),
    "SCALED_PRESSURE": (1.0, _pressure),
    "ATTITUDE": (20.0, _attitude),
    "ATTITUDE_QUATERNION": (10.0, _attitude_quaternion),
    "LOCAL_POSITION_NED": (10.0, _local_position),
    "GLOBAL_POSITION_INT": (10.0, _global_position),
    "SERVO_OUTPUT_RAW": (2.0, _servos),
    "MISSION_CURRENT": (1.0, _mission_current),
    "GPS_GLOBAL_ORIGIN": (0.0, _origin),
    "RC_CHANNELS": (0.0, _rc_channels),
    "VFR_HUD": (4.0, _vfr_hud),
    "POSITION_TARGET_LOCAL_NED": (2.0, _target),
    "HIGHRES_IMU": (10.0, _highres_imu),
    "ALTITUDE": (5.0, _altitude),
    "BATTERY_STATUS": (1.0, battery_status),
    "ESTIMATOR_STATUS": (1.0, _estimator),
    "HOME_POSITION": (0.5, _home),
    "EXTENDED_SYS_STATE": (2.0, _extended_state),
}  # fmt: skip
"""Rates [Hz] of the messages that are sent unasked, 0 for on request only, and how each is made."""


def number_of(name: str) -> int:
    """The number of a message."""
    return int(getattr(mavlink, f"MAVLINK_MSG_ID_{name}"))
