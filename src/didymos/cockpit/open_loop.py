"""The twin left to itself: from where the robot was a moment ago, with the inputs that the robot got since, and no corrections.

Two branches run with every update. A new one begins with an estimate each half of the horizon T, and the older of the two is
shown: what is seen was left to itself for between T/2 and T. While twin and robot agree it stands where the robot stands; the gap
between them is what the twin does not know.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from didymos.cockpit.shadow_feed import Known, Update
from didymos.describe.twin import Twin
from didymos.errors import RunError
from didymos.shadow.stepper import Stepper

__all__ = ["HORIZON", "OpenLoop"]

HORIZON = 1.0  # [s]
_BACKLOG = 1.0  # [s] of updates that are caught up with; beyond, it begins anew
_Array = NDArray[np.float64]


@dataclass
class _Branch:
    began: float  # [s] of the robot's clock
    vector: _Array
    tick: int
    qpos: _Array


class OpenLoop:
    """Follows a shadow's updates; `qpos` are the positions of all joints [nq] that are shown, None where there are none yet.

    `twin`, `signals` and `scenario` are those of the shadow's own stepper: its states are taken over as they are.
    """

    def __init__(self, twin: Twin, signals: Sequence[str], scenario: str | None) -> None:
        self._stepper, self._twin = Stepper(twin, signals, scenario), twin
        self._branches: list[_Branch] = []
        self._time = -np.inf  # [s] until which updates were taken
        self.horizon = HORIZON
        self.qpos: _Array | None = None

    @property
    def age(self) -> float:
        """How long [s] what is shown was left to itself."""
        return self._time - self._branches[0].began if self._branches else 0.0

    def advance(self, updates: Sequence[Update]) -> None:
        """Take updates, in their order."""
        period = self._stepper.period
        if sum(len(update.inputs) for update in updates) * period > _BACKLOG:
            self._branches = []
        for update in updates:
            begin = update.frame.time - len(update.inputs) * period
            if abs(begin - self._time) > 0.5 * period:
                self._branches = []  # the robot was found anew
            self._time = update.frame.time
            self._branches = [branch for branch in self._branches if self._run(branch, update.inputs)]
            if update.known is not None:
                self._begin(update.known)
        self.qpos = self._branches[0].qpos if self._branches else None

    def _run(self, branch: _Branch, inputs: _Array) -> bool:
        """Let a branch go on; whether it did."""
        stepper = self._stepper
        stepper.vector[:], stepper.tick = branch.vector, branch.tick
        stepper.back()
        try:
            stepper.run(inputs)
        except RunError:
            return False
        branch.tick += len(inputs)
        stepper.keep()
        branch.vector[:] = stepper.vector
        branch.qpos = stepper.data.qpos.copy()
        return True

    def _begin(self, known: Known) -> None:
        """Begin another branch where that is due, in place of the oldest of two."""
        if self._branches and self._time - self._branches[-1].began < 0.5 * (self.horizon - self._stepper.period):
            return
        if known.twin is not self._twin:
            self._set(known.twin)
        estimate = known.estimate
        self._branches.append(_Branch(self._time, estimate.vector.copy(), estimate.tick, estimate.qpos))
        del self._branches[:-2]

    def _set(self, twin: Twin) -> None:
        """Believe what the shadow has learnt."""
        before = self._twin.parameters
        self._stepper.set({
            path: item.value for path, item in twin.parameters.items()
            if item.live and path in before and item.value != before[path].value
        })  # fmt: skip
        self._twin = twin
