"""Work on threads, and what travels to workers elsewhere."""

from __future__ import annotations

import itertools
import os
import shutil
import socket
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import didymos
from didymos.cluster import job as jobs
from didymos.cluster.executor import executor
from didymos.cluster.job import do, pack
from didymos.errors import InputError, RunError
from didymos.studies.trial_runner import TrialRunner

PROGRAM = """
from didymos.control import Controller
class Push(Controller):
    rate = 100.0
    def update(self, t, measured, setpoints):
        return {}
"""


def square(value: int) -> int:
    if value == 77:
        raise InputError("cannot be used", path="a.b")
    return value * value


def test_every_item_comes_back_once_with_its_number() -> None:
    with closing(executor(workers=3)) as pool:
        assert dict(pool.run(square, range(70))) == {i: i * i for i in range(70)}


def test_items_are_taken_as_they_are_needed() -> None:
    with closing(executor(workers=2)) as pool, closing(pool.run(square, itertools.repeat(1))) as results:
        assert len(list(itertools.islice(results, 500))) == 500


def test_an_error_of_the_work_ends_it() -> None:
    with closing(executor(workers=2)) as pool, pytest.raises(InputError, match=r"a\.b: cannot be used"):
        list(pool.run(square, range(100)))


@pytest.mark.parametrize("where", ["rey", "tcp", "http://127.0.0.1", "ray://", "tcp://:1", "tcp://127.0.0.1:99999999"])
def test_an_address_that_is_none_is_refused(where: str) -> None:
    with pytest.raises(InputError, match="expected") as found:
        executor(where)
    assert found.value.option == "cluster"


@pytest.mark.parametrize("scheme", ["ray", "tcp"])
def test_a_cluster_that_does_not_answer_is_one_sentence(scheme: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # nobody listens
        with pytest.raises(InputError, match=r"no cluster answers at .*: Connection refused"):
            executor(f"{scheme}://127.0.0.1:{taken.getsockname()[1]}")


@pytest.mark.parametrize(("failures", "starts"), [(2, 3), (9, 3)])
def test_a_local_ray_that_is_slow_to_start_is_started_again(failures: int, starts: int, monkeypatch: pytest.MonkeyPatch) -> None:
    ray, begun = pytest.importorskip("ray"), []

    def begin(*_: Any, **__: Any) -> None:
        begun.append(1)
        if len(begun) <= failures:
            raise Exception("The current node timed out during startup. This could happen because ...")

    monkeypatch.setattr(ray, "init", begin)
    monkeypatch.setattr(ray, "cluster_resources", lambda: {"CPU": 2.0})
    if failures < starts:
        executor("ray").close()
    else:
        with pytest.raises(InputError, match="Ray cannot be used: Exception: The current node timed out during startup"):
            executor("ray")
    assert len(begun) == starts


def test_a_twin_takes_its_folder_and_its_code_along(make_twin: Any, tmp_path: Path) -> None:
    expect = [{"name": "height", "signal": "truth.position.z", "measure": "final", "high": 99.0}]
    twin = make_twin(
        control={"program": "push.py:Push", "rate": 100}, files={"push.py": PROGRAM},
        scenarios={"rest": {"seconds": 0.1, "expect": expect}}, world={"gravity": 5.0},
    )  # fmt: skip
    twin.set("links.body.mass", 3.0)
    here = TrialRunner(twin, scenario="rest")((4, {"world.gravity": 4.0}))
    job, kept = pack(TrialRunner(twin, scenario="rest")), tmp_path / "elsewhere"
    shutil.move(twin.folder, kept)  # as on a machine that does not have it
    answer = do(job, [(4, {"world.gravity": 4.0})])
    assert answer.results == (here,)
    assert here.verdicts[0].value is not None


def test_a_bundled_twin_travels_by_name(quadcopter: Any) -> None:
    changed = quadcopter.copy()
    changed.set("world.wind.speed", 3.25)
    job = pack(changed.get)
    assert len(job.payload) < 10_000
    assert do(job, ["world.wind.speed"]).results == (3.25,)


def test_a_worker_of_another_version_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    job = pack(square)
    monkeypatch.setattr(didymos, "__version__", "0.0.9")
    answer = do(job, [1])
    assert "has didymos 0.0.9 where this machine has " in answer.refused
    assert answer.results == ()


def test_a_worker_that_computes_otherwise_says_how_to_get_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    job = pack(square)
    monkeypatch.setattr(jobs, "mode", lambda: "native i386")
    assert "arithmetic native i386 where this machine has" in do(job, [1]).refused
    assert "`portable`" in do(job, [1]).refused


def test_what_cannot_travel_is_one_sentence() -> None:
    held = threading.Lock()
    with pytest.raises(InputError, match=r"cannot travel to the workers: TypeError: cannot pickle '_thread.lock'"):
        pack(lambda item: held)


def test_an_error_travels_as_what_it_is() -> None:
    assert isinstance(do(pack(square), [77]).error, InputError)
    found = do(pack(lambda item: 1 / item), [0]).error
    assert isinstance(found, RunError)
    assert "ZeroDivisionError" in str(found)


def test_a_folder_that_is_too_large_does_not_travel(make_twin: Any) -> None:
    twin = make_twin()
    with (twin.folder / "recording.bin").open("wb") as file:
        os.truncate(file.fileno(), 300_000_000)
    with pytest.raises(InputError, match="256 MB beside the twin do not travel"):
        pack(twin.get)
