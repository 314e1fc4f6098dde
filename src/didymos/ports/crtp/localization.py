"""What clients say about the robot's place, and their emergency stops.

Positions and poses from outside (motion capture) are taken and logged as `locSrv.*`; the twin's own estimate goes on without.
"""

from __future__ import annotations

import struct

import numpy as np
from numpy.typing import NDArray

from didymos.ports.crtp.packet import Packet
from didymos.ports.crtp.supervisor import Supervisor

__all__ = ["Localization"]

_POSITION, _GENERIC = range(2)
_STOP, _WATCHDOG, _POSE, _LIGHTHOUSE = 3, 4, 8, 11


class Localization:
    """Takes what clients say; position [m], shape [3], and orientation (x, y, z, w) as they were told last."""

    def __init__(self, supervisor: Supervisor) -> None:
        self._supervisor = supervisor
        self.position: NDArray[np.float64] = np.zeros(3)
        self.orientation: NDArray[np.float64] = np.array([0.0, 0.0, 0.0, 1.0])

    def handle(self, packet: Packet) -> Packet | None:
        """The answer to a packet, where it has one."""
        data = packet.data
        if packet.channel == _POSITION and len(data) == 12:
            self._take(struct.unpack("<3f", data))
        elif packet.channel == _GENERIC and data:
            if data[0] == _STOP:
                self._supervisor.stop()
            elif data[0] == _WATCHDOG:
                self._supervisor.feed()
            elif data[0] == _POSE and len(data) == 29:
                self._take(struct.unpack_from("<7f", data, 1))
            elif data[0] == _LIGHTHOUSE:
                return packet.answer(bytes([_LIGHTHOUSE, 0]))  # there is nothing that could keep it
        return None

    def _take(self, numbers: tuple[float, ...]) -> None:
        if np.isfinite(numbers).all():
            self.position = np.array(numbers[:3])
            if len(numbers) > 3:
                self.orientation = np.array(numbers[3:])
