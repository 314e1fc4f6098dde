"""The packets of Betaflight's simulator interface, and its frames (`src/platform/SIMULATOR/target/SITL/target.h` of 4.6).

    to port 9003, 18 float64     time [s]; rates [rad/s] forward-right-down; minus the specific force [m/s^2], forward-left-up;
                                 quaternion (w first, body forward-right-down in north-east-down); velocity [m/s] east-north-up;
                                 longitude, latitude [deg], altitude [m]; pressure [Pa]
    to port 9004                 time [s] as float64, 16 channels [us] as uint16: roll, pitch, throttle, yaw, then switches
    from port 9002, 4 float32    motors 2, 3, 4 and 1 in [0, 1]

The signs are those that make the firmware's own gyro and accelerometer forward-left-up: it changes the sign of the second and
third rate and of all three accelerations. This build takes the attitude from the packet and estimates none of its own; satellite
navigation is not built in.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from didymos.ports.aviation import attitude_ned, frd

__all__ = ["CHANNELS", "MOTORS", "motor_values", "radio_packet", "state_packet"]

CHANNELS = 16
MOTORS = 4
_STATE, _RADIO, _MOTORS = struct.Struct("<18d"), struct.Struct(f"<d{CHANNELS}H"), struct.Struct("<4f")


def state_packet(
    time: float, gyro: Sequence[float], accel: Sequence[float], attitude: Sequence[float], pressure: float
) -> bytes:
    """What the firmware's sensors say at a time [s].

    Args:
        gyro: rates of the body [rad/s], shape [3], forward-left-up.
        accel: specific force [m/s^2], shape [3], forward-left-up.
        attitude: quaternion of the body in the world east-north-up, w first, shape [4].
        pressure: of the air [Pa].
    """
    minus_force = -accel[0], -accel[1], -accel[2]
    return _STATE.pack(time, *frd(gyro), *minus_force, *attitude_ned(attitude), *(0.0,) * 6, pressure)


def radio_packet(time: float, channels: Sequence[float]) -> bytes:
    """What the pilot's radio says at a time [s]: channels [us] in 1000 to 2000; those that are not given are at 1000."""
    limited = [round(min(max(value, 1000.0), 2000.0)) for value in channels]
    return _RADIO.pack(time, *limited, *(1000,) * (CHANNELS - len(limited)))


def motor_values(packet: bytes) -> tuple[float, float, float, float] | None:
    """Motors 1 to 4, in [0, 1]; None where the packet is of another size, and so of somebody else."""
    if len(packet) != _MOTORS.size:
        return None
    second, third, fourth, first = _MOTORS.unpack(packet)
    return first, second, third, fourth
