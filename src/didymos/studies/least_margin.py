"""Least margin: the expectation that a run comes nearest to missing, over expectations of different units.

Each margin (`margin.py`) is divided by a scale of its own, the median of its size over the first runs of a search: one that is
the same in every run has the value 1 then, and one that shrinks falls below. A run that failed has minus infinity.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping

from didymos.engine.verdict import Verdict
from didymos.studies.margin import margin
from didymos.studies.trial import Trial

__all__ = ["least_margin", "scales"]


def scales(trials: Iterable[Trial]) -> dict[str, float]:
    """The scale of each expectation, by its name."""
    sizes: dict[str, list[float]] = {}
    for trial in trials:
        for verdict in trial.verdicts:
            size = margin(verdict)
            if math.isfinite(size):
                sizes.setdefault(verdict.name, []).append(abs(size))
    return {name: statistics.median(found) or max(found) or 1.0 for name, found in sizes.items()}


def least_margin(trial: Trial, scale: Mapping[str, float]) -> tuple[float, Verdict | None]:
    """The least scaled margin of a run and the verdict that has it; minus infinity of a run that failed."""
    if trial.error is not None:
        return -math.inf, None
    sizes = ((margin(verdict), verdict) for verdict in trial.verdicts)
    found = [(size / scale.get(verdict.name, 1.0), verdict) for size, verdict in sizes if not math.isnan(size)]
    return min(found, key=lambda item: item[0]) if found else (math.inf, None)
