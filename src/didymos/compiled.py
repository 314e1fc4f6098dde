"""Compilation of hot paths with numba, cached on disk under one key for the whole package.

numba itself looks only at the file of a function when it decides whether a cached binary is still good; a change in a
kernel that is called from another file would go unseen. Our cache folder is therefore named after a digest of every
source file of the package and of the versions of the compiler and the engine: any change starts a fresh folder.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba import types

__all__ = ["DOUBLES", "c_function", "inlined", "kernel"]

F = TypeVar("F", bound=Callable[..., Any])

DOUBLES = types.CPointer(types.float64)
"""numba type of a pointer to float64."""

_KEPT_FOLDERS = 16


def _digest() -> str:
    root = Path(__file__).parent
    found = hashlib.sha256()
    for name in ("numba", "llvmlite", "mujoco-core"):
        found.update(f"{name} {version(name)}\n".encode())
    for file in sorted(root.rglob("*.py")):
        found.update(file.relative_to(root).as_posix().encode() + b"\0" + file.read_bytes())
    return found.hexdigest()[:16]


def _parent() -> Path:
    named = os.environ.get("DIDYMOS_CACHE")
    if named:
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "didymos"


@cache
def cache_folder() -> Path:
    """Folder of the compiled kernels of this version; made on first use, older ones beyond a few are removed."""
    try:
        parent = _parent()
        parent.mkdir(parents=True, exist_ok=True)
        if not os.access(parent, os.W_OK):
            raise PermissionError(parent)
    except (OSError, RuntimeError):
        parent = Path(tempfile.gettempdir()) / f"didymos-{os.getuid()}"
        parent.mkdir(mode=0o700, exist_ok=True)
    folder = parent / f"kernels-{_digest()}"
    folder.mkdir(exist_ok=True)
    os.utime(folder)
    older = sorted(parent.glob("kernels-*"), key=lambda entry: entry.stat().st_mtime, reverse=True)[_KEPT_FOLDERS:]
    for entry in older:
        shutil.rmtree(entry, ignore_errors=True)
    return folder


def _cached(decorate: Callable[[F], Any], function: F) -> Any:
    """Apply a numba decorator while its cache points to our folder, and only then: other code keeps its own."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(cache_folder())
    try:
        return decorate(function)
    finally:
        numba.config.CACHE_DIR = before


def kernel(function: F) -> F:
    """A compiled function that other compiled functions, tests and Python call; arithmetic as IEEE 754 says."""
    compiled: F = _cached(numba.njit(cache=True, nogil=True, error_model="numpy"), function)
    return compiled


def inlined(function: F) -> F:
    """A kernel that is written into its compiled callers: for those that take a large record of arrays by value."""
    compiled: F = _cached(numba.njit(cache=True, nogil=True, error_model="numpy", inline="always"), function)
    return compiled


def c_function(signature: Any) -> Callable[[F], Any]:
    """A compiled C function of a numba signature; `.address` is what the engine and the loop call."""

    def decorate(function: F) -> Any:
        return _cached(numba.cfunc(signature, cache=True, error_model="numpy"), function)

    return decorate
