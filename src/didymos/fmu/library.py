"""The library of an FMU that is written in Python, at the end of the process that loaded it.

The libraries of `pythonfmu` 0.7 and `pythonfmu3` 0.3 hold their interpreter in a shared pointer of theirs, and let go of it once
more when they are unloaded. They never are before the process ends (g++ gives them symbols that are unique in a process), and by
then the pointer has been destroyed: memory that is free is written, and where it has been given away since, the process dies
after its work is done. So the interpreter is asked to let go first, while the pointer is there.
"""

from __future__ import annotations

import atexit
import ctypes
import os
from pathlib import Path

__all__ = ["end_in_time"]

_NOT_TWICE = getattr(os, "RTLD_NOLOAD", None)  # systems without it unload in another way
_seen: set[Path] = set()


def end_in_time(folder: Path) -> None:
    """Let the library of an FMU, which is loaded from a folder, let go of its interpreter when that ends, and no later."""
    for file in sorted(folder.glob("binaries/*/*.so")):
        if _NOT_TWICE is None or file in _seen:
            continue
        try:
            library = ctypes.CDLL(str(file), mode=_NOT_TWICE | os.RTLD_NOW)
            let_go = library.finalizePythonInterpreter
        except (OSError, AttributeError):  # not loaded, or without an interpreter
            continue
        _seen.add(file)
        atexit.register(let_go)
