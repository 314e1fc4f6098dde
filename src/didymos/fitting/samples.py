"""Samples of the posterior of what a fit reports: a table that says what is likely, together and by itself."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

__all__ = ["Samples", "save_samples"]

_TIMES = 50  # autocorrelation times that a walk should last


@dataclass(frozen=True, eq=False)
class Samples:
    """Values [count, n] of the parameters of a fit, in their order, in proportion to how likely they are.

    `autocorrelation` [steps] is over how many steps of a walk samples are alike, in the slowest respect; `effective` how many
    independent samples tell as much; `acceptance` the share of steps that were taken.
    """

    names: tuple[str, ...]
    values: NDArray[np.float64]
    walkers: int
    steps: int
    autocorrelation: float
    effective: float
    acceptance: float
    converged: bool

    @property
    def text(self) -> str:
        """One sentence."""
        walk = f"{self.steps} steps of {self.walkers} walkers, {self.effective:.0f} effective samples"
        times = self.steps / max(self.autocorrelation, 1.0)
        if self.converged:
            return f"{walk}, autocorrelation over {self.autocorrelation:.3g} steps"
        why = f"{times:.3g} autocorrelation times long, where {_TIMES} and 1000 samples are due"
        return f"the sampling did not converge: {walk}, {why}; its intervals are not to be relied on"


def save_samples(samples: Samples, path: Path) -> Path:
    """Write a CSV with one column for each parameter and one row for each sample."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(samples.names)
        writer.writerows([f"{value:.9g}" for value in row] for row in samples.values.tolist())
    return path
