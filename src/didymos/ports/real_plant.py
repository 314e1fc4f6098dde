"""A real robot as the plant that a control program drives, one tick at a time, recorded under the names of its twin.

The program is called once per period of its rate, at fixed times of the wall clock; a tick whose work is not done when the next
one is due is an overrun. Late ticks are not skipped and the clock is not stretched: the set-points stay tied to the wall.

    wait until due -> read -> program -> write -> record

Every row, and every sensor for the program (`SENSOR.stamp`), is stamped with the time at which it was read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from time import monotonic, sleep
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from didymos.control import CompiledController, Controller, Values
from didymos.control.stimulus import evaluate
from didymos.engine.recorder_thread import RecorderThread
from didymos.engine.schedule import stimulus_table
from didymos.errors import InputError, nearest
from didymos.record.log import Log
from didymos.record.recorder import RecordTo
from didymos.record.stream import Kind, StreamLayout
from didymos.sensors.reading import NO_READING

if TYPE_CHECKING:
    from didymos.engine.simulation import Simulation
    from didymos.ports.hardware import Hardware, Witness

__all__ = ["RealPlant"]

_FLUSH = 0.4  # [s] between two writes of the recording
_OWN = {"position": "output_position", "velocity": "output_velocity"}  # of a joint, from the drive on it


class RealPlant:
    """The robot one tick at a time (see `Plant`), in the place of a simulated twin that stands still."""

    def __init__(
        self,
        simulation: Simulation,
        hardware: Hardware,
        record: RecordTo | None,
        progress: Callable[[float], None] | None,
        *,
        keep: bool = True,
        witness: Witness | None = None,
    ) -> None:
        program = simulation.program
        if program is None or not np.isfinite(program.rate):
            raise InputError("a real robot needs a control program with a rate of its own", option="robot")
        self.period = 1.0 / program.rate
        self.overruns, self.latest, self.seconds = 0, 0.0, 0.0
        self._hardware, self._progress, self._witness = hardware, progress, witness
        columns = {name: i for i, (name, _) in enumerate(hardware.reports)}
        self._sensors = _sensors(simulation, columns)
        read = [name for rows in self._sensors.values() for name in rows]
        known = {name: i for i, name in enumerate([*read, *(f"{sensor}.stamp" for sensor in self._sensors)])}
        _refuse_blind(program, known)
        self._sources = np.array([i for rows in self._sensors.values() for i in rows.values()], dtype=np.int64)
        self._measured = np.full(len(known), NO_READING)
        self._stimuli = _Stimuli(simulation)
        self.robot = replace(simulation.robot, measured=tuple(known))
        self._values = Values(known, self._measured)
        self._setpoints = Values({name: i for i, name in enumerate(self.robot.setpoints)}, self._stimuli.setpoints)
        self._inputs = np.zeros(len(self.robot.inputs))
        self._joints = _joints(simulation, columns)
        self._layouts = self._plan_streams(simulation, hardware)
        self.log = Log(self._layouts, {**simulation.new_log().metadata, "robot": "real"}, keep=keep)
        self._recorder_thread = RecorderThread(self.log)
        self._recorder = None if record is None else self.log.record_to(record)
        self._rows: list[tuple[float, tuple[NDArray[np.float64], ...]]] = []
        self._began = monotonic()

    def _plan_streams(self, simulation: Simulation, hardware: Hardware) -> list[StreamLayout]:
        names, units = zip(*hardware.reports, strict=True)
        inputs, setpoints = self.robot.inputs, self.robot.setpoints
        layouts = [
            StreamLayout("parts", Kind.SCALARS, names, units),
            StreamLayout("inputs", Kind.SCALARS, inputs, ("",) * len(inputs)),
        ]
        if setpoints:
            layouts.append(StreamLayout("setpoints", Kind.SCALARS, setpoints, ("",) * len(setpoints)))
        if self._joints:
            joints = tuple(dict.fromkeys(name.rpartition(".")[0] for name in self._joints))
            units = ("rad", "rad/s") * len(joints)
            layouts.append(StreamLayout("joints", Kind.JOINT_STATES, tuple(self._joints), units, labels=joints))
        own = {layout.name: layout for layout in simulation.new_log().layouts}
        return [*layouts, *(own[name] for name in self._sensors)]

    def begin(self) -> None:
        """The clock starts."""
        self._began = monotonic()

    def sense(self, tick: int) -> tuple[Values, Values]:
        """Wait for the tick, then read the robot."""
        due = self._began + tick * self.period
        while (left := due - monotonic()) > 0.0:
            sleep(left)
        self._stamp = monotonic() - self._began
        self._reported = self._hardware.read()
        self._measured[: len(self._sources)] = self._reported[self._sources]
        self._measured[len(self._sources) :] = self._stamp  # of every sensor
        self._stimuli.move_to(tick * self.period)
        return self._values, self._setpoints

    def act(self, tick: int, inputs: Mapping[str, float]) -> None:
        """Hand over the inputs, and keep a row of the tick."""
        for name, value in inputs.items():
            self._inputs[self.robot.inputs.index(name)] = value
        commanded = self._inputs + self._stimuli.inputs
        self._hardware.write(dict(zip(self.robot.inputs, commanded.tolist(), strict=True)))
        self._keep(commanded)
        self.seconds = (tick + 1) * self.period
        late = monotonic() - self._began - self.seconds
        if late > 0.0:
            self.overruns += 1
            self.latest = max(self.latest, late)
        if self._rows[-1][0] - self._rows[0][0] >= _FLUSH:
            self._flush()
            if self._progress is not None:
                self._progress(self.seconds)

    def _keep(self, commanded: NDArray[np.float64]) -> None:
        rows = [self._reported, commanded]
        rows += [self._stimuli.setpoints.copy()] if self.robot.setpoints else []
        rows += [self._reported[list(self._joints.values())]] if self._joints else []
        rows += [self._reported[list(columns.values())] for columns in self._sensors.values()]
        self._rows.append((self._stamp, tuple(rows)))
        if self._witness is not None:
            self._witness.rows(self._stamp, rows)

    def _flush(self) -> None:
        times = np.array([time for time, _ in self._rows])
        columns = zip(*(rows for _, rows in self._rows), strict=True)
        chunk = [(i, times, np.array(rows)) for i, rows in enumerate(columns)]
        self._rows = []
        self._recorder_thread.put(chunk, self._recorder)

    def close(self) -> None:
        """Complete the log and the recording."""
        if self._rows:
            self._flush()
        self._recorder_thread.close()
        if self._recorder is not None:
            self.log.stop_recording()
            self._recorder.close()


class _Stimuli:
    """Set-points of a scenario, and what it adds to inputs, over time."""

    def __init__(self, simulation: Simulation) -> None:
        self.setpoints, self.inputs = np.zeros(len(simulation.robot.setpoints)), np.zeros(len(simulation.robot.inputs))
        targets = {f"setpoints.{name}": (self.setpoints, i) for i, name in enumerate(simulation.robot.setpoints)}
        targets |= {f"inputs.{name}": (self.inputs, i) for i, name in enumerate(simulation.robot.inputs)}
        self._initial = simulation.built.initial
        self._rows = []
        for stimulus in simulation.stimuli:
            if stimulus.target not in targets:
                raise InputError(f"the scenario moves {stimulus.target}, which nobody moves on a real robot", option="robot")
            table = stimulus_table(simulation.twin, stimulus)
            self._rows.append((*targets[stimulus.target], stimulus.record(), table))

    def move_to(self, t: float) -> None:
        """Values at a time [s]."""
        self.setpoints[:], self.inputs[:] = self._initial, 0.0
        for array, index, row, table in self._rows:
            array[index] += evaluate(row, table, t)


def _joints(simulation: Simulation, columns: Mapping[str, int]) -> dict[str, int]:
    """JOINT.position and JOINT.velocity of every joint that a drive reports, and their columns of the report."""
    joints: dict[str, int] = {}
    for part, spec in simulation.twin.file.parts.items():
        if spec.joint is not None and f"{part}.output_position" in columns:
            joints |= {f"{spec.joint}.{name}": columns[f"{part}.{own}"] for name, own in _OWN.items()}
    return joints


def _sensors(simulation: Simulation, columns: Mapping[str, int]) -> dict[str, dict[str, int]]:
    """Sensors of the twin that the robot's report can stand for, each with its readings and their columns of the report."""
    sensors = {}
    known = {**_joints(simulation, columns), **columns}
    for sensor in simulation.twin.file.sensors:
        names = [name for name in simulation.robot.measured if name.startswith(f"{sensor}.") and name != f"{sensor}.stamp"]
        if all(name.removeprefix(f"{sensor}.") in known for name in names):
            sensors[sensor] = {name: known[name.removeprefix(f"{sensor}.")] for name in names}
    return sensors


def _refuse_blind(program: Controller, known: Mapping[str, int]) -> None:
    for name, _ in program.read_offsets if isinstance(program, CompiledController) else ():
        if name not in known:
            has = ", ".join(known) or "nothing"
            raise InputError(
                f"the control program reads {name}, which this robot does not tell{nearest(name, known)} (it tells: {has})",
                option="robot",
            )
