"""The signals of a log as an exported page holds them: float32 over the times of their stream, as many as there is room for.

Where a log has more than fits, what a person misses least goes first: poses of links (the picture shows them), then rows of the
streams that have most of them a second. What went is said in words, which the page shows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.record.log import Log
from didymos.record.stream import Kind
from didymos.rotations import ANGLES, angle
from didymos.web.export.blocks import Blocks, packed_size
from didymos.web.export.joint_tracks import thinned

__all__ = ["signal_data"]

RATES = (200.0, 100.0, 50.0, 20.0, 10.0, 5.0, 2.0, 1.0, 0.5, 0.2, 0.1)  # [Hz], one after the other until it fits
Array = NDArray[np.float64]


@dataclass
class _Stream:
    """Rows of one stream of a log, and how many bytes they take on the page as they are now."""

    name: str
    is_tf: bool
    names: list[str]
    units: list[str]
    times: Array
    values: NDArray[np.float32]  # [n, columns]
    step: int = 1
    size: int = field(init=False)

    def __post_init__(self) -> None:
        self.measure()

    def measure(self) -> None:
        columns = (self.values[:: self.step, i] for i in range(len(self.names)))
        self.size = sum(packed_size(column) for column in columns if not _is_constant(column))

    def thin(self, rate: float) -> bool:
        """Keep at most `rate` rows a second; whether that changed anything."""
        step = int(thinned(self.times, rate).step)
        if step <= self.step:
            return False
        self.step = step
        self.measure()
        return True


def signal_data(log: Log, blocks: Blocks, room: int) -> tuple[list[dict[str, Any]], list[str]]:
    """The streams of a log in at most `room` bytes of a page; and what was left out of them, in words."""
    streams = [stream for i in range(len(log.layouts)) if (stream := _stream(log, i)) is not None]
    notes = []
    if sum(stream.size for stream in streams) > room and any(stream.is_tf for stream in streams):
        streams = [stream for stream in streams if not stream.is_tf]
        notes.append("poses of links (tf) are not among the signals: the picture shows them")
    kept = 0.0
    for rate in RATES:
        if sum(stream.size for stream in streams) <= room:
            break
        for stream in streams:
            stream.thin(rate)
        kept = rate
    thin = [stream for stream in streams if stream.step > 1]
    if thin:
        names = ", ".join(f"{stream.name} (1 of {stream.step})" for stream in thin[:6]) + (", ..." if len(thin) > 6 else "")
        notes.append(f"signals with more than {kept:g} samples a second are thinned: {names}; the log has all")
    return [_told(stream, blocks) for stream in streams], notes


def _stream(log: Log, index: int) -> _Stream | None:
    """A stream with its rows, and the angles of its orientation; None where it has no rows or no columns."""
    layout = log.layouts[index]
    times, values = log.rows(index)
    if not len(times) or not layout.columns:
        return None
    names, units = list(layout.signals), ["" if unit == "1" else unit for unit in layout.units]
    is_tf = layout.kind is Kind.TF
    columns = [values.astype(np.float32)]
    turned = [name.removesuffix(".w") for name in names if name.endswith(".orientation.w") and not is_tf]
    for name in turned:
        if not all(f"{name}.{axis}" in names for axis in "xyz"):
            continue
        quaternions = np.column_stack([values[:, names.index(f"{name}.{axis}")] for axis in "wxyz"])
        for kind in ANGLES:
            columns.append(angle(kind, quaternions).astype(np.float32)[:, None])
            names.append(f"{name.removesuffix('.orientation')}.{kind}")
            units.append("rad")
    return _Stream(layout.name or "signals", is_tf, names, units, times, np.concatenate(columns, axis=1))


def _told(stream: _Stream, blocks: Blocks) -> dict[str, Any]:
    """A stream as plain data: a column that never changes is one number."""
    rows, columns = stream.values[:: stream.step], []
    for i, (name, unit) in enumerate(zip(stream.names, stream.units, strict=True)):
        column = rows[:, i]
        if _is_constant(column):
            value = float(column[0])
            about: dict[str, Any] = {"constant": value if np.isfinite(value) else None}
        else:
            about = {"block": blocks.add(column, "f4")}
        columns.append({"name": name, "unit": unit, **about})
    return {"name": stream.name, "times": blocks.add_times(stream.times[:: stream.step]), "columns": columns}


def _is_constant(column: NDArray[np.float32]) -> bool:
    return bool((column == column[0]).all() or np.isnan(column).all())
