"""The loop context as one record of addresses and counts, so that a call of the compiled loop hands over one number.

Handing numba seventy arrays costs more than a tick, and compiling functions that take them costs many seconds. `Packed`
therefore writes their addresses into a record once per run; compiled code reads that record by the names of `context.py`: a
number is a field of its own, an array is two, its address and `NAME_count`, the length of its first axis.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.engine import context as c
from didymos.engine.contact_search import ContactSearch
from didymos.engine.couplings import CouplingTables
from didymos.engine.idle_terms import IdleTerms
from didymos.engine.moving import MovingTables
from didymos.sensors.reading import SensorTables

__all__ = ["CONTEXT", "ROBOT_CONTEXT", "Packed", "layout_of", "pack_group"]

_NUMBERS = {"int": np.int64, "float": np.float64, "bool": np.int64}


def layout_of(table: type) -> np.dtype[Any]:
    """Memory layout of a group of tables, as compiled code reads it."""
    fields: list[Any] = []
    for name, kind in table.__annotations__.items():
        text = kind if isinstance(kind, str) else getattr(kind, "__forward_arg__", getattr(kind, "__name__", ""))
        if text in _NUMBERS:
            fields.append((name, _NUMBERS[text]))
        else:
            fields += [(name, np.int64), (f"{name}_count", np.int64)]
    return np.dtype(fields)


_OF_WORLD = {
    "engine": c.EngineViews, "timing": c.Timing, "contacts": ContactSearch, "idle": IdleTerms, "moving": MovingTables,
    "wakes": c.WakeTables, "couplings": CouplingTables,
}  # fmt: skip
_OF_ROBOT = {
    "robot": c.RobotView, "sensors": SensorTables, "lidars": c.LidarTables, "stimuli": c.StimulusTables, "inputs": c.InputTables,
    "program": c.ProgramTables, "links": c.LinkTables, "record": c.RecordTables,
}  # fmt: skip

ROBOT_CONTEXT = np.dtype([(name, layout_of(table)) for name, table in _OF_ROBOT.items()])
"""Memory layout of what is packed of one robot."""

CONTEXT = np.dtype([
    *((name, layout_of(table)) for name, table in _OF_WORLD.items()),
    ("robots", np.int64), ("robots_count", np.int64),  # of ROBOT_CONTEXTs, side by side
])  # fmt: skip
"""Memory layout of a packed context."""


def pack_group(tables: Any) -> NDArray[Any]:
    """One group of tables as a record [1]; it holds as long as the tables do."""
    packed = np.zeros(1, dtype=layout_of(type(tables)))
    row = packed[0]
    for name, value in tables._asdict().items():
        if isinstance(value, np.ndarray):
            if not value.flags.c_contiguous:
                raise RuntimeError(f"{name} does not lie in one piece")
            row[name], row[f"{name}_count"] = value.ctypes.data, len(value)
        else:
            row[name] = value
    return packed


class Packed:
    """The contexts of the robots of a world as one record; it holds as long as they do."""

    def __init__(self, contexts: Sequence[c.LoopContext]) -> None:
        self._robots = np.zeros(len(contexts), dtype=ROBOT_CONTEXT)
        for row, context in enumerate(contexts):
            for group in _OF_ROBOT:
                self._robots[group][row] = pack_group(getattr(context, group))[0]
        self.world = np.zeros(1, dtype=CONTEXT)
        for group in _OF_WORLD:
            self.world[group] = pack_group(getattr(contexts[0], group))
        self.world["robots"], self.world["robots_count"] = self._robots.ctypes.data, len(contexts)

    @property
    def address(self) -> int:
        """Where the record lies."""
        return int(self.world.ctypes.data)
