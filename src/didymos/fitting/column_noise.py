"""How noisy a column of a recording will be, before there is one: what the user says, its `sd`, or the errors of its sensor."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from didymos.describe.twin import Twin
from didymos.errors import InputError, nearest
from didymos.fitting.recording import Column

__all__ = ["column_noise", "noisy_readings"]


def column_noise(twin: Twin, columns: Mapping[str, Column], given: Mapping[str, float]) -> dict[str, float]:
    """Standard deviations by column, in the signal's unit; one that nothing says is an `InputError`.

    `given` is by column or by signal. Biases of a sensor count as noise of every sample.
    """
    names = {*columns, *(column.signal for column in columns.values())}
    for name, size in given.items():
        if name not in names:
            raise InputError(f"there is no column or signal {name!r}{nearest(name, names)} to have a noise", option="noise")
        if not (math.isfinite(size) and size > 0.0):
            raise InputError(f"found {size:g} for {name}, expected a standard deviation above 0", option="noise")
    found = {}
    for name, column in columns.items():
        size = given.get(name) or given.get(column.signal) or column.sd or _of_sensor(twin, column.signal)
        if not size:
            text = f"nothing says how noisy {column.signal} is: give its column an sd in the twin file, or say `noise`"
            raise InputError(f"{text} {column.signal}=SD", file=twin.source, path=f"recordings.columns.{name}")
        found[name] = size
    return found


def noisy_readings(twin: Twin, recorded: Mapping[str, str], given: Mapping[str, float]) -> dict[str, Column]:
    """Columns for a twin whose file names none: what has a noise by its sensor, or by the user."""
    names = [
        name for name in recorded if name in given or (_of_sensor(twin, name) and ".orientation." not in name)
    ]  # fmt: skip
    return {name: Column(name, name) for name in names}


def _of_sensor(twin: Twin, signal: str) -> float:
    """Standard deviation of a reading by the error model of its sensor, 0 where it has none."""
    head, _, rest = signal.partition(".")
    spec: Any = twin.file.sensors.get(head)
    if spec is None or spec.errors == 0.0:
        return 0.0
    steps = rest.split(".")
    for item in spec.contract.quantities:
        if item.name in steps:
            axis = {"x": 0, "y": 1, "z": 2}.get(steps[-1], 0)
            return spec.errors * math.sqrt(getattr(spec, item.name).variances(spec.rate)[axis])
    return 0.0
