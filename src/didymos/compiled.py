"""Compilation of hot paths with numba, cached on disk under a key of all the source that a kernel can see.

numba itself looks only at the file of a function when it decides whether a cached binary is still good; a change in a
kernel that is called from another file would go unseen. Our cache folder is therefore named after a digest of the file of
the function, of every file of the package that it imports, directly or through others, and of the versions of the compiler
and the engine: a change starts a fresh folder for just those kernels that may depend on it. Where the package is installed and
when is no part of it: environments of one user share what is compiled.

numba's index files are pickles, and what is compiled is code: the cache lies where nobody else can write (`private_folder.py`),
or there is none beyond this run.
"""

from __future__ import annotations

import gc
import hashlib
import os
import re
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import cache, cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar, TypeVar, cast

import llvmlite
import numba
from numba import types
from numba.core.caching import NullCache
from numba.core.compiler_lock import global_compiler_lock
from numba.core.errors import NumbaExperimentalFeatureWarning
from numba.core.registry import CPUDispatcher

import didymos.late_blas  # before numba loads what asks for scipy  # noqa: F401
from didymos.compile_bar import show_progress
from didymos.compile_error import compile_error
from didymos.kernel_cache import FolderLocator, KernelCache
from didymos.kernel_compiler import KernelCompiler
from didymos.portable import check_portable, is_portable
from didymos.private_folder import own_folder_of_this_run, private_folder

__all__ = ["DOUBLES", "CFunction", "c_function", "kernel", "source_digest"]

check_portable()  # whatever simulates comes by here

# A program that adds to another one's records meets kernels that were compiled for those: numba says so, and compiles its own.
warnings.filterwarnings("ignore", ".* has been considered a subtype of", NumbaExperimentalFeatureWarning)

F = TypeVar("F", bound=Callable[..., Any])

DOUBLES = types.CPointer(types.float64)
"""numba type of a pointer to float64."""

_OPTIONS = {"nopython": True, "nogil": True, "error_model": "numpy", "boundscheck": None}
_KEPT_FOLDERS = 1024
_FOLDER = "portable_kernels" if is_portable() else "kernels"
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


def _named_place() -> Path:
    """Where a user's kernels are: what DIDYMOS_CACHE says, or ours among the usual caches."""
    named = os.environ.get("DIDYMOS_CACHE")
    if named:
        return Path(named)  # it may hold other things of the user's
    return private_folder(Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "didymos")


def _shared_place() -> Path:
    """Under the folder of temporary files, which all users of a machine may share."""
    return private_folder(Path(tempfile.gettempdir()) / f"didymos-{os.getuid() if hasattr(os, 'getuid') else 'kernels'}")


def _safe_place() -> Path:
    """The first of the places that nobody else can write, with our own folder in it; else a folder of this run alone."""
    refusals = []
    for place in (_named_place, _shared_place):
        try:
            return private_folder(place() / _FOLDER)
        except (OSError, RuntimeError) as refusal:  # RuntimeError: nobody knows where home is
            refusals.append(str(refusal))
    print(
        f"didymos: kernels are compiled for this run only: {refusals[0]}; DIDYMOS_CACHE=FOLDER names a folder of yours",
        file=sys.stderr,
    )
    folder = own_folder_of_this_run()
    os.environ["DIDYMOS_CACHE"] = str(folder)  # processes that we start share it
    return private_folder(folder / _FOLDER)


@cache
def _cache_parent() -> Path:
    """Folder of all compiled kernels; made on first use, those beyond the newest ones are removed."""
    parent = _safe_place()
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


@cache
def cache_folder(file: Path) -> Path:
    """Folder of the compiled kernels of a source file in its present state; made on first use.

    A user's file has one for each place where it lies: what is compiled names its module, and that is named after the place.
    """
    own = "" if file.is_relative_to(_ROOT) else f"_{hashlib.sha256(str(file.resolve()).encode()).hexdigest()[:8]}"
    folder = _cache_parent() / f"{_digest(file)}{own}"
    if not folder.is_dir():
        show_progress(folder.parent)
    folder.mkdir(exist_ok=True)
    os.utime(folder)
    return folder


def source_digest(function: Callable[..., Any]) -> str:
    """Name of all the source that a function can see; of its code alone where it has no file, as in a notebook."""
    file = Path(function.__code__.co_filename)
    return _digest(file) if file.is_file() else hashlib.sha256(function.__code__.co_code).hexdigest()[:16]


