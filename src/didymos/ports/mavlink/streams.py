"""When each message is due, on the twin's clock, and who may change that: SET_MESSAGE_INTERVAL, REQUEST_DATA_STREAM, requests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from didymos.ports.mavlink.dialect import mavlink
from didymos.ports.mavlink.flight import Flight
from didymos.ports.mavlink.telemetry import TELEMETRY, number_of

__all__ = ["Streams"]

_FASTEST = 200.0  # [Hz]
_GROUPS = {  # of the requests of old
    mavlink.MAV_DATA_STREAM_RAW_SENSORS: ("HIGHRES_IMU", "GPS_RAW_INT", "SCALED_PRESSURE"),
    mavlink.MAV_DATA_STREAM_EXTENDED_STATUS: ("SYS_STATUS", "MISSION_CURRENT", "EXTENDED_SYS_STATE"),
    mavlink.MAV_DATA_STREAM_RC_CHANNELS: ("SERVO_OUTPUT_RAW", "RC_CHANNELS"),
    mavlink.MAV_DATA_STREAM_POSITION: ("LOCAL_POSITION_NED", "GLOBAL_POSITION_INT"),
    mavlink.MAV_DATA_STREAM_EXTRA1: ("ATTITUDE", "ATTITUDE_QUATERNION"),
    mavlink.MAV_DATA_STREAM_EXTRA2: ("VFR_HUD", "ALTITUDE"),
    mavlink.MAV_DATA_STREAM_EXTRA3: ("ESTIMATOR_STATUS", "BATTERY_STATUS"),
}
_NAMES = {number_of(name): name for name in TELEMETRY}


class Streams:
    """The messages of a vehicle and their periods [s], 0 for on request only."""

    def __init__(self, flight: Flight) -> None:
        self._flight = flight
        self._periods = {name: 1.0 / rate if rate else 0.0 for name, (rate, _) in TELEMETRY.items()}
        self._next = dict.fromkeys(TELEMETRY, 0.0)
        self._before: tuple[Any, ...] = ()

    def due(self) -> Iterator[Any]:
        """Messages whose time has come; a change of mode, state, home or mission item at once."""
        now = self._flight.robot.time
        self._hurry()
        for name, period in self._periods.items():
            if period and now >= self._next[name] - 1e-9:
                self._next[name] = max(self._next[name] + period, now)
                message = TELEMETRY[name][1](self._flight)
                if message is not None:
                    yield message

    def _hurry(self) -> None:
        flight = self._flight
        state = (flight.mode, flight.armed, flight.airborne, flight.is_taking_off, flight.is_landing)
        mission = (flight.mission.current, len(flight.mission.items), flight.mission.finished)
        now = (state, flight.places.home, mission)
        if self._before and now != self._before:
            changed = [a != b for a, b in zip(now, self._before, strict=True)]
            names = [("HEARTBEAT", "EXTENDED_SYS_STATE"), ("HOME_POSITION",), ("MISSION_CURRENT",)]
            for name in (name for is_new, group in zip(changed, names, strict=True) if is_new for name in group):
                self._next[name] = 0.0
        self._before = now

    def request(self, number: float) -> Any:
        """A message by its number, now; None where there is none."""
        name = _NAMES.get(int(number)) if number == number // 1 else None
        return None if name is None else TELEMETRY[name][1](self._flight)

    def interval(self, number: float) -> int:
        """[us] between two of a message, 0 where it is not there, -1 where it is on request only."""
        name = _NAMES.get(int(number)) if number == number // 1 else None
        return 0 if name is None else round(1e6 * self._periods[name]) or -1

    def set_interval(self, number: float, interval: float) -> bool:
        """Send a message every so many us; 0 is its own rate, -1 never. Whether there is such a message; heartbeats stay."""
        name = _NAMES.get(int(number)) if number == number // 1 else None
        if name is None or not -1.0 <= interval < 1e12:
            return False
        rate = TELEMETRY[name][0]
        if interval > 0.0:
            self._set(name, 1e6 / interval)
        elif interval == 0.0:
            self._set(name, rate)
        else:
            self._set(name, 0.0)
        return True

    def set_group(self, group: int, rate: float) -> None:
        """Send a group of messages, or all that have a rate of their own, so many times a second."""
        everything = [name for name, (own, _) in TELEMETRY.items() if own] if group == mavlink.MAV_DATA_STREAM_ALL else []
        for name in _GROUPS.get(group, everything):
            self._set(name, rate)

    def _set(self, name: str, rate: float) -> None:
        if name != "HEARTBEAT":
            self._periods[name] = 1.0 / min(rate, _FASTEST) if rate > 0.0 else 0.0
            self._next[name] = 0.0
