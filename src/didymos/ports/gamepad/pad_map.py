"""Pad maps: which axis or button of a pad feeds which of the 20 channels, and how.

    channel = curve(band(raw / throw)),    band(x) = sign(x) max(|x| - d, 0) / (1 - d),    curve(x) = (1 - e) x + e x^3

raw is what the joystick node of ROS gives: an axis from -1 (right, back) to 1 (left, forward), a button 0 or 1. The file is
last_letter_2's `HID.yaml` (its keys with or without `/HID/`) with two more: `dead_bands` d and `curves` e, a number for all
channels or a list of 20; so an original file works as it is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from didymos.control.pilot import CHANNELS
from didymos.describe.yaml_file import Lines, read_yaml
from didymos.errors import InputError, nearest

__all__ = ["PadMap", "load_pad_map"]

_BUNDLED = Path(__file__).with_name("pad.yaml")
_NEEDED = ("axes", "buttons", "throws")
_KNOWN = (*_NEEDED, "dead_bands", "curves")
_MOST = 64  # axes or buttons of a pad


@dataclass(frozen=True)
class PadMap:
    """The rows of a map, each shape [20]."""

    axes: tuple[int, ...]
    buttons: tuple[int, ...]
    throws: tuple[float, ...]
    dead_bands: tuple[float, ...]
    curves: tuple[float, ...]

    def channels(self, axes: Sequence[float | None], buttons: Sequence[float | None]) -> tuple[float | None, ...]:
        """The table for raw values by number; None where the pad has no such axis or button, or it has said nothing yet."""
        table: list[float | None] = []
        for channel in range(CHANNELS):
            axis, button = self.axes[channel], self.buttons[channel]
            source, index = (axes, axis) if axis >= 0 else (buttons, button)
            raw = source[index] if 0 <= index < len(source) else None
            table.append(None if raw is None else self._shape(channel, raw))
        return tuple(table)

    def _shape(self, channel: int, raw: float) -> float:
        value, band, curve = raw / self.throws[channel], self.dead_bands[channel], self.curves[channel]
        value = 0.0 if abs(value) <= band else math.copysign((abs(value) - band) / (1.0 - band), value)
        return (1.0 - curve) * value + curve * value**3


def load_pad_map(file: Path | None = None) -> PadMap:
    """Read a map, by default that of a Logitech Extreme 3D Pro; what does not fit is an `InputError` with its line."""
    file = file or _BUNDLED
    raw, lines = read_yaml(file)
    rows = {key.removeprefix("/HID/"): (key, value) for key, value in raw.items()}
    for name, (key, _) in rows.items():
        if name not in _KNOWN:
            raise _mistake(f"there is no such key{nearest(name, _KNOWN)}", file, lines, key)
    for name in _NEEDED:
        if name not in rows:
            raise InputError(f"expected the key {name!r}, a list of {CHANNELS}", file=file)
    numbers = {
        name: _row(rows[name][1] if name in rows else 0.0, name, file, lines, rows[name][0] if name in rows else name)
        for name in _KNOWN
    }
    for channel in range(CHANNELS):
        if numbers["axes"][channel] >= 0 and numbers["buttons"][channel] >= 0:
            raise _mistake(f"channel {channel} has an axis and a button, expected at most one", file, lines, rows["axes"][0])
    whole = {name: tuple(map(int, numbers.pop(name))) for name in ("axes", "buttons")}
    return PadMap(**whole, **numbers)  # type: ignore[arg-type]


def _row(value: Any, name: str, file: Path, lines: Lines, key: str) -> tuple[float, ...]:
    row = value if isinstance(value, list) else [value] * CHANNELS
    if len(row) != CHANNELS or (name in _NEEDED and not isinstance(value, list)):
        count = len(row) if isinstance(value, list) else repr(value)
        raise _mistake(f"found {count}, expected a list of {CHANNELS}", file, lines, key)
    for channel, item in enumerate(row):
        if isinstance(item, bool) or not isinstance(item, int | float) or not _fits(name, item):
            raise _mistake(f"found {item!r} for channel {channel}, expected {_EXPECTED[name]}", file, lines, key)
    return tuple(float(item) for item in row)


_EXPECTED = {
    "axes": f"the number of an axis from 0 to {_MOST - 1}, or -1",
    "buttons": f"the number of a button from 0 to {_MOST - 1}, or -1",
    "throws": "a number other than zero",
    "dead_bands": "a number from 0 to below 1",
    "curves": "a number from 0 to 1",
}


def _fits(name: str, item: float) -> bool:
    if name in ("axes", "buttons"):
        return item == math.floor(item) and -1 <= item < _MOST if math.isfinite(item) else False
    if name == "throws":
        return math.isfinite(item) and item != 0.0
    return 0.0 <= item < 1.0 if name == "dead_bands" else 0.0 <= item <= 1.0


def _mistake(text: str, file: Path, lines: Lines, key: str) -> InputError:
    return InputError(text, file=file, line=lines.get((key,)), path=key)
