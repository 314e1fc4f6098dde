"""Work on a Ray cluster: `ray` starts one of this machine's cores and ends it, `ray://HOST:PORT` is one that runs elsewhere.

A bundle is a task of Ray's, the job an object in its store, which every machine of the cluster fetches once. Ray starts another
process where one has died; what it did is sent again from here, so its own retries are off.
"""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from didymos.cluster.address import reachable
from didymos.cluster.job import Answer, Job, cluster_package, do
from didymos.cluster.remote import RemoteExecutor, WorkerDied
from didymos.errors import InputError, RunError
from didymos.portable import is_portable, portable_environment

__all__ = ["RayExecutor"]

_PORT = 10001  # of Ray's clients
_LOOPBACK = "127.0.0.1"
_STARTS, _SLOW = 3, "timed out"  # of a local cluster, whose processes Ray gives 30 s: not enough on a busy machine
_STORE = 100_000_000  # [bytes] of a local cluster's shared memory: a job and answers are small


class RayExecutor(RemoteExecutor):
    """Does work on a Ray cluster; see `executor.py`."""

    def __init__(self, cluster: str, workers: int | None) -> None:
        super().__init__()
        self._ray = ray = cluster_package("ray")
        if ray.is_initialized():
            raise InputError("Ray runs in this process already; end it first: ray.shutdown()", option="cluster")
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # graphics cards are none of our business
        address = "local" if cluster == "ray" else reachable(cluster, _PORT)
        cores = workers or os.cpu_count() or 1
        local = {"num_cpus": cores, "include_dashboard": False, "object_store_memory": _STORE, "_node_ip_address": _LOOPBACK}
        environment = {"env_vars": portable_environment({})} if is_portable() else None
        for further in reversed(range(_STARTS if address == "local" else 1)):
            try:
                with _on_loopback(ray):
                    ray.init(
                        address, log_to_driver=False, logging_level=logging.ERROR, runtime_env=environment,
                        **(local if address == "local" else {}),
                    )  # fmt: skip
                break
            except Exception as error:  # whatever its network, its versions or its processes say
                ray.shutdown()
                if not further or _SLOW not in str(error):
                    raise InputError(f"Ray cannot be used: {_first_line(error)}", option="cluster") from error
        self.workers = workers or int(ray.cluster_resources().get("CPU", 1))
        self._do = ray.remote(num_cpus=1, max_retries=0)(_do)
        self._sent: dict[str, Any] = {}  # references to jobs in Ray's store, by token

    def _announce(self, job: Job) -> None:
        self._sent[job.token] = self._ray.put(job)

    def _forget(self, job: Job) -> None:
        self._sent.pop(job.token, None)

    def _submit(self, job: Job, items: Sequence[Any]) -> Any:
        return self._do.remote(self._sent[job.token], list(items))

    def _wait(self, handles: Collection[Any]) -> Iterable[Any]:
        done, _ = self._ray.wait(list(handles), num_returns=1)
        return done

    def _answer(self, handle: Any) -> Answer:
        errors = self._ray.exceptions
        try:
            return self._ray.get(handle)
        except (errors.WorkerCrashedError, errors.OutOfMemoryError, errors.NodeDiedError, errors.ObjectLostError) as error:
            raise WorkerDied from error
        except errors.RayTaskError as error:
            what = f"a worker cannot do the work: {_first_line(error.cause)}; is didymos installed there?"
            raise InputError(what, option="cluster") from error
        except errors.RayError as error:
            raise RunError(f"the Ray cluster failed: {_first_line(error)}") from error

    def close(self) -> None:
        """Let the workers go; those of a cluster that was there before stay."""
        self._sent.clear()
        self._ray.shutdown()


@contextlib.contextmanager
def _on_loopback(ray: Any) -> Iterator[None]:
    """Let a cluster of this machine listen on loopback alone, and say nothing on stdout.

    Ray takes 127.0.0.1 for the machine's address in its network, and would listen there: to anybody, and without a password.
    """
    services, worker = ray._private.services, ray._private.worker
    resolve, services.resolve_ip_for_localhost = services.resolve_ip_for_localhost, lambda host: host
    worker._worker_logs_enabled = False
    try:
        yield
    finally:
        services.resolve_ip_for_localhost = resolve


def _do(job: Job, items: Sequence[Any]) -> Answer:
    return do(job, items)


def _first_line(error: BaseException) -> str:
    return f"{type(error).__name__}: {next(iter(str(error).strip().splitlines()), '')}"
