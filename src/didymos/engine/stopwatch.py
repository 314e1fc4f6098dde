"""The engine's stopwatches stand still while our loop runs.

The engine's Python package gives it a clock (`mjcb_time`), which it reads some thirty times in a step to fill `mjData.timer`; on
a virtual machine that is a fifth of a step. While the loop runs there is no clock; afterwards it is as it was. A clock that
somebody else gave the engine goes on. Results do not depend on it.
"""

from __future__ import annotations

import ctypes
import os
from threading import Lock

import mujoco

from didymos.engine.layout import library_path

__all__ = ["start", "stop"]

_clock = ctypes.c_void_p.in_dll(ctypes.CDLL(library_path()), "mjcb_time")
_package_clock = _clock.value if mujoco.get_mjcb_time() is None else None  # that of the engine's Python package
_lock = Lock()
_stopped = 0  # loops that run now


def stop() -> None:
    """Take the package's clock away; every `stop` has its `start`."""
    global _stopped
    with _lock:
        _stopped += 1
        if _clock.value == _package_clock:
            _clock.value = None


def start() -> None:
    """Give the clock back when the last loop has ended, unless there is another one by now."""
    global _stopped
    with _lock:
        _stopped -= 1
        if _stopped == 0 and _clock.value is None:
            _clock.value = _package_clock


def _begin_alone() -> None:
    """A forked process has none of the loops that ran beside the one that forked."""
    global _lock, _stopped
    _lock, _stopped = Lock(), 0
    if _clock.value is None:
        _clock.value = _package_clock


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_begin_alone)
