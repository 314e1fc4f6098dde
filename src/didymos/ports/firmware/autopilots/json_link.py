"""ArduPilot's JSON link to simulators: what it sends, what it is answered, which frames count.

From the autopilot, by UDP to port 9002, little-endian:

    uint16 magic        18458, or 29569 for 32 outputs (SERVO_32_ENABLE)
    uint16 frame_rate   [Hz], the step that it would like
    uint32 frame_count  one more with each frame; the same again where an answer did not come within a second; 0 after a restart
    uint16 pwm[16|32]   [us], 1000 to 2000; 0 where nothing drives the output

To the address it came from, one line of JSON between two newlines, without spaces, as the reader on the other side searches for
keys by their text: `timestamp` [s], `imu.gyro` [rad/s] and `imu.accel_body` [m/s^2] (specific force) forward-right-down,
`position` [m] and `velocity` [m/s] north-east-down, `attitude` [rad] and the same as `quaternion`, and `airspeed` [m/s] where
the twin has a pitot tube. The autopilot's clock is the timestamp.

Reference: ArduPilot, libraries/SITL/examples/JSON/readme.md, SIM_JSON.cpp, SIM_JSON.h.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from didymos.ports.aviation import attitude_ned, euler, frd, ned, rotate

__all__ = ["Counter", "ServoFrame", "Verdict", "read_frame", "state_line"]

_LAYOUTS = {struct.calcsize(f"<HHI{n}H"): (magic, struct.Struct(f"<HHI{n}H")) for n, magic in ((16, 18458), (32, 29569))}


@dataclass(frozen=True)
class ServoFrame:
    """What the autopilot asks for: its step [Hz], its count, its outputs [us] from 1 on."""

    rate: int
    count: int
    pulses: tuple[int, ...]


def read_frame(data: bytes) -> ServoFrame | None:
    """The frame in a datagram, None where there is none in it."""
    magic, layout = _LAYOUTS.get(len(data), (0, None))
    if layout is None:
        return None
    found, rate, count, *pulses = layout.unpack(data)
    return ServoFrame(rate, count, tuple(pulses)) if found == magic and rate > 0 else None


def state_line(time: float, imu: Sequence[float], truth: Sequence[float], airspeed: float | None = None) -> bytes:
    """The answer at a time [s].

    Args:
        imu: rates [rad/s] and specific force [m/s^2], forward-left-up, shape [6].
        truth: position [m] east-north-up, orientation (w first), velocity [m/s] forward-left-up, ..., shape [>= 10].
    """
    position, orientation, velocity = truth[0:3], truth[3:7], truth[7:10]
    attitude = attitude_ned(orientation)
    facts: dict[str, Any] = {
        "timestamp": time,
        "imu": {"gyro": frd(imu[0:3]), "accel_body": frd(imu[3:6])},
        "position": ned(position),
        "attitude": euler(attitude),
        "quaternion": attitude,
        "velocity": ned(rotate(orientation, velocity)),
    }
    if airspeed is not None:
        facts["airspeed"] = airspeed
    return b"\n" + json.dumps(facts, separators=(",", ":"), allow_nan=False).encode() + b"\n"


class Verdict(Enum):
    """What becomes of a frame: it lets the twin step, it is answered again, or it is dropped."""

    STEP, AGAIN, DROP = range(3)


class Counter:
    """Judges frames by their count and sender; what was lost, came twice, began anew or came from others is counted.

    A frame of another sender counts only as the first of an autopilot that was started anew. What is older than the last one
    is a late copy.
    """

    def __init__(self) -> None:
        self.last: int | None = None
        self.lost = self.duplicated = self.refused = self.restarts = 0
        self.sender: Any = None

    def judge(self, count: int, sender: Any) -> Verdict:
        """What to do with a frame."""
        if self.last is None:
            return self._step(count, sender)
        if sender != self.sender and count != 0:
            self.refused += 1
            return Verdict.DROP
        if count == 0 and (sender != self.sender or self.last > 0):
            self.restarts += 1
            return self._step(count, sender)
        ahead = count - self.last
        if ahead <= 0:
            self.duplicated += 1
            return Verdict.AGAIN if ahead == 0 else Verdict.DROP
        self.lost += ahead - 1
        return self._step(count, sender)

    def _step(self, count: int, sender: Any) -> Verdict:
        self.last, self.sender = count, sender
        return Verdict.STEP
