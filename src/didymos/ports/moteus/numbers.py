"""Which number each drive of a twin has on the bus."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from didymos.errors import InputError, nearest

if TYPE_CHECKING:
    from didymos.describe.twin import Twin

__all__ = ["bus_numbers"]

_NUMBERS = range(1, 0x7F)


def bus_numbers(twin: Twin, chosen: Mapping[str, int]) -> dict[str, int]:
    """Numbers of the drives: as chosen, else 1, 2, 3 in the order of the twin."""
    drives = [name for name, part in twin.file.parts.items() if part.kind == "drive"]
    if not drives:
        raise InputError(f"{twin.name} has no part of kind drive for the port moteus")
    for name, number in chosen.items():
        if name not in drives:
            raise InputError(f"there is no drive {name!r}{nearest(name, drives)} (there are: {', '.join(drives)})", option="ids")
        if number not in _NUMBERS:
            raise InputError(f"found {name}={number}, expected a number from 1 to {_NUMBERS[-1]}", option="ids")
        if list(chosen.values()).count(number) > 1:
            raise InputError(f"found {number} twice, expected a number of its own for each drive", option="ids")
    free = (number for number in _NUMBERS if number not in chosen.values())
    return {name: chosen[name] if name in chosen else next(free) for name in drives}
