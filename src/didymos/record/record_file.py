"""The file of a recording, unbuffered: what was written is the system's, and survives the end of this process.

Where somebody deletes it while it is written, the system keeps its content for as long as it is open: all of it goes into a new
file of the same name with the next write. A file that was moved is written on, where it is now.
"""

from __future__ import annotations

import os
from pathlib import Path

from didymos.errors import InputError, RunError
from didymos.record.own_file import check_replaceable

__all__ = ["RecordFile"]

_PIECE = 2**20  # [bytes]
_AT_ONCE = 16  # pieces that every system takes in one call, by POSIX; a world of thirty robots declares thousands


class RecordFile:
    """A file that is made anew, or over a log of ours; one that cannot be is an `InputError`, a write that fails a `RunError`."""

    def __init__(self, path: Path) -> None:
        check_replaceable(path)
        self.path, self.position = path, 0
        try:
            self._file = path.open("w+b", buffering=0)
        except OSError as error:
            raise InputError(f"cannot write the recording: {error.strerror}", file=path) from error

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return self._file.closed

    def write(self, *parts: bytes | memoryview) -> None:
        """Write all of some pieces of bytes."""
        size = sum(len(part) for part in parts)
        try:
            if os.fstat(self._file.fileno()).st_nlink == 0:
                self._write_anew()
            few = len(parts) <= _AT_ONCE and hasattr(os, "writev")
            written = os.writev(self._file.fileno(), parts) if few else 0  # else: one copy more
            while written < size:
                written += os.write(self._file.fileno(), b"".join(parts)[written:])
        except OSError as error:
            raise RunError(f"the recording {self.path} cannot be written: {error.strerror}") from error
        self.position += size

    def close(self) -> None:
        """Close it."""
        self._file.close()

    def _write_anew(self) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            new = self.path.open("x+b", buffering=0)
        except FileExistsError:
            raise RunError(f"the recording {self.path} was deleted, and another file has its name") from None
        at = 0
        while data := os.pread(self._file.fileno(), _PIECE, at):
            while data:
                written = os.write(new.fileno(), data)
                at, data = at + written, data[written:]
        self._file.close()
        self._file = new
