"""Look ahead: where the robot may be in the next seconds, and which limits it may reach, as probabilities.

N branches of the twin begin where the robot is thought to be, each with a state drawn from the estimate's covariance, parameters
drawn from their uncertainty and gusts of its own, and run with the compiled loop, one after the other on the thread that asks.
What drives them is the course:

- `hold`: the inputs that the robot gets now hold. A drive that counts its commands gets one in every tick.
- `extrapolate`: each input goes on changing as fast as it did, within its range: u_k = u_0 + k h du/dt in the k-th tick of
  length h from now on; u_0 is what the robot got in the tick before.
- `plan`: the twin's own program drives, with the set-points of the scenario or given ones. It begins with fresh memory, see
  `branch.py`; its readings have errors of their own in each branch.

Limits that the present reaches already are left out (`Outlook.present`). Signals are looked at in every tick, contacts after
every tick. A branch whose simulation diverges or leaves the world ends there, and is counted (`Outlook.broken`).

The answer is as good as the twin, the covariance and the uncertainty that it is given: what is not among them (a wall that is not
in the twin, a person who steers) is not foreseen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.describe.names import part_inputs
from didymos.engine import stopwatch
from didymos.engine.contact_watch import Inputs, note_contacts, run_watched
from didymos.engine.loop import FINE, UNASKED
from didymos.engine.sampling import Sampling
from didymos.engine.simulation import Simulation
from didymos.errors import InputError, RunError
from didymos.parts.drive import Drive
from didymos.record.log import Log
from didymos.shadow.branch import Origin, begin_at, hold_setpoints
from didymos.shadow.draws import Uncertainty, state_draws
from didymos.shadow.estimate import Estimate
from didymos.shadow.limits import ContactLimit, SignalLimit, declared, known_limits
from didymos.shadow.outlook import Event, Outlook
from didymos.shadow.stepper import Stepper
from didymos.shadow.touching import contact_limits, feet_of, watch_of

if TYPE_CHECKING:
    from didymos.describe.twin import Twin

__all__ = ["Course", "LookAhead", "input_rates"]

Course = Literal["hold", "extrapolate", "plan"]
_Array = NDArray[np.float64]
_STATE = int(mujoco.mjtState.mjSTATE_INTEGRATION)


class LookAhead:
    """Looks ahead of one twin; made once, asked as often as wanted, by one thread at a time.

    Attributes:
        limits: all that is watched.
        seconds: how far it looks.
        branches: how many are run.
    """

    def __init__(
        self,
        twin: Twin,
        *,
        course: Course = "hold",
        scenario: str | None = None,
        setpoints: Mapping[str, float] | None = None,
        limits: Sequence[str] = (),
        known: bool = True,
        uncertainty: Uncertainty | Mapping[str, float] | None = None,
        branches: int = 64,
        seconds: float = 3.0,
        seed: int = 0,
    ) -> None:
        """`limits` are expressions beside the twin's own, which `known` switches off. `setpoints` belong to a plan."""
        if course not in ("hold", "extrapolate", "plan"):
            raise InputError(f"found {course!r}, expected hold, extrapolate or plan", option="course")
        if branches < 1 or not 0.0 < seconds < np.inf:
            raise InputError(f"found {branches} branches of {seconds:g} s, expected at least one, of a time above 0 s")
        self.twin, self.course, self.seed = twin, course, seed
        self.branches, self.seconds = branches, seconds
        self._asked = course == "plan"
        described = Simulation(twin, scenario=scenario)
        signals = tuple(name for layout in described.layouts for name in layout.signals)
        feet = feet_of(twin) if known else frozenset()
        own = known_limits(described, bool(feet)) if known else ()
        self._signal_limits = (*own, *(declared(text, signals) for text in limits))
        self.simulation = self._simulation(scenario, 1.0 / described.period)
        self._contact_limits = contact_limits(self.simulation, feet) if known else ()
        self.limits: tuple[SignalLimit | ContactLimit, ...] = (*self._signal_limits, *self._contact_limits)
        self._watch = watch_of(self.simulation, self._contact_limits)
        self._commands = np.array([int(row["command"]) for row in self.simulation.context.inputs.inputs], dtype=np.int64)
        self._counters = _counters(self.simulation)
        self._layouts = self.simulation.layouts
        self.uncertainty = uncertainty if isinstance(uncertainty, Uncertainty) else Uncertainty.of(twin, uncertainty or {})
        self._drawn = self.uncertainty.draw(twin, seed, branches)
        self._middle = dict(zip(self.uncertainty.paths, self.uncertainty.values.tolist(), strict=True))
        hold_setpoints(self.simulation, setpoints or {})
        self.simulation.switch_record(False)
        self._base = self._vector()  # a robot at its start, with set-points and nothing else

    def _simulation(self, scenario: str | None, rate: float) -> Simulation:
        """One that records the signals that limits are made of, in every tick."""
        signals = tuple(dict.fromkeys(name for limit in self._signal_limits for name in limit.needs)) or ("truth.position.z",)
        if not self._asked:
            return Stepper(self.twin, signals, scenario).simulation
        twin = self.twin.copy()
        record = twin.file.record.model_copy(update={"rate": rate, "tf_rate": rate})
        record.model_fields_set.add("rate")
        twin.file = twin.file.model_copy(update={"record": record})
        return Simulation(twin, scenario=scenario, sampling=Sampling((), 0, signals, self.seconds))

    def look(self, estimate: Estimate, *, origin: Origin | None = None, rates: Mapping[str, float] | None = None) -> Outlook:
        """What may happen from an estimate on; `origin` is the stepper that it comes from.

        `rates` [1/s] of inputs by name are those of the course `extrapolate`; inputs without one hold.
        """
        period, rate = self.simulation.period, self.simulation.twin.file.record.rate
        between = max(1, round(1.0 / (rate * period)))  # ticks from a row to the next: one, but for some twins without a program
        ticks = max(1, round(self.seconds / period)) + between  # a row at or after the end
        inputs = self._moving(rates or {})
        states = 2 * len(estimate.qvel) + len(estimate.act)
        displacements = state_draws(estimate.covariance, states, self.seed, self.branches)
        reached = np.full((self.branches, len(self.limits)), np.nan)
        now, _ = self._run(estimate, origin, np.zeros(states), self._middle, -1, between, inputs)
        broken = 0
        for i in range(self.branches):
            reached[i], whole = self._run(estimate, origin, displacements[i], self._drawn[i], i, ticks, inputs)
            broken += not whole
        reached[reached > self.seconds + 0.5 * period] = np.nan
        already = np.isfinite(now)
        events = [
            Event(limit, np.sort(times[np.isfinite(times)]), self.branches)
            for limit, times, present in zip(self.limits, reached.T, already, strict=True)
            if not present
        ]
        events.sort(key=lambda event: -event.probability)
        present = tuple(limit for limit, known in zip(self.limits, already, strict=True) if known)
        return Outlook(estimate.time, self.seconds, self.branches, tuple(events), present, broken)

    def _run(
        self, estimate: Estimate, origin: Origin | None, displacement: _Array, values: Mapping[str, float], number: int,
        ticks: int, inputs: Inputs,
    ) -> tuple[_Array, bool]:  # fmt: skip
        """One branch: when [s] from now each limit is first reached, NaN where it is not; whether it came to its end."""
        simulation, robot = self.simulation, self.simulation.only
        if values:
            simulation.set_all(values)
        mujoco.mj_setState(simulation.model, simulation.data, self._base, _STATE)
        robot.memory.reset()
        robot.changes.forget()
        begin_at(simulation, estimate, origin)
        robot.key_streams(self.seed + 1 + number)
        _move(simulation, displacement)
        self._watch.first[:] = -1
        simulation.switch_record(True)
        log, begin, whole = Log(self._layouts, {}), simulation.tick, True
        try:
            while ticks > 0:
                passing = min(ticks, simulation.chunk - 2)
                self._pass(passing, inputs)
                ticks -= passing
                _take(simulation, log)
        except RunError:
            _take(simulation, log)
            whole = False
        finally:
            simulation.switch_record(False)
        return self._reached(log, begin), whole

    def _pass(self, count: int, inputs: Inputs) -> None:
        """Let ticks pass, compiled where nothing has to be done in between by Python."""
        simulation, robot, watch = self.simulation, self.simulation.only, self._watch
        if not (robot.compiled and not (robot.changes or robot.cameras.names)):
            for _ in range(count):
                simulation.data.plugin_state[inputs.commands] += inputs.steps
                simulation.advance(1, unasked=() if self._asked else (robot.name,))
                note_contacts(simulation.address, simulation.tick, *watch)
            return
        if robot.live.stale:
            robot.live.refresh()
        stopwatch.stop()
        try:
            first = simulation.tick
            tick, status = run_watched(simulation.address, first, count, 0 if self._asked else UNASKED, *watch, *inputs)
        finally:
            stopwatch.start()
        simulation.data.plugin_state[simulation.built.assembly.common.starts["loop"]] = tick
        if status != FINE:
            raise RunError("the branch ended", time=tick * simulation.period)

    def _reached(self, log: Log, begin: int) -> _Array:
        """When [s] after a tick each limit is first reached; NaN where it is not."""
        period, found = self.simulation.period, []
        for limit in self._signal_limits:
            signal = log[limit.signal]
            at = limit.first(signal.time, signal.values)
            found.append(np.nan if at is None else at - begin * period)
        first = self._watch.first[: len(self._contact_limits)]
        return np.array([*found, *np.where(first < 0, np.nan, (first - begin) * period)])

    def _moving(self, rates: Mapping[str, float]) -> Inputs:
        """What inputs gain in a tick; with a plan, none of them does."""
        names = self.simulation.robot.inputs
        for name in rates:
            if name not in names:
                raise InputError(f"there is no input {name!r}", option="rates")
        if self.course != "extrapolate" and rates:
            raise InputError("rates of inputs belong to the course extrapolate", option="rates")
        steps = np.array([rates.get(name, 0.0) * self.simulation.period for name in names])
        steps = np.where(self._counters, 1.0, steps)
        moving = np.flatnonzero(steps != 0.0) if not self._asked else np.empty(0, dtype=np.int64)
        return Inputs(self._commands[moving], steps[moving])

    def _vector(self) -> _Array:
        vector = np.empty(mujoco.mj_stateSize(self.simulation.model, _STATE))
        mujoco.mj_getState(self.simulation.model, self.simulation.data, vector, _STATE)
        return vector


