"""Work in other processes: items go out in bundles, answers come back, what a dead worker had is done again.

A bundle holds as many items as take a quarter of a second, or 5 ms for each worker where these are many: the head, which spends
about 2 ms on a bundle, then keeps all of them at work however short the items are. Twice as many bundles as workers are under
way, so that none waits for the head. Where a worker dies, each item of its bundle is sent alone: one that ends its worker three
times alone is what kills it, and is named.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from didymos.cluster.job import KEPT, Answer, Job, pack
from didymos.errors import InputError, RunError

__all__ = ["ItemLost", "RemoteExecutor", "WorkerDied"]

T = TypeVar("T")
R = TypeVar("R")
_BUNDLE, _PER_WORKER = 0.25, 0.005  # [s] of work, at least and for each worker
_LARGEST = 1024  # items
_AHEAD = 2  # bundles per worker that are under way
_DEATHS = 3  # of workers by one item alone


class WorkerDied(Exception):
    """A worker ended while it had a bundle."""


class ItemLost(RunError):
    """An item that ends its workers; `index` is its number."""

    def __init__(self, index: int) -> None:
        self.index = index
        super().__init__(f"item {index} ended its worker {_DEATHS} times; out of memory?")


@dataclass
class _Bundle:
    items: list[tuple[int, Any]]  # numbers and items
    deaths: int = 0


class RemoteExecutor(ABC):
    """Does work in processes of a cluster. Subclasses say how a bundle gets there."""

    workers: int

    def __init__(self) -> None:
        self._jobs: list[tuple[Any, Job]] = []  # work and its job, the last used one last

    def run(self, work: Callable[[T], R], items: Iterable[T]) -> Generator[tuple[int, R], None, None]:
        """The number of each item and its result, as they come."""
        job = self._job_of(work)
        numbered, again = enumerate(items), deque[_Bundle]()
        under_way: dict[Any, _Bundle] = {}
        size, pace = 1, 0.0
        try:
            while True:
                while len(under_way) < _AHEAD * self.workers:
                    bundle = again.popleft() if again else _Bundle(list(islice(numbered, size)))
                    if not bundle.items:
                        break
                    under_way[self._submit(job, [item for _, item in bundle.items])] = bundle
                if not under_way:
                    return
                for handle in self._wait(under_way):
                    bundle = under_way.pop(handle)
                    try:
                        answer = self._answer(handle)
                    except WorkerDied:
                        again.extend(_alone(bundle))
                        continue
                    _check(answer)
                    each = answer.seconds / len(bundle.items)
                    pace = each if pace == 0.0 else 0.8 * pace + 0.2 * each
                    size = max(1, min(_LARGEST, int(max(_BUNDLE, _PER_WORKER * self.workers) / max(pace, 1e-6))))
                    yield from ((index, result) for (index, _), result in zip(bundle.items, answer.results, strict=True))
        finally:
            under_way.clear()  # what nobody waits for any longer is small: at most two bundles per worker

    def _job_of(self, work: Callable[[Any], Any]) -> Job:
        """Work that is asked for again is sent only once."""
        known = next((item for item in self._jobs if item[0] is work), None)
        if known is None:
            while len(self._jobs) >= KEPT:
                self._forget(self._jobs.pop(0)[1])
            known = work, pack(work)
            self._announce(known[1])
        else:
            self._jobs.remove(known)
        self._jobs.append(known)
        return known[1]

    @abstractmethod
    def _announce(self, job: Job) -> None:
        """Let the workers know of a job."""

    @abstractmethod
    def _forget(self, job: Job) -> None:
        """Let go of what the cluster holds of a job."""

    @abstractmethod
    def _submit(self, job: Job, items: Sequence[Any]) -> Any:
        """Send some items; a handle for their answer."""

    @abstractmethod
    def _wait(self, handles: Collection[Any]) -> Iterable[Any]:
        """Wait until there are answers; which."""

    @abstractmethod
    def _answer(self, handle: Any) -> Answer:
        """The answer that has come; a `WorkerDied` where there will be none."""


def _alone(bundle: _Bundle) -> Iterator[_Bundle]:
    """A bundle whose worker died, item by item."""
    deaths = bundle.deaths + 1 if len(bundle.items) == 1 else 0
    if deaths >= _DEATHS:
        raise ItemLost(bundle.items[0][0])
    return (_Bundle([one], deaths) for one in bundle.items)


def _check(answer: Answer) -> None:
    if answer.refused:
        raise InputError(answer.refused, option="cluster")
    if answer.error is not None:
        raise answer.error
