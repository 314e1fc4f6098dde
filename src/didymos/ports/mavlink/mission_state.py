"""A mission as clients see it: its items, the one it is at, those that were reached; how it is flown belongs to the vehicle."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from didymos.ports.mavlink.mission import Item, wrong_with

__all__ = ["MissionState"]


class MissionState(ABC):
    """The items of a vehicle, and the one it is at."""

    def __init__(self) -> None:
        self.items: list[Item] = []
        self.current = 0
        self.reached: list[int] = []  # items that were reached and not told yet
        self.finished = False

    def wrong_with(self, item: Item, before: Sequence[Item]) -> int | None:
        """Why an item cannot be flown behind others, by MAVLink's number; None where it can."""
        return wrong_with(item)

    def load(self, items: Sequence[Item]) -> None:
        """Take another mission."""
        self.items = list(items)
        self.set_current(0)

    def set_current(self, number: int) -> bool:
        """Go on with an item; whether it is there."""
        if number and not 0 <= number < len(self.items):
            return False
        self.current, self.finished = number, False
        self._start_anew()
        return True

    @abstractmethod
    def resume(self) -> None:
        """Go on with the item it is at, from wherever the vehicle is; a mission that was finished begins anew."""

    @abstractmethod
    def landed(self) -> None:
        """The landing of the item it is at is over."""

    @abstractmethod
    def _start_anew(self) -> None:
        """The item it is at is another one now."""
