"""The loop context as one record of addresses and counts, so that a call of the compiled loop hands over one number.

Handing numba seventy arrays costs more than a tick, and compiling functions that take them costs many seconds. `pack`
therefore writes their addresses into a record once per run; compiled code reads that record by the names of `context.py`: a
number is a field of its own, an array is two, its address and `NAME_count`, the length of its first axis.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.engine import context as c
from didymos.engine.contact_search import ContactSearch
from didymos.engine.idle_terms import IdleTerms
from didymos.engine.moving import MovingTables
from didymos.sensors.reading import SensorTables

__all__ = ["CONTEXT", "pack", "pack_group"]

_NUMBERS = {"int": np.int64, "float": np.float64, "bool": np.int64}


def _layout(table: type) -> np.dtype[Any]:
    fields: list[Any] = []
    for name, kind in table.__annotations__.items():
        text = kind if isinstance(kind, str) else getattr(kind, "__forward_arg__", getattr(kind, "__name__", ""))
        if text in _NUMBERS:
            fields.append((name, _NUMBERS[text]))
        else:
            fields += [(name, np.int64), (f"{name}_count", np.int64)]
    return np.dtype(fields)


_GROUPS = {
    "engine": c.EngineViews, "timing": c.Timing, "sensors": SensorTables, "lidars": c.LidarTables, "stimuli": c.StimulusTables,
    "inputs": c.InputTables, "program": c.ProgramTables, "contacts": ContactSearch, "idle": IdleTerms, "moving": MovingTables,
    "links": c.LinkTables, "record": c.RecordTables,
}  # fmt: skip

CONTEXT = np.dtype([(name, _layout(table)) for name, table in _GROUPS.items()])
"""Memory layout of a packed context."""


def pack_group(tables: Any) -> NDArray[Any]:
    """One group of tables as a record [1]; it holds as long as the tables do."""
    packed = np.zeros(1, dtype=_layout(type(tables)))
    row = packed[0]
    for name, value in tables._asdict().items():
        if isinstance(value, np.ndarray):
            if not value.flags.c_contiguous:
                raise RuntimeError(f"{name} does not lie in one piece")
            row[name], row[f"{name}_count"] = value.ctypes.data, len(value)
        else:
            row[name] = value
    return packed


def pack(context: c.LoopContext) -> NDArray[Any]:
    """The context as a record [1]; it holds as long as the context does."""
    packed = np.zeros(1, dtype=CONTEXT)
    for group in _GROUPS:
        packed[group] = pack_group(getattr(context, group))
    return packed
