"""Forces of parts for the eye: from the readouts of each part, where it sits and which way it points.

A readout `force.x`, `force.y`, `force.z` is a vector in the part's frame; `thrust` points along its x axis. `lift` and `drag`
alone have no direction; a part that wants them drawn reads them out as a force.
"""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.engine import block as b
from didymos.engine.simulation import Simulation
from didymos.parts import PARTS

__all__ = ["PartForces"]

_VECTOR = ("force.x", "force.y", "force.z")


class PartForces:
    """Where the forces of a simulation's parts are found."""

    def __init__(self, simulation: Simulation) -> None:
        model = simulation.model
        start = int(model.numeric_adr[model.nnumeric - 1])
        table = start + int(model.numeric_data[start + b.TABLE])
        self.names: list[str] = []
        self._bodies: list[int] = []
        self._places: list[NDArray[np.float64]] = []
        self._turns: list[NDArray[np.float64]] = []
        self._columns: list[tuple[int, ...]] = []
        for index, (name, part) in enumerate(simulation.twin.file.parts.items()):
            outputs = [output.name for output in PARTS[part.kind].outputs]
            wanted = _VECTOR if _VECTOR[0] in outputs else ("thrust",) if "thrust" in outputs else ()
            if not wanted:
                continue
            row = model.numeric_data[table + b.ROW_WORDS * index :][: b.ROW_WORDS]
            first = int(row[b.OUTPUTS])
            self.names.append(name)
            self._bodies.append(int(row[b.BODY]))
            self._places.append(row[b.POSE : b.POSE + 3].copy())
            self._turns.append(row[b.POSE + 3 : b.POSE + 12].reshape(3, 3).copy())
            self._columns.append(tuple(first + outputs.index(output) for output in wanted))

    def now(self, shown: mujoco.MjData, data: mujoco.MjData) -> NDArray[np.float64]:
        """Point [m] and force [N] of each part in the world's frame, shape [n, 2, 3]."""
        found = np.zeros((len(self.names), 2, 3))
        for i, body in enumerate(self._bodies):
            turn = shown.xmat[body].reshape(3, 3)
            force = np.zeros(3)
            force[: len(self._columns[i])] = data.userdata[list(self._columns[i])]
            found[i] = shown.xpos[body] + turn @ self._places[i], turn @ self._turns[i] @ force
        return found
