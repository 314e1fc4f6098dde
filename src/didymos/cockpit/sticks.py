"""The sticks of the page as a pilot's hand: four axes and some buttons become the channels of `control/pilot.py`.

    right stick x -> 0 roll right     right stick y -> -1 nose up     left stick x -> 2 nose right     left stick y -> 3 throttle
    button i -> 6 + i, as the bundled pad map has it

Who lets go, or whose page falls silent, says nothing: then the channels rest.
"""

from __future__ import annotations

import json
import math
import time as wall

from didymos.control.pilot import CHANNELS

__all__ = ["AXES", "KEYS", "Sticks"]

AXES = {2: "left x", 3: "left y", 0: "right x", 1: "right y"}
"""Channel of each axis, in the order in which the page sends them."""

KEYS = {2: "A D", 3: "S W", 0: "← →", 1: "↑ ↓"}
"""Keys that move a channel down and up."""

FIRST_BUTTON = 6
DEAD_BAND = 0.04
SILENCE = 1.0  # [s] of wall time after which the sticks of a page that says nothing are let go
LONGEST = 1000  # characters of a message
_NOTHING: tuple[float | None, ...] = (None,) * CHANNELS


class Sticks:
    """A `Hand` at the page. `channels` is replaced as a whole, so that another thread may read it."""

    lost = ""

    def __init__(self) -> None:
        self.channels = _NOTHING
        self._received = 0.0

    def receive(self, text: str | bytes) -> None:
        """Take a message {"axes": [4 numbers from -1 to 1], "buttons": [numbers]}, or {} to let go; all else is no message."""
        if len(text) > LONGEST:
            return
        try:
            message = json.loads(text)
            axes, buttons = ([float(value) for value in message.get(key, ())] for key in ("axes", "buttons"))
        except (ValueError, TypeError, AttributeError, RecursionError, OverflowError):
            return
        if not message:
            self.channels = _NOTHING
        elif len(axes) == len(AXES) and all(map(math.isfinite, axes + buttons)):
            table: list[float | None] = list(_NOTHING)
            for channel, value in zip(AXES, axes, strict=True):
                away = 0.0 if abs(value) < DEAD_BAND else min(max(value, -1.0), 1.0)
                table[channel] = 0.0 - away if channel == 1 else away  # a stick pushed forward lowers the nose
            for i, value in enumerate(buttons[: CHANNELS - FIRST_BUTTON]):
                table[FIRST_BUTTON + i] = min(max(value, 0.0), 1.0)
            self.channels, self._received = tuple(table), wall.monotonic()

    def read(self, time: float) -> tuple[float | None, ...]:
        """The channels now; the twin's clock does not matter to a person."""
        if self.channels is not _NOTHING and wall.monotonic() - self._received > SILENCE:
            self.channels = _NOTHING
        return self.channels
