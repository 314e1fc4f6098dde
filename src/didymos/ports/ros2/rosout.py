"""/rosout: what the port has to say, as log messages of ROS 2, beside the lines for the person who serves.

Levels are ROS 2's. The topic lasts 10 s for whoever comes late (1000 messages, transient local), and stamps are those of the wall
clock, as `rcl` has both. A node's messages bear its name with dots, `drone.quadcopter`; what concerns the whole run is said by
the node of the twin alone or of the world.

    INFO    the run begins; a report of a control program has another label; an expectation is met; a reset
    WARN    a message was refused, a name is not used, the run is late
    ERROR   an expectation is missed
    FATAL   the run failed
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from didymos.ports.ros2.names import dds_topic
from didymos.ports.ros2.offers import ROSOUT
from didymos.ports.ros2.types import message_type, type_hash

if TYPE_CHECKING:
    from didymos.engine.row_buffer import Row
    from didymos.engine.run import Run
    from didymos.engine.verdict import Verdict
    from didymos.ports.ros2.outlets import Owner
    from didymos.ports.ros2.services import Reply, Service

__all__ = ["ERROR", "FATAL", "INFO", "WARN", "Rosout"]

INFO, WARN, ERROR, FATAL = 20, 30, 40, 50

_DEPTH, _LIFESPAN = 1000, 10.0  # as rcl_qos_profile_rosout_default; [s]
_PAUSE = 1.0  # [s] between two messages about overruns


@dataclass
class _Report:
    """A report with labels: its column in the rows of a stream, and the label that was told last."""

    name: str
    column: int
    labels: Sequence[str]
    node: str
    told: str = ""


class Rosout:
    """Says things on /rosout, and hands lines for the person to `say`."""

    def __init__(self, nodes: Sequence[Owner], say: Callable[[str], None]) -> None:
        self.services: list[Service] = []
        self._say, self._type = say, message_type(ROSOUT[1])
        about = f"typehash={type_hash(ROSOUT[1])};"
        self._writers = {
            owner.name: owner.node.writer(
                dds_topic(ROSOUT[0]), self._type, depth=_DEPTH, lasting=True, lifespan=_LIFESPAN, about=about
            )
            for owner in nodes
        }
        self._whole = nodes[0].name
        self._reports: dict[int, list[_Report]] = {}
        self._overruns, self._next = 0, 0.0
        self._run: Run | None = None  # whose clock stamps what is said

    def log(self, level: int, text: str, node: str | None = None) -> None:
        """Say something as a node, or as that of the whole run."""
        name = self._whole if node is None else node
        seconds, rest = divmod(0 if self._run is None else round(self._run.simulation.time * 1e9), 1_000_000_000)
        stamp = message_type("builtin_interfaces/msg/Time")(sec=seconds, nanosec=rest)
        logger = name.strip("/").replace("/", ".")
        self._writers[name].write(
            self._type(stamp=stamp, level=level, name=logger, msg=text, file="", function="", line=0)
        )

    def info(self, text: str) -> None:
        """A line for the person, and for /rosout."""
        self._say(text)
        self.log(INFO, text)

    def warn(self, text: str) -> None:
        """The same, of something that is not as it should be."""
        self._say(text)
        self.log(WARN, text)

    def verdicts(self, verdicts: Iterable[Verdict]) -> None:
        """What became of what a scenario expects."""
        for item in verdicts:
            found = "nothing to measure" if item.value is None else f"{item.value:.6g} {item.unit}".rstrip()
            word = {True: "met", False: "missed", None: "not measured"}[item.ok]
            self.log(ERROR if item.ok is False else INFO, f"{item.name}: {word}, {found}")

    def follow(self, run: Run, nodes: Sequence[Owner]) -> None:
        """Tell from now on when a report of a control program that has labels changes, by the clock of the run."""
        self._run = run
        index = {layout.name: i for i, layout in enumerate(run.log.layouts)}
        for owner in nodes:
            program = None if owner.robot is None else owner.robot.program
            for item in program.reports if program is not None else ():
                stream = index.get(f"{owner.prefix}control")
                if not item.labels or stream is None:
                    continue
                signals = run.log.layouts[stream].signals
                column = signals.index(f"{owner.prefix}control.{item.name}")
                self._reports.setdefault(stream, []).append(_Report(item.name, column, tuple(item.labels), owner.name))
        if self._reports:
            run.listen(self._hear)

    def _hear(self, rows: list[Row], _pictures: object) -> None:
        for stream, _, values in rows:
            for report in self._reports.get(stream, ()):
                for value in values[:, report.column]:
                    label = report.labels[int(value)] if 0.0 <= value < len(report.labels) else ""
                    if label and label != report.told:
                        self.log(INFO, f"{report.name}: {label}", report.node)
                    report.told = label

    def tend(self, run: Run) -> Iterable[Reply]:
        """Say that the run is late, at most once a second."""
        late = run.simulation.overruns
        if late > self._overruns and time.monotonic() > self._next:
            self.log(WARN, f"the run is late: {late - self._overruns} overruns, its clock falls behind the wall's")
            self._overruns, self._next = late, time.monotonic() + _PAUSE
        return ()
