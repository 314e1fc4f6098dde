"""What a wire is to the fuzzer: it draws frames, and puts one where the port reads."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import didymos
from didymos.engine.run import Run
from didymos.errors import RunError

__all__ = ["LiveTwin", "Wire"]

_LOOK = 200  # frames between two ticks of the twin


class Wire:
    """One kind of frames."""

    def frame(self, dice: Random) -> bytes:
        """A mutated frame."""
        raise NotImplementedError

    def send(self, frame: bytes) -> object:
        """Let the port read it."""
        raise NotImplementedError

    def close(self) -> None:
        """Let go of what was opened."""


class LiveTwin:
    """A run that takes commands; a tick passes now and then, and a run that fails by what it was commanded begins again."""

    def __init__(self, twin: didymos.Twin, program: str | None, renew: Callable[[Run], None]) -> None:
        from didymos.control import PROGRAMS

        self._twin, self._renew = twin, renew
        self._program = program and PROGRAMS[program]
        self._frames = 0
        self._begin()

    def _begin(self) -> None:
        control = self._program() if self._program is not None else None
        self.run = Run(self._twin.simulate(control=control), keep=False)
        self._renew(self.run)

    def tick(self) -> None:
        """After a frame."""
        self._frames += 1
        if self._frames % _LOOK == 0:
            try:
                self.run.advance(1)
            except RunError:
                self.begin_again()

    def begin_again(self) -> None:
        """After a run that has failed."""
        self.close()
        self._begin()

    def close(self) -> None:
        """End the run."""
        self.run.close()
        self.run.simulation.close()
