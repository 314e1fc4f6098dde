"""One run after the other, with other values and seeds, each to the bit as a fresh simulation gives it.

To build a simulation takes tens of milliseconds, to set values and begin anew takes half of one. But not all that a twin says can
be set afterwards: a program is told of masses, noise and rotors when it is built, gains may be designed from them, step and
rates are fixed. So the first time that a value is another than before, a fresh simulation is built as well, and the two
are compared: the engine's model, the state in which they begin, and every table of the loop. Where all bytes are the same the
parameter is set from then on; where one differs, every run that changes it gets a new build. Programs written in Python, FMUs,
cameras, and scenarios that move what the loop cannot reach (`changes.py`) get one each time.

What a stimulus moved in a run, numbers of the part table, is put back before the next.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.control.compiled_controller import as_compiled
from didymos.describe.path_patterns import tied_paths
from didymos.describe.twin import Twin
from didymos.describe.world import World
from didymos.engine.simulation import Simulation
from didymos.engine.world_simulation import simulation_of
from didymos.errors import InputError

__all__ = ["Reruns"]

_BUFFER = ("cells", "stamps", "counts", "on", "half")  # of rows, which a run empties before it fills it
_ADDRESSES = ("engine", "program")  # tables whose numbers are addresses


class Reruns:
    """Runs of a twin or a world in a scenario, one at a time. `builds` is how many simulations were built for them."""

    def __init__(self, twin: Twin | World, scenario: str | None = None) -> None:
        self._twin, self._scenario = twin, scenario
        self._kept: Simulation | None = None
        self._owner: Simulation | None = None  # of the tables below
        self._values: dict[str, float] = {}  # of the one that is kept, patterns spelt out
        self._tied: dict[str, tuple[str, ...]] = {}  # what each pattern stands for
        self._tables: list[NDArray[Any]] = []  # its tables
        self._begun: list[NDArray[Any]] = []  # ... as its run began
        self._proven: set[str] = set()  # paths that can be set
        self._built_in: set[str] = set()  # paths that need a new build
        self.builds = 0

    def begin(self, seed: int, values: Mapping[str, float]) -> Simulation:
        """A simulation that begins with values by path and a seed; the one before must not be used any longer."""
        if self._kept is None:
            return self._keep(self._fresh(seed, values), values)
        own = self._spelt_out(values, self._kept)
        changed = {path for path, value in own.items() if self._values.get(path) != value}
        if changed & self._built_in or own.keys() != self._values.keys():
            return self._keep(self._fresh(seed, values), values)
        kept, self._kept = self._kept, None
        try:
            self._set(kept, seed, {path: own[path] for path in changed})
        except InputError:  # of a path that cannot be set, or of a value that a fresh one refuses, too
            fresh = self._fresh(seed, values)
            self._built_in |= changed - self._proven
            return self._keep(fresh, values)
        if changed <= self._proven:
            return self._keep(kept, values)
        fresh = self._fresh(seed, values)
        if _contents(fresh) == _contents(kept):
            self._proven |= changed
        else:
            self._built_in |= changed - self._proven
        return self._keep(fresh, values)

    def _fresh(self, seed: int, values: Mapping[str, float]) -> Simulation:
        self.builds += 1
        changed = self._twin.copy()
        for path, value in values.items():
            changed.set(path, value)
        return simulation_of(changed, seed=seed, scenario=self._scenario)

    def _keep(self, simulation: Simulation, values: Mapping[str, float]) -> Simulation:
        if simulation.is_undisturbed:
            if self._owner is not simulation:
                self._owner, self._tables = simulation, _tables(simulation)
                self._begun = [table.copy() for table in self._tables]
            else:
                for table, begun in zip(self._tables, self._begun, strict=True):
                    begun[...] = table
            self._kept, self._values = simulation, self._spelt_out(values, simulation)
        return simulation

    def _spelt_out(self, values: Mapping[str, float], simulation: Simulation) -> dict[str, float]:
        """Values by path instead of by pattern, the last one where several match."""
        found: dict[str, float] = {}
        for pattern, value in values.items():
            if pattern not in self._tied:
                self._tied[pattern] = tied_paths(pattern, simulation.twin.parameters) or (pattern,)
            found |= dict.fromkeys(self._tied[pattern], value)
        return found

    def _set(self, simulation: Simulation, seed: int, values: Mapping[str, float]) -> None:
        for table, begun in zip(self._tables, self._begun, strict=True):
            table[...] = begun
        start = {path: value for path, value in values.items() if self._is_start(path)}
        simulation.set_all({path: value for path, value in values.items() if path not in start})
        if start:
            simulation.begin_at(start)
        simulation.reset(seed)

    def _is_start(self, path: str) -> bool:
        own = path.partition(".")[2] if isinstance(self._twin, World) else path
        return own.startswith("start.")


def _tables(simulation: Simulation) -> list[NDArray[Any]]:
    """The part tables and all tables of the loop but the buffer of rows."""
    groups = [group._asdict() for robot in simulation.robots.values() for group in robot.context]
    return [value for group in groups for name, value in group.items() if isinstance(value, np.ndarray) and name not in _BUFFER]


def _contents(simulation: Simulation) -> list[bytes]:
    """Every byte of what a simulation that begins is: model, state, tables, numbers."""
    model = simulation.model
    stored = np.empty(mujoco.mj_sizeModel(model), np.uint8)
    mujoco.mj_saveModel(model, None, stored)
    found = [stored, simulation.save().vector, *_tables(simulation)]
    numbers = []
    for robot in simulation.robots.values():
        program = as_compiled(robot.program)
        found += [robot.built.initial] + ([] if program is None else [program.settings, program.gains])
        for name, group in robot.context._asdict().items():
            if name not in _ADDRESSES:
                numbers += [(key, v) for key, v in group._asdict().items() if key != "table" and not isinstance(v, np.ndarray)]
    return [repr(numbers).encode(), *(repr(part.shape).encode() + part.tobytes() for part in found)]
