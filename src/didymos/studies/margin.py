"""Margins: by how much a run meets each expectation of its scenario, as numbers that a search can compare.

The margin of an expectation is its distance from the nearer of its bounds, in the unit of what is measured, below zero where it
is missed; of a formula it is its robustness. What ends without a number (a run that failed, a measure that is none) has minus
infinity. To compare expectations of different units, each margin is divided by a scale of its own, the median of its size over
the first runs of a search: a margin that is the same in every run has the value 1 then, and one that shrinks falls below.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping

from didymos.engine.verdict import Verdict
from didymos.studies.trial import Trial

__all__ = ["least_margin", "margin", "scales"]


def margin(verdict: Verdict) -> float | None:
    """The distance of a verdict from its nearer bound; None where the run did not reach it."""
    if verdict.value is None:
        return None
    sides = [verdict.value - verdict.low] if verdict.low is not None else []
    sides += [verdict.high - verdict.value] if verdict.high is not None else []
    return -math.inf if math.isnan(verdict.value) else min(sides)


def scales(trials: Iterable[Trial]) -> dict[str, float]:
    """The scale of each expectation, by its name."""
    sizes: dict[str, list[float]] = {}
    for trial in trials:
        for verdict in trial.verdicts:
            size = margin(verdict)
            if size is not None and math.isfinite(size):
                sizes.setdefault(verdict.name, []).append(abs(size))
    return {name: statistics.median(found) or max(found) or 1.0 for name, found in sizes.items()}


def least_margin(trial: Trial, scale: Mapping[str, float]) -> tuple[float, Verdict | None]:
    """The least scaled margin of a run and the verdict that has it; minus infinity of a run that failed."""
    if trial.error is not None:
        return -math.inf, None
    sizes = ((margin(verdict), verdict) for verdict in trial.verdicts)
    found = [(size / scale.get(verdict.name, 1.0), verdict) for size, verdict in sizes if size is not None]
    return min(found, key=lambda item: item[0]) if found else (math.inf, None)
