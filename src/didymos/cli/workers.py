"""Who does the runs of a command: threads of this machine, or the workers of a cluster while the command lasts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from didymos.cluster.executor import Workers

__all__ = ["workers"]


@contextmanager
def workers(cluster: str | None, threads: int | None) -> Iterator[Workers]:
    """So many threads, or, with a cluster, so many of its workers."""
    if cluster is None:
        yield threads
        return
    from didymos.cluster.executor import executor

    with closing(executor(cluster, workers=threads)) as pool:
        yield pool
