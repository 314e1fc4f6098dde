"""Work on a Dask cluster: `dask` starts one of this machine's cores and ends it, `tcp://HOST:PORT` is one that runs elsewhere.

A bundle is a task of Dask's. The job goes to every worker, also to those that come later, as a plugin of workers. Dask does the
tasks of a worker that died again by itself, a few times; then it says so, and items are sent alone (`remote.py`).
"""

from __future__ import annotations

import contextlib
import logging
import os
import queue
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from didymos.cluster.address import reachable
from didymos.cluster.job import Answer, Job, cluster_package, do
from didymos.cluster.remote import RemoteExecutor, WorkerDied
from didymos.errors import InputError, RunError

__all__ = ["DaskExecutor"]

_PORT = 8786  # of Dask's scheduler
_PATIENCE = 30.0  # [s] for workers to come
_JOBS: dict[str, Job] = {}
"""The jobs that a worker's process has been told of, by token."""


class DaskExecutor(RemoteExecutor):
    """Does work on a Dask cluster; see `executor.py`."""

    def __init__(self, cluster: str, workers: int | None) -> None:
        super().__init__()
        self._distributed = distributed = cluster_package("distributed")
        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what matters is said here
        self._own: Any = None
        self._done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        address = None if cluster == "dask" else reachable(cluster, _PORT)
        try:
            if address is None:
                cores = workers or os.cpu_count() or 1
                with cluster_package("dask").config.set({"distributed.scheduler.allowed-failures": 0}):  # said here at once
                    self._own = distributed.LocalCluster(
                        n_workers=cores, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None,
                        silence_logs=logging.CRITICAL, memory_limit=0, preload=["didymos.cluster.ignore_interrupts"],
                    )  # fmt: skip
            self._client = distributed.Client(self._own or address, set_as_default=False, timeout=_PATIENCE)
            self._client.wait_for_workers(1, timeout=_PATIENCE)
        except Exception as error:  # whatever its network, its versions or its processes say
            self.close()
            raise InputError(f"Dask cannot be used: {_one_line(error)}", option="cluster") from error
        self.workers = workers or max(1, sum(self._client.nthreads().values()))

    def _announce(self, job: Job) -> None:
        try:
            self._client.register_plugin(_plugin(self._distributed, job), name=job.token)
        except Exception as error:
            what = f"a worker does not take the work: {_one_line(error)}; is didymos installed there?"
            raise InputError(what, option="cluster") from error

    def _forget(self, job: Job) -> None:
        with contextlib.suppress(Exception):
            self._client.unregister_worker_plugin(job.token)

    def _submit(self, job: Job, items: Sequence[Any]) -> Any:
        future = self._client.submit(_do, job.token, list(items), pure=False)
        future.add_done_callback(self._done.put)
        return future

    def _wait(self, handles: Collection[Any]) -> Iterable[Any]:
        while (future := self._done.get()) not in handles:
            pass  # of work that was cancelled
        return [future]

    def _answer(self, handle: Any) -> Answer:
        try:
            return handle.result()
        except self._distributed.KilledWorker as error:
            raise WorkerDied from error
        except Exception as error:
            raise RunError(f"the Dask cluster failed: {_one_line(error)}") from error

    def close(self) -> None:
        """Let the workers go; those of a cluster that was there before stay."""
        for held in (getattr(self, "_client", None), self._own):
            if held is not None:
                with contextlib.suppress(Exception):
                    held.close()


def _plugin(distributed: Any, job: Job) -> Any:
    """What tells a worker of a job."""

    class Told(distributed.WorkerPlugin):
        def setup(self, worker: Any) -> None:
            from didymos.cluster.dask_cluster import _JOBS

            _JOBS[job.token] = job

        def teardown(self, worker: Any) -> None:
            from didymos.cluster.dask_cluster import _JOBS

            _JOBS.pop(job.token, None)

    return Told()


def _do(token: str, items: Sequence[Any]) -> Answer:
    return do(_JOBS[token], items)


def _one_line(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"
