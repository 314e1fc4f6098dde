"""Work on threads of this process: for work that leaves the interpreter while it computes, as the compiled loop does."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice
from typing import TypeVar

__all__ = ["ThreadExecutor"]

T = TypeVar("T")
R = TypeVar("R")
_AHEAD = 2  # items per thread that are under way or wait for one


class ThreadExecutor:
    """Does work on threads; see `executor.py`."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._pool = ThreadPoolExecutor(max_workers=workers, thread_name_prefix="didymos-work")

    def run(self, work: Callable[[T], R], items: Iterable[T]) -> Generator[tuple[int, R], None, None]:
        """The number of each item and its result, as they come."""
        numbered = enumerate(items)
        under_way: dict[Future[R], int] = {}
        try:
            while True:
                for index, item in islice(numbered, _AHEAD * self.workers - len(under_way)):
                    under_way[self._pool.submit(work, item)] = index
                if not under_way:
                    return
                done, _ = wait(under_way, return_when=FIRST_COMPLETED)
                for future in sorted(done, key=under_way.__getitem__):
                    yield under_way.pop(future), future.result()
        finally:
            for future in under_way:
                future.cancel()

    def close(self) -> None:
        """Let the threads go, once what they do is done."""
        self._pool.shutdown(cancel_futures=True)
