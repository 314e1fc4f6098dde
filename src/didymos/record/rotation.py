"""Rotation: a recording that goes on for days as a row of files, each a whole MCAP of its own, the oldest removed.

`flight.mcap` becomes `flight-0001.mcap`, `flight-0002.mcap`, ... cut where the clock of the twin passes a multiple of `every`:

    file n holds the rows with   begin <= t < begin + every

A row goes into exactly one file, so that the files one after the other are the recording that one file would have been. (A
sensor with a delay hands a row over after its stamp; where the seam lies between, the row stands in the later file.) Numbers
go on after those that are there, so that a server which is started again keeps what it recorded before.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from didymos.errors import InputError, RunError
from didymos.record.image import Picture, PinHole
from didymos.record.mcap_file import McapRecorder
from didymos.record.stream import StreamLayout

__all__ = ["PART", "RotatedFile", "RotatingRecorder", "parts_of"]

PART = "part"
"""Key of a file's metadata: its number within its run, from 1."""

_SHORTEST = 1.0  # [s]: a run writes every 0.4 s, and a file has a head of some kilobytes
_NUMBERED = re.compile(r"(.+)-(\d{4,})\.mcap", re.IGNORECASE)


@dataclass(frozen=True)
class RotatedFile:
    """Where such a recording goes: `path` as that of one file, `every` [s] of the twin's clock, at most `keep` files."""

    path: Path
    every: float
    keep: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", Path(self.path))
        if self.path.suffix.lower() != ".mcap":
            raise InputError(f"found {str(self.path)!r}, expected a file that ends in .mcap", option="record")
        if not (math.isfinite(self.every) and self.every >= _SHORTEST):
            raise InputError(f"found {self.every:g} s, expected at least {_SHORTEST:g} s", option="record_every")
        if self.keep is not None and self.keep < 1:
            raise InputError(f"found {self.keep}, expected at least 1 file", option="keep")

    def __str__(self) -> str:
        return str(self.path.with_name(f"{self.path.stem}-*.mcap"))

    def file(self, number: int) -> Path:
        """The file of a number."""
        return self.path.with_name(f"{self.path.stem}-{number:04d}.mcap")

    @property
    def files(self) -> list[Path]:
        """Those that are there, the oldest first."""
        return [self.file(number) for number in self._numbers()]

    def next_number(self) -> int:
        """The one after the last that is there."""
        return max(self._numbers(), default=0) + 1

    def _numbers(self) -> list[int]:
        names = (_NUMBERED.fullmatch(path.name) for path in self.path.parent.glob("*.mcap"))
        return sorted(int(name[2]) for name in names if name is not None and name[1] == self.path.stem)


def parts_of(file: Path, part: int) -> list[Path]:
    """The files of a run from its first to `file`, which is its part of that number; one that is gone is an `InputError`."""
    name = _NUMBERED.fullmatch(file.name)
    if name is None:
        raise InputError(f"is part {part} of a recording, expected its name to end in a number", file=file)
    files = [file.with_name(f"{name[1]}-{int(name[2]) - part + i:04d}.mcap") for i in range(1, part)]
    for earlier in files:
        if not earlier.exists():
            raise InputError(f"is part {part} of a recording, and {earlier.name} before it is not there", file=file)
    return [*files, file]


class RotatingRecorder:
    """Writes streams as `McapRecorder` does, into one file after the other."""

    def __init__(
        self,
        target: RotatedFile,
        layouts: Sequence[StreamLayout],
        metadata: Mapping[str, str],
        eyes: Sequence[PinHole] = (),
    ) -> None:
        self._target, self._layouts, self._metadata, self._eyes = target, tuple(layouts), dict(metadata), tuple(eyes)
        self._number, self._part = target.next_number(), 1
        self._seam: float | None = None  # [s], where this file ends
        self._later: list[tuple[int, NDArray[np.float64], NDArray[np.float64]]] = []
        self._later_pictures: list[tuple[str, Picture]] = []
        self._recorder = self._open()

    @property
    def path(self) -> Path:
        """The file that is written now."""
        return self._recorder.path

    def write(self, layout_index: int, times: ArrayLike, values: ArrayLike) -> None:
        """Take a copy of rows of a stream: times [s], shape [n], not decreasing, values, shape [n, columns]."""
        seconds, rows = np.array(times, np.float64), np.array(values, np.float64)
        if len(seconds) == 0:
            return
        seam = self._end_of(float(seconds[0]))
        count = int(np.searchsorted(seconds, seam))
        self._recorder.write(layout_index, seconds[:count], rows[:count])
        if count < len(seconds):
            self._later.append((layout_index, seconds[count:], rows[count:]))

    def write_picture(self, camera: str, picture: Picture) -> None:
        """Take a picture of a camera."""
        if picture.time < self._end_of(picture.time):
            self._recorder.write_picture(camera, picture)
        else:
            self._later_pictures.append((camera, picture))

    def note(self, name: str, texts: Mapping[str, str]) -> None:
        """Add texts about the run to the file that is written now."""
        self._recorder.note(name, texts)

    def flush(self) -> None:
        """Write all rows taken so far; afterwards they survive the end of this process. Begins a new file where it is time to."""
        self._recorder.flush()
        while self._later or self._later_pictures:
            rows, pictures = self._later, self._later_pictures
            self._later, self._later_pictures, self._seam = [], [], None
            self._recorder.close()
            self._number, self._part = self._number + 1, self._part + 1
            try:
                self._recorder = self._open()
            except InputError as error:
                raise RunError(str(error)) from None
            self._end_of(min([float(times[0]) for _, times, _ in rows] + [picture.time for _, picture in pictures]))
            for row in rows:
                self.write(*row)
            for item in pictures:
                self.write_picture(*item)
            self._recorder.flush()

    def close(self) -> None:
        """Flush, write the summary and close the file; a second call does nothing."""
        try:
            self.flush()
        finally:
            self._recorder.close()

    def _end_of(self, time: float) -> float:
        """Where the file ends [s] whose first row is at a time [s]."""
        if self._seam is None:
            every = self._target.every
            self._seam = (math.floor(time / every + 1e-9) + 1) * every
        return self._seam - 1e-9  # stamps are whole nanoseconds; a multiple of the period may be one rounding below

    def _open(self) -> McapRecorder:
        metadata = {**self._metadata, PART: str(self._part)}
        made = McapRecorder(self._target.file(self._number), self._layouts, metadata, self._eyes)
        if self._target.keep is not None:
            for old in self._target.files[: -self._target.keep]:
                try:
                    old.unlink(missing_ok=True)
                except OSError as error:
                    made.close()
                    raise RunError(f"the old recording {old} cannot be removed: {error.strerror}") from None
        return made
