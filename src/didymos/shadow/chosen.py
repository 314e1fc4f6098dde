"""Parameters that a shadow learns: chosen by path, pattern or cause, one number p each.

| chosen by | p is | parameters have |
|---|---|---|
| path, `parts.drive.coulomb` | the parameter | p |
| pattern, `parts.motor*.efficiency` | one number that all have, as in a fit | p |
| title of a cause, `friction of shaft_joint` | its size, as an alarm says it (`causes.py`) | a_i + c_i p |

All of a joint's friction in proportion is the cause `friction of JOINT`: p = 0.5 is half as much again of each, a_i = c_i what
the twin has. theta says by how much p differs from what it was when it was chosen,

    p = p_0 + theta s,     s = |p_0|, or half the range of its bounds, or 1;  of a cause: p_0 = 0, s its usual size

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
from didymos.shadow.causes import Cause, causes_of

__all__ = ["Chosen", "chosen_parameters"]

_LEAST = 1e-3  # share of s by which it stays within its bounds: a mass of nothing is none


@dataclass(frozen=True)
class Chosen:
    """One number: its name, the parameters that hang on it, p_0, s, the bounds of p (infinite where none).

    `offsets` and `slopes` are a_i and c_i of the parameters, `units` theirs.
    """

    name: str
    paths: tuple[str, ...]
    unit: str
    base: float
    scale: float
    low: float
    high: float
    offsets: tuple[float, ...]
    slopes: tuple[float, ...]
    units: tuple[str, ...]

    def value(self, theta: float) -> float:
        """p, within its bounds."""
        return min(max(self.base + self.scale * theta, self.low), self.high)

    def theta(self, value: float) -> float:
        """The other way."""
        return (value - self.base) / self.scale

    def values(self, value: float) -> Mapping[str, float]:
        """By path."""
        return {path: a + c * value for path, a, c in zip(self.paths, self.offsets, self.slopes, strict=True)}


def chosen_parameters(twin: Twin, names: Sequence[str]) -> tuple[Chosen, ...]:
    """Those of paths, patterns or titles of causes; none, an unknown one, one twice or one that cannot change in a run is an
    `InputError`."""
    if not names:
        raise InputError("expected parameters to learn, by path", option="learn")
    causes = {cause.title: cause for cause in causes_of(twin, ()) if cause.values is not None}
    taken: dict[str, str] = {}
    found = []
    for name in names:
        paths = tied_paths(name, twin.parameters)
        one = _chosen(twin, name, paths) if paths else _of_cause(twin, causes[name]) if name in causes else None
        if one is None:
            raise InputError(unknown_path(name, [*twin.parameters, *causes]), path=name)
        for path in one.paths:
            if path in taken:
                raise InputError(f"{path} is chosen twice, by {taken[path]!r} as well", path=name)
            if not twin.parameters[path].live:
                raise InputError(f"{path} cannot change while a twin runs, so it cannot be learned", path=name)
            taken[path] = name
        found.append(one)
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
    count = len(paths)
    units = tuple(one.unit for one in known)
    return Chosen(name, paths, units[0], base, scale, low, high, (0.0,) * count, (1.0,) * count, units)


def _of_cause(twin: Twin, cause: Cause) -> Chosen:
    """The size of a cause, within what the bounds of all its parameters leave of it."""
    assert cause.values is not None
    offsets, ends = cause.values(0.0), cause.values(1.0)
    paths = tuple(offsets)
    slopes = tuple(ends[path] - offsets[path] for path in paths)
    low, high = -math.inf, math.inf
    for path, slope in zip(paths, slopes, strict=True):
        known = twin.parameters[path]
        bounds = (-math.inf if known.low is None else known.low, math.inf if known.high is None else known.high)
        first, last = sorted((float(bound) - offsets[path]) / slope for bound in bounds)
        low, high = max(low, first), min(high, last)
    if 0.0 > low > -math.inf:
        low += _LEAST * cause.scale
    if 0.0 < high < math.inf:
        high -= _LEAST * cause.scale
    units = tuple(twin.parameters[path].unit for path in paths)
    return Chosen(cause.title, paths, cause.unit, 0.0, cause.scale, low, high, tuple(offsets.values()), slopes, units)
