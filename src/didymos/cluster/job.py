"""A job: work that travels to workers in other processes, and what a worker does with it.

`work` is pickled once, by `cloudpickle`: classes and functions of the script that the user started travel by value, those of
installed packages by name. Twins take their files along (`files.py`): a worker needs didymos and the packages that the user's
code imports, nothing else. Code of a twin's folder that ran at the head, because the user trusts it, runs at the workers of this
job, and only there.

A worker of other versions, or one whose processor rounds otherwise (`portable.py`), could give other bits: it refuses.
"""

from __future__ import annotations

import importlib.metadata
import io
import pickle
import platform
import threading
import time
import uuid
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from didymos.cluster.files import TravellingFiles, unpacked
from didymos.errors import DidymosError, InputError, RunError
from didymos.portable import mode

__all__ = ["KEPT", "Answer", "Job", "cluster_package", "do", "pack"]

_COMPARED = ("didymos", "mujoco-core", "numba", "numpy")
KEPT = 3
"""Jobs that a worker is ready for at the same time."""


@dataclass(frozen=True)
class Job:
    """Work, ready to travel: `payload` are the pickled work and its files."""

    token: str
    payload: bytes


@dataclass(frozen=True)
class Answer:
    """What a worker says of some items: their results in order and the time [s] they took, or why there are none."""

    results: tuple[Any, ...] = ()
    seconds: float = 0.0
    refused: str = ""
    """What is wrong with the worker, in a sentence."""
    error: DidymosError | None = None
    """What is wrong with an item."""


def cluster_package(name: str) -> Any:
    """A package of the extra `cluster`, or a sentence that says how to install it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        what = f"needs {error.name or name}; install it with: pip install 'didymos[cluster]'"
        raise InputError(what, option="cluster") from None


def _versions() -> dict[str, str]:
    """What has to be the same for the same bits."""
    found = {}
    for name in _COMPARED:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = "none"
    from didymos import __version__

    return {**found, "didymos": __version__, "Python": platform.python_version(), "arithmetic": mode()}


def pack(work: Callable[[Any], Any]) -> Job:
    """Make work ready to travel."""
    cloudpickle = cluster_package("cloudpickle")
    files = TravellingFiles()

    class Pickler(cloudpickle.Pickler):  # type: ignore[name-defined]
        def persistent_id(self, found: Any) -> Any:
            return files.reference(found)

    stream = io.BytesIO()
    try:
        Pickler(stream, protocol=5).dump(work)
    except (pickle.PicklingError, TypeError, AttributeError, ValueError, RecursionError) as error:
        what = f"this work cannot travel to the workers: {type(error).__name__}: {error}; run it without a cluster"
        raise InputError(what, option="cluster") from error
    content = pickle.dumps((_versions(), files.archive(), stream.getvalue()), protocol=5)
    return Job(uuid.uuid4().hex, content)


class _Ready:
    """The jobs that this process is ready for, the last used ones; one is made ready by one thread while others wait."""

    def __init__(self) -> None:
        self._works: OrderedDict[str, Any] = OrderedDict()
        self._turn = threading.Lock()

    def work(self, job: Job) -> Callable[[Any], Any]:
        with self._turn:
            if job.token not in self._works:
                self._works[job.token] = _unpack(job.payload)
                while len(self._works) > KEPT:
                    self._works.popitem(last=False)
            self._works.move_to_end(job.token)
            return self._works[job.token][0]


_READY = _Ready()


class _Refused(Exception):
    """A worker that cannot do a job."""


def _unpack(payload: bytes) -> tuple[Any, Any]:
    """The work of a job, and what keeps its files."""
    head, archive, pickled = pickle.loads(payload)
    here = _versions()
    other = [f"{name} {here[name]} where this machine has {version}" for name, version in head.items() if here[name] != version]
    if other:
        portable = "; `portable` gives the same bits on any" if here["arithmetic"] != head["arithmetic"] else ""
        raise _Refused(f"a worker ({platform.node()}) has {', '.join(other)}{portable}")
    files = unpacked(archive)

    class Unpickler(pickle.Unpickler):
        def persistent_load(self, reference: Any) -> Any:
            return files.at(reference)

    return Unpickler(io.BytesIO(pickled)).load(), files


def do(job: Job, items: Sequence[Any]) -> Answer:
    """Do some items of a job in a worker's process."""
    try:
        work = _READY.work(job)
    except _Refused as refused:
        return Answer(refused=str(refused))
    except DidymosError as error:
        return Answer(error=_travelling(error))
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        return Answer(refused=f"a worker ({platform.node()}) cannot load the work: {why}")
    began, results = time.perf_counter(), []
    for item in items:
        try:
            results.append(work(item))
        except DidymosError as error:
            return Answer(error=_travelling(error))
        except Exception as error:
            return Answer(error=RunError(f"a worker ({platform.node()}) failed: {type(error).__name__}: {error}"))
    return Answer(tuple(results), time.perf_counter() - began)


def _travelling(error: DidymosError) -> DidymosError:
    """An error of the same kind and text that travels light: the log of a run stays here."""
    return InputError(str(error)) if isinstance(error, InputError) else RunError(str(error))
