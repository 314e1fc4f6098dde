"""One number of a twin: its path, its value, its unit, its bounds."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Parameter"]


@dataclass(frozen=True)
class Parameter:
    """One number of a twin. `live`: it can change while a run goes on."""

    path: str
    value: float
    unit: str
    low: float | None = None
    high: float | None = None
    live: bool = False
    doc: str = ""
    place: tuple[str, ...] = ()
    """The keys of the file that lead to it, where names among them may hold dots; else the path says them."""
