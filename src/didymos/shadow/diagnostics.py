"""/diagnostics of ROS 2: how a robot is, as its shadow sees it, once a second and at every alarm.

One status for the robot as a whole, `didymos: TWIN`, and one for each alarm, `didymos: TWIN: alarm N`:

    OK      in step with its twin
    WARN    there was something to say in the last 10 s, such as a line that was lost and found again
    ERROR   an alarm was raised
    STALE   nothing has come for 2 s

Stamps are the robot's clock, as far as it is known. The shadow's own node sends this topic and nothing else.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Any

from didymos.errors import InputError

try:
    from didymos.ports.ros2.names import dds_topic
    from didymos.ports.ros2.node import Node
    from didymos.ports.ros2.types import message_type, type_hash
except ImportError as error:
    if (error.name or "").partition(".")[0] != "cyclonedds":
        raise
    what = "the topic of diagnostics needs cyclonedds; this installs it: pip install 'didymos[ros2]'"
    raise InputError(what, option="diagnostics") from None

if TYPE_CHECKING:
    from didymos.shadow.alarm import Alarm
    from didymos.shadow.estimate import Frame
    from didymos.shadow.shadow import Shadow

__all__ = ["ERROR", "OK", "STALE", "TOPIC", "TYPE", "WARN", "Diagnostics"]

TOPIC, TYPE = "/diagnostics", "diagnostic_msgs/msg/DiagnosticArray"
OK, WARN, ERROR, STALE = 0, 1, 2, 3

_PERIOD = 1.0  # [s] between two messages
_SILENT = 2.0  # [s] without an update
_RECENT = 10.0  # [s] that a notice counts
_MOST = 50  # alarms that are told of, the newest


class Diagnostics:
    """An audience of a shadow that tells ROS 2 nodes of a domain; on loopback unless `network`."""

    def __init__(
        self, twin: str, robot: str, domain: int, *, network: bool = False, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._name, self._robot, self._clock = f"didymos: {twin}", robot, clock
        self._lock, self._wake, self._ended = Lock(), Event(), False
        self._alarms: list[Alarm] = []
        self._notice, self._noticed = "", -float("inf")
        self._stamp, self._heard, self._facts = 0.0, -float("inf"), dict[str, str]()
        self._node = Node(domain, network=network)
        self._type = message_type(TYPE)
        self._writer = self._node.writer(dds_topic(TOPIC), self._type, about=f"typehash={type_hash(TYPE)};")
        self._thread = Thread(target=self._tell, name="didymos-diagnostics", daemon=True)
        self._thread.start()

    def frame(self, frame: Frame, _shadow: Shadow) -> None:
        """Note that the robot is in step."""
        with self._lock:
            self._stamp, self._heard = frame.time, self._clock()
            self._facts = {"nis": f"{frame.nis:.3g}", "readings": str(len(frame.signals))}

    def alarm(self, alarm: Alarm) -> None:
        """Tell of it at once."""
        with self._lock:
            self._alarms.append(alarm)
        self._wake.set()

    def notice(self, text: str) -> None:
        """Tell of it for a while."""
        with self._lock:
            self._notice, self._noticed = text, self._clock()

    def close(self) -> None:
        """Leave the domain."""
        self._ended = True
        self._wake.set()
        self._thread.join()
        self._node.close()

    def _tell(self) -> None:
        """On a thread of its own, so that a slow reader keeps nobody; a last message tells what came last."""
        while not self._ended:
            self._wake.wait(_PERIOD)
            self._wake.clear()
            self._send()

    def _send(self) -> None:
        with self._lock:
            seconds, rest = divmod(max(round(self._stamp * 1e9), 0), 1_000_000_000)
            status = [self._whole(), *(self._of(alarm) for alarm in self._alarms[-_MOST:])]
        stamp = message_type("builtin_interfaces/msg/Time")(sec=seconds & 0x7FFFFFFF, nanosec=rest)
        header = message_type("std_msgs/msg/Header")(stamp=stamp, frame_id="")
        self._writer.write(self._type(header=header, status=status))

    def _whole(self) -> Any:
        """The status of the robot, the gravest of what there is to say."""
        silent, recent = self._clock() - self._heard > _SILENT, self._clock() - self._noticed < _RECENT
        facts = {**self._facts, "alarms": str(len(self._alarms))}
        if self._alarms:
            return self._status(ERROR, self._name, str(self._alarms[-1]), facts)
        if silent:
            return self._status(STALE, self._name, self._notice or "nothing has been heard yet", facts)
        if recent:
            return self._status(WARN, self._name, self._notice, facts)
        return self._status(OK, self._name, "in step", facts)

    def _of(self, alarm: Alarm) -> Any:
        facts = {
            "time": f"{alarm.time:.3f}", "since": f"{alarm.since:.3f}", "signals": ", ".join(alarm.signals),
            "statistic": f"{alarm.statistic:.6g}", "threshold": f"{alarm.threshold:.6g}",
        }  # fmt: skip
        for number, one in enumerate(alarm.likely, 1):
            facts[f"cause {number}"] = f"{one} ({100.0 * one.probability:.0f} %)"
        return self._status(ERROR, f"{self._name}: alarm {alarm.number}", str(alarm), facts)

    def _status(self, level: int, name: str, message: str, facts: Mapping[str, str]) -> Any:
        pair = message_type("diagnostic_msgs/msg/KeyValue")
        values = [pair(key=key, value=value) for key, value in facts.items()]
        kind = message_type("diagnostic_msgs/msg/DiagnosticStatus")
        return kind(level=level, name=name, message=message, hardware_id=self._robot, values=values)
