"""Where work is done: threads of this machine, a Ray cluster or a Dask cluster, behind one small interface.

    with closing(executor("ray")) as pool:
        for index, result in pool.run(work, items): ...

`work` is a function, or an object that can be called, of one item. It may be called from several threads at once, and what it
gives must hang on the item alone: then results are the same to the bit whatever the workers. What it needs to keep between
items (a simulation that is ready) it keeps itself. Where workers are other processes, `work`, items and results travel by pickle,
`work` once to each worker (`job.py`); what it keeps stays where it is.

A worker that dies is replaced and its items are done again (`remote.py`). Nothing of ours is on the wire.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable
from typing import Protocol, TypeVar

from didymos.errors import InputError

__all__ = ["Executor", "Workers", "executor"]

T = TypeVar("T")
R = TypeVar("R")


class Executor(Protocol):
    """Does work; `workers` items at the same time."""

    workers: int

    def run(self, work: Callable[[T], R], items: Iterable[T]) -> Generator[tuple[int, R], None, None]:
        """The number of each item and its result, as they come.

        Items are taken as they are needed, so there may be any number of them. An error of `work` is raised here. Whoever stops
        taking results (`close` of the iterator, an interrupt) stops the work.
        """
        ...

    def close(self) -> None:
        """Let the workers go; those of a cluster that was there before stay."""
        ...


Workers = int | Executor | None
"""Who does some work: so many threads of this machine, all of its cores (None), or an executor that the caller closes."""


def executor(cluster: str | None = None, *, workers: int | None = None) -> Executor:
    """Threads of this machine, or a cluster.

    `cluster` is "ray" or "dask" for processes of this machine, started and ended by it; "ray://HOST:PORT" or "tcp://HOST:PORT"
    for a Ray or Dask cluster that runs elsewhere. `workers` are all cores by default, or all that the cluster has.
    """
    if cluster is None:
        from didymos.cluster.threads import ThreadExecutor

        return ThreadExecutor(workers or os.cpu_count() or 1)
    if cluster == "ray" or cluster.startswith("ray://"):
        from didymos.cluster.ray_cluster import RayExecutor

        return RayExecutor(cluster, workers)
    if cluster == "dask" or cluster.startswith("tcp://"):
        from didymos.cluster.dask_cluster import DaskExecutor

        return DaskExecutor(cluster, workers)
    expected = "ray, ray://HOST:PORT, dask or tcp://HOST:PORT (Dask)"
    raise InputError(f"found {cluster!r}, expected {expected}", option="cluster")
