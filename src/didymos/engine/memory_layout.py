"""The layout of the plugin's state: who owns which stretch of it."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["LOOP_STATE", "ROBOT_STATE", "MemoryLayout"]

LOOP_STATE = np.dtype(
    [
        ("tick", np.float64),  # since the start
        ("sensed_ticks", np.float64),  # how many ticks have had their readings taken; one more than `tick` where it has
    ]
)
"""What the loop itself remembers."""

ROBOT_STATE = np.dtype(
    [
        ("reset_tick", np.float64),  # at which the robot last began
        ("program_called", np.float64),  # since then
    ]
)
"""What the loop remembers of a robot."""


class MemoryLayout:
    """Hands out consecutive stretches of an array of float64 by name, from a place in it on."""

    def __init__(self, first: int = 0) -> None:
        self.size = first  # where the next one begins
        self.starts: dict[str, int] = {}
        self.sizes: dict[str, int] = {}

    def reserve(self, name: str, count: int | np.dtype[Any]) -> int:
        """Reserve so many numbers, or those of a record, under a name; where they start."""
        words = count if isinstance(count, int) else count.itemsize // 8
        start = self.starts[name] = self.size
        self.sizes[name] = words
        self.size += words
        return start

    def stretch(self, name: str) -> slice:
        """The numbers of a name."""
        return slice(self.starts[name], self.starts[name] + self.sizes[name])
