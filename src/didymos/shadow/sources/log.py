"""`log:FILE`: a recording in the place of the robot, at its own pace, faster, or as fast as it is read.

Any log that the house reads (`record/formats.py`): of a run of the twin or of its robot, or of others by the twin's
`recordings.columns`. `FILE=SCENARIO` says what was commanded, `A+B` are files of one clock, as for a fit; `A,B` are recordings
one after the other. Between two of these the clock starts anew, as when a robot does, and a notice says so; no `read` has
arrivals of both.

An arrival came when it was stamped: `received` is the stamp, at a pace counted from when the reading began. At another pace
than 1 the time passes faster, but stamps and `received` go together all the same: there is no drift in it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from didymos.errors import InputError
from didymos.fitting.joined_log import split_files, split_scenario
from didymos.record.formats import format_of
from didymos.shadow.source import Arrival, SourceOptions
from didymos.shadow.sources.recorded import read_table
from didymos.shadow.sources.table import ArrivalTable

if TYPE_CHECKING:
    from didymos.describe.twin import Twin

__all__ = ["LogSource", "open_log"]

_NOW = 1e-9  # [s] early that is due
_PAUSE = 1.0  # [s] of `received` between two recordings


class LogSource:
    """Recordings as a robot that is heard; `table` is the one that is read, whole."""

    def __init__(
        self, twin: Twin, texts: Sequence[str], *, pace: float | None = None, signals: tuple[str, ...] = (),
        clock: Callable[[], float] = time.monotonic, sleep: Callable[[float], None] = time.sleep,
    ) -> None:  # fmt: skip
        if pace is not None and not 0.0 < pace < np.inf:
            raise InputError(f"found {pace:g}, expected how many seconds of the recording pass in one: above 0", option="pace")
        self._twin, self._left, self._patterns, self._pace = twin, list(texts), signals, pace
        self._clock, self._sleep = clock, sleep
        self._count = len(self._left)
        self._notices: list[str] = []
        self._row, self._begun, self._received = 0, None, 0.0
        self.table = self._next()

    _begun: float | None  # our clock when the first row was due

    @property
    def live(self) -> bool:
        """Whether time passes by itself."""
        return self._pace is not None

    @property
    def signals(self) -> tuple[str, ...]:
        """All signals of the recording that is read now."""
        return self.table.signals

    def read(self, seconds: float) -> Sequence[Arrival]:
        """The next arrivals: those of the next `seconds`, one stamp at least; at a pace, those that are due."""
        if self._row == len(self.table.stamps):
            if not self._left:
                raise EOFError
            last = float(self.table.stamps[-1]) + self._received
            self.table, self._row, self._begun = self._next(), 0, None
            self._received = last + _PAUSE - float(self.table.stamps[0])
            self._notices.append(
                f"{self.table.name} begins, {self._count - len(self._left)} of {self._count}: its clock starts anew"
            )
        first, stamps = self._row, self.table.stamps
        if self._pace is None:
            end = max(int(np.searchsorted(stamps, stamps[first] + seconds)), first + 1)
        else:
            end = self._due(seconds)
        self._row = end
        return self.table.arrivals(first, end, self._received)

    def notices(self) -> Sequence[str]:
        """What there is to say since the last time."""
        said, self._notices = self._notices, []
        return said

    def close(self) -> None:
        """Nothing more is read."""
        self._left, self._row = [], len(self.table.stamps)

    def tables(self) -> Sequence[ArrivalTable]:
        """All that is left, a whole recording each, for whoever needs no arrivals; after it nothing is left to read."""
        found = [self.table]
        while self._left:
            found.append(self._next())
        self.close()
        return found

    def _next(self) -> ArrivalTable:
        text = self._left.pop(0)
        table, said = read_table(self._twin, text, self._patterns)
        if not len(table.stamps):
            raise InputError("holds nothing that this robot tells", file=Path(text))
        self._notices += said
        return table

    def _due(self, seconds: float) -> int:
        """The row behind the last that is due; waits for one at most so long [s]."""
        assert self._pace is not None
        stamps, now = self.table.stamps, self._clock()
        if self._begun is None:
            self._begun = now
            self._received = now - float(stamps[self._row])
        here = float(stamps[0]) + (now - self._begun) * self._pace
        wait = (float(stamps[self._row]) - here) / self._pace
        if wait > 0.0:
            self._sleep(min(wait, seconds))
            here = float(stamps[0]) + (self._clock() - self._begun) * self._pace
        return max(int(np.searchsorted(stamps, here + _NOW, side="right")), self._row)


def open_log(twin: Twin, address: str, options: SourceOptions) -> LogSource:
    """The recordings `A,B`, each FILE, FILE=SCENARIO or A+B; a file that cannot be read is an `InputError`."""
    texts = [address] if Path(address).exists() else address.split(",")
    for text in texts:
        for file in split_files(split_scenario(text)[0]):
            format_of(file)
    return LogSource(twin, texts, pace=options.pace, signals=options.signals)
