"""The pilot: a table of 20 channels that moves set-points and inputs, turns mounts, drops boxes and resets.

A channel is a number from -1 to 1, as last_letter_2 has it (its `channel_mix.yaml`): 0 roll right, 1 nose up, 2 nose right, 3
throttle (-1 idle, 1 full), the others as the twin says. A row of `pilot.steer` hands a channel to a handle of the run:

    holds    offset + span channel
    moves    grows by span channel per second, between `low` and `high`

A channel rests where its row asks for nothing: -offset / span, so that a throttle idles; all others rest at zero. There the
table stands while nobody holds the sticks and when the pad is lost; what was moved stays where it was moved to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Protocol

from pydantic import Field, model_validator

from didymos.spec import Spec, number

__all__ = ["CHANNELS", "BoxesSpec", "Deeds", "Hand", "Looks", "Pilot", "PilotSpec", "SteerSpec", "usual_rows"]

CHANNELS = 20
PRESSED = 0.5
"""Above this a channel is a pressed button."""

Channel = Annotated[int, Field(ge=0, lt=CHANNELS, strict=True)]


class SteerSpec(Spec):
    """What one channel moves."""

    channel: Channel
    target: str = Field(description="setpoints.NAME or inputs.NAME; rows whose set-point a run's program does not have sleep")
    span: float = number(1.0, live=False, doc="of the target at full channel; per second where it moves")
    offset: float = number(0.0, live=False, doc="of the target at channel 0")
    moves: bool = Field(default=False, description="the channel says how fast the target moves, not where it is")
    low: float = number(-1e9, live=False, doc="where a moving target stops")
    high: float = number(1e9, live=False, doc="where a moving target stops")

    @model_validator(mode="after")
    def _can_rest(self) -> SteerSpec:
        if self.span == 0.0:
            raise ValueError("found a span of 0, with which the channel would do nothing")
        if self.moves and self.offset != 0.0:
            raise ValueError("a target that moves does not use the key 'offset'")
        if abs(self.offset) > abs(self.span):
            raise ValueError(f"found offset {self.offset:g} beyond span {self.span:g}: no channel from -1 to 1 would mean zero")
        if not self.low < self.high:
            raise ValueError(f"found low {self.low:g}, expected it below high {self.high:g}")
        return self

    @property
    def rest(self) -> float:
        """Channel at which the target is zero, or stands still."""
        return -self.offset / self.span


class BoxesSpec(Spec):
    """Boxes that the pilot drops from under the robot. When all are out, the oldest is taken again."""

    count: int = Field(default=5, ge=1, le=100, strict=True)
    side: float = number(0.05, unit="m", above=0, high=10, live=False)
    mass: float = number(1.0, unit="kg", above=0, live=False)
    gap: float = number(0.1, unit="m", low=0, live=False, doc="from the robot's lowest shape to the box")


class PilotSpec(Spec):
    """What the channels of a pilot do to this robot."""

    steer: tuple[SteerSpec, ...] = ()
    drop: Channel | None = Field(default=None, description="channel that drops a box")
    remove: Channel | None = Field(default=None, description="channel that takes all boxes away")
    reset: Channel | None = Field(default=None, description="channel that puts the robot back at its start")
    boxes: BoxesSpec = BoxesSpec()

    @property
    def buttons(self) -> dict[str, int]:
        """Channel of each deed that a button does."""
        named = {name: getattr(self, name) for name in ("drop", "remove", "reset")}
        return {name: channel for name, channel in named.items() if channel is not None}

    @model_validator(mode="after")
    def _apart(self) -> PilotSpec:
        targets = [row.target for row in self.steer]
        if len(set(targets)) < len(targets):
            twice = next(target for target in targets if targets.count(target) > 1)
            raise ValueError(f"{twice!r} is steered twice")
        taken = {row.channel for row in self.steer}
        for name, channel in self.buttons.items():
            if channel in taken:
                raise ValueError(f"channel {channel} of {name!r} does something else already")
            taken.add(channel)
        return self


class Hand(Protocol):
    """Whoever holds the channels: a gamepad, a page, a test."""

    @property
    def lost(self) -> str:
        """Why nobody holds them any more; empty while somebody does."""

    def read(self, time: float) -> Sequence[float | None]:
        """The channels at a time [s] of the twin's clock; None where this hand says nothing."""


