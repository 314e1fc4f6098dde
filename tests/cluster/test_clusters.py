"""Local Ray and Dask: the same results as on threads; a worker that dies is replaced, one that always dies is named."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import cloudpickle
import pytest

from didymos.cluster.executor import executor
from didymos.cluster.remote import ItemLost
from didymos.studies.sampling import sample
from didymos.studies.sweep import run_trials
from didymos.studies.trial_runner import TrialRunner

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers do not have the tests


class Deadly:
    """Ends its process at one item: the first time, or every time."""

    def __init__(self, folder: Path, item: int, *, always: bool) -> None:
        self.folder, self.item, self.always = folder, item, always

    def __call__(self, item: int) -> int:
        if item == self.item and (self.always or not (self.folder / "died").exists()):
            (self.folder / "died").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return item + 1


@pytest.mark.parametrize("cluster", ["ray", "dask"])
def test_a_local_cluster_does_what_threads_do_and_survives_its_workers(cluster: str, quadcopter: Any, tmp_path: Path) -> None:
    mass = quadcopter.get("links.body_FLU.mass")
    drawn = list(enumerate(sample({"links.body_FLU.mass": (0.9 * mass, 1.1 * mass)}, runs=12)))
    runner = TrialRunner(quadcopter, scenario="gusts", seconds=0.2, keep=["truth.tilt"])
    with closing(executor(workers=2)) as pool:
        here = dict(run_trials(pool, runner, drawn, 3))
    with closing(executor(cluster, workers=2)) as pool:
        assert pool.workers == 2
        assert dict(run_trials(pool, runner, drawn, 3)) == here
        assert dict(pool.run(Deadly(tmp_path, 5, always=False), range(20))) == {i: i + 1 for i in range(20)}
        assert (tmp_path / "died").exists()
        with pytest.raises(ItemLost, match="item 3 ended its worker 3 times"):
            list(pool.run(Deadly(tmp_path, 3, always=True), range(6)))
