"""Pieces, one after the other: each is an excitation of its own that begins and ends at home."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from didymos.control.stimulus import StimulusSpec
from didymos.fitting.bursts import Bursts

__all__ = ["Chain"]

_Array = NDArray[np.float64]


@dataclass(frozen=True)
class Chain:
    """`count` excitations like `piece`, each as long."""

    piece: Bursts
    count: int

    @property
    def name(self) -> str:
        """In words."""
        return f"{self.count} pieces of {self.piece.name}"

    @property
    def size(self) -> int:
        """The numbers of all pieces, one after the other."""
        return self.count * self.piece.size

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Those of every piece."""
        return np.concatenate([k * self.piece.size + self.piece.sizes for k in range(self.count)])

    def stimuli(self, point: _Array, factor: float = 1.0) -> tuple[StimulusSpec, ...]:
        """The stimuli of all pieces, later by the length of those before, target by target; home stands with the first."""
        away = replace(self.piece, moved=tuple(one.from_home() for one in self.piece.moved))
        made: list[StimulusSpec] = []
        for k, numbers in enumerate(point.reshape(self.count, -1)):
            piece = self.piece if k == 0 else away
            made += [_later(item, k * self.piece.seconds) for item in piece.stimuli(numbers, factor)]
        order = {one.target: i for i, one in enumerate(self.piece.moved)}
        return tuple(sorted(made, key=lambda item: order[item.target]))  # a simulation keeps those of a target together


def _later(item: StimulusSpec, by: float) -> StimulusSpec:
    """A stimulus with a begin and an end, later by a time [s]; digits of rounding are left out."""
    assert item.end is not None
    return item.model_copy(update={"start": round(item.start + by, 9), "end": round(item.end + by, 9)})
