"""The pilot: four stick axes that move set-points (or inputs, where a twin has no set-points).

An axis either holds (offset = span x stick) or moves (offset grows by span x stick per second). What the sticks did becomes
an intervention of the run, so a flight by hand can be repeated to the same bytes.
"""

from __future__ import annotations

import json
import math
import time as wall
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

__all__ = ["AXES", "Channel", "Pilot"]

AXES = ("left x", "left y", "right x", "right y")
KEYS = {"left x": "A D", "left y": "S W", "right x": "← →", "right y": "↓ ↑"}
DEAD_BAND = 0.04
SILENCE = 1.0  # [s] of wall time after which the sticks of a page that says nothing are let go
LONGEST = 1000  # characters of a message

# How a set-point is flown, by its name: axis, span and sign, whether it moves rather than holds.
_HABITS: dict[str, tuple[str, float, bool]] = {
    "roll": ("right x", 0.3, False),
    "pitch": ("right y", 0.3, False),
    "yaw": ("left x", -1.0, True),
    "heading": ("left x", -0.5, True),
    "z": ("left y", 1.0, True),
    "height": ("left y", 2.0, True),
    "altitude": ("left y", 2.0, True),
    "airspeed": ("right y", 3.0, False),
    "vx": ("right y", 0.5, False),
    "vy": ("right x", -0.5, False),
    "wz": ("left x", -1.0, False),
    "x": ("right y", 0.3, True),
    "y": ("right x", -0.3, True),
}


@dataclass(frozen=True)
class Channel:
    """What an axis drives: a handle (`wanted.NAME`, `inputs.NAME`, or nothing), its span and whether it moves."""

    axis: str
    handle: str = ""
    span: float = 1.0
    moves: bool = False


class Pilot:
    """Turns the axes into offsets. `axes` is replaced as a whole by whoever hears the sticks."""

    def __init__(self, handles: Sequence[str]) -> None:
        self.handles = tuple(handles)
        self.axes: tuple[float, ...] = (0.0,) * len(AXES)
        self.channels = _habit(self.handles)
        self.offsets: dict[str, float] = {}
        self._heard = 0.0

    def hear(self, text: str | bytes) -> None:
        """Take a message of the page, {"axes": [4 numbers from -1 to 1]}; anything else is no message."""
        if len(text) > LONGEST:
            return
        try:
            axes = tuple(float(value) for value in json.loads(text)["axes"])
        except (ValueError, TypeError, KeyError, RecursionError):
            return
        if len(axes) == len(AXES) and all(map(math.isfinite, axes)):
            self.axes = tuple(0.0 if abs(axis) < DEAD_BAND else min(max(axis, -1.0), 1.0) for axis in axes)
            self._heard = wall.monotonic()

    def assign(self, axis: str, **changes: object) -> None:
        """Change what an axis drives."""
        self.channels = tuple(
            replace(channel, **changes) if channel.axis == axis else channel  # type: ignore[arg-type]
            for channel in self.channels
        )

    def moved(self, seconds: float) -> Iterator[tuple[str, float]]:
        """Handles whose offset is another one than before, after a time [s] of the twin's clock; with their offsets."""
        if any(self.axes) and wall.monotonic() - self._heard > SILENCE:
            self.axes = (0.0,) * len(AXES)
        offsets: dict[str, float] = dict.fromkeys(self.offsets, 0.0)
        for channel, axis in zip(self.channels, self.axes, strict=True):
            if channel.handle in self.handles:
                before = self.offsets.get(channel.handle, 0.0) if channel.moves else offsets.get(channel.handle, 0.0)
                offsets[channel.handle] = before + channel.span * axis * (seconds if channel.moves else 1.0)
        changed = {handle: offset for handle, offset in offsets.items() if offset != self.offsets.get(handle, 0.0)}
        self.offsets = offsets
        yield from changed.items()


def _habit(handles: Sequence[str]) -> tuple[Channel, ...]:
    """A sensible first assignment: set-points by their names, then whatever is left, in order."""
    pool = [handle for handle in handles if handle.startswith("wanted.")] or list(handles)
    taken: dict[str, Channel] = {}
    for handle in pool:
        axis, span, moves = _HABITS.get(handle.partition(".")[2].rpartition(".")[2], ("", 0.0, False))
        if axis and axis not in taken:
            taken[axis] = Channel(axis, handle, span, moves)
    rest = iter([handle for handle in pool if handle not in {channel.handle for channel in taken.values()}])
    for axis in ("left y", "right y", "right x", "left x"):
        if axis not in taken:
            taken[axis] = Channel(axis, next(rest, ""), 0.5)
    return tuple(taken[axis] for axis in AXES)
