"""Small charts as SVG text, for a page that needs nothing else: axes with round ticks, bars, points, lines, areas.

Colours are classes of the page's style sheet, so a chart follows its light and its dark side. Coordinates are written with one
decimal. Texts are escaped.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

import numpy as np
from numpy.typing import NDArray

__all__ = ["Chart", "short", "ticks"]

_Array = NDArray[np.float64]

_CHARACTER = 6.2  # [px] of a tick's label


def ticks(low: float, high: float, count: int = 5) -> list[float]:
    """Round numbers from `low` to `high`, about `count` of them."""
    raw = (high - low) / max(count, 1)
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1.0, 2.0, 2.5, 5.0, 10.0) if factor * power >= raw * (1.0 - 1e-9))
    first = math.ceil(low / step - 1e-9)
    return [index * step for index in range(first, math.floor(high / step + 1e-9) + 1)]


def short(value: float) -> str:
    """A number in few characters."""
    text = f"{value:.3e}" if 0.0 < abs(value) < 1e-3 else f"{value:.4g}"
    digits, letter, power = text.partition("e")
    return f"{digits.rstrip('0').rstrip('.') if '.' in digits else digits}e{int(power)}" if letter else digits


class Chart:
    """A chart of `width` by `height` px over ranges of x and y; `text` is the SVG."""

    def __init__(
        self,
        width: float,
        height: float,
        x: tuple[float, float],
        y: tuple[float, float],
        *,
        left: float = 52.0,
        bottom: float = 36.0,
    ) -> None:
        self._width, self._height = width, height
        self._x, self._y = _widened(*x), _widened(*y)
        self._left, self._right, self._top, self._bottom = left, width - 12.0, 10.0, height - bottom
        self._items: list[str] = []

    @property
    def text(self) -> str:
        box = f'viewBox="0 0 {self._width:g} {self._height:g}" width="{self._width:g}" height="{self._height:g}"'
        return f'<svg xmlns="http://www.w3.org/2000/svg" {box} role="img">{"".join(self._items)}</svg>'

    def across(self, x: float) -> float:
        """Where x lies [px], held inside."""
        low, high = self._x
        return self._left + (self._right - self._left) * min(max((x - low) / (high - low), 0.0), 1.0)

    def down(self, y: float) -> float:
        """Where y lies [px], held inside."""
        low, high = self._y
        return self._bottom - (self._bottom - self._top) * min(max((y - low) / (high - low), 0.0), 1.0)

    def axes(self, x_label: str, y_label: str = "", *, y_ticks: bool = True) -> None:
        """Lines, ticks and names of both axes."""
        for value in ticks(*self._x, count=5):
            at = self.across(value)
            self._line(at, self._top, at, self._bottom, "grid")
            self._text(at, self._bottom + 14.0, short(value), "tick", "middle")
        for value in ticks(*self._y, count=4) if y_ticks else ():
            at = self.down(value)
            self._line(self._left, at, self._right, at, "grid")
            self._text(self._left - 6.0, at + 3.5, short(value), "tick", "end")
        self._line(self._left, self._bottom, self._right, self._bottom, "axis")
        self._text(0.5 * (self._left + self._right), self._bottom + 30.0, x_label, "label", "middle")
        if y_label:
            middle = 0.5 * (self._top + self._bottom)
            place = f'x="12" y="{middle:.1f}" transform="rotate(-90 12 {middle:.1f})"'
            self._items.append(f'<text {place} class="label" text-anchor="middle">{escape(y_label)}</text>')

    def area(self, x: tuple[float, float], y: tuple[float, float], kind: str, opacity: float = 1.0) -> None:
        """A filled rectangle between two x and two y."""
        left, right, top, bottom = self.across(x[0]), self.across(x[1]), self.down(y[1]), self.down(y[0])
        if right > left and bottom > top:
            fade = "" if opacity == 1.0 else f' fill-opacity="{opacity:.2f}"'
            size = f'width="{right - left:.1f}" height="{bottom - top:.1f}"'
            self._items.append(f'<rect x="{left:.1f}" y="{top:.1f}" {size} class="{kind}"{fade}/>')

    def band(self, x: tuple[float, float], y: float, thick: float, kind: str) -> None:
        """A bar between two x around a y, `thick` px."""
        left, right, middle = self.across(x[0]), self.across(x[1]), self.down(y)
        size = f'width="{right - left:.1f}" height="{thick:g}" rx="2"'
        self._items.append(f'<rect x="{left:.1f}" y="{middle - 0.5 * thick:.1f}" {size} class="{kind}"/>')

    def whisker(self, x: tuple[float, float], y: float) -> None:
        """An interval at a y."""
        left, right, middle = self.across(x[0]), self.across(x[1]), self.down(y)
        self._line(left, middle, right, middle, "whisker")
        for end in (left, right):
            self._line(end, middle - 4.0, end, middle + 4.0, "whisker")

    def points(self, x: _Array, y: _Array, kind: str, radius: float = 2.4) -> None:
        """A dot at each place; those that are no numbers are left out."""
        known = np.isfinite(x) & np.isfinite(y)
        pairs = zip(x[known], y[known], strict=True)
        path = "".join(f"M{self.across(a):.1f} {self.down(b):.1f}h0" for a, b in pairs)  # round caps make dots of them
        if path:
            self._items.append(f'<path d="{path}" class="dots {kind}" stroke-width="{2.0 * radius:g}"/>')

    def line(self, x: Sequence[float] | _Array, y: Sequence[float] | _Array, kind: str) -> None:
        """A line through places; it breaks where one is no number."""
        path, broken = [], True
        for a, b in zip(x, y, strict=True):
            if not (math.isfinite(a) and math.isfinite(b)):
                broken = True
                continue
            path.append(f"{'M' if broken else 'L'}{self.across(a):.1f} {self.down(b):.1f}")
            broken = False
        if path:
            self._items.append(f'<path d="{"".join(path)}" class="{kind}" fill="none"/>')

    def upright(self, x: float, kind: str) -> None:
        """A line at an x, if it is in the chart."""
        if self._x[0] <= x <= self._x[1]:
            self._line(self.across(x), self._top, self.across(x), self._bottom, kind)

    def level(self, y: float, kind: str) -> None:
        """A line at a y, if it is in the chart."""
        if self._y[0] <= y <= self._y[1]:
            self._line(self._left, self.down(y), self._right, self.down(y), kind)

    def name(self, y: float, text: str) -> None:
        """A name on the left of a y, cut where it is too long."""
        room = max(int((self._left - 10.0) / _CHARACTER), 4)
        cut = text if len(text) <= room else f"…{text[1 - room :]}"
        full = f"<title>{escape(text)}</title>"
        place = f'x="{self._left - 8.0:.1f}" y="{self.down(y) + 4.0:.1f}"'
        self._items.append(f'<text {place} class="name" text-anchor="end">{full}{escape(cut)}</text>')

    def _line(self, x1: float, y1: float, x2: float, y2: float, kind: str) -> None:
        self._items.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>')

    def _text(self, x: float, y: float, text: str, kind: str, anchor: str) -> None:
        self._items.append(f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}">{escape(text)}</text>')


def _widened(low: float, high: float) -> tuple[float, float]:
    """A range that is one."""
    if not (math.isfinite(low) and math.isfinite(high)):
        return 0.0, 1.0
    if high > low and high - low > 1e-12 * max(abs(low), abs(high)):
        return low, high
    room = 0.5 * abs(low) or 0.5
    return low - room, low + room
