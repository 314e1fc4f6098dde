"""An experiment to be designed: what moves, what is recorded and how noisily, what is asked for, what may not be exceeded."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from didymos.describe.path_patterns import spread
from didymos.describe.schema import FreeSpec
from didymos.describe.twin import Twin
from didymos.engine.build import choose_scenario
from didymos.engine.simulation import Simulation
from didymos.errors import InputError
from didymos.fitting.column_noise import column_noise, noisy_readings
from didymos.fitting.excitation import Moved
from didymos.fitting.excited_information import ExcitedInformation
from didymos.fitting.excited_runs import Excited, ExcitedRuns, Trial
from didymos.fitting.expected_readings import expect_readings
from didymos.fitting.limits import Limit, limits_of
from didymos.fitting.moved import choose_targets, moved_by
from didymos.fitting.parameterization import Parameterization, free_groups
from didymos.fitting.recording import Channel, Column, Recording
from didymos.fitting.signals import sources

__all__ = ["NAME", "Experiment", "plan_experiment"]

NAME = "designed"


@dataclass(frozen=True, eq=False)
class Experiment:
    """All that is known before the search."""

    twin: Twin
    scenario: str | None
    seconds: float
    period: float  # [s] of a tick
    moved: tuple[Moved, ...]
    channels: tuple[Channel, ...]  # with the stamps of a run
    noise: tuple[float, ...]  # of each channel
    parameters: Parameterization
    limits: tuple[Limit, ...]
    present: Excited  # the scenario as it is
    units: Mapping[str, str]  # of the signals that are taken
    threads: int | None

    def information(self, scenario: Mapping[str, Any] | None, *, errors: bool = False) -> ExcitedInformation:
        """Of excitations of a scenario that is plain data, or of the present one; of sensors with or without their errors."""
        twin, name = self.twin_with(scenario, errors=errors)
        runs = ExcitedRuns(twin, name, tuple(self.units), self.seconds, threads=self.threads)
        return ExcitedInformation(runs, self.parameters, self.channels, self.noise, self.limits, self.present.touched)

    def twin_with(self, scenario: Mapping[str, Any] | None, *, errors: bool = False) -> tuple[Twin, str | None]:
        """The twin with a scenario that is plain data, or as it is, and its name; of sensors with or without errors."""
        twin, name = self.twin.copy(), self.scenario
        if scenario is not None:
            name = _free_name(twin)
            twin.add_scenarios({name: scenario})
        return (twin if errors else expect_readings(twin)), name

    def shorter(self, seconds: float) -> Experiment:
        """The first `seconds` of it."""
        channels = [
            replace(channel, time=channel.time[: int(np.searchsorted(channel.time, seconds))],
                    values=channel.values[: int(np.searchsorted(channel.time, seconds))])
            for channel in self.channels
        ]  # fmt: skip
        return replace(self, seconds=seconds, channels=tuple(channels))


def plan_experiment(
    twin: Twin,
    specs: Mapping[str, FreeSpec],
    *,
    seconds: float,
    scenario: str | None,
    move: Sequence[str],
    columns: Mapping[str, Column],
    noise: Mapping[str, float],
    limits: Mapping[str, tuple[float, float]],
    threads: int | None,
) -> Experiment:
    """Put an experiment together, and run the scenario as it is; what does not fit is an `InputError`."""
    scenario = scenario or next(iter(twin.scenarios), None)
    choose_scenario(twin, scenario)
    simulation = Simulation(twin, scenario=scenario)
    if not simulation.period < seconds < math.inf:
        raise InputError(f"found {seconds:g}, expected a time of more than a tick, {simulation.period:g} s", option="seconds")
    recorded = _recorded(simulation)
    given = spread(limits, recorded)
    kept = limits_of(twin, scenario, given, recorded)
    targets = choose_targets(simulation, scenario, move)
    said = spread(noise, [*recorded, *columns])
    chosen = {name: column for name, column in columns.items() if column.use == "signal" and column.weight > 0.0}
    chosen = chosen or noisy_readings(twin, recorded, said)
    if not chosen:
        text = "the twin names no column that is recorded, and no sensor of it has noise; say `columns`, or `noise` SIGNAL=SD"
        raise InputError(text, file=twin.source, path="recordings.columns")
    sizes = column_noise(twin, chosen, said)
    taken = tuple(dict.fromkeys([*_signals(chosen), *(limit.signal for limit in kept), *targets]))
    for name in taken:
        if name not in recorded:
            raise InputError(f"no run of the scenario records {name!r}", file=twin.source, path="recordings.columns")
    quiet = expect_readings(twin)
    present = _present(quiet, scenario, taken, seconds)
    assert present.samples is not None
    channels = tuple(_channel(column, present) for column in chosen.values())
    recording = Recording(Path(NAME), scenario, channels)
    parameters = Parameterization(free_groups(twin, specs, [recording]), 1)
    if "recording.input_delay" in specs:
        raise InputError("is one of recorded inputs, and nothing is recorded yet; leave it out", path="recording.input_delay")
    moved = moved_by(twin, simulation, targets, given, present.samples)
    return Experiment(
        twin=twin, scenario=scenario, seconds=seconds, period=simulation.period, moved=moved, channels=channels,
        noise=tuple(sizes.values()), parameters=parameters, limits=kept, present=present,
        units={name: recorded[name] for name in taken}, threads=threads,
    )  # fmt: skip


def _recorded(simulation: Simulation) -> dict[str, str]:
    """Units of all signals that a run records, by name."""
    layouts = [stream.layout for stream in simulation.built.streams]
    return {name: unit for layout in layouts for name, unit in zip(layout.signals, layout.units, strict=True)}


def _signals(columns: Mapping[str, Column]) -> tuple[str, ...]:
    """The recorded signals that columns need."""
    return sources(tuple(name for column in columns.values() for name in _empty(column, np.zeros(1)).signals))


def _empty(column: Column, time: np.ndarray) -> Channel:
    """A channel with nothing in it yet."""
    width = 4 if column.signal.endswith("orientation") else len(column.sources)
    return Channel(column, time, np.zeros((len(time), width)))


def _channel(column: Column, present: Excited) -> Channel:
    assert present.samples is not None
    first = sources(_empty(column, np.zeros(1)).signals)[0]
    return _empty(column, present.samples[first][0])


def _present(twin: Twin, scenario: str | None, signals: Sequence[str], seconds: float) -> Excited:
    runs = ExcitedRuns(twin, scenario, signals, seconds, threads=1)
    try:
        done = runs.run([Trial(())])[0]
    finally:
        runs.close()
    if done.samples is None:
        raise InputError(f"the scenario {scenario!r} fails by itself: {done.why}", option="scenario")
    return done


def _free_name(twin: Twin) -> str:
    name = NAME
    while name in twin.scenarios:
        name += "_"
    return name
