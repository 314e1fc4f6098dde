"""Pictures of single runs of a sweep: the signals that its expectations look at, beside those of a run that went as most do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from didymos.describe.schema import ExpectationSpec
from didymos.describe.twin import Twin
from didymos.describe.world import World
from didymos.engine.relations import signals_of
from didymos.engine.simulation import Simulation
from didymos.engine.world_simulation import simulation_of
from didymos.errors import InputError, RunError
from didymos.record.log import Log
from didymos.studies.report_charts import signal_chart

__all__ = ["RunAgain", "pictures_of"]

_CHARTS = 6  # of a run
_HELD = {"max", "min", "final", "mean"}  # measures whose bounds are those of the signal itself


@dataclass(frozen=True)
class RunAgain:
    """A twin or a world, in the scenario and for the time [s] of a sweep: what makes a run of it again."""

    twin: Twin | World
    scenario: str | None
    seconds: float | None

    def run(self, seed: int, values: Mapping[str, float]) -> tuple[Simulation, Log | None]:
        """The simulation of a run and its log, as far as it came."""
        changed = self.twin.copy()
        for path, value in values.items():
            changed.set(path, value)
        simulation = simulation_of(changed, seed=seed, scenario=self.scenario)
        try:
            return simulation, simulation.run(self.seconds)
        except RunError as failed:
            return simulation, failed.log


def pictures_of(
    again: RunAgain, runs: Sequence[tuple[int, Mapping[str, float]]], beside: tuple[int, Mapping[str, float]] | None
) -> Iterator[list[str]]:
    """Charts as SVG for each run in turn, given by its seed and values; `beside` is a run that stands beside them."""
    other = None if beside is None else again.run(*beside)[1]
    for seed, values in runs:
        simulation, log = again.run(seed, values)
        yield [] if log is None else _charts(simulation.expected, log, other)


def _charts(expected: Sequence[ExpectationSpec], log: Log, beside: Log | None) -> list[str]:
    levels: dict[str, list[float]] = {}
    for item in expected:
        for name in _drawn(item):
            levels.setdefault(name, []).extend(_levels(item) if item.point is None else ())
    charts = []
    for name, bounds in levels.items():
        try:
            signal = log[name]
            other = None if beside is None else beside[name]
        except InputError:  # relations between robots are in no signal
            continue
        drawn = (signal.time, np.asarray(signal.values, dtype=np.float64))
        reference = None if other is None else (other.time, np.asarray(other.values, dtype=np.float64))
        charts.append(signal_chart(name, signal.unit, drawn, reference, tuple(dict.fromkeys(bounds))))
    return charts[:_CHARTS]


def _drawn(item: ExpectationSpec) -> tuple[str, ...]:
    names = signals_of(item)
    return names if item.point is None else tuple(f"{name}.{axis}" for name in names for axis in "xyz")


def _levels(item: ExpectationSpec) -> list[float]:
    """Levels of the signal that the bounds mean."""
    if item.measure == "max_error" and item.high is not None:
        return [item.target - item.high, item.target + item.high]
    bounds = [bound for bound in (item.low, item.high) if bound is not None]
    return [item.target + bound for bound in bounds] if item.measure in _HELD else []
