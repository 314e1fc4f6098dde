"""The search for an excitation of a family, from the best of many drawn ones, by CMA-ES.

An excitation that exceeds a limit ranks behind all that do not, by how far it does (Deb, Comput. Methods Appl. Mech. Eng. 186,
2000). Whatever would be the best is looked at in all cases (`design_check.py`) first; a case that it fails is asked of all others
from then on. So the best is always one that can be run, once there is any.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from didymos.control.stimulus import StimulusSpec
from didymos.fitting.design_check import Case, Cases
from didymos.fitting.evolution import evolve, population
from didymos.fitting.excitation import Family
from didymos.fitting.excited_information import ExcitedInformation
from didymos.fitting.information import criterion, prior_information, shared_information
from didymos.fitting.methods import DIFFERENCE

__all__ = ["STEPS", "Found", "Search", "drawn_points"]

_Array = NDArray[np.float64]
_LARGE = 0.6  # least size of drawn excitations
_SPREAD = 0.2
STEPS = (0.05, DIFFERENCE)
"""Of the search, as parts of the range between the bounds: as far off as a fit begins, and as a fit takes slopes where it ends.
With the second alone a search finds motions that no fit finds from afar (power_unit: errors of ten times the noise are left)."""
_BEYOND = 1e6  # loss of excitations that exceed a limit, plus how far
_GUARDS = 3  # cases that are asked of all excitations at a time


@dataclass(frozen=True, eq=False)
class Found:
    """The best of a family: its numbers and its loss, from `_BEYOND` on where it exceeds a limit."""

    family: Family
    point: _Array
    loss: float

    @property
    def feasible(self) -> bool:
        """Whether it keeps all limits."""
        return self.loss < _BEYOND


def drawn_points(family: Family, count: int, rng: np.random.Generator, least: float = 0.0) -> _Array:
    """Numbers of drawn excitations, none smaller than `least` of what range and speed allow, shape [size, count]."""
    drawn, sizes = rng.uniform(size=(family.size, count)), family.sizes
    drawn[sizes] = least + (1.0 - least) * drawn[sizes]
    return drawn


class Search:
    """One search in one family.

    Args:
        family: what is searched.
        information: of its excitations.
        checks: runs of its excitations with errors of sensors, which find their way into the motion, for `cases`.
        kind: of the criterion.
        cases: in which whatever is best has to keep its limits.
        points: coordinates of the parameters; the criterion is the mean over them.
        slopes, scales: see `criterion`.
        watch: told after each generation, with the search itself.
    """

    def __init__(
        self,
        family: Family,
        information: ExcitedInformation,
        checks: ExcitedInformation,
        kind: str,
        cases: Cases,
        points: Sequence[_Array],
        slopes: Sequence[_Array],
        scales: _Array,
        watch: Callable[[], None],
    ) -> None:
        self._family, self._information, self._kind, self.watch = family, information, kind, watch
        self._cases, self._points, self._slopes, self._scales = cases, points, slopes, scales
        self._priors = [prior_information(information.parameters, point) for point in points]
        self._checks = checks
        self._guards: list[Case] = []
        self.evaluations = 0
        self.best = Found(family, np.full(family.size, 0.5), np.inf)
        self.bests: list[Found] = []
        """All that were the best once and keep their limits, the last one last."""

    @property
    def runs(self) -> int:
        """Runs so far."""
        return self._information.runs.count + self._checks.runs.count

    def close(self) -> None:
        """Let the threads go."""
        self._information.runs.close()
        self._checks.runs.close()

    def draw(self, count: int, rng: np.random.Generator) -> None:
        """Try drawn excitations, all of them large."""
        self.losses(drawn_points(self._family, count, rng, _LARGE))

    def improve(self, evaluations: int, rng: np.random.Generator) -> None:
        """Search from the best with about so many evaluations."""
        generations = max(1, evaluations // population(self._family.size))
        evolve(self.losses, self.best.point, rng=rng, generations=generations, spread=_SPREAD)

    def losses(self, points: _Array) -> _Array:
        """Losses of excitations by their numbers, shape [size, n]; the least that keeps its limits becomes the best."""
        excitations = [self._family.stimuli(point) for point in points.T]
        losses = self._beyond(excitations)
        good = np.flatnonzero(losses == 0.0)
        told: dict[int, list[_Array]] = {int(i): [] for i in good}
        for point in self._points:
            found = self._information.of_many([excitations[i] for i in good], point, STEPS)
            for i, (excess, information) in zip(good, found, strict=True):
                if information is None:
                    losses[i] += _BEYOND * (1.0 + excess)
                else:
                    told[int(i)].append(information)
        for i in good:
            losses[i] += self.criterion(told[int(i)]) if losses[i] == 0.0 else 0.0
        self._choose(points, excitations, losses)
        self.evaluations += len(excitations)
        self.watch()
        return losses

    def criterion(self, told: Sequence[_Array]) -> float:
        """The mean criterion of an information about all coordinates at each point of the parameters."""
        found = [
            criterion(self._kind, shared_information(information + prior, self._information.shared), slopes, self._scales)
            for information, prior, slopes in zip(told, self._priors, self._slopes, strict=True)
        ]
        return float(np.mean(found))

    def _beyond(self, excitations: Sequence[tuple[StimulusSpec, ...]]) -> _Array:
        """Losses of excitations that fail one of the guards, 0 of all others."""
        ask = self._checks
        trials = [ask.trial(stimuli, case.point, case.seed) for case in self._guards for stimuli in excitations]
        done, losses = ask.runs.run(trials), np.zeros(len(excitations))
        for g, case in enumerate(self._guards):
            for i, run in enumerate(done[g * len(excitations) :][: len(excitations)]):
                excess = sum(breach.excess for breach in case.wrong(ask.breaches(run)))
                losses[i] += _BEYOND * (1.0 + excess) if excess > 0.0 else 0.0
        return losses

    def _choose(self, points: _Array, excitations: Sequence[tuple[StimulusSpec, ...]], losses: _Array) -> None:
        """Take the least as the best, if it is less; one that fails a case gets a loss that says so."""
        while losses.min() < self.best.loss:
            least = int(np.argmin(losses))
            worst = self._cases.worst(self._checks, excitations[least]) if losses[least] < _BEYOND else None
            if worst is None:
                self.best = Found(self._family, points[:, least].copy(), float(losses[least]))
                self.bests += [self.best] if self.best.feasible else []
                return
            case, breach = worst
            losses[least] = _BEYOND * (1.0 + breach.excess)
            if not any(case is guard for guard in self._guards):
                self._guards = [*self._guards, case][-_GUARDS:]
