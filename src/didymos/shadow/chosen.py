"""Parameters that a shadow learns: chosen by path or pattern, one number each.

A pattern stands for one number that all its parameters have (`parts.motor*.efficiency`), as in a fit. theta is the share by
which the number differs from what the twin had when it was chosen,

    p = p_0 + theta s,     s = |p_0|, or half the range of its bounds, or 1

and what is known of it beforehand is no more than its bounds and that it is of the order of s: theta has mean 0 and standard
deviation 1. Only numbers that the engine takes while it runs (`live`) can be learned.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from didymos.describe.path_patterns import tied_paths, unknown_path
from didymos.describe.twin import Twin
from didymos.errors import InputError

__all__ = ["Chosen", "chosen_parameters"]

_LEAST = 1e-3  # share of s by which it stays within its bounds: a mass of nothing is none


@dataclass(frozen=True)
class Chosen:
    """One number: its name (path or pattern), the parameters that have it, p_0, s, the bounds of p (infinite where none)."""

    name: str
    paths: tuple[str, ...]
    unit: str
    base: float
    scale: float
    low: float
    high: float

    def value(self, theta: float) -> float:
        """p, within its bounds."""
        return min(max(self.base + self.scale * theta, self.low), self.high)

    def theta(self, value: float) -> float:
        """The other way."""
        return (value - self.base) / self.scale

    def values(self, value: float) -> Mapping[str, float]:
        """By path."""
        return dict.fromkeys(self.paths, value)


def chosen_parameters(twin: Twin, names: Sequence[str]) -> tuple[Chosen, ...]:
    """Those of paths or patterns; none, an unknown one, one twice or one that cannot change in a run is an `InputError`."""
    if not names:
        raise InputError("expected parameters to learn, by path", option="learn")
    taken: dict[str, str] = {}
    found = []
    for name in names:
        paths = tied_paths(name, twin.parameters)
        if not paths:
            raise InputError(unknown_path(name, twin.parameters), path=name)
        for path in paths:
            if path in taken:
                raise InputError(f"{path} is chosen twice, by {taken[path]!r} as well", path=name)
            if not twin.parameters[path].live:
                raise InputError(f"{path} cannot change while a twin runs, so it cannot be learned", path=name)
            taken[path] = name
        found.append(_chosen(twin, name, paths))
    return tuple(found)


def _chosen(twin: Twin, name: str, paths: tuple[str, ...]) -> Chosen:
    known = [twin.parameters[path] for path in paths]
    base = twin.get(paths[0])
    if any(twin.get(path) != base for path in paths):
        raise InputError("its parameters differ from each other in the twin, so they have no one value to learn", path=name)
    low = max(-math.inf if one.low is None else float(one.low) for one in known)
    high = min(math.inf if one.high is None else float(one.high) for one in known)
    width = high - low
    scale = abs(base) if base != 0.0 else (0.5 * width if math.isfinite(width) and width > 0.0 else 1.0)
    if base > low > -math.inf:
        low += _LEAST * scale
    if base < high < math.inf:
        high -= _LEAST * scale
    return Chosen(name, paths, known[0].unit, base, scale, low, high)
