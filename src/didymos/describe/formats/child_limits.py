"""Limits of a child process that reads a stranger's file: memory, time, a few open files; no file to write, no process."""

from __future__ import annotations

import contextlib

__all__ = ["limit_this_process"]


def limit_this_process(*, memory: int, files: int, seconds: int | None = None) -> bool:
    """Bound this process for good: memory [bytes], open files, time of the processor [s]; whether the system can do that."""
    try:
        import resource
    except ImportError:
        return False
    limits = {
        resource.RLIMIT_AS: memory,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_NOFILE: files,
        resource.RLIMIT_NPROC: 0,
        resource.RLIMIT_CORE: 0,
    }
    if seconds is not None:
        limits[resource.RLIMIT_CPU] = seconds
    for limit, most in limits.items():
        with contextlib.suppress(ValueError, OSError):  # a limit that is lower already, or that this system has not
            resource.setrlimit(limit, (most, most))
    return True
