"""A twin that can be stepped from any state, with any inputs, forces and parameters, and says what its sensors would read.

    (x+, y) = F(x, u, w, theta)

x is the state of the engine in its own tangent space (displacements of positions, velocities, states of parts), u the inputs of
the ticks that pass, w forces along the degrees of freedom that hold meanwhile, theta parameters by path. y has a row for each of
these ticks: what a log of this twin would say at its time, without errors of sensors and without their delays.

The twin's program is never asked: inputs are those of the robot. A row belongs to the begin of its tick, but for readings of
accelerations, which belong to the last physics step before it; see `engine/loop.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.control import Controller
from didymos.control.idle import Idle
from didymos.describe.names import cameras
from didymos.describe.twin import Twin
from didymos.engine import stopwatch
from didymos.engine.failure import failure
from didymos.engine.loop import AHEAD, FINE, UNASKED, run_ticks
from didymos.engine.sampling import Sampling
from didymos.engine.schedule import tick_rate
from didymos.engine.simulation import Simulation
from didymos.sensors.ranging import Lidar

__all__ = ["LONGEST", "Stepper"]

_Array = NDArray[np.float64]
_STATE = int(mujoco.mjtState.mjSTATE_INTEGRATION)
LONGEST = 0.5
"""The longest time [s] that may pass at once."""


class Stepper:
    """Steps of a twin that reads `signals`, names of its log.

    Attributes:
        period: [s] of a tick.
        inputs: names of all inputs, `inputs.NAME` in a log without the first word.
        vector: the whole state of the engine, where the next step begins; shape [n].
        tick: of that state.
        home: positions where it stood at first; shape [nq].
    """

    def __init__(self, twin: Twin, signals: Sequence[str], scenario: str | None = None) -> None:
        self.signals = tuple(signals)
        described = twin.for_scenario(scenario)
        program, idle = described.make_program(), Idle()
        if program is not None:
            idle.rate = program.rate
        sampling = Sampling((), 0, self.signals, LONGEST)
        self.simulation = simulation = Simulation(_bare(described, program, signals), control=idle, sampling=sampling)
        self.model, self.data = simulation.model, simulation.data
        self.period, self.inputs = simulation.period, simulation.robot.inputs
        self._commands = np.array([int(row["command"]) for row in simulation.context.inputs.inputs], dtype=np.int64)
        self._record = simulation.context.record
        simulation.switch_record(True)
        self._place, self._stride = self._find_cells()
        measured = simulation.built.measured
        self._sensed = np.array([i for i, name in enumerate(self.signals) if name in measured], dtype=np.int64)
        self._readings = np.array([measured[self.signals[i]] for i in self._sensed], dtype=np.int64)
        self._loop = simulation.built.assembly.common.starts["loop"]
        self.vector = np.empty(mujoco.mj_stateSize(self.model, _STATE))
        self._after = np.empty_like(self.vector)
        self.nq, self.nv, self.na = self.model.nq, self.model.nv, self.model.na
        self.states = 2 * self.nv + self.na
        self.keep()
        self._home, self.home = self.vector.copy(), self.data.qpos.copy()

    def _find_cells(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where in the record buffer the first row of each signal lies, and how far the next row is from it."""
        table, places = self._record.streams, {}
        for i, stream in enumerate(self.simulation.built.streams):
            row = table[i]
            for k, name in enumerate(stream.layout.signals):
                places[name] = int(row["first_cell"]) + k, int(row["columns"])
        found = np.array([places[name] for name in self.signals], dtype=np.int64).reshape(-1, 2)
        return found[:, 0], found[:, 1]

    def go_home(self) -> None:
        """Put the twin where it stood at first, and let the next steps begin there."""
        self.vector[:] = self._home
        self.back()
        self.keep()

    def keep(self) -> None:
        """Let the next steps begin where the twin is now."""
        mujoco.mj_getState(self.model, self.data, self.vector, _STATE)
        self.tick = self.simulation.tick

    def back(self) -> None:
        """Put the twin where the next step begins."""
        mujoco.mj_setState(self.model, self.data, self.vector, _STATE)

    def run(self, inputs: _Array) -> _Array:
        """Let as many ticks pass as there are rows of inputs [ticks, inputs]; what was read, [ticks + 1, signals].

        The last row is what sensors say at the begin of the tick that comes next; of other signals, which hang on the inputs of
        that tick, it says what they said last.
        """
        record, state = self._record, self.data.plugin_state
        half = int(record.half[0])
        record.counts[half] = 0
        tick, live = self.tick, self.simulation.only.live
        if live.stale:
            live.refresh()
        stopwatch.stop()
        try:
            for row in inputs:
                state[self._commands] = row
                tick, status = run_ticks(self.simulation.address, tick, 1, UNASKED)
                if status != FINE:
                    raise failure(status, tick * self.period, [self.simulation.built])
        finally:
            stopwatch.start()
        state[self._loop] = tick
        rows = np.minimum(np.arange(len(inputs) + 1), len(inputs) - 1)[:, None]
        found = record.cells[half][self._place + rows * self._stride]
        if len(self._sensed):
            mujoco.mj_getState(self.model, self.data, self._after, _STATE)
            run_ticks(self.simulation.address, tick, 0, AHEAD | UNASKED)
            found[-1, self._sensed] = state[self._readings]
            mujoco.mj_setState(self.model, self.data, self._after, _STATE)
        return np.asarray(found)

    def move(self, displacement: _Array) -> None:
        """Move the twin by a displacement [states] of positions, velocities and states of parts."""
        nv, data = self.nv, self.data
        mujoco.mj_integratePos(self.model, data.qpos, displacement[:nv], 1.0)
        data.qvel[:] += displacement[nv : 2 * nv]
        data.act[:] += displacement[2 * nv :]

    def push(self, dof: int, force: float) -> None:
        """A force along a degree of freedom that holds from now on."""
        self.data.qfrc_applied[dof] = force

    def state(self) -> tuple[_Array, _Array, _Array]:
        """Positions, velocities and states of parts, as they are now."""
        return self.data.qpos.copy(), self.data.qvel.copy(), self.data.act.copy()

    def difference(self, state: tuple[_Array, _Array, _Array]) -> _Array:
        """The displacement [states] from a state to where the twin is now."""
        found = np.empty(self.states)
        qpos, qvel, act = state
        mujoco.mj_differentiatePos(self.model, found[: self.nv], 1.0, qpos, self.data.qpos)
        found[self.nv : 2 * self.nv] = self.data.qvel - qvel
        found[2 * self.nv :] = self.data.act - act
        return found

    def set(self, values: Mapping[str, float]) -> None:
        """Set parameters by path; the model has them at once."""
        self.simulation.set_all(values)
        live = self.simulation.only.live
        if live.stale:
            live.refresh()

    def inertia(self) -> _Array:
        """The inertia of each degree of freedom by itself, as the twin stands now; shape [nv]."""
        full = np.zeros((self.nv, self.nv))
        mujoco.mj_fullM(self.model, self.data, full)
        return np.diag(full).copy()


def _bare(twin: Twin, program: Controller | None, signals: Sequence[str]) -> Twin:
    """The twin with the sensors that are read, at every tick, without errors."""
    bare = twin.copy()
    steps, _ = tick_rate(bare, program)
    rate = 1.0 / (steps * bare.file.world.step)
    streams = {name.partition(".")[0] for name in signals}
    kept = {}
    for name, sensor in bare.file.sensors.items():
        if name not in streams or sensor.contract is Lidar or name in cameras(bare):
            continue
        exact = {"rate": rate, "errors": 0.0, "delay": 0.0, "drop_out": 0.0, "outage_rate": 0.0}
        kept[name] = sensor.model_copy(update=exact)
    record = bare.file.record.model_copy(update={"rate": rate, "tf_rate": rate})
    record.model_fields_set.add("rate")
    bare.file = bare.file.model_copy(update={"sensors": kept, "record": record})
    return bare
