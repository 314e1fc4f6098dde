"""A gamepad as the pilot's hand: events become axes and buttons, the map makes channels of them.

Axes follow the convention of ROS's joystick node: right and back are -1, left and forward +1. An axis that has said nothing
yet has no value, so its channel rests. A pad that ends is lost for this run; the pilot says so and lets the channels rest.
"""

from __future__ import annotations

from pathlib import Path

from didymos.control.pilot import CHANNELS
from didymos.errors import InputError
from didymos.ports.gamepad.events import AXIS, DROPPED, KEY, SYNC, Event
from didymos.ports.gamepad.pad_map import PadMap
from didymos.ports.gamepad.source import PadLayout, Source, Unplugged, open_source

__all__ = ["ANY", "Gamepad", "find_gamepad", "open_gamepad"]

ANY = "any"
"""Name that stands for the first pad of this machine."""

_DEVICES = Path("/dev/input")
_STICK_CODES = {0, 1}  # ABS_X, ABS_Y: what a pad has and a keyboard does not
_FIRST_BUTTON, _LAST_BUTTON = 0x120, 0x13F  # joysticks and gamepads


class Gamepad:
    """A `Hand` over a source of events. `live`: somebody sits there, so the run should keep to the wall clock."""

    def __init__(self, source: Source, pad_map: PadMap) -> None:
        self._source, self._map = source, pad_map
        self.name, self.live, self.lost = source.layout.name, source.live, ""
        self.axes: list[float | None] = [None] * len(source.layout.axes)
        self.buttons: list[float | None] = [None] * len(source.layout.buttons)
        self._read_state()

    def read(self, time: float) -> tuple[float | None, ...]:
        """The channels at a time [s] of the twin's clock."""
        if self.lost:
            return (None,) * CHANNELS
        try:
            for event in self._source.events(time):
                if event.kind == SYNC and event.code == DROPPED:
                    self._read_state()
                self._take(event)
        except (Unplugged, OSError) as error:
            self.lost = f"the pad {self.name!r} is gone ({error})"
        return self._map.channels(self.axes, self.buttons)

    def close(self) -> None:
        """Let go of the pad."""
        self._source.close()

    def _read_state(self) -> None:
        for event in self._source.state():
            self._take(event)

    def _take(self, event: Event) -> None:
        layout = self._source.layout
        if event.kind == AXIS:
            for i, (code, low, high) in enumerate(layout.axes):
                if code == event.code and high > low:
                    self.axes[i] = 1.0 - 2.0 * (min(max(event.value, low), high) - low) / (high - low)
        elif event.kind == KEY and event.code in layout.buttons:
            self.buttons[layout.buttons.index(event.code)] = 1.0 if event.value else 0.0


def is_pad(layout: PadLayout) -> bool:
    """Whether a device of the kernel is a joystick or gamepad, not a keyboard, mouse or touch screen."""
    codes = {code for code, _, _ in layout.axes}
    return codes >= _STICK_CODES and any(_FIRST_BUTTON <= code <= _LAST_BUTTON for code in layout.buttons)


def find_gamepad() -> Path:
    """The first pad of this machine; none is an `InputError` that says what to do."""
    refused = []
    for path in sorted(_DEVICES.glob("event*"), key=lambda item: (len(item.name), item.name)):
        try:
            source = open_source(path)
        except InputError as error:
            refused.append(error.message)
            continue
        fits = is_pad(source.layout)
        source.close()
        if fits:
            return path
    hint = f" ({refused[0]}; a member of the group 'input' may read them)" if refused else ""
    raise InputError(
        f"found no pad among {_DEVICES}/event*{hint}; plug one in, name a device, pipe or file of events, or leave the option out"
        " to fly the scenario's stimuli",
        option="gamepad",
    )


def open_gamepad(device: str, pad_map: PadMap) -> Gamepad:
    """The pad with a path, or the first of this machine for `any`."""
    return Gamepad(open_source(find_gamepad() if device == ANY else Path(device)), pad_map)
