"""How the rates of a twin fit together, and what its stimuli move."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from didymos.control import Controller
from didymos.control.stimulus import StimulusSpec, held_rows
from didymos.describe.twin import Twin
from didymos.errors import InputError, nearest

__all__ = ["scheduled_parameters", "stimulus_table", "tick_rate"]


def tick_rate(twin: Twin, program: Controller | None) -> tuple[int, int]:
    """Physics steps per tick and ticks per call of the program.

    A tick is the program's period, or a whole part of it where a sensor reads, or rows of the log are asked for, more often
    than the program is called.
    """
    step, record = twin.file.world.step, twin.file.record
    rates = {name: getattr(record, name) for name in ("rate", "tf_rate") if name in record.model_fields_set}
    for name, rate in rates.items():
        if rate * step > 1.0 + 1e-6:
            raise twin.mistake(f"found {rate:g} Hz, expected at most one row per physics step of {step:g} s", "record", name)
    slowest = max(1, round(0.01 / step)) if program is None else _steps_per_call(program, step)
    fastest = max((*rates.values(), *(sensor.rate for sensor in twin.file.sensors.values())), default=0.0)
    small = [n for n in range(1, math.isqrt(slowest) + 1) if slowest % n == 0]
    for every in (*small, *(slowest // n for n in reversed(small))):  # the divisors in order
        if every / (slowest * step) >= fastest - 1e-6:
            return slowest // every, every
    return 1, slowest


def _steps_per_call(program: Controller, step: float) -> int:
    if math.isinf(program.rate):
        return 1
    steps = 1.0 / (program.rate * step) if program.rate > 0.0 else 0.0
    if steps < 1.0 - 1e-9 or abs(steps - round(steps)) > 1e-6 * steps:
        raise InputError(
            f"{type(program).__name__} asks for {program.rate:g} Hz, expected a rate whose period is a whole number of"
            f" physics steps of {step:g} s",
            path="control.rate",
        )
    return round(steps)


def scheduled_parameters(stimuli: tuple[StimulusSpec, ...]) -> tuple[str, ...]:
    """Paths of the parameters that stimuli move, and the pushes among their targets, each once."""
    targets = (stimulus.target for stimulus in stimuli)
    return tuple(dict.fromkeys(target for target in targets if not target.startswith(("setpoints.", "inputs."))))


def stimulus_table(twin: Twin, stimulus: StimulusSpec) -> NDArray[np.float64]:
    """Times [s] and values of a stimulus that comes from a file, shape [n, 2]; empty for all others."""
    if stimulus.kind == "rows":
        return held_rows(twin.folder / stimulus.file, stimulus.column, stimulus.start)
    if stimulus.kind in ("file", "held"):
        return _column(twin.folder / stimulus.file, stimulus.column)
    return np.zeros((0, 2))


def _column(file: Path, column: str) -> NDArray[np.float64]:
    """Rows (time [s], value) of a column of a file, shape [n, 2]."""
    from didymos.record.log import Log

    log = Log.load(file)
    if column not in log.signals:
        hint = nearest(column, log.signals)
        raise InputError(f"there is no column {column!r}{hint} (there is: {', '.join(log.signals)})", file=file)
    signal = log[column]
    table = np.column_stack([signal.time, signal.values])
    if not len(table):
        raise InputError("found no number in this column", file=file, path=column)
    if not np.isfinite(table).all():
        row = int(np.flatnonzero(~np.isfinite(table).all(axis=1))[0])
        raise InputError(f"found {table[row, 1]:g} at {table[row, 0]:g} s, expected finite numbers", file=file, path=column)
    return table
