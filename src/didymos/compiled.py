"""Compilation of hot paths with numba, cached on disk under a key of all the source that a kernel can see.

numba itself looks only at the file of a function when it decides whether a cached binary is still good; a change in a
kernel that is called from another file would go unseen. Our cache folder is therefore named after a digest of the file of
the function, of every file of the package that it imports, directly or through others, and of the versions of the compiler
and the engine: a change starts a fresh folder for just those kernels that may depend on it.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from functools import cache, cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

import llvmlite
import numba
from numba import types
from numba.core import event

from didymos import late_blas as late_blas  # before numba loads what asks for scipy
from didymos.compile_error import compile_error

__all__ = ["DOUBLES", "CFunction", "c_function", "inlined", "kernel", "source_digest"]

F = TypeVar("F", bound=Callable[..., Any])

DOUBLES = types.CPointer(types.float64)
"""numba type of a pointer to float64."""

_KEPT_FOLDERS = 1024
_USUAL_KERNELS = 90  # that a first run compiles
_ROOT = Path(__file__).parent
_IMPORTS = re.compile(r"^[ \t]*from[ \t]+didymos([\w.]*)\s+import\s+(\([^)]*\)|[^\n]*)", re.MULTILINE)


@cache
def _imported(file: str) -> frozenset[str]:
    """Files of the package that a file names in its imports."""
    imported = set()
    for module, names in _IMPORTS.findall(Path(file).read_text()):
        parent = f"{_ROOT}{module.replace('.', '/')}"
        if os.path.isfile(f"{parent}.py"):
            imported.add(f"{parent}.py")
            continue
        named = [parent, *(f"{parent}/{name}" for name in re.findall(r"\w+", names))]
        imported |= {entry for path in named for entry in (f"{path}.py", f"{path}/__init__.py") if os.path.isfile(entry)}
    return frozenset(imported)


@cache
def _content(file: str) -> bytes:
    """The name of a file and a digest of what it holds."""
    return os.path.basename(file).encode() + b"\0" + hashlib.sha256(Path(file).read_bytes()).digest()


@cache
def _versions() -> bytes:
    """Of the compiler and the engine; asking for one of a package reads all that its author wrote about it."""
    return f"numba {numba.__version__}\nllvmlite {llvmlite.__version__}\nmujoco-core {version('mujoco-core')}\n".encode()


@cache
def _digest(file: Path) -> str:
    """Name of everything that the kernels of a file are made of."""
    reached: set[str] = set()
    ahead = [str(file)]
    while ahead:
        here = ahead.pop()
        if here not in reached:
            reached.add(here)
            ahead.extend(_imported(here))
    found = hashlib.sha256(_versions())
    for here in sorted(reached):
        found.update(_content(here))
    return found.hexdigest()[:16]


def _parent() -> Path:
    named = os.environ.get("DIDYMOS_CACHE")
    if named:
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "didymos"


@cache
def _cache_parent() -> Path:
    """Folder of all compiled kernels; made on first use, those beyond the newest ones are removed."""
    try:
        parent = _parent()
        parent.mkdir(parents=True, exist_ok=True)
        if not os.access(parent, os.W_OK):
            raise PermissionError(parent)
    except (OSError, RuntimeError):
        parent = Path(tempfile.gettempdir()) / f"didymos-{os.getuid()}"
        parent.mkdir(mode=0o700, exist_ok=True)
    parent = parent / "kernels"
    parent.mkdir(exist_ok=True)
    kept = list(parent.iterdir())
    if len(kept) > _KEPT_FOLDERS:
        for entry in sorted(kept, key=_last_used)[:-_KEPT_FOLDERS]:
            shutil.rmtree(entry, ignore_errors=True)
    return parent


def _last_used(folder: Path) -> float:
    try:
        return folder.stat().st_mtime
    except FileNotFoundError:  # another process has just removed it
        return 0.0


class _CompileBar(event.Listener):
    """A bar for a person who waits: what is being compiled, and about how much of it is done."""

    def __init__(self) -> None:
        self._count, self._depth = 0, 0

    def on_start(self, event: Any) -> None:
        """Show the function that is compiled now."""
        self._count, self._depth = self._count + 1, self._depth + 1
        done = min(self._count / _USUAL_KERNELS, 1.0)
        bar = ("#" * round(20 * done)).ljust(20, ".")
        name = event.data["dispatcher"].py_func.__qualname__.strip("_")[:32]
        print(f"\rdidymos: compiling for this machine, once per version [{bar}] {name:<32}", end="", file=sys.stderr, flush=True)

    def on_end(self, event: Any) -> None:
        """Clear the line where nothing more is on its way."""
        self._depth -= 1
        if self._depth == 0:
            print("\r" + " " * 110 + "\r", end="", file=sys.stderr, flush=True)


@cache
def _show_progress() -> None:
    """Tell a person who waits; a program that reads our output has nothing to learn from it."""
    if sys.stderr is not None and sys.stderr.isatty():
        event.register("numba:compile", _CompileBar())


@cache
def cache_folder(file: Path) -> Path:
    """Folder of the compiled kernels of a source file in its present state; made on first use."""
    folder = _cache_parent() / _digest(file)
    if not folder.is_dir():
        _show_progress()
    folder.mkdir(exist_ok=True)
    os.utime(folder)
    return folder


def source_digest(function: Callable[..., Any]) -> str:
    """Name of all the source that a function can see; of its code alone where it has no file, as in a notebook."""
    file = Path(function.__code__.co_filename)
    return _digest(file) if file.is_file() else hashlib.sha256(function.__code__.co_code).hexdigest()[:16]


def _cached(decorate: Callable[[F], Any], function: F) -> Any:
    """Apply a numba decorator while its cache points to our folder, and only then: other code keeps its own."""
    file = Path(function.__code__.co_filename)
    if not file.is_file():  # of a notebook: there is nothing to cache it under
        return decorate(function)
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(cache_folder(file))
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


class CFunction:
    """A C function that is compiled when its address is first asked for: a twin pays only for what it is made of."""

    def __init__(self, signature: Any, function: Callable[..., Any]) -> None:
        self.__doc__ = function.__doc__
        self.signature, self.function = signature, function

    @cached_property
    def address(self) -> int:
        """What the engine and the loop call."""
        # numba finds a cached function by its module; one whose module is gone (of a notebook, of runpy) is compiled each time
        lasting = self.function.__module__ in sys.modules and Path(self.function.__code__.co_filename).is_file()
        try:
            compiled = _cached(numba.cfunc(self.signature, cache=lasting, error_model="numpy"), self.function)
        except OSError:
            raise
        except Exception as error:  # the function may be anybody's
            raise compile_error(self.function, self.signature.args, error) from error
        self._kept = compiled  # the code lives as long as this object
        return int(compiled.address)


def c_function(signature: Any) -> Callable[[Callable[..., Any]], CFunction]:
    """A compiled C function of a numba signature."""
    return lambda function: CFunction(signature, function)
