"""A counter-example made smaller: the fewest parameters, the least far from their nominal values, that still break it.

    1. A parameter goes back to its nominal value as long as the run still falls short; of several that may, the one goes
       first without which the run is worst.
    2. Each that is left is moved towards its nominal value, to within a sixteenth of the way.
    3. All are rounded to as few digits as may be.

A nominal value that lies outside of the range of its parameter is replaced by the nearer end. Each step is taken only if the run
still misses the same expectation. The values end just beyond the edge of what fails: they say which parameters are needed, and
how far.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass

from didymos.studies.least_margin import least_margin
from didymos.studies.trial import Trial

__all__ = ["Shrunk", "missed_by", "shrink"]

RunAll = Callable[[Sequence[Mapping[str, float]]], list[Trial]]
"""Runs at some values by path."""

_PARTS, _ROUNDS = 4, 2  # a way is cut into four, twice
_DIGITS = (2, 3, 4, 5)


@dataclass(frozen=True)
class Shrunk:
    """A smaller counter-example, and the runs that it took."""

    trial: Trial
    runs: int


def missed_by(trial: Trial) -> frozenset[str]:
    """Names of the expectations that a run missed; of one that failed, nothing but that."""
    return frozenset({""}) if trial.error is not None else frozenset(x.name for x in trial.verdicts if x.ok is False)


def shrink(
    trial: Trial,
    ranges: Mapping[str, tuple[float, float]],
    nominal: Mapping[str, float],
    scale: Mapping[str, float],
    run_all: RunAll,
) -> Shrunk:
    """A counter-example made smaller; `nominal` are the values that parameters have where nobody sets them."""
    home = {path: min(max(nominal[path], low), high) for path, (low, high) in ranges.items()}
    work = _Shrinking(trial, home, {path for path in home if home[path] == nominal[path]}, scale, run_all)
    work.drop()
    for path in tuple(work.trial.values):
        work.approach(path)
    work.round()
    return Shrunk(work.trial, work.runs)


class _Shrinking:
    def __init__(
        self, trial: Trial, home: Mapping[str, float], free: Set[str], scale: Mapping[str, float], run_all: RunAll
    ) -> None:
        """`home` is where parameters are moved to; those that are nominal there are `free` to be left out."""
        self.trial, self.runs = trial, 0
        self._home, self._free, self._scale, self._run_all = home, free, scale, run_all
        _, worst = least_margin(trial, scale)
        self._missed = "" if worst is None else worst.name

    def _try(self, values: Sequence[Mapping[str, float]]) -> list[Trial | None]:
        """Runs at some values; None where one does not miss what has to be missed."""
        done = self._run_all(values)
        self.runs += len(done)
        return [trial if self._missed in missed_by(trial) else None for trial in done]

    def drop(self) -> None:
        """Let go of parameters that are not needed."""
        while self.trial.values:
            values = self.trial.values
            left = [self._without(path) for path, value in values.items() if path in self._free or value != self._home[path]]
            missing = [trial for trial in self._try(left) if trial is not None]
            if not missing:
                return
            self.trial = min(missing, key=lambda trial: least_margin(trial, self._scale)[0])

    def _without(self, path: str) -> dict[str, float]:
        """The values with one parameter back where it belongs."""
        others = {other: value for other, value in self.trial.values.items() if other != path}
        return others if path in self._free else {**self.trial.values, path: self._home[path]}

    def approach(self, path: str) -> None:
        """Move a parameter towards its nominal value."""
        near, far = self._home[path], self.trial.values[path]
        for _ in range(_ROUNDS if near != far else 0):
            ways = [near + (far - near) * part / _PARTS for part in range(1, _PARTS)]
            tried = self._try([{**self.trial.values, path: way} for way in ways])
            first = next((i for i, trial in enumerate(tried) if trial is not None), None)
            if first is not None:
                found = tried[first]
                assert found is not None
                self.trial = found
            stops = [near, *ways, far]
            index = _PARTS - 1 if first is None else first
            near, far = stops[index], stops[index + 1]

    def round(self) -> None:
        """Write all values with few digits."""
        values = self.trial.values
        rounded = [{path: float(f"{value:.{digits}g}") for path, value in values.items()} for digits in _DIGITS]
        self.trial = next((trial for trial in self._try(rounded) if trial is not None), self.trial)
