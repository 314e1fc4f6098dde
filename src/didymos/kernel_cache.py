"""numba's cache of one kernel, shared by processes: one of them compiles, those that need the same kernel meanwhile wait for it.

A kernel is locked by the process that compiles it. Its callees are locked after it, and no kernel calls itself, so processes
never wait for each other in a circle; the lock of a process that dies goes with it. Threads of one process compile one after the
other, under numba's own lock, and so share the file's.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import FunctionCache, _CacheLocator

from didymos.unix import FileLock

__all__ = ["FolderLocator", "KernelCache"]


class FolderLocator(_CacheLocator):
    """Keeps a function in the folder that is set now: its name says all of the source that the function can see."""

    def __init__(self, folder: str, line: int) -> None:
        self._folder, self._line = folder, line

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> FolderLocator:
        """The place of a function."""
        place = cls(numba.config.CACHE_DIR, py_func.__code__.co_firstlineno)
        place.ensure_cache_path()
        return place

    def get_cache_path(self) -> str:
        """The folder."""
        return self._folder

    def get_source_stamp(self) -> str:
        """Nothing: the folder's name is the stamp."""
        return ""

    def get_disambiguator(self) -> str:
        """The line of the function: its name may occur several times in a file."""
        return str(self._line)


class KernelCache(FunctionCache):
    """The cache of one function; `release` has to follow whatever comes of `load_overload`."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        folder, name = Path(self.cache_path), self._impl.filename_base
        self._index, self._lock = folder / f"{name}.nbi", FileLock(folder / f"{name}.lock")

    def is_filled(self) -> bool:
        """Whether there is anything in it."""
        return self._index.exists()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What was compiled for a signature; where there is nothing, the caller is the one to compile it."""
        found = super().load_overload(sig, target_context)
        if found is None:
            self._lock.acquire()
            found = super().load_overload(sig, target_context)  # another process may have made it meanwhile
        return found

    def release(self) -> None:
        """Let other processes have the kernel, compiled or not."""
        self._lock.release()
