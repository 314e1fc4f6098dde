"""A proposal is looked at before it is made: at another seed, with every parameter at both ends of its bounds, and all at once.

At the twin's own values nothing may be exceeded. At the ends of the bounds, nothing that the present scenario does not exceed as
far with the same values: it is what people run today.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from didymos.control.stimulus import StimulusSpec
from didymos.errors import RunError
from didymos.fitting.excited_information import Breach, ExcitedInformation
from didymos.fitting.excited_runs import Excited

__all__ = ["Case", "Cases", "check_proposal"]

_Array = NDArray[np.float64]
_SMALLER = 0.9
_ROUNDS = 20


@dataclass(frozen=True, eq=False)
class Case:
    """Under what a proposal is looked at: in words, coordinates of the parameters, a seed, and the excess that is allowed."""

    what: str
    point: _Array
    seed: int
    allowed: dict[str, float]

    def wrong(self, found: Sequence[Breach]) -> list[Breach]:
        """Those that are not allowed."""
        return [breach for breach in found if breach.excess > self.allowed.get(breach.of, 0.0)]


class Cases:
    """All cases of an experiment; `present` runs the scenario as it is, at the ends of the bounds."""

    def __init__(self, present: ExcitedInformation, point: _Array) -> None:
        ends = list(_ends(present, point))
        before = present.runs.run([present.trial((), end) for _, end in ends])
        self.cases = [Case(f"seed {seed}", point, seed, {}) for seed in (0, 1)]
        for (what, end), run in zip(ends, before, strict=True):
            self.cases.append(Case(what, end, 0, {breach.of: breach.excess for breach in present.breaches(run)}))

    def worst(self, information: ExcitedInformation, stimuli: tuple[StimulusSpec, ...]) -> tuple[Case, Breach] | None:
        """What an excitation exceeds most of all, and where; None where nothing."""
        done = information.runs.run([information.trial(stimuli, case.point, case.seed) for case in self.cases])
        found = [(case, breach) for case, run in zip(self.cases, done, strict=True) for breach in _wrong(case, run, information)]
        return max(found, key=lambda item: item[1].excess) if found else None


def _wrong(case: Case, run: Excited, information: ExcitedInformation) -> list[Breach]:
    return case.wrong(information.breaches(run))


def _ends(information: ExcitedInformation, point: _Array) -> list[tuple[str, _Array]]:
    """Each shared coordinate at either end, in words, then all of them."""
    found: list[tuple[str, _Array]] = []
    for end, word in ((0.0, "lower"), (1.0, "upper")):
        for group in information.parameters.shared:
            part = information.parameters.stretch(group)
            for i in range(part.start, part.stop):
                moved = point.copy()
                moved[i] = end
                found.append((f"{group.path} at its {word} bound", moved))
        moved = point.copy()
        moved[: information.shared] = end
        found.append((f"all parameters at their {word} bounds", moved))
    return found


def check_proposal(
    information: ExcitedInformation, cases: Cases, stimuli: Callable[[float], tuple[StimulusSpec, ...]]
) -> float:
    """The factor, 1 or less, at which a proposal keeps its limits in all cases; a `RunError` where it never does."""
    worst: tuple[Case, Breach] | None = None
    for round_ in range(_ROUNDS):
        worst = cases.worst(information, stimuli(_SMALLER**round_))
        if worst is None:
            return float(_SMALLER**round_)
    assert worst is not None
    text = f"no excitation keeps its limits, however small: {worst[1].what}, with {worst[0].what}"
    raise RunError(f"{text}; narrow the bounds or widen the limit")
