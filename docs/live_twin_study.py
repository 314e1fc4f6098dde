"""What docs/make_live_twin.py needs: robots that break, sensors that lie, when a fault shows, errors against the truth."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import didymos
from didymos.engine.every_input import record_every_input
from didymos.engine.intervention import Intervention
from didymos.engine.run import Run
from didymos.shadow.calibration import Calibration
from didymos.shadow.observer import kinds_of
from didymos.shadow.source import Arrival, Source
from didymos.shadow.sources import open_source

NOISE = {"position": 2e-4, "velocity": 0.02, "torque": 0.01}  # [rev, rev/s, N m] that a drive's reports get: the twin's have none
HELD = 0.01  # [s] that an unknown force holds, as for a stretch of a shadow
KNOWN = 0.5  # of a state's standard deviation at first: one that is known no better has been shown by no reading


@dataclass(frozen=True)
class Fault:
    """A fault: the parameters that change, or what a sensor does to readings; the causes that name it right."""

    name: str
    right: tuple[tuple[str, str], ...]
    values: Callable[[didymos.Twin], Mapping[str, float]] | None = None
    bias: Mapping[str, float] | None = None
    delay: tuple[str, float] | None = None


@dataclass(frozen=True)
class Case:
    """A twin and how its robot moves; faults begin between the earliest and the latest time [s]."""

    twin: str
    variant: str | None
    scenario: str
    seconds: float
    earliest: float
    latest: float
    faults: tuple[Fault, ...]


class Lying:
    """A source whose drives report with noise, and whose sensors begin to lie at a time [s]."""

    def __init__(self, source: Source, seed: int | None, fault: Fault | None, at: float) -> None:
        self._source, self._fault, self._at = source, fault, at
        self._draw = None if seed is None else np.random.default_rng(seed)
        self._waiting: list[Arrival] = []
        self.live, self.signals = source.live, source.signals

    def read(self, seconds: float) -> Sequence[Arrival]:
        found = [self._noisy(one) for one in self._source.read(seconds)]
        if self._fault is not None and self._fault.bias is not None:
            found = [self._biased(one, self._fault.bias) for one in found]
        if self._fault is None or self._fault.delay is None:
            return found
        stream, late = self._fault.delay
        for one in found:
            own = {name: value for name, value in one.values.items() if name.partition(".")[0] == stream}
            rest = {name: value for name, value in one.values.items() if name not in own}
            moved = one.stamp + (late if one.stamp >= self._at - late else 0.0)
            self._waiting += [Arrival(one.stamp, one.received, rest)] if rest else []
            self._waiting += [Arrival(moved, one.received, own)] if own else []
        self._waiting.sort(key=lambda one: one.stamp)
        until = found[-1].stamp if found else -np.inf
        ready = [one for one in self._waiting if one.stamp <= until]
        self._waiting = self._waiting[len(ready) :]
        return ready

    def _noisy(self, one: Arrival) -> Arrival:
        values = dict(one.values)
        for name in values if self._draw is not None else ():
            if name.startswith("parts."):
                values[name] += NOISE.get(name.rpartition(".")[2], 0.0) * self._draw.standard_normal()
        return Arrival(one.stamp, one.received, values)

    def _biased(self, one: Arrival, bias: Mapping[str, float]) -> Arrival:
        if one.stamp < self._at:
            return one
        return Arrival(one.stamp, one.received, {name: value + bias.get(name, 0.0) for name, value in one.values.items()})

    def notices(self) -> Sequence[str]:
        return self._source.notices()

    def close(self) -> None:
        self._source.close()


def record(
    case: Case, seed: int, fault: Fault | None, at: float, file: Path, *, every_input: bool = True, exact: bool = False,
    shaken: bool = False,
) -> didymos.Log:  # fmt: skip
    """A recording of the robot, by default with the inputs of every tick; `exact`: its sensors without errors.

    `shaken`: with white accelerations that nobody tells of, as large as a shadow expects them without a calibration.
    """
    twin = didymos.load(case.twin, variant=case.variant)
    for name in twin.file.sensors if exact else ():
        twin.set(f"sensors.{name}.errors", 0.0)
    if every_input:
        record_every_input(twin)
    simulation = twin.simulate(seed=seed, scenario=case.scenario)
    changes = []
    if fault is not None and fault.values is not None:
        tick = round(at / simulation.period)
        changes = [Intervention(tick, "set", path, (value,)) for path, value in fault.values(twin).items()]
    if not shaken:
        return simulation.run(case.seconds, record=file, interventions=changes)
    run, draw = Run(simulation, file, interventions=changes), np.random.default_rng([seed, 1])
    data, inertia = simulation.data, np.zeros((simulation.model.nv, simulation.model.nv))
    mujoco.mj_fullM(simulation.model, data, inertia)
    strength = np.diag(inertia) * [Calibration().density[kind] for kind in kinds_of(simulation.model)] / HELD**0.5
    for _ in range(round(case.seconds / HELD)):
        data.qfrc_applied[:] = strength * draw.standard_normal(len(strength))
        run.advance(round(HELD / simulation.period))
    log = run.log
    run.close()
    return log


def source_of(case: Case, file: Path, seed: int | None, fault: Fault | None, at: float) -> Lying:
    """The recording as a source, with its lies; drives report without noise where there is no seed."""
    twin = didymos.load(case.twin, variant=case.variant)
    return Lying(open_source(twin, f"log:{file}"), seed, fault, at)


def shows(healthy: Source, faulty: Source, shadow: didymos.Shadow, at: float) -> float | None:
    """When [s] a fault shows in the data: sum of (dz / sd)^2 / 2 since `at` exceeds the threshold of alarms; None: it does not.

    dz is what the fault changes in the readings, of the same robot with the same noise (without any, where readings come at
    another time), beyond one count of a sensor that counts; sd the noise of each. That is the test of somebody who knows the
    fault and the robot beforehand.
    """
    one, other = _all(healthy), _all(faulty)
    sd = {signal: channel.sd for channel in shadow.observer.channels for signal in channel.signals}
    count = {name: _count(shadow.twin, name) for name in sd}
    total, threshold = 0.0, shadow.judge.detector.threshold
    for stamp in sorted(other):
        if stamp < at - 1e-6 or stamp not in one:
            continue
        for name in other[stamp].keys() & one[stamp].keys() & sd.keys():
            beyond = max(abs(other[stamp][name] - one[stamp][name]) - 1.01 * count[name], 0.0)
            total += 0.5 * (beyond / sd[name]) ** 2
        if total > threshold:
            return stamp
    return None


def _count(twin: didymos.Twin, signal: str) -> float:
    """What one count of a sensor is worth, 0 for one that does not count."""
    stream, *names = signal.split(".")
    sensor = twin.file.sensors.get(stream)
    errors = [getattr(sensor, name, None) for name in names]
    found = [getattr(error, "resolution", 0.0) for error in errors]
    return max((float(value) for value in found if isinstance(value, int | float)), default=0.0)


def _all(source: Source) -> dict[float, dict[str, float]]:
    found: dict[float, dict[str, float]] = {}
    try:
        while True:
            for one in source.read(1.0):
                found.setdefault(round(one.stamp, 6), {}).update(one.values)
    except EOFError:
        source.close()
    return found


@dataclass
class Truth:
    """Errors of estimates over their standard deviations, by kind of state; hears a shadow."""

    log: didymos.Log
    since: float
    errors: dict[str, list[float]] = field(default_factory=dict)
    innovations: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._truth: dict[str, Any] = {}
        for index, layout in enumerate(self.log.layouts):
            if layout.name in ("truth", "joints"):
                self._times, values = self.log.rows(index)
                self._truth |= {name: values[:, k] for k, name in enumerate(layout.signals)}
        self._first: Any = None

    def frame(self, frame: Any, shadow: didymos.Shadow) -> None:
        observer, stepper = shadow.observer, shadow.observer.stepper
        sd = np.sqrt(np.diag(observer.covariance))[: stepper.states]
        if shadow.found_anew:
            self._first = np.sqrt(np.diag(shadow.last_step.saved[2]))
        row = int(np.searchsorted(self._times, shadow.time - 1e-6))
        if shadow.time < self.since or row >= len(self._times) or abs(self._times[row] - shadow.time) > 1e-6:
            return
        self.innovations += (frame.innovations / frame.sigmas).tolist()
        qpos, qvel, known = self._state(stepper.model, stepper.data, row)
        error = np.zeros(2 * stepper.nv)
        mujoco.mj_differentiatePos(stepper.model, error[: stepper.nv], 1.0, stepper.data.qpos, qpos)
        error[stepper.nv :] = qvel - stepper.data.qvel
        for dof in np.flatnonzero(known):
            for k, what in ((dof, "position"), (dof + stepper.nv, "velocity")):
                if sd[k] < KNOWN * self._first[k]:
                    self.errors.setdefault(f"{observer.kinds[dof]} {what}", []).append(float(error[k] / sd[k]))

    def _state(self, model: Any, data: Any, row: int) -> tuple[Any, Any, Any]:
        """Positions, velocities, and which degrees of freedom the log has."""
        qpos, qvel, known = data.qpos.copy(), data.qvel.copy(), np.zeros(model.nv, dtype=bool)
        for joint in range(model.njnt):
            q, v, name = int(model.jnt_qposadr[joint]), int(model.jnt_dofadr[joint]), model.joint(joint).name.rpartition("/")[2]
            if int(model.jnt_type[joint]) == int(mujoco.mjtJoint.mjJNT_FREE):
                place, attitude, speed, rate = (
                    np.array([self._truth[f"truth.{what}.{axis}"][row] for axis in ("wxyz" if what == "orientation" else "xyz")])
                    for what in ("position", "orientation", "velocity", "angular_velocity")
                )
                qpos[q : q + 7] = *place, *attitude
                world = np.zeros(3)
                mujoco.mju_rotVecQuat(world, speed, attitude)
                qvel[v : v + 6] = *world, *rate
                known[v : v + 6] = True
            elif f"joints.{name}.position" in self._truth:
                qpos[q], qvel[v] = (self._truth[f"joints.{name}.{what}"][row] for what in ("position", "velocity"))
                known[v] = True
        return qpos, qvel, known

    def alarm(self, alarm: Any) -> None:
        """Nothing."""

    def notice(self, text: str) -> None:
        """Nothing."""