def input_rates(earlier: Estimate, later: Estimate) -> dict[str, float]:
    """How fast [1/s] inputs changed between two estimates, for the course `extrapolate`; those that did not are left out."""
    if not later.time > earlier.time:
        raise InputError(f"found estimates at {earlier.time:g} s and {later.time:g} s, expected the later one later")
    changes = {name: value - earlier.inputs[name] for name, value in later.inputs.items() if name in earlier.inputs}
    return {name: change / (later.time - earlier.time) for name, change in changes.items() if change != 0.0}


def _move(simulation: Simulation, displacement: _Array) -> None:
    """Move a twin by a displacement of positions [nv], velocities [nv] and states of parts [na]."""
    data, nv = simulation.data, simulation.model.nv
    mujoco.mj_integratePos(simulation.model, data.qpos, displacement[:nv], 1.0)
    data.qvel[:] += displacement[nv : 2 * nv]
    data.act[:] += displacement[2 * nv :]


def _take(simulation: Simulation, log: Log) -> None:
    for index, times, values in simulation.take():
        log.append(index, times, values)


def _counters(simulation: Simulation) -> NDArray[np.bool_]:
    """Which inputs count the commands that a drive gets, without which it would take its line for dead."""
    parts = simulation.twin.file.parts
    counters = {
        name for name, part, index in part_inputs(simulation.twin)
        if issubclass(parts[part].contract, Drive) and parts[part].contract.inputs[index].name == "beat"
    }  # fmt: skip
    return np.array([name in counters for name in simulation.robot.inputs], dtype=np.bool_)
