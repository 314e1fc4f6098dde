"""Room on the disk for arrays that grow: what a long run recorded, without the memory for it.

One temporary file without a name, so that nothing is left behind however the process ends. It is mapped into memory once, far
larger than any log: what was never written takes no room, neither on the disk nor in memory. Each array has a slot of it. Room
is reserved before it is written, since a disk that is full is told then, and not while a page of memory finds no place.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

__all__ = ["DiskRows"]

SIZE = 2**40  # bytes that the file seems to have
STEP = 2**18  # bytes of a slot that are reserved at once, and of which the older ones leave the memory
_PAGE = max(mmap.ALLOCATIONGRANULARITY, mmap.PAGESIZE)


class DiskRows:
    """So many slots in a temporary file of a folder (by default the system's); an `OSError` where there is no room for it."""

    def __init__(self, slots: int, folder: Path | None = None) -> None:
        self._slot = SIZE // max(slots, 1) // STEP * STEP
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115  goes with this object
        os.truncate(self._file.fileno(), self._slot * slots)
        self._map = mmap.mmap(self._file.fileno(), self._slot * slots)
        self._reserved = [0] * slots

    def array(self, slot: int, columns: int) -> NDArray[np.float64]:
        """A slot as rows of so many columns, as many as there could ever be; those that are not reserved must not be touched."""
        rows = self._slot // (8 * max(columns, 1))
        if columns == 0:
            return np.empty((rows, 0))
        return np.frombuffer(self._map, np.float64, rows * columns, slot * self._slot).reshape(rows, columns)

    def reserve(self, slot: int, nbytes: int) -> None:
        """Make sure that the first bytes of a slot can be written; an `OSError` where they cannot."""
        held = self._reserved[slot]
        if nbytes <= held:
            return
        if nbytes > self._slot:
            raise OSError("the slot is full")
        more = -(-(nbytes - held) // STEP) * STEP
        _allocate(self._file.fileno(), slot * self._slot + held, more)
        self._reserved[slot] = held + more
        self._rest(slot, held)

    def _rest(self, slot: int, until: int) -> None:
        """Let the memory go that the first bytes of a slot take; they are read from the disk where they are asked for."""
        end = until // _PAGE * _PAGE
        if end and hasattr(self._map, "madvise"):
            with contextlib.suppress(OSError):
                self._map.madvise(mmap.MADV_DONTNEED, slot * self._slot, end)


def _allocate(file: int, begin: int, size: int) -> None:
    """Reserve room on the disk."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file, begin, size)
        return
    os.lseek(file, begin, os.SEEK_SET)
    if os.write(file, bytes(size)) < size:
        raise OSError("no room on the disk")
