"""What a source is heard to say, for the tests of sources beside a real process."""

from __future__ import annotations

import time
from collections.abc import Callable

from didymos.shadow.source import Arrival, Source

__all__ = ["PATIENCE", "read_until"]

PATIENCE = 200.0  # [s] until a test gives up on something that has to come, however busy the machine is


def read_until(source: Source, over: Callable[[list[Arrival], list[str]], bool]) -> tuple[list[Arrival], list[str]]:
    """What is heard and said until something holds."""
    arrivals: list[Arrival] = []
    said: list[str] = []
    end = time.monotonic() + PATIENCE
    while not over(arrivals, said):
        assert time.monotonic() < end, f"not in {PATIENCE:g} s; said: {said}"
        arrivals += source.read(0.05)
        said += source.notices()
    return arrivals, said
