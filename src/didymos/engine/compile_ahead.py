"""A first run compiles in two processes: while this one compiles what a twin is made of, a helper compiles the loop.

The helper is this package in a second interpreter, and is told nothing but to compile the loop; what it makes comes through the
cache on disk (kernel_cache.py). Whatever keeps it from starting or from finishing, all that is lost is time.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numba
from numba import types

from didymos.engine.loop import _end_tick, run_ticks
from didymos.engine.packed_context import CONTEXT

__all__ = ["compile_loop", "loop_compiled_beside"]

_HELPER = "import sys; sys.path[:] = sys.argv[1:]; from didymos.engine import compile_ahead; compile_ahead.compile_loop()"


def compile_loop() -> None:
    """Compile the loop, or wait until another process has done it."""
    run_ticks.compile((types.int64,) * 4)  # type: ignore[attr-defined]


def _start_helper() -> subprocess.Popen[bytes] | None:
    """A process that compiles the loop, with our path and not the folder that it is started in; None where there can be none."""
    if (os.cpu_count() or 1) < 2 or not Path(sys.executable or "").name.startswith("python"):
        return None
    quiet = subprocess.DEVNULL
    try:
        return subprocess.Popen([sys.executable, "-c", _HELPER, *sys.path], stdin=quiet, stdout=quiet, stderr=quiet)
    except OSError:
        return None


@contextmanager
def loop_compiled_beside() -> Iterator[None]:
    """Do something else that has to be compiled while, in a first run, a helper compiles the loop."""
    if run_ticks.overloads or run_ticks.is_kept():  # type: ignore[attr-defined]
        yield
        return
    helper = _start_helper()
    try:
        yield
        if helper is not None:
            _end_tick.linked.compile((numba.from_dtype(CONTEXT), types.int64))  # type: ignore[attr-defined]  # the helper's last
            compile_loop()
    finally:
        if helper is not None:
            helper.kill()  # there is nothing left for it to do
            helper.wait()
