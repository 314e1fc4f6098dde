"""What a policy observes on a robot: its signals by record and place, and the steps that lead from them to its observations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.contract import offset_of
from didymos.control.compiled_controller import CLOCK
from didymos.control.expression import parse_expression
from didymos.control.policy_law import ENDPOINT, ROOMS
from didymos.control.steps import StepBuilder
from didymos.errors import InputError, nearest
from didymos.rotations import ANGLES

__all__ = ["PolicyObservation", "is_true"]

_SIMULATED = ("truth.", "joints.", "tf.", "parts.", "air.", "inputs.", "progress")
"""Beginnings of signals of a log that no robot measures."""


def is_true(path: str) -> bool:
    """Whether a signal is what only a simulation knows."""
    return f"{path}.".startswith(tuple(f"{word}".rstrip(".") + "." for word in _SIMULATED))


class PolicyObservation:
    """The observations of a policy on a robot that has signals of some names.

    Args:
        observations: names and expressions.
        measured: names of readings; `asked`: names of the set-points that are observed.
        memory: words of the memory by name: reports, odometry, outputs of the policy.
    """

    def __init__(
        self, observations: Sequence[str], measured: Sequence[str], asked: Sequence[str], memory: Mapping[str, int]
    ) -> None:
        self._builder = StepBuilder(self._slots)
        self._known = [name for name in measured if not name.endswith(".stamp")]
        self._memory, self._asked = memory, asked
        self._read: dict[str, int] = {}
        self.observed = np.array(
            [slot for text in observations for slot in self._builder.vector(parse_expression(text))], dtype=np.int64
        )

    @property
    def measured(self) -> tuple[str, ...]:
        """Names of the readings that are observed, in the order of their words."""
        return tuple(name for name in self._read if self._room(name) == "measured")

    @property
    def steps(self) -> NDArray[Any]:
        """STEP [n]."""
        return self._builder.steps

    @property
    def slots(self) -> NDArray[np.float64]:
        """Slots before anything is read."""
        return self._builder.slots

    @property
    def sources(self) -> NDArray[Any]:
        """ENDPOINT [n], where signals are read."""
        rows = np.zeros(len(self._read), dtype=ENDPOINT)
        words = {"measured": {name: i for i, name in enumerate(self.measured)}, "memory": self._memory}
        words["setpoints"] = {f"setpoints.{name}": i for i, name in enumerate(self._asked)}
        words["clock"] = {"time": offset_of(CLOCK, "time")}
        for row, (name, slot) in zip(rows, self._read.items(), strict=True):
            room = self._room(name)
            row["room"], row["word"], row["slot"] = ROOMS.index(room), words[room][name], slot
        return rows

    def _room(self, name: str) -> str:
        if name == "time":
            return "clock"
        return "setpoints" if name.startswith("setpoints.") else "memory" if name in self._memory else "measured"

    def _slots(self, path: str) -> list[int]:
        """The slots of a signal, of all that begin with its name, or of an angle of an orientation."""
        known = (*self._known, *self._memory, *(f"setpoints.{name}" for name in self._asked), "time")
        found = [name for name in known if name == path] or [name for name in known if name.startswith(path + ".")]
        if found:
            return [self._slot(name) for name in found]
        stream, _, last = path.rpartition(".")
        if last in ANGLES and f"{stream}.orientation.w" in known:
            return [self._builder.angle(last, *(self._slot(f"{stream}.orientation.{axis}") for axis in "wxyz"))]
        if is_true(path):
            raise InputError(f"observes {path!r}, the truth, which no robot can measure; train it on what sensors say")
        raise InputError(f"observes {path!r}, which this robot does not measure{nearest(path, known)}")

    def _slot(self, name: str) -> int:
        if name not in self._read:
            self._read[name] = self._builder.slot()
        return self._read[name]
