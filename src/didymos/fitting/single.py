"""One number that a fit moves: a parameter, all that a pattern matches, and those that are tied to it by a ratio."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from didymos.describe.parameters import Parameter
from didymos.describe.schema import FreeSpec
from didymos.errors import InputError

__all__ = ["Single", "check_ties", "checked_bounds"]

_Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Single:
    """One number: a parameter, all that a pattern matches, and those that follow it as a multiple."""

    path: str
    unit: str
    low: float
    high: float
    value: float
    multiples: Mapping[str, float]  # by path that a run can set, of the value
    mean_sd: tuple[float, float] | None
    per_recording: bool
    grid: int
    findings: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The path or pattern."""
        return (self.path,)

    @property
    def units(self) -> tuple[str, ...]:
        """Its unit."""
        return (self.unit,)

    @property
    def bounds(self) -> tuple[tuple[float, float], ...]:
        """Its bounds."""
        return ((self.low, self.high),)

    @property
    def start(self) -> _Array:
        """Where the twin's value lies between the bounds."""
        return np.array([(self.value - self.low) / (self.high - self.low)])

    def reported(self, point: _Array) -> _Array:
        """The value."""
        return self.low + point * (self.high - self.low)

    def followers(self, name: str) -> Mapping[str, float]:
        """Its multiples."""
        return self.multiples

    def values(self, point: _Array) -> dict[str, float]:
        """The value and its multiples."""
        value = float(self.reported(point)[0])
        return {path: factor * value for path, factor in self.multiples.items()}

    def prior(self, point: _Array) -> _Array:
        """One residual, or none."""
        if self.mean_sd is None:
            return np.empty(0)
        mean, sd = self.mean_sd
        return (self.reported(point) - mean) / sd


def check_ties(
    path: str, bounds: tuple[float, float], value: float, ratios: Mapping[str, float], known: Mapping[str, Parameter]
) -> tuple[str, ...]:
    """Refuse bounds that lead what is tied to a parameter out of what it may be; a sentence for each that begins elsewhere."""
    findings = []
    for one, ratio in ratios.items():
        if ratio == 0.0:
            raise InputError(f"is tied to {path} by 0, so it would not follow; write the ratio of the two", path=one)
        low, high = sorted(ratio * bound for bound in bounds)
        parameter = known[one]
        if (parameter.low is not None and low < parameter.low) or (parameter.high is not None and high > parameter.high):
            text = f"follows {path} by {ratio:g} to {low:g}:{high:g}, which leaves what it may be, {_limits(parameter)}"
            raise InputError(f"{text}; narrow the bounds of {path}", path=one)
        if not math.isclose(parameter.value, ratio * value, rel_tol=1e-9):
            begins = f"{one} begins at {ratio * value:g} {parameter.unit}, {ratio:g} times {path}"
            findings.append(f"{begins}, not at its own {parameter.value:g}")
    return tuple(findings)


def checked_bounds(path: str, spec: FreeSpec, parameter: Parameter) -> tuple[float, float]:
    """The bounds of a parameter, which hold its value and stay within what it may be."""
    if spec.bounds is None:
        raise InputError("has no bounds; write [low, high]", path=path)
    for key, given in (("spread", spec.spread is not None), ("fixed", spec.fixed)):
        if given:
            raise InputError(f"is one number and has no `{key}`, which a link as a whole has (links.NAME)", path=path)
    low, high = spec.bounds
    if not low < high:
        raise InputError(f"found bounds {low:g}:{high:g}, expected the lower one first", path=path)
    if not low <= parameter.value <= high:
        raise InputError(f"the bounds {low:g}:{high:g} exclude the start, {parameter.value:g} {parameter.unit}", path=path)
    if (parameter.low is not None and low < parameter.low) or (parameter.high is not None and high > parameter.high):
        raise InputError(f"the bounds {low:g}:{high:g} leave what the parameter may be, {_limits(parameter)}", path=path)
    return low, high


def _limits(parameter: Parameter) -> str:
    return f"{'-inf' if parameter.low is None else parameter.low}:{'inf' if parameter.high is None else parameter.high}"
