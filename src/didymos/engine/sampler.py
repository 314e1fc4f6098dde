"""Many short runs of one twin beside a recording, each at the cost of its ticks.

A run is fed with what the recording says that the robot got, begins where the scenario says, or in a state of the engine's own
coordinates, and gives the signals that were asked for. To begin anew in the middle of a recording costs two copies of the
state: what `reset` does is done once and kept.

States of parts that settle (`contract.state`) begin at rest under the inputs of that moment, found by Newton's method along each
of them alone:

    x <- x - f(x) / f'(x),     f = dx/dt, f' by a difference

which is exact after one step where f is linear in x, as the lag of a motor is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.control.stimulus import StimulusSpec
from didymos.describe.names import part_inputs
from didymos.describe.twin import Twin
from didymos.engine.context import Target
from didymos.engine.sampling import Sampling, is_fed
from didymos.engine.simulation import Simulation
from didymos.errors import InputError

__all__ = ["Sampler", "Samples"]

_Array = NDArray[np.float64]
_STATE = int(mujoco.mjtState.mjSTATE_INTEGRATION)
_PASSED = 1e-9  # [s] ago: an end that is now
_ROUNDS = 6  # of Newton's method; a lag needs one
_AT_REST = 1e-9  # of a state's size per second
_LOOK = 0.05  # [s] between two looks at a run
Samples = Mapping[str, tuple[_Array, _Array]]
"""Times [s] since the begin and values of each signal, shape [n] each."""


@dataclass(frozen=True)
class _Fed:
    """Where a fed stimulus stands: its row among the stimuli and the first row of its table."""

    row: int
    first: int
    part: int  # where in the state a part reads it, or -1


class Sampler:
    """Runs of a twin in a scenario that take some signals. `values` of parameters stay until others are set."""

    def __init__(self, twin: Twin, scenario: str | None, sampling: Sampling) -> None:
        self.simulation = simulation = Simulation(twin, scenario=scenario, sampling=sampling)
        self.sampling = sampling
        self.values: dict[str, float] = {}
        self._base: _Array | None = None
        self._tables: Mapping[str, _Array] | None = None
        self._fed = self._find_fed()
        columns = {name: (i, k) for i, x in enumerate(simulation.built.streams) for k, name in enumerate(x.layout.signals)}
        self._columns = {name: columns[name] for name in sampling.signals}
        self._settling = self._find_settling()
        self._as_begun = simulation.context.stimuli.stimuli.copy()
        self._timed = self._find_timed()
        elsewhere = np.flatnonzero(simulation.context.stimuli.targets["kind"] == Target.ELSEWHERE)
        self._elsewhere = simulation.stimuli[elsewhere[0]].target if len(elsewhere) else None
        simulation.switch_record(True)

    @property
    def model(self) -> mujoco.MjModel:
        """The engine's model."""
        return self.simulation.model

    def set_values(self, values: Mapping[str, float]) -> None:
        """Set parameters, and `start.` values for runs that begin where the scenario does."""
        changed = {path: value for path, value in values.items() if self.values.get(path) != value}
        if changed:
            start = {path: value for path, value in changed.items() if path.startswith("start.")}
            self.simulation.set_all({path: value for path, value in changed.items() if path not in start})
            if start:
                self.simulation.begin_at(start)
            self.values |= changed
            self._base = None

    def feed(self, tables: Mapping[str, _Array]) -> None:
        """Rows (time [s], value), shape [n, 2], for every target that is fed; nothing is done where they are fed already."""
        if tables is self._tables:
            return
        self._tables = tables
        stimuli = self.simulation.context.stimuli
        for target, fed in self._fed.items():
            table = tables[target]
            stimuli.tables[fed.first : fed.first + len(table)] = table
            stimuli.targets["end"][fed.row] = fed.first + len(table)

    def stimulate(self, stimuli: Sequence[StimulusSpec]) -> None:
        """Give the last stimuli of the scenario other numbers: as many, of the same targets, none from a file."""
        rows = self.simulation.context.stimuli.stimuli
        for row, stimulus in enumerate(stimuli, start=len(rows) - len(stimuli)):
            rows[row] = self._as_begun[row] = stimulus.record()

    def run_from_start(self, seconds: float, *, at: float = 0.0, look: Callable[[], None] | None = None) -> Samples:
        """Begin where the scenario does, and run; the recording's clock says `at` [s] then. `look` is called now and then."""
        self._feed_from(at)
        self.simulation.reset()
        return self._take(seconds, look)

    def run_from(
        self, qpos: _Array, qvel: _Array, seconds: float, *, at: float, tables: Mapping[str, _Array], look_back: float = 0.0
    ) -> Samples:
        """Begin at positions [nq] and velocities [nv] of the engine while the recording's clock says `at` [s], and run.

        States of parts begin at rest under the inputs of that moment, or, with a `look_back` [s], where the inputs recorded
        before it have brought them, the robot held in its state meanwhile.
        """
        simulation = self.simulation
        data = simulation.data
        if self._elsewhere is not None:
            raise InputError("is moved by the scenario, in the middle of which no window can begin", path=self._elsewhere)
        self._keep_base()
        ticks = round(look_back / simulation.period) if len(self._settling) else 0
        self._place(qpos, qvel)
        if len(self._settling):
            self._hold_inputs(at - ticks * simulation.period, tables)
            self._settle()
        if ticks:
            self._feed_from(at - ticks * simulation.period)
            for _ in range(ticks):
                simulation.advance(1)
                data.qpos[:], data.qvel[:] = qpos, qvel
            act = data.act.copy()
            self._place(qpos, qvel)
            data.act[:] = act
        self._feed_from(at)
        return self._take(seconds)

    def outputs_at(self, part: str, qpos: _Array, qvel: _Array, *, at: float, tables: Mapping[str, _Array]) -> _Array:
        """All outputs of a part, as declared, at positions [nq], velocities [nv] and a time `at` [s] of the recording."""
        simulation = self.simulation
        self._keep_base()
        self._place(qpos, qvel)
        self._hold_inputs(at, tables)
        if len(self._settling):
            self._settle()
        mujoco.mj_forward(simulation.built.assembly.model, simulation.data)
        return np.array(simulation.data.plugin_state[simulation.built.assembly.state.stretch(f"outputs:{part}")])

    def _keep_base(self) -> None:
        """What `reset` makes of the state, made once."""
        simulation = self.simulation
        if self._base is None:
            simulation.reset()
            self._base = np.empty(mujoco.mj_stateSize(simulation.model, _STATE))
            mujoco.mj_getState(simulation.model, simulation.data, self._base, _STATE)

    def _place(self, qpos: _Array, qvel: _Array) -> None:
        data = self.simulation.data
        mujoco.mj_setState(self.simulation.built.assembly.model, data, self._base, _STATE)
        data.qpos[:] = qpos
        data.qvel[:] = qvel

    def _take(self, seconds: float, look: Callable[[], None] | None = None) -> Samples:
        simulation = self.simulation
        simulation.switch_record(True)
        left = min(round(seconds / simulation.period) + 1, simulation.chunk)
        pause = left if look is None else max(1, round(_LOOK / simulation.period))
        while left > 0:
            simulation.advance(min(pause, left))
            left -= pause
            if look is not None:
                look()
        rows = {i: (times, values) for i, times, values in simulation.take()}
        nothing = np.empty(0)
        return {
            name: (rows[i][0], rows[i][1][:, k]) if i in rows else (nothing, nothing) for name, (i, k) in self._columns.items()
        }

    def _feed_from(self, at: float) -> None:
        """Let all stimuli begin at a time of the recording; within a tick fed ones act with their mean."""
        tables = self.simulation.context.stimuli
        for name in ("at", "start"):
            tables.stimuli[name] = self._as_begun[name] - at
        self.simulation.context.moving.since[0] = at
        ends = self._as_begun["end"]  # 0 where a wave goes on for ever
        tables.stimuli["end"] = np.where(ends == 0.0, 0.0, np.where(ends == at, -_PASSED, ends - at))
        for rows, times in self._timed:
            tables.tables[rows, 0] = times - at
        for fed in self._fed.values():
            tables.stimuli["hold"][fed.row] = self.simulation.period

    def _find_timed(self) -> list[tuple[slice, _Array]]:
        """Where tables lie that have times of the scenario's clock, and these times [s]."""
        tables, found = self.simulation.context.stimuli, []
        for target, stimulus in zip(tables.targets, self.simulation.stimuli, strict=True):
            if stimulus.kind in ("file", "rows"):
                rows = slice(int(target["first"]), int(target["end"]))
                found.append((rows, tables.tables[rows, 0].copy()))
        return found

    def _find_fed(self) -> dict[str, _Fed]:
        simulation = self.simulation
        inputs = {f"inputs.{name}": f"{part}:{index}" for name, part, index in part_inputs(simulation.twin)}
        starts, found = simulation.built.assembly.state.starts, {}
        for row, stimulus in enumerate(simulation.stimuli):
            if is_fed(stimulus):
                part, _, index = inputs.get(stimulus.target, "").partition(":")
                place = starts[f"inputs:{part}"] + int(index) if part else -1
                first = int(simulation.context.stimuli.targets["first"][row])
                found[stimulus.target] = _Fed(row, first, place)
        return found

    def _find_settling(self) -> NDArray[np.int64]:
        """Where in `act` states lie that settle."""
        simulation, places = self.simulation, []
        place = simulation.built.assembly.states_first
        for part in simulation.twin.file.parts.values():
            for item in part.contract.used_states(part):
                if item.settles:
                    places.append(place)
                place += 1
        return np.array(places, dtype=np.int64)

    def _hold_inputs(self, at: float, tables: Mapping[str, _Array]) -> None:
        """Give parts the inputs that the recording has at a time [s]."""
        data = self.simulation.data
        for target, fed in self._fed.items():
            if fed.part >= 0:
                table = tables[target]
                row = max(int(np.searchsorted(table[:, 0], at + 1e-6, side="right")) - 1, 0)
                data.plugin_state[fed.part] = table[row, 1]

    def _settle(self) -> None:
        """Bring states that settle to rest."""
        data, model, places = self.simulation.data, self.simulation.built.assembly.model, self._settling
        for _ in range(_ROUNDS):
            mujoco.mj_forward(model, data)
            here, rate = data.act[places], data.act_dot[places].copy()
            if (np.abs(rate) <= _AT_REST * (1.0 + np.abs(here))).all():
                return
            step = 1e-4 * (1.0 + np.abs(here))
            data.act[places] = here + step
            mujoco.mj_forward(model, data)
            slope = (data.act_dot[places] - rate) / step
            settles = slope < 0.0
            data.act[places] = np.where(settles, here - rate / np.where(settles, slope, 1.0), here)
