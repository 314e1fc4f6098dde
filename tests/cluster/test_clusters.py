"""Local Ray and Dask: sweeps, fits and validations are those of threads; a worker that dies is replaced, a deadly item named."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import cloudpickle
import numpy as np
import pytest

from didymos.cluster.executor import Executor, executor
from didymos.cluster.ray_cluster import RayExecutor
from didymos.cluster.remote import ItemLost
from didymos.fitting import Recording, fit, read_recordings, validate
from didymos.studies.sampling import sample
from didymos.studies.sweep import run_trials
from didymos.studies.trial_runner import TrialRunner

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers do not have the tests

RAIL = """<mujoco><worldbody><body name="weight"><joint name="rail" type="slide" axis="0 0 1"/>
  <geom type="sphere" size=".1" mass="1"/></body></worldbody></mujoco>"""


class Deadly:
    """Ends its process at one item: the first time, or every time."""

    def __init__(self, folder: Path, item: int, *, always: bool) -> None:
        self.folder, self.item, self.always = folder, item, always

    def __call__(self, item: int) -> int:
        if item == self.item and (self.always or not (self.folder / "died").exists()):
            (self.folder / "died").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return item + 1


@pytest.fixture(scope="module", params=["ray", "dask"])  # to start one costs seconds
def pool(request: Any) -> Iterator[Executor]:
    """A cluster of this machine with two workers."""
    with closing(executor(request.param, workers=2)) as made:
        yield made


@pytest.fixture
def fall(make_twin: Any, tmp_path: Path) -> tuple[Any, list[Recording]]:
    """A weight that falls along a rail, and how its height was recorded where gravity is 8 m/s^2, twice a little apart."""
    columns, start = {"z": {"signal": "joints.rail.position", "sd": 0.001}}, {"joints": {"rail": 5.0}}
    scenarios = {"fall": {"seconds": 0.5, "start": start}}
    twin = make_twin(RAIL, world={"integrator": "rk4"}, recordings={"columns": columns}, scenarios=scenarios)
    time = np.arange(0.0, 0.5, 0.02)
    for name, shift in (("a", 1e-3), ("b", -1e-3)):
        rows = np.column_stack([time, 5.0 - 0.5 * 8.0 * time**2 + shift * np.cos(90.0 * time)])
        np.savetxt(tmp_path / f"{name}.csv", rows, delimiter=",", header="time,z", comments="")
    return twin, read_recordings(twin, [f"{tmp_path}/a.csv=fall", f"{tmp_path}/b.csv=fall"])


def process(_: int) -> int:
    """The number of the process that does this."""
    return os.getpid()


def test_the_trials_of_a_sweep_are_those_of_threads(pool: Executor, quadcopter: Any) -> None:
    mass = quadcopter.get("links.body_FLU.mass")
    drawn = list(enumerate(sample({"links.body_FLU.mass": (0.9 * mass, 1.1 * mass)}, runs=12)))
    runner = TrialRunner(quadcopter, scenario="gusts", seconds=0.2, keep=["truth.tilt"])
    with closing(executor(workers=2)) as here:
        expected = dict(run_trials(here, runner, drawn, 3))
    assert pool.workers == 2
    assert dict(run_trials(pool, runner, drawn, 3)) == expected


def test_a_worker_that_dies_is_replaced_and_what_always_kills_it_is_named(pool: Executor, tmp_path: Path) -> None:
    assert dict(pool.run(Deadly(tmp_path, 5, always=False), range(20))) == {i: i + 1 for i in range(20)}
    assert (tmp_path / "died").exists()
    with pytest.raises(ItemLost, match="item 3 ended its worker 3 times"):
        list(pool.run(Deadly(tmp_path, 3, always=True), range(6)))


def test_a_fit_is_that_of_threads_also_where_a_worker_dies(pool: Executor, fall: Any) -> None:
    twin, recordings = fall
    killed: list[int] = []

    def kill_one(runs: int, loss: float) -> None:
        if isinstance(pool, RayExecutor) and not killed:  # one of Dask's takes many seconds to come back
            killed.append(next(number for _, number in pool.run(process, range(1))))
            os.kill(killed[0], signal.SIGKILL)

    bounds = {"world.gravity": (5.0, 15.0)}
    here = fit(twin, recordings, bounds, threads=2)
    there = fit(twin, recordings, bounds, threads=pool, watch=kill_one)
    assert len(killed) == isinstance(pool, RayExecutor)
    assert here.values()["world.gravity"] == pytest.approx(8.0, abs=0.01)  # the recordings differ by 2 mm
    assert there.parameters == here.parameters
    assert there.loss_after == here.loss_after


def test_a_validation_by_windows_is_that_of_threads(pool: Executor, fall: Any) -> None:
    twin, recordings = fall
    there, here = (validate(twin, recordings, before=twin, window=0.1, threads=threads) for threads in (pool, 2))
    assert there.rows == here.rows
    assert list(there.windows) == ["joints.rail.position"]
    for name, found in there.windows.items():
        assert np.array_equal(found.errors, here.windows[name].errors)
    assert len(there.rows) == len(recordings)