Deeds = Iterator[tuple[str, str, tuple[float, ...]]]
"""Kind, path and value of what a pilot does to a run; see `engine/intervention.py`."""


class Looks(Protocol):
    """Whoever flies: a pilot, or those of several robots."""

    def look(self, time: float, period: float) -> Deeds:
        """What changes at a time [s] of the twin's clock, `period` seconds after the last look."""


# How set-points are flown where a twin does not say, by name: channel, span, offset, moves
_HABITS: dict[str, tuple[int, float, float, bool]] = {
    "roll": (0, 0.3, 0.0, False),
    "pitch": (1, -0.3, 0.0, False),
    "yaw": (2, -1.0, 0.0, True),
    "throttle": (3, 0.5, 0.5, False),
    "z": (3, 1.0, 0.0, True),
    "position": (3, 1.0, 0.0, True),
    "heading": (0, -0.5, 0.0, True),
    "x": (1, -1.0, 0.0, True),
    "y": (0, -1.0, 0.0, True),
    "vx": (1, -0.5, 0.0, False),
    "vy": (0, -0.5, 0.0, False),
    "wz": (2, -1.0, 0.0, False),
}


def usual_rows(handles: Sequence[str]) -> tuple[SteerSpec, ...]:
    """Rows for a twin that does not say how it is flown, by the names of its set-points; one per channel."""
    rows: dict[int, SteerSpec] = {}
    for handle in handles:
        head, _, name = handle.partition(".")
        if head == "setpoints" and name in _HABITS:
            channel, span, offset, moves = _HABITS[name]
            rows.setdefault(channel, SteerSpec(channel=channel, target=handle, span=span, offset=offset, moves=moves))
    return tuple(rows[channel] for channel in sorted(rows))


class Pilot:
    """Turns what a hand says into deeds.

    Args:
        spec: what the channels do.
        handles: what the run can be steered by; rows for others sleep.
        hand: whoever holds the channels.
        say: takes a line for the person, once, when the hand is lost.
    """

    def __init__(self, spec: PilotSpec, handles: Sequence[str], hand: Hand, say: Callable[[str], None] = print) -> None:
        self.handles, self.buttons = tuple(handles), spec.buttons
        self._hand, self._say = hand, say
        self.assign(spec.steer or usual_rows(handles))
        self.table = tuple(self.rest)
        self._offsets: dict[str, float] = {}
        self._told = False
        self._first = True

    def assign(self, rows: Sequence[SteerSpec]) -> None:
        """Let the channels move other handles."""
        self.rows = tuple(row for row in rows if row.target in self.handles)
        self.rest = [0.0] * CHANNELS
        for row in self.rows:
            self.rest[row.channel] = row.rest

    def resume(self, table: Sequence[float] | None, offsets: Mapping[str, float]) -> None:
        """Go on where another pilot stood: the channel table, None where nobody kept it, and what was steered how far."""
        self._offsets = dict(offsets)
        if table is not None:
            self.table, self._first = tuple(table), False

    def look(self, time: float, period: float) -> Deeds:
        """What changes at a time [s] of the twin's clock, `period` seconds after the last look."""
        said = self._hand.read(time)
        if self._hand.lost and not self._told:
            self._told = True
            self._say(f"{self._hand.lost}; channels rest, the throttle idles")
        before = self.table
        silent = (None,) * CHANNELS
        found = zip(silent if self._hand.lost else said, self.rest, strict=True)
        self.table = tuple(rest if value is None else min(max(value, -1.0), 1.0) for value, rest in found)
        if self._first or self.table != before:
            self._first = False
            yield "channels", "channels", self.table
        yield from self._steer(period)
        for name, channel in self.buttons.items():
            if self.table[channel] > PRESSED >= before[channel]:
                yield name, "boxes" if name != "reset" else "robot", ()

    def _steer(self, period: float) -> Deeds:
        offsets: dict[str, float] = dict.fromkeys(self._offsets, 0.0)
        for row in self.rows:
            value = self.table[row.channel]
            if row.moves:
                moved = self._offsets.get(row.target, 0.0) + row.span * value * period
                offset = min(max(moved, row.low), row.high)
            else:
                offset = row.offset + row.span * value
            offsets[row.target] = offsets.get(row.target, 0.0) + offset
        for target, offset in offsets.items():
            if offset != self._offsets.get(target, 0.0):
                yield "steer", target, (offset,)
        self._offsets = offsets
