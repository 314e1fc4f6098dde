"""The commander: whose set-point counts, how old it is, and what of it reaches the robot.

Set-points of a client win over the high-level commander, and stop what it flies. They count until the client says that no more
follow (notify stop, at once or some milliseconds later); then the high-level commander has its turn, whose idle means rotors that
stand. A client that falls silent without a word is the supervisor's business.

Nothing is asked of the robot before the first set-point that lets a rotor turn: whoever connects, reads and goes changes nothing.
"""

from __future__ import annotations

import struct

from didymos.ports.commander_setpoint import OFF_SETPOINT, Setpoint
from didymos.ports.crtp.high_level import HighLevel, Stage
from didymos.ports.crtp.roll_pitch_thrust import RollPitchThrust
from didymos.ports.crtp.setpoint import decode_generic, level
from didymos.ports.crtp.supervisor import Doing, Supervisor
from didymos.ports.crtp.vehicle import Vehicle

__all__ = ["Commander"]

PERIOD = 0.01  # [s] of the twin's clock between two set-points of the high-level commander
_FORGOTTEN = 0.5  # [s] after which a set-point of a client that is gone counts no more, on the ground
_NOTIFY_STOP = 0


class Commander:
    """Takes set-points for a vehicle."""

    def __init__(self, vehicle: Vehicle, high_level: HighLevel, supervisor: Supervisor, sticks: RollPitchThrust) -> None:
        self._vehicle, self._high_level, self._supervisor, self._sticks = vehicle, high_level, supervisor, sticks
        self._setpoint = OFF_SETPOINT
        self._stamp = vehicle.time
        self._streams = False  # whether a client's set-points count
        self._relax_at: float | None = None
        self._engaged = False  # whether anything was ever asked of the robot
        self._next = 0.0

    @property
    def setpoint(self) -> Setpoint:
        """What counts."""
        return self._setpoint

    def take_sticks(self, data: bytes) -> bool:
        """A packet of the commander of old; whether it is one."""
        return self._take(self._sticks.decode(data, not self._streams))

    def take_generic(self, channel: int, data: bytes) -> bool:
        """A packet of the generic commander; whether it is one."""
        if channel == 0:
            return self._take(decode_generic(data))
        if channel == 1 and len(data) >= 1 and data[0] == _NOTIFY_STOP:
            remains = struct.unpack_from("<I", data, 1)[0] if len(data) >= 5 else 0
            self._relax_at = self._vehicle.time + remains / 1000.0
            return True
        return False

    def _take(self, setpoint: Setpoint | None) -> bool:
        if setpoint is None:
            return False
        self._setpoint, self._stamp = setpoint, self._vehicle.time
        self._streams, self._relax_at = True, None
        self._high_level.stop()
        return True

    def release(self) -> None:
        """The high-level commander was told something: it counts from now on, if the client has said that it is done."""
        if self._relax_at is not None:
            self._streams, self._relax_at = False, None

    def update(self) -> None:
        """Bring what counts to the robot, before a tick."""
        now = self._vehicle.time
        if self._relax_at is not None and now >= self._relax_at:
            self.release()
        if self._streams and not self._supervisor.is_flying and now - self._stamp > _FORGOTTEN:
            self._streams = False
        if not self._streams and now >= self._next:
            self._next = now + 0.999 * PERIOD
            self._setpoint, self._stamp = self._high_level.setpoint(), now
        self._supervisor.update(now - self._stamp)
        asked = self._setpoint
        if not self._supervisor.may_fly:
            asked = OFF_SETPOINT
        elif self._supervisor.doing is Doing.LEVEL_OUT:
            asked = level(asked)
        locked = self._supervisor.doing in (Doing.LOCKED, Doing.CRASHED)
        self._engaged = self._engaged or not asked.is_off or (locked and bool(self._vehicle.throttle.any()))
        if self._engaged:
            self._vehicle.steer((OFF_SETPOINT if asked.is_off else asked).handles)

    @property
    def is_high_level(self) -> bool:
        """Whether the high-level commander flies the robot."""
        return not self._streams and self._high_level.stage is not Stage.IDLE
