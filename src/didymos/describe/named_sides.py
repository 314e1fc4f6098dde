"""Where a robot's front and left are, by the names of its links: `front_left_wheel`, `RL_hip`, `l_shoulder`, `wheelFrontRight`.

A name says nothing by itself: what counts is a pair of links whose names differ in one word alone, left from right or front
from rear, and the way from the one to the other. Pairs far apart count more than those close together (fingers, wipers), and
pairs that contradict each other count for nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["NamedSide", "named_sides"]

Array = NDArray[np.float64]

_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_FRONT, _LEFT = 0, 1
_ENDS = {"front": 1, "fore": 1, "rear": -1, "back": -1, "hind": -1}
_SIDES = {"left": 1, "right": -1, "l": 1, "r": -1}
_END_LETTERS = {"f": 1, "r": -1, "h": -1, "b": -1}
_AGREE = 0.8  # of the way of all pairs together, what remains when they are added up
_SHORT = 0.05  # [m]: what is closer is no side of a robot


@dataclass(frozen=True)
class NamedSide:
    """The unit direction in the root's frame in which a side lies ("front" or "left"), and the pair that shows it best."""

    side: str
    direction: Array
    pair: tuple[str, str]


def named_sides(places: Mapping[str, Array]) -> tuple[NamedSide, ...]:
    """What the names of links say of the front and the left; `places` [m], shape [3] each, in the frame of the root."""
    read = {name: _read(name) for name in places}
    found = []
    for axis, side in ((_FRONT, "front"), (_LEFT, "left")):
        ways: list[tuple[float, Array, tuple[str, str]]] = []
        other: dict[tuple[object, ...], str] = {}
        for name, (rest, signs) in read.items():
            if signs[axis] < 0:
                other.setdefault((rest, signs[1 - axis]), name)
        for name, (rest, signs) in read.items():
            opposite = other.get((rest, signs[1 - axis]))
            if signs[axis] > 0 and opposite is not None:
                way = places[name] - places[opposite]
                ways.append((float(np.linalg.norm(way)), way, (name, opposite)))
        total = np.sum([way for _, way, _ in ways], axis=0) if ways else np.zeros(3)
        length, all_of_them = float(np.linalg.norm(total)), sum(size for size, _, _ in ways)
        if ways and length > max(_SHORT, _AGREE * all_of_them):
            found.append(NamedSide(side, total / length, max(ways, key=lambda item: item[0])[2]))
    return tuple(found)


def _read(name: str) -> tuple[tuple[str, ...], tuple[int, int]]:
    """A name without its words of place, and whether they say front (1) or rear (-1), left (1) or right (-1), or nothing (0)."""
    rest: list[str] = []
    signs = [0, 0]
    for word in (item.lower() for item in _WORDS.findall(name)):
        ends, sides = _ENDS.get(word, 0), _SIDES.get(word, 0)
        if len(word) == 2 and (both := _letters(word)) is not None:
            ends, sides = both
        signs[_FRONT], signs[_LEFT] = signs[_FRONT] or ends, signs[_LEFT] or sides
        rest.append("*" if ends or sides else word)
    return tuple(rest), (signs[_FRONT], signs[_LEFT])


def _letters(word: str) -> tuple[int, int] | None:
    """`fl`, `rr`, `lf`, `rh`: an end and a side; None of `lr` and other pairs of letters."""
    first, second = word[0], word[1]
    if first in _END_LETTERS and second in ("l", "r"):  # of rl, rr the first is the end
        return _END_LETTERS[first], _SIDES[second]
    if first in ("l", "r") and second in ("f", "h", "b"):
        return _END_LETTERS[second], _SIDES[first]
    return None
