"""Twins whose descriptions were read with other arguments, kept for a while: to read one again takes a part of a second.

A search comes back to the same values of arguments many times: all slopes but those along them are taken with one description. So
the last few are kept, for all workers together.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping

from didymos.describe.parameters import ARGUMENTS
from didymos.describe.twin import Twin
from didymos.fitting.expected_readings import expect_readings

__all__ = ["DescribedTwins", "arguments_of"]

_KEPT = 12

Arguments = tuple[tuple[str, float], ...]


def arguments_of(values: Mapping[str, float]) -> Arguments:
    """The arguments of the description among values by path."""
    return tuple((path, value) for path, value in values.items() if path.startswith(ARGUMENTS))


class DescribedTwins:
    """The twin of a search with any arguments of its description; its sensors draw nothing."""

    def __init__(self, twin: Twin) -> None:
        self._twin = expect_readings(twin)
        self._kept: dict[Arguments, Twin] = {}
        self._lock = threading.Lock()

    def get(self, arguments: Arguments) -> Twin:
        """The twin whose description was read with some arguments; an `InputError` where that cannot be."""
        if not arguments:
            return self._twin
        with self._lock:
            made = self._kept.pop(arguments, None)
            if made is None:
                made = self._twin.copy()
                made.set_all(dict(arguments))
            self._kept[arguments] = made  # the last used one comes last
            while len(self._kept) > _KEPT:
                del self._kept[next(iter(self._kept))]
        return made
