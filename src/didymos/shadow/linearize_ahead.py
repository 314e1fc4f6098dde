"""A linearisation that is made between updates, a piece at a time, so that no measurement waits for it.

An update beside a running robot uses the last linearisation that is whole. The next one is of the stretch that was taken last,
from where the twin stood before it: the one that a shadow of a recording makes on the spot, only later in use by as long as its
pieces take. The twin is put there for each piece, and back.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from didymos.shadow.linearization import Linearization, Linearizer
from didymos.shadow.stepper import Stepper

__all__ = ["LinearizeAhead", "Point"]

_Array = NDArray[np.float64]


@dataclass(frozen=True)
class Point:
    """What is linearised: a stretch, and where the twin stood before it.

    Attributes:
        vector: the whole state of the engine; shape [n].
        tick: of that state.
        inputs: of the stretch; shape [ticks, inputs].
        before: inputs of the tick before it; shape [inputs].
        time: of the robot's clock [s].
    """

    vector: _Array
    tick: int
    inputs: _Array
    before: _Array
    time: float


class LinearizeAhead:
    """One linearisation on its way."""

    def __init__(self, linearizer: Linearizer, stepper: Stepper, point: Point) -> None:
        self.point, self._stepper = point, stepper
        self._pieces = linearizer.pieces(point.inputs, point.before, point.time)

    def go_on(self) -> Linearization | None:
        """Make one more piece; the whole of it after the last one. The twin stands afterwards where it stood."""
        stepper = self._stepper
        vector, tick = stepper.vector.copy(), stepper.tick
        stepper.vector[:], stepper.tick = self.point.vector, self.point.tick
        try:
            next(self._pieces)
        except StopIteration as end:
            made: Linearization = end.value
            return made
        finally:
            stepper.vector[:], stepper.tick = vector, tick
            stepper.back()
        return None
