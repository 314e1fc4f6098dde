"""A plan of the engine's `userdata`: who owns which stretch of it."""

from __future__ import annotations

__all__ = ["Plan"]


class Plan:
    """Hands out consecutive stretches of an array by name."""

    def __init__(self) -> None:
        self.size = 0
        self.starts: dict[str, int] = {}

    def take(self, name: str, count: int) -> int:
        """Reserve `count` numbers under a name; where they start."""
        start = self.starts[name] = self.size
        self.size += count
        return start