@contextmanager
def _cached_in(folder: Path) -> Iterator[None]:
    """Let numba's cache point to a folder, and only here: other code keeps its own."""
    config = numba.config
    before = config.CACHE_DIR, config.CACHE_LOCATOR_CLASSES
    config.CACHE_DIR, config.CACHE_LOCATOR_CLASSES = str(folder), f"{FolderLocator.__module__}.{FolderLocator.__qualname__}"
    try:
        yield
    finally:
        config.CACHE_DIR, config.CACHE_LOCATOR_CLASSES = before


@contextmanager
def _collector_rests() -> Iterator[None]:
    """Python's search for garbage takes an eighth of the compiler's time, and finds next to nothing."""
    active = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if active:
            gc.enable()


class _Linked(CPUDispatcher):
    """A kernel as compiled callers see it: without the wrappers through which Python and C would call it.

    They would take a quarter of the compiler's time, for kernels of which most are only called by others.
    """

    options: ClassVar[dict[str, Any]] = _OPTIONS | {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    subfolder = "linked"

    def __init__(self, py_func: Callable[..., Any], locals: Any = None, targetoptions: Any = None) -> None:
        super().__init__(py_func, locals, targetoptions or dict(self.options), KernelCompiler)
        self._cache: Any

    def enable_caching(self) -> None:
        """Keep what is compiled from now on."""
        file = Path(self.py_func.__code__.co_filename)
        with global_compiler_lock:
            if isinstance(self._cache, NullCache) and file.is_file():  # there is nothing to cache one of a notebook under
                with _cached_in(cache_folder(file) / self.subfolder):
                    self._cache = KernelCache(self.py_func)

    def is_kept(self) -> bool:
        """Whether there is anything of it in the cache."""
        if isinstance(self._cache, NullCache):
            self.enable_caching()
        return isinstance(self._cache, KernelCache) and self._cache.is_filled()

    def compile(self, sig: Any) -> Any:
        """The code for a signature: of this process, of the cache, or new."""
        with global_compiler_lock:  # one thread of a process compiles at a time, and holds the file's lock
            if isinstance(self._cache, NullCache):  # most kernels of a warm cache are never asked for
                self.enable_caching()
            try:
                with _collector_rests():
                    return super().compile(sig)
            finally:
                if isinstance(self._cache, KernelCache):
                    self._cache.release()


class _Kernel(_Linked):
    """A kernel as Python sees it, compiled for Python where Python calls it; compiled callers are led to its other half."""

    options = _OPTIONS
    subfolder = "called"

    @cached_property
    def linked(self) -> _Linked:
        """What compiled callers link."""
        return _Linked(self.py_func)

    @property
    def _numba_type_(self) -> Any:
        return types.Dispatcher(self.linked)


def kernel(function: F) -> F:
    """A compiled function that other compiled functions, tests and Python call; arithmetic as IEEE 754 says."""
    return cast("F", _Kernel(function))


class CFunction:
    """A C function that is compiled when its address is first asked for: a twin pays only for what it is made of."""

    def __init__(self, signature: Any, function: Callable[..., Any]) -> None:
        self.__doc__ = function.__doc__
        self.signature, self.function = signature, function
        self._address: int | None = None

    @property
    def address(self) -> int:
        """What the engine and the loop call."""
        if self._address is None:
            with global_compiler_lock:  # and not one of its own: two threads would wait for each other
                if self._address is None:
                    self._address = self._compile()
        return self._address

    def _compile(self) -> int:
        # numba finds a cached function by its module; one whose module is gone (of a notebook, of runpy) is compiled each time
        file = Path(self.function.__code__.co_filename)
        lasting = self.function.__module__ in sys.modules and file.is_file()
        try:
            decorate = numba.cfunc(self.signature, cache=lasting, error_model="numpy", pipeline_class=KernelCompiler)
            with _collector_rests(), _cached_in(cache_folder(file)) if lasting else nullcontext():
                compiled = decorate(self.function)
        except OSError:
            raise
        except Exception as error:  # the function may be anybody's
            raise compile_error(self.function, self.signature.args, error) from error
        self._kept = compiled  # the code lives as long as this object
        return int(compiled.address)


def c_function(signature: Any) -> Callable[[Callable[..., Any]], CFunction]:
    """A compiled C function of a numba signature."""
    return lambda function: CFunction(signature, function)
