"""Which number each drive has on its bus, and which robots of a world share one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from didymos.errors import InputError, nearest
from didymos.ports.serve_options import ServeOptions

if TYPE_CHECKING:
    from didymos.describe.twin import Twin
    from didymos.engine.simulation import Simulation

__all__ = ["BusPlan", "bus_numbers", "plan_buses"]

_NUMBERS = range(1, 0x7F)


@dataclass(frozen=True)
class BusPlan:
    """A bus to be: the robots on it, the number of each of their drives, and the names that lead to its terminal and its tap.

    Drives are called as in the twin, in a world with the robot in front: `leg.knee`.
    """

    robots: tuple[str, ...]
    numbers: Mapping[str, int]
    link: Path | None
    tap: Path | None = None


def bus_numbers(twin: Twin, chosen: Mapping[str, int]) -> dict[str, int]:
    """Numbers of the drives of a twin: as chosen, else 1, 2, 3 in the order of the twin."""
    drives = _drives(twin)
    if not drives:
        raise InputError(f"{twin.name} has no part of kind drive for the port moteus")
    _check_chosen(drives, chosen)
    return _numbered(drives, chosen)


def plan_buses(simulation: Simulation, options: ServeOptions) -> list[BusPlan]:
    """The buses of a run: one for a twin alone; in a world one for each robot with drives, or for those that share a link."""
    if "" in simulation.robots:
        return [BusPlan(("",), bus_numbers(simulation.twin, options.ids), options.link, options.tap)]
    if options.tap is not None:
        raise InputError("listens to the bus of a twin alone; a world has several", option="tap")
    drives = {name: [f"{name}.{drive}" for drive in _drives(robot.twin)] for name, robot in simulation.robots.items()}
    robots = [name for name, own in drives.items() if own]
    if not robots:
        raise InputError(f"no robot of {simulation.twin.name} has a part of kind drive for the port moteus")
    for name in options.links:
        if name not in robots:
            known = f"{nearest(name, robots)} (there are: {', '.join(robots)})"
            raise InputError(f"there is no robot {name!r} with drives{known}", option="links")
    _check_chosen([drive for own in drives.values() for drive in own], options.ids)
    shared: dict[Path | str, list[str]] = {}
    for name in robots:
        shared.setdefault(options.links[name].absolute() if name in options.links else name, []).append(name)
    plans = []
    for names in shared.values():
        own = [drive for name in names for drive in drives[name]]
        chosen = {drive: number for drive, number in options.ids.items() if drive in own}
        plans.append(BusPlan(tuple(names), _numbered(own, chosen), options.links.get(names[0])))
    return plans


def _drives(twin: Twin) -> list[str]:
    return [name for name, part in twin.file.parts.items() if part.kind == "drive"]


def _check_chosen(drives: Sequence[str], chosen: Mapping[str, int]) -> None:
    for name, number in chosen.items():
        if name not in drives:
            raise InputError(f"there is no drive {name!r}{nearest(name, drives)} (there are: {', '.join(drives)})", option="ids")
        if number not in _NUMBERS:
            raise InputError(f"found {name}={number}, expected a number from 1 to {_NUMBERS[-1]}", option="ids")


def _numbered(drives: Sequence[str], chosen: Mapping[str, int]) -> dict[str, int]:
    """Numbers of the drives of one bus."""
    for number in chosen.values():
        if list(chosen.values()).count(number) > 1:
            raise InputError(f"found {number} twice, expected a number of its own for each drive", option="ids")
    if len(drives) > len(_NUMBERS):
        raise InputError(f"found {len(drives)} drives, expected {len(_NUMBERS)} on one bus at most", option="links")
    free = (number for number in _NUMBERS if number not in chosen.values())
    return {name: chosen[name] if name in chosen else next(free) for name in drives}
