"""Which signals of a twin's log a robot can tell of itself: readings of its sensors, what its drives and batteries report, its
inputs, set-points and odometry.

What only a simulation knows is not among them: the truth, joints and poses, the thrust of a rotor, the air, momentum, what the
program thinks. A recording of a real robot may hold some of it all the same, as a camera system's `truth.position`; such
columns are named by the twin file. What the electronics of other parts report is a sensor `readout`.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from didymos.describe.names import readings
from didymos.engine.simulation import Simulation
from didymos.errors import InputError, nearest
from didymos.parts.battery import Battery
from didymos.parts.drive import Drive
from didymos.record.stream import Kind, StreamLayout

if TYPE_CHECKING:
    from didymos.describe.twin import Twin

__all__ = ["all_signals", "chosen", "robot_signals"]

_TOLD = ("inputs", "setpoints", "odom")  # streams beside those of sensors


def all_signals(twin: Twin) -> dict[str, str]:
    """The unit of every signal that a run of a twin records."""
    return {name: unit for layout in _layouts(twin) for name, unit in zip(layout.signals, layout.units, strict=True)}


def robot_signals(twin: Twin) -> dict[str, str]:
    """The unit of every signal that the robot itself can tell; rays of scans are not among them, they are for who names them."""
    parts = [f"parts.{name}." for name, spec in twin.file.parts.items() if issubclass(spec.contract, (Drive, Battery))]
    told = {*_TOLD, *readings(twin)}
    found = {}
    for layout in _layouts(twin):
        whole = layout.name.partition(".")[0] in told and layout.kind is not Kind.LASER_SCAN
        for name, unit in zip(layout.signals, layout.units, strict=True):
            if whole or name.startswith(tuple(parts)):
                found[name] = unit
    return found


def chosen(patterns: Iterable[str], known: Mapping[str, str]) -> dict[str, str]:
    """The signals that some names, prefixes or patterns mean; one that means none is an `InputError`."""
    found: dict[str, str] = {}
    for pattern in patterns:
        names = [name for name in known if name.startswith(pattern + ".") or fnmatch.fnmatchcase(name, pattern)]
        if not names:
            raise InputError(f"no signal {pattern!r} in a log of this twin{nearest(pattern, known)}", option="signals")
        found |= {name: known[name] for name in names}
    return found


def _layouts(twin: Twin) -> list[StreamLayout]:
    return [stream.layout for stream in Simulation(twin).built.streams]
