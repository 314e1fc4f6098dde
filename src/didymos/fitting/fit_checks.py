"""What is looked at before a search: what goes with what, columns that cannot be compared, parameters that move nothing."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from didymos.describe.twin import Twin
from didymos.engine.simulation import Simulation
from didymos.errors import InputError
from didymos.fitting.methods import DIFFERENCE
from didymos.fitting.problem import Problem
from didymos.fitting.recording import Recording

__all__ = ["check_effect", "columns_of_another_program", "estimates_starts", "without"]

_Array = NDArray[np.float64]
_NO_EFFECT = 1e-9  # of the residual's size


def estimates_starts(start: str, window: float | None, method: str) -> bool:
    """Whether starts of windows are estimated; what they cannot go with is an `InputError`."""
    if start not in ("measured", "estimated"):
        raise InputError(f"found {start!r}, expected measured or estimated", option="start")
    if start == "estimated" and window is None:
        raise InputError("starts are estimated of windows; say how long they are with `window`", option="start")
    if start == "estimated" and method != "least-squares":
        raise InputError(f"starts are estimated by least squares; {method} does not know them", option="start")
    return start == "estimated"


def columns_of_another_program(twin: Twin, recordings: Sequence[Recording]) -> dict[str, str]:
    """Signals that only the file's program tells where another one runs, and a sentence for each: they cannot be compared."""
    found: dict[str, str] = {}
    if twin.program_by_hand is not None:
        for scenario in dict.fromkeys(recording.scenario for recording in recordings):
            simulation = Simulation(twin, scenario=scenario)
            known = simulation.new_log()
            for channel in (channel for recording in recordings for channel in recording.channels):
                signal = channel.column.signal
                if signal not in known and simulation.scope.lacks(signal):
                    found[signal] = f"{channel.column.name} is skipped: the program that runs does not tell {signal}"
    return found


def without(recordings: Sequence[Recording], signals: Collection[str]) -> list[Recording]:
    """The recordings without the channels of some signals; one of which nothing is left is left out itself."""
    kept = [
        replace(recording, channels=tuple(item for item in recording.channels if item.column.signal not in signals))
        for recording in recordings
    ]
    return [recording for recording in kept if recording.channels]


def check_effect(problem: Problem, start: _Array) -> None:
    """A parameter that moves nothing, neither a little nor half its range away nor beside other values, is an error.

    So is a body that moves nothing by any of its coordinates; that some of them move nothing is usual.
    """
    colours = problem.parameters.colours()
    idle = np.ones(len(colours), dtype=bool)
    for point, step in ((start, DIFFERENCE), (start, 0.5), (0.5 * start + 0.25, 0.4)):
        if idle.any():
            away = np.where(point + step <= 1.0, step, -step)
            trials = np.tile(point[:, None], (1, 1 + len(colours)))
            for c, members in enumerate(colours):
                trials[members, 1 + c] += away[members]
            size, moved, failed = problem.moves(trials)
            idle &= (moved[1:] <= _NO_EFFECT * size) | failed[1:] | failed[0]
    effective = {int(member) for c, members in enumerate(colours) if not idle[c] for member in members}
    for group, index in problem.parameters.entries():
        part = problem.parameters.stretch(group, index)
        if not effective & set(range(part.start, part.stop)):
            text = "has no effect on these recordings; leave it out, or record a motion that shows it"
            raise InputError(text, path=group.path)
