"""A part whose tables are files of a folder, called as the engine calls it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from laws import Answer, evaluate, record

from didymos.describe.tables.readers import table_readers
from didymos.parts import Part
from didymos.parts.aero_data import SURFACES
from didymos.parts.aero_table import AeroTable
from didymos.parts.part import MOTION, WRENCH

SIZES = {"area": 0.45, "span": 1.88, "chord": 0.24}


class TableBench:
    """One part that reads files of a folder."""

    def __init__(self, folder: Path, kind: type[Part] = AeroTable, **keys: Any) -> None:
        self.kind = kind
        raw = {"link": "body", **(SIZES if kind is AeroTable else {}), **keys}
        self.spec = kind.spec.model_validate(raw, context=table_readers(folder))
        self.numbers = np.array([self.spec.record()])

    def __call__(
        self,
        velocity: Sequence[float],
        rate: Sequence[float] = (0.0, 0.0, 0.0),
        *,
        deflection: Mapping[str, float] | None = None,
        inputs: Mapping[str, Any] | None = None,
        state: Mapping[str, float] | None = None,
        **here: float,
    ) -> Answer:
        """One evaluation; `deflection` holds shares of limits by surface."""
        seen = record(MOTION, {"density": 1.225, "temperature": 288.15, "clearance": 1e3, **here})
        seen["air_velocity"] = seen["velocity"] = velocity
        seen["air_rate"] = seen["rate"] = rate
        memory = np.zeros(1, dtype=self.kind.memory_layout)
        for name, share in (deflection or {}).items():
            memory["share"][0, SURFACES.index(name)] = share
        given = record(self.kind.input_layout, inputs or {}), memory, record(self.kind.state_layout, state or {})
        rates, wrench, output = (np.zeros(1, dtype=one) for one in (self.kind.state_layout, WRENCH, self.kind.output_layout))
        evaluate(self.kind, self.numbers, seen, *given, rates, wrench, output)
        return Answer(self.kind, rates, wrench, output)
