"""What a shadow has learned of its robot's parameters: values with intervals, and which of them the twin took over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from didymos.describe.values_file import write_values
from didymos.shadow.chosen import Chosen
from didymos.shadow.window_fit import KNOWN, WindowFit

__all__ = ["Learned", "LearnedValue", "learned_values", "save_learned"]

_95 = 1.959963984540054  # standard deviations of a normal distribution on each side of its mean


@dataclass(frozen=True)
class LearnedValue:
    """One number: what it was chosen by, value, standard deviation, interval of 95 %.

    `unknown` says why it is not known: that the motion does not show it, or only together with another, or that the fit did not
    settle; empty where it is. `taken` is whether the twin has it now.
    """

    chosen: Chosen
    value: float
    sd: float
    interval: tuple[float, float]
    unknown: str = ""
    taken: bool = False

    @property
    def known(self) -> bool:
        """Whether the window showed it."""
        return not self.unknown

    @property
    def name(self) -> str:
        """Its path, pattern or cause."""
        return self.chosen.name

    @property
    def unit(self) -> str:
        """Of the number."""
        return self.chosen.unit

    @property
    def values(self) -> dict[str, float]:
        """The parameters that hang on it, by path."""
        return dict(self.chosen.values(self.value))

    @property
    def sds(self) -> dict[str, float]:
        """Their standard deviations."""
        return {path: abs(slope) * self.sd for path, slope in zip(self.chosen.paths, self.chosen.slopes, strict=True)}

    @property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """Their intervals of 95 %."""
        ends = [self.chosen.values(end) for end in self.interval]
        return {path: (min(end[path] for end in ends), max(end[path] for end in ends)) for path in self.chosen.paths}

    def __str__(self) -> str:
        if not self.known:
            return f"{self.name} unknown: {self.unknown}"
        low, high = self.interval
        unit = "" if self.unit in ("", "1") else f" {self.unit}"
        return f"{self.name} = {self.value:.4g}{unit} ({low:.4g} .. {high:.4g})" + (", taken over" if self.taken else "")


@dataclass(frozen=True)
class Learned:
    """What a window from `since` to `time` [s] of the robot's clock says.

    `nis` is nu' S^-1 nu per reading with these values: above 1, the twin is wrong in other ways as well; `settled` whether the
    estimate has come to an end.
    """

    time: float
    since: float
    parameters: tuple[LearnedValue, ...]
    nis: float
    settled: bool

    @property
    def values(self) -> dict[str, float]:
        """Of known parameters, by path."""
        return {path: value for one in self.parameters if one.known for path, value in one.values.items()}

    @property
    def sds(self) -> dict[str, float]:
        """Their standard deviations."""
        return {path: sd for one in self.parameters if one.known for path, sd in one.sds.items()}

    @property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """Their intervals of 95 %."""
        return {path: ends for one in self.parameters if one.known for path, ends in one.intervals.items()}

    @property
    def taken(self) -> tuple[str, ...]:
        """Paths that the twin took over."""
        return tuple(path for one in self.parameters if one.taken for path in one.values)

    def __str__(self) -> str:
        return f"t = {self.time:.2f} s: learned from {self.time - self.since:.0f} s: " + "; ".join(map(str, self.parameters))

    @property
    def facts(self) -> dict[str, Any]:
        """As plain data, for scripts."""
        return {
            "learned": self.time, "since": self.since, "nis_per_reading": self.nis, "settled": self.settled,
            "parameters": {
                one.name: {"value": one.value, "sd": one.sd, "interval": list(one.interval), "unit": one.unit, "known": one.known,
                           "unknown": one.unknown, "taken": one.taken, "values": one.values}
                for one in self.parameters
            },
        }  # fmt: skip


def learned_values(chosen: Sequence[Chosen], fit: WindowFit) -> tuple[LearnedValue, ...]:
    """What a fitted window says of the chosen parameters."""
    found = []
    for k, (one, theta, spread) in enumerate(zip(chosen, fit.theta, fit.sds, strict=True)):
        value, sd = one.value(float(theta)), float(spread) * one.scale
        ends = np.clip((value - _95 * sd, value + _95 * sd), one.low, one.high)
        found.append(LearnedValue(one, value, sd, (float(ends[0]), float(ends[1])), _unknown(chosen, fit, k)))
    return tuple(found)


def _unknown(chosen: Sequence[Chosen], fit: WindowFit, k: int) -> str:
    """Why parameter k is not known; empty where it is.

    With the others given its standard deviation would be (V^-1)_kk^(-1/2): where that is small, it is known together with the one
    that it is most correlated with, and neither by itself.
    """
    if not fit.settled:
        return "the fit did not settle"
    if fit.sds[k] <= KNOWN:
        return ""
    given = np.linalg.inv(fit.covariance)[k, k] ** -0.5
    if given > KNOWN:
        return "the motion does not show it"
    alike = np.abs(fit.covariance[k]) / fit.sds
    alike[k] = 0.0
    return f"the motion does not tell it apart from {chosen[int(alike.argmax())].name}"


def save_learned(file: Path, twin: str, latest: Mapping[str, tuple[float, LearnedValue]]) -> None:
    """Write what is known, by path, as a fit does; `latest` has the time [s] and number of each name."""
    values = {path: value for _, one in latest.values() for path, value in one.values.items()}
    remarks: dict[str, str] = {}
    for time, one in latest.values():
        for (path, (low, high)), unit in zip(one.intervals.items(), one.chosen.units, strict=True):
            remarks[path] = f"{unit}; 95 %: {low:.6g} .. {high:.6g}; at {time:.2f} s"
    write_values(file, values, comments=(f"{twin}, learned beside its robot",), remarks=remarks)
