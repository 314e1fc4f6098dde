"""Where a part that thrusts sits on its robot."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Rotor"]


@dataclass(frozen=True)
class Rotor:
    """A part that thrusts: where it sits in the root link's frame, along which axis, turning which way."""

    input: str
    position: tuple[float, float, float]
    axis: tuple[float, float, float]
    direction: float
