"""Who this is and whether it may fly: the services platform, supervisor and link of a Crazyflie.

    platform 0   arm 1, recover 2, light 3                    the answer repeats the request, with what came of it
    platform 1   protocol 0 -> 12;  firmware 1 -> its text;  device 2 -> its text
    platform 2   the application's channel: what comes is counted, nothing answers
    supervisor   info 0: state of bit N by command N + 1, all of them by 12;  1: arm 1, recover 2, stop 3, watchdog 4
    link         0 echo;  1 who is there;  2 swallow;  3 null, or 0xFE and the power switch: 1, 2 off, 3 on, 0xF0 restart
"""

from __future__ import annotations

import struct
from enum import Enum

from didymos import __version__
from didymos.ports.crtp.packet import NULL, Packet, PacketPort
from didymos.ports.crtp.supervisor import Supervisor

__all__ = ["PROTOCOL", "Power", "answer_link", "answer_platform", "answer_supervisor", "power_command"]

PROTOCOL = 12
"""Version of the protocol: the first whose supervisor can be asked."""

_DEVICE = "0;CF21;R=D"
_GREETING = b"Bitcraze Crazyflie\0"
_ARM, _RECOVER, _STOP, _WATCHDOG, _BITS = 1, 2, 3, 4, 12
_ANSWER = 0x80


class Power(Enum):
    """What a power switch asks for."""

    OFF = 0
    ON = 1
    RESTART = 2


_POWER = {0x01: Power.OFF, 0x02: Power.OFF, 0x03: Power.ON, 0xF0: Power.RESTART}


def power_command(packet: Packet) -> Power | None:
    """What a packet asks of the power switch, where it does."""
    if packet.port != PacketPort.LINK or packet.channel != 3 or len(packet.data) < 2 or packet.data[0] != 0xFE:
        return None
    return _POWER.get(packet.data[1])


def answer_link(packet: Packet) -> Packet | None:
    """The answer of the link service."""
    if packet.channel == 0:
        return packet
    if packet.channel == 1:
        return packet.answer(_GREETING.ljust(30, b"\0"))
    return NULL if packet.channel == 3 else None


def answer_platform(packet: Packet, supervisor: Supervisor) -> Packet | None:
    """The answer of the platform service."""
    data = packet.data
    if not data or packet.channel > 1:
        return None
    if packet.channel == 1:
        texts = {0: bytes([PROTOCOL]), 1: f"didymos {__version__}".encode("ascii")[:29], 2: _DEVICE.encode("ascii")}
        return packet.answer(data[:1] + texts[data[0]]) if data[0] in texts else None
    if data[0] == _ARM and len(data) >= 2:
        return packet.answer(bytes([_ARM, supervisor.arm(bool(data[1])), supervisor.armed]))
    if data[0] == _RECOVER:
        return packet.answer(bytes([_RECOVER, supervisor.recover(), not supervisor.crashed]))
    return packet if data[0] == 3 else None


def answer_supervisor(packet: Packet, supervisor: Supervisor) -> Packet | None:
    """The answer of the supervisor's service."""
    data = packet.data
    if not data or packet.channel > 1:
        return None
    command = data[0]
    head = bytes([_ANSWER | command])
    if packet.channel == 0:
        if command == _BITS:
            return packet.answer(head + struct.pack("<H", supervisor.bits))
        return packet.answer(head + bytes([supervisor.bits >> command - 1 & 1])) if 1 <= command < _BITS else None
    if command == _ARM and len(data) >= 2:
        return packet.answer(head + bytes([supervisor.arm(bool(data[1])), supervisor.armed]))
    if command == _RECOVER:
        return packet.answer(head + bytes([supervisor.recover(), not supervisor.crashed]))
    if command == _STOP:
        supervisor.stop()
    elif command == _WATCHDOG:
        supervisor.feed()
    return None
