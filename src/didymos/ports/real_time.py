"""A served run in real time: slices of ticks pass when they are due, and what they recorded is told at once.

A slice is a millisecond or so of the twin's clock. It is simulated at its beginning, so what it records is told to those who
listen to the run (`Run.listen`) before it is due by the wall clock, and the run waits for the clock afterwards. The log takes
rows a chunk at a time as in any other run, so it is the same to the byte.

Threads of a port share one interpreter, which by Python's default changes hands every 5 ms only; while a run is served it does so
ten times as often. The garbage collector, which may stop all threads for longer than a slice, leaves alone what was there before.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from didymos.engine.pace import Pace
from didymos.engine.run import Run
from didymos.ports.serve_options import ServeOptions

__all__ = ["RealTime"]

SLICE = 0.001
"""Time [s] of the twin's clock that passes between two looks at the wire, unless a tick is longer."""

_SLACK = 0.1  # [s] that a run may be late and catch up; beyond, its clock falls behind the wall's, and an overrun is counted
_SWITCH = 0.0005  # [s] after which a thread hands on the interpreter that another waits for


class RealTime:
    """Lets a run pass until its time is over or `options.stop` is set. While it is `paused`, its clock stands, unless `advance`
    lets ticks pass; afterwards it goes on from where it stands, and nothing counts as late.

    Args:
        run: what runs, from where it stands.
        options: how long.
        piece: time [s] of the twin's clock in a slice, which has so many `ticks`.
    """

    def __init__(self, run: Run, options: ServeOptions, *, piece: float = SLICE) -> None:
        simulation = run.simulation
        self._run, self._options = run, options
        self.paused = False
        self.ticks = min(max(1, round(piece / simulation.period)), simulation.chunk)
        self._end = None if options.seconds is None else simulation.tick + max(1, round(options.seconds / simulation.period))

    @property
    def over(self) -> bool:
        """Whether it is time to end."""
        return self._options.stop.is_set() or (self._end is not None and self._run.simulation.tick >= self._end)

    def pass_time(self, tend: Callable[[], None], wait: Callable[[float], None] = time.sleep) -> None:
        """Let time pass as the wall clock does.

        `tend` is called before each slice: take in what came, answer, do what was asked. `wait` is called with the time [s] that
        is left until the slice is over, and may return earlier, as one does who listens to a socket meanwhile.
        """
        simulation = self._run.simulation
        with _responsive():
            pace: Pace | None = None
            while not self.over:
                tend()
                if self.paused:
                    pace = None
                    wait(SLICE)
                    continue
                if pace is None:
                    pace = Pace(simulation.period, real_time=True, slack=_SLACK)
                before = simulation.tick
                self.advance(self.ticks)
                ticks = simulation.tick - before
                while (left := pace.left(ticks)) > 0.0:
                    wait(left)
                simulation.overruns += pace.wait(ticks)

    def advance(self, ticks: int) -> None:
        """Let ticks pass at once, not beyond the end, and tell what they recorded."""
        if self._end is not None:
            ticks = min(ticks, self._end - self._run.simulation.tick)
        if ticks > 0:
            self._run.advance(ticks)
            self._run.tell()


@contextmanager
def _responsive() -> Iterator[None]:
    """The interpreter with short turns of threads and short collections of garbage, and as it was afterwards."""
    interval = sys.getswitchinterval()
    gc.collect()
    gc.freeze()
    sys.setswitchinterval(_SWITCH)
    try:
        yield
    finally:
        sys.setswitchinterval(interval)
        gc.unfreeze()
