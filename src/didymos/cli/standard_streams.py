"""Where a verb prints to: a reader that leaves, a full disk, or nothing at all."""

from __future__ import annotations

import errno
import os
import sys

__all__ = ["UNREAD", "drop_output", "have_streams", "is_full"]

UNREAD = 141
"""Exit status of a verb whose reader left before it was done, as shells have it of other programs."""

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def have_streams() -> None:
    """Have an input and both outputs, also where a shell closed them (`>&-`): no file of a run may become what is printed to."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free
    if sys.stdout is None:
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)


def drop_output() -> None:
    """Send what is yet to be printed nowhere, so that Python does not try again at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def is_full(error: OSError) -> bool:
    """Whether the disk that is printed to has no room; an error of a file has its name."""
    return error.filename is None and error.errno in _FULL
