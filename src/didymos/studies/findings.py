"""Findings: what the runs of a sweep say, as columns; the numbers behind the page of `report.py`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.studies.boundary import Boundary, fit_boundary
from didymos.studies.failure_chance import FailureChance, failure_chance
from didymos.studies.influence import Influence, regression, sobol_indices
from didymos.studies.margin import spreads, worst
from didymos.studies.pass_rate import LEVEL, STOPPED_LEVEL, PassRate, pass_rate
from didymos.studies.stored_sweep import StoredSweep

__all__ = ["Expected", "Findings", "findings"]

_Array = NDArray[np.float64]


@dataclass(frozen=True)
class Expected:
    """An expectation and what the runs were by it; NaN and no verdict where a run measured nothing."""

    name: str
    low: float | None
    high: float | None
    unit: str
    measured: _Array  # (runs,)
    missed: NDArray[np.bool_]  # (runs,)
    judged: NDArray[np.bool_]  # (runs,)

    @property
    def margins(self) -> _Array:
        """Distance from the nearer bound, negative outside; shape [runs]."""
        below = np.inf if self.low is None else self.measured - self.low
        above = np.inf if self.high is None else self.high - self.measured
        return np.asarray(np.minimum(below, above), dtype=np.float64)


@dataclass(frozen=True)
class Findings:
    """The runs of a sweep in order of their number."""

    about: Mapping[str, Any]
    index: NDArray[np.int64]  # (runs,)
    seed: NDArray[np.int64]  # (runs,)
    values: Mapping[str, _Array]  # (runs,) each, by path
    expected: tuple[Expected, ...]
    ok: NDArray[np.bool_]  # (runs,)
    errors: tuple[str | None, ...]
    weights: _Array | None  # (runs,)

    @property
    def level(self) -> float:
        """Of the interval: that of a look, where looks said when to stop."""
        return STOPPED_LEVEL if self.about.get("until") is not None else LEVEL

    @cached_property
    def pass_rate(self) -> PassRate:
        """Of all runs, each counted once."""
        return pass_rate(int(self.ok.sum()), len(self.ok), level=self.level)

    @cached_property
    def failure_chance(self) -> FailureChance | None:
        """Of runs that have weights."""
        return None if self.weights is None else failure_chance(self.weights, ~self.ok, level=self.level)

    @cached_property
    def scores(self) -> _Array:
        """The worst margin of each run over its spread, [runs]; -infinity where it did not come to its end."""
        table = np.column_stack([item.margins for item in self.expected]) if self.expected else np.empty((len(self.ok), 0))
        return worst(table, spreads(table), ~self.ok)

    def worst_runs(self, count: int) -> list[int]:
        """Places of the runs that came out worst, those that did not come to their end first.

        Of a search for rare failures they are the failures that are likeliest to happen.
        """
        known = np.flatnonzero(np.isfinite(self.scores) | np.isneginf(self.scores))
        if self.weights is None:
            return [int(place) for place in known[np.argsort(self.scores[known], kind="stable")][:count]]
        failed = known[~self.ok[known]]
        return [int(place) for place in failed[np.argsort(self._unlikely[failed], kind="stable")][:count]]

    def typical_run(self) -> int | None:
        """Place of the run in the middle of those that passed."""
        passed = np.flatnonzero(self.ok & np.isfinite(self.scores))
        return int(passed[np.argsort(self.scores[passed], kind="stable")][len(passed) // 2]) if len(passed) else None

    @property
    def _unlikely(self) -> _Array:
        """Twice the negative logarithm of how likely each run's values are, up to a constant; [runs]."""
        total = np.zeros(len(self.ok))
        for path, given in self.about["ranges"].items():
            if isinstance(given, dict) and "normal" in given:
                mean, deviation = given["normal"]
                total += ((self.values[path] - mean) / deviation) ** 2
            elif isinstance(given, dict):  # uniform in the logarithm
                total += 2.0 * np.log(self.values[path])
        return total

    def influence(self, item: Expected) -> Influence | None:
        """What the parameters do to what was measured."""
        if self.about.get("sampling") == "saltelli" and len(self.ok) == self.about["runs"]:
            found = sobol_indices(list(self.values), item.measured, int(self.about["seed"]))
            if found is not None:
                return found
        return regression(self.values, item.measured)

    def plane(self, failed: NDArray[np.bool_]) -> tuple[str, str] | None:
        """The two parameters that tell some runs from the others best: how far apart their means are, over their spread.

        Where a parameter matters to both sides alike, its square tells.
        """
        varied = [path for path, column in self.values.items() if np.ptp(column) > 0.0]
        if len(varied) < 2:
            return None
        strength = dict.fromkeys(varied, 0.0)
        for path in varied if 0 < failed.sum() < len(failed) else ():
            column = (self.values[path] - self.values[path].mean()) / self.values[path].std()
            for term in (column, column**2):
                apart = abs(term[failed].mean() - term[~failed].mean()) / (term.std() or 1.0)
                strength[path] = max(strength[path], float(apart))
        first, second = sorted(varied, key=lambda path: -strength[path])[:2]
        return first, second

    def boundary(self, first: str, second: str, failed: NDArray[np.bool_]) -> Boundary | None:
        """Where runs begin to fail in the plane of two parameters."""
        return fit_boundary(self.values[first], self.values[second], failed)


def findings(stored: StoredSweep) -> Findings:
    """The columns of a stored sweep."""
    table, about = stored.table(), stored.about

    def column(name: str) -> _Array:
        return np.asarray(table[name].to_numpy(zero_copy_only=False), dtype=np.float64)

    expected = []
    for item in about["expectations"]:
        met = column(f"met.{item['name']}")  # a null is NaN
        measured = column(f"measured.{item['name']}")
        expected.append(Expected(item["name"], item["low"], item["high"], item["unit"], measured, met == 0.0, ~np.isnan(met)))
    return Findings(
        about, table["index"].to_numpy(), table["seed"].to_numpy(), {path: column(f"values.{path}") for path in about["ranges"]},
        tuple(expected), column("ok") == 1.0, tuple(table["error"].to_pylist()),
        column("weight") if "weight" in table.column_names else None,
    )  # fmt: skip
