"""Where a shadow hears of its robot: a wire or a recording, in the words of the twin's log.

A source only listens. What it hears comes as arrivals, each with the robot's own stamp and this machine's clock when it came
in, so that the clock of the one can be told from that of the other (`clock.py`). Names are those of the twin's log:
`imu.gyro.x`, `encoders.elbow.position`, `parts.drive.torque` and `inputs.motor1`; units and frames are the twin's.

Kinds of sources stand in `sources/`: one module with a function `Open` each, found by `sources.open_source`. One that holds all
of its arrivals beforehand offers them as tables as well (`sources/table.py`), for whoever goes through hours of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from didymos.describe.twin import Twin

__all__ = ["Arrival", "Open", "Source", "SourceOptions"]


@dataclass(frozen=True, slots=True)
class Arrival:
    """What came at once: readings of sensors, of parts, or inputs that the robot was given."""

    stamp: float
    """The robot's clock [s] when it was taken."""
    received: float
    """This machine's `time.monotonic()` [s] when it came; of a recording, the time at which it would have."""
    values: Mapping[str, float]
    """By signal, as the twin's log has it."""


@dataclass(frozen=True)
class SourceOptions:
    """How a robot is listened to; what means nothing to a kind of source is left alone by it."""

    pace: float | None = None
    """Of a recording: how many of its seconds pass in one of ours; None: as fast as it is read."""
    signals: tuple[str, ...] = ()
    """Names or patterns (`imu.*`) of what is listened to; none: all that a robot tells of itself (`signals.py`)."""
    request: bool = True
    """Whether telemetry may be asked for, as a ground station does. Nothing else is ever sent."""
    network: bool = False
    """Whether others than this machine may be heard."""
    ids: Mapping[str, int] = field(default_factory=dict)
    """Of moteus: numbers on the bus by drive; 1, 2, ... by default."""
    topics: Mapping[str, str] = field(default_factory=dict)
    """Of ROS 2: topics by stream (`encoders`: `/joint_states`), where the robot speaks on other ones than the twin."""


class Source(Protocol):
    """A robot, as far as it can be heard."""

    @property
    def live(self) -> bool:
        """Whether time passes by itself: False for a recording, which may be read faster."""
        ...

    @property
    def signals(self) -> tuple[str, ...]:
        """What it may tell of, as far as is known when it is opened; of a recording, exactly."""
        ...

    def read(self, seconds: float) -> Sequence[Arrival]:
        """What has come since the last time; waits at most so long [s] where nothing has. `EOFError` at the end of a recording.

        Of a recording that is read as fast as it is asked, this is what its next `seconds` hold, one stamp at least.

        A line that is lost is opened again; meanwhile nothing comes. Bytes that mean nothing are counted and left out.
        """
        ...

    def notices(self) -> Sequence[str]:
        """What there is to say since the last time, a sentence each: lost, found again, what was not understood."""
        ...

    def close(self) -> None:
        """Let go of the wire. Nothing was ever sent that commands the robot."""
        ...


Open = Callable[["Twin", str, SourceOptions], Source]
"""Listens to the robot of a twin at an address; one that cannot be is an `InputError`."""
