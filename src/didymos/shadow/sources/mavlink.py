"""`mavlink:ADDRESS`: a served twin or a real autopilot, heard over MAVLink as a ground station hears it.

`udp:14550` listens where ground stations do, `udpout:127.0.0.1:14580` writes to a vehicle that answers, `tcp:HOST:PORT` and
`/dev/ttyACM0,115200` are lines to one (`mavlink_line.py`); `@2` behind it takes system 2 where several speak, else it is the
first that does. What messages mean says `mavlink_words.py`.

Telemetry comes at rates that suit a display. Unless `request` is off, a shadow asks for the messages that it needs at the rates
below, by MAV_CMD_SET_MESSAGE_INTERVAL, again every 5 s, as a vehicle that restarts has forgotten them; and once for the vehicle's
origin, by MAV_CMD_REQUEST_MESSAGE. When it is closed it asks for the vehicle's own rates. These two commands are all that is ever
sent: no heartbeat, by which a vehicle would count on a ground station and act when it goes, nothing that arms, steers or sets.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from didymos.engine.simulation import Simulation
from didymos.errors import InputError
from didymos.ports.firmware.autopilots.outputs import Drive, find_outputs, named_outputs
from didymos.ports.mavlink.dialect import AUTOPILOT, mavlink
from didymos.shadow.signals import all_signals, chosen
from didymos.shadow.source import Arrival, SourceOptions
from didymos.shadow.sources.arrivals import Arrivals
from didymos.shadow.sources.mavlink_line import Line, open_line
from didymos.shadow.sources.mavlink_words import Words

if TYPE_CHECKING:
    from didymos.describe.twin import Twin

__all__ = ["RATES", "MavlinkSource", "open_mavlink"]

RATES: Mapping[str, float] = {
    "HIGHRES_IMU": 100.0, "SERVO_OUTPUT_RAW": 100.0, "ATTITUDE_QUATERNION": 50.0, "LOCAL_POSITION_NED": 50.0,
    "GPS_RAW_INT": 10.0, "SCALED_PRESSURE": 10.0,
}  # fmt: skip
"""What is asked for, and how often [Hz]."""

_SLOWER = 0.1  # of these rates on a serial line, which has some kilobytes a second
_ASK = 5.0  # [s] between two requests
_US, _COMPONENT = 254, 191  # system; MAV_COMP_ID_ONBOARD_COMPUTER
_INTERVAL, _MESSAGE = mavlink.MAV_CMD_SET_MESSAGE_INTERVAL, mavlink.MAV_CMD_REQUEST_MESSAGE


class MavlinkSource:
    """A vehicle that is heard. `system` is its number, 0 before it was heard."""

    live = True

    def __init__(
        self, line: Line, words: Words, known: Sequence[str], about: Arrivals, *, system: int = 0,
        rates: Mapping[str, float] | None = None,
    ) -> None:  # fmt: skip
        self._line, self._words, self._about = line, words, about
        self.signals = tuple(known)
        self.system, self._rates, self._asked = system, rates or {}, -_ASK
        self._packer: Any = mavlink.MAVLink(None, srcSystem=_US, srcComponent=_COMPONENT)

    @property
    def unread(self) -> int:
        """How often bytes came that mean nothing."""
        return self._about.unread

    def read(self, seconds: float) -> Sequence[Arrival]:
        """What has come; waits at most so long [s]."""
        spoke = False
        for message, received in self._line.frames(seconds):
            if message is None:
                self._about.refuse("MAVLink", "bytes are no frame of it")
            elif self._is_robot(message):
                spoke = True
                self._about.heard(received)
                told = self._words.told(message)
                if told is not None:
                    self._about.put((Arrival(told[0], received, told[1]),))
        if not spoke:  # what waited here for somebody who was busy is no silence
            self._about.watch()
        now = time.monotonic()
        if self._rates and now - self._asked >= _ASK:
            self._asked = now
            self._ask({name: round(1e6 / rate) for name, rate in self._rates.items()})
        return self._about.take(0.0)

    def notices(self) -> Sequence[str]:
        """What there is to say since the last time."""
        return self._about.notices()

    def close(self) -> None:
        """Give the vehicle its own rates back, and let go of the line."""
        if self._rates and self.system:
            self._ask(dict.fromkeys(self._rates, 0))
        self._line.close()

    def _is_robot(self, message: Any) -> bool:
        """Whether a message is the autopilot's of the vehicle that is heard, the first that speaks."""
        system, component = message.get_srcSystem(), message.get_srcComponent()
        if component != AUTOPILOT or system in (0, _US) or message.get_type() == "COMMAND_LONG":
            return False
        if self.system == 0:
            self.system, self._asked = system, -_ASK
        elif system != self.system:
            self._about.say_once(f"system {system}", f"system {system} speaks as well; system {self.system} is listened to")
        if message.get_type() == "COMMAND_ACK" and system == self.system and message.command == _INTERVAL and message.result:
            self._about.say_once("refused", f"system {system} refuses some of the telemetry that it was asked for")
        return bool(system == self.system)

    def _ask(self, intervals: Mapping[str, int]) -> None:
        """Ask for messages every so many us, 0 for as often as the vehicle sends them by itself; and for its origin."""
        for name, interval in intervals.items():
            self._send(_INTERVAL, getattr(mavlink, f"MAVLINK_MSG_ID_{name}"), interval)
        self._send(_MESSAGE, mavlink.MAVLINK_MSG_ID_GPS_GLOBAL_ORIGIN, 0)

    def _send(self, command: int, first: float, second: float) -> None:
        message = mavlink.MAVLink_command_long_message(self.system, AUTOPILOT, command, 0, first, second, 0, 0, 0, 0, 0)
        self._line.send(bytes(message.pack(self._packer)))
        self._packer.seq = (self._packer.seq + 1) % 256


def open_mavlink(twin: Twin, address: str, options: SourceOptions) -> MavlinkSource:
    """Listen to a vehicle; an address that is none, or is silent until it is written to where that is not allowed, is refused."""
    where, _, number = address.partition("@")
    if number and not (number.isascii() and number.isdigit() and 0 < int(number) < _US):
        raise InputError(f"found system {number!r}, expected a number from 1 to {_US - 1}", option="robot")
    if where.startswith("udpout:") and not options.request:
        raise InputError(f"mavlink:{where} has to write to be answered, and nothing may be requested", option="robot")
    known = all_signals(twin)
    about = Arrivals(f"the vehicle on mavlink:{address}")
    words = Words(twin, chosen(options.signals, known) if options.signals else known, _drives(twin, about), about)
    slower = _SLOWER if where.startswith("/") else 1.0
    rates = {name: slower * rate for name, rate in RATES.items()} if options.request else {}
    return MavlinkSource(
        open_line(where, network=options.network), words, words.signals, about, system=int(number or 0), rates=rates
    )


def _drives(twin: Twin, about: Arrivals) -> tuple[Drive, ...]:
    """Which output drives which input; none, and a sentence, where that is not known."""
    try:
        return find_outputs(Simulation(twin).robot, named_outputs(twin), "firmware.px4.options.outputs")
    except InputError as error:
        about.say(f"inputs of the vehicle are not heard: {error}")
        return ()
