"""A sweep on disk: written as it comes, resumed, nothing twice."""

from __future__ import annotations

import resource
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from didymos.errors import InputError
from didymos.studies.plan import Draw, FixedPlan
from didymos.studies.sampling import sample
from didymos.studies.store import SweepStore, read_store
from didymos.studies.sweep import sweep, sweep_into
from didymos.studies.sweep_about import sweep_about
from didymos.studies.sweep_summary import SweepSummary
from didymos.studies.trial_runner import TrialRunner

FALLING = """<mujoco><worldbody><body name="stone" pos="0 0 10"><freejoint name="free"/><geom size=".1" mass="1"/></body>
  </worldbody></mujoco>"""
EXPECT = [{"name": "depth", "signal": "tf.stone.position.z", "measure": "final", "low": 4.0}]
RANGES = {"world.gravity": (0.0, 20.0)}


@pytest.fixture
def falling(make_twin: Any) -> Any:
    return make_twin(FALLING, scenarios={"fall": {"seconds": 1.0, "expect": EXPECT}})


class FirstRuns(FixedPlan):
    """The sweep, given up after its first runs."""

    def __init__(self, count: int) -> None:
        super().__init__(RANGES, runs=10)
        self._count = count

    def ask(self) -> Sequence[Draw]:
        return super().ask()[: self._count]


def opened(twin: Any, folder: Path, *, runs: int = 10, resume: bool = False, keep: tuple[str, ...] = ()) -> Any:
    runner = TrialRunner(twin, scenario="fall", keep=keep)
    about = sweep_about(runner, RANGES, runs=runs, seed=0, name=twin.name)
    return runner, SweepStore(folder, about, runner.expected()[0], resume=resume)


def fill(twin: Any, folder: Path, *, most: int | None = None, resume: bool = False, threads: int = 2, **more: Any) -> None:
    runner, store = opened(twin, folder, resume=resume, **more)
    with closing(store):
        sweep_into(store, runner, FirstRuns(most or 10), threads=threads)


def test_the_table_holds_every_run_to_the_bit_whatever_the_threads(falling: Any, tmp_path: Path) -> None:
    fill(falling, tmp_path / "one", threads=1)
    fill(falling, tmp_path / "two", threads=2)
    one, two = (read_store(tmp_path / name).table() for name in ("one", "two"))
    assert one.equals(two)
    trials = sweep(falling, RANGES, runs=10, scenario="fall")
    assert one["measured.depth"].to_pylist() == [trial.verdicts[0].value for trial in trials]
    assert one["values.world.gravity"].to_pylist() == [trial.values["world.gravity"] for trial in trials]
    assert [trial for _, trial in sorted(read_store(tmp_path / "one").trials())] == trials


def test_what_is_missing_is_made_and_nothing_twice(falling: Any, tmp_path: Path) -> None:
    fill(falling, tmp_path / "whole")
    fill(falling, tmp_path / "cut", most=4)
    assert sorted(read_store(tmp_path / "cut").indices()) == [0, 1, 2, 3]
    fill(falling, tmp_path / "cut", resume=True)
    assert read_store(tmp_path / "cut").table().equals(read_store(tmp_path / "whole").table())
    assert len(read_store(tmp_path / "cut").parts) == 2
    fill(falling, tmp_path / "cut", resume=True)
    assert len(read_store(tmp_path / "cut").parts) == 2


def test_a_part_that_was_not_finished_counts_for_nothing(falling: Any, tmp_path: Path) -> None:
    fill(falling, tmp_path / "cut", most=4)
    (tmp_path / "cut" / ".runs-00001.parquet.part").write_bytes(b"PAR1 and no more")
    fill(falling, tmp_path / "cut", resume=True)
    assert len(read_store(tmp_path / "cut").indices()) == 10


def test_another_sweep_is_not_mixed_with_one_that_is_there(falling: Any, make_twin: Any, tmp_path: Path) -> None:
    fill(falling, tmp_path / "kept", most=2)
    with pytest.raises(InputError, match="holds a sweep; `resume` goes on with it"):
        opened(falling, tmp_path / "kept")
    with pytest.raises(InputError, match="cannot go on: the sweep in it has runs = 10, and this one 11"):
        opened(falling, tmp_path / "kept", runs=11, resume=True)
    other = make_twin(FALLING.replace('size=".1"', 'size=".2"'), scenarios=falling.plain_section("scenarios"))
    with pytest.raises(InputError, match="cannot go on: the sweep in it has twin"):
        opened(other, tmp_path / "kept", resume=True)


def test_two_at_once_do_not_write_into_one_folder(falling: Any, tmp_path: Path) -> None:
    _, store = opened(falling, tmp_path / "kept")
    with closing(store), pytest.raises(InputError, match="another sweep is writing"):
        opened(falling, tmp_path / "kept", resume=True)


def test_a_full_disk_is_one_sentence_and_what_was_written_stays(falling: Any, tmp_path: Path) -> None:
    runner, store = opened(falling, tmp_path / "kept")
    drawn = sample(RANGES, runs=10)
    store.add(0, runner((0, drawn[0])))
    store.flush()
    store.add(1, runner((1, drawn[1])))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))  # what a full disk does to a file, at 100 bytes
    try:
        with pytest.raises(InputError, match=r"cannot be written: .*`resume` goes on with the others"):
            store.flush()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert sorted(path.name for path in (tmp_path / "kept").glob("*runs*")) == ["runs-00000.parquet"]
    store.close()  # there is room again
    assert len(read_store(tmp_path / "kept").indices()) == 2


def test_signals_are_kept_at_their_rate(falling: Any, tmp_path: Path) -> None:
    fill(falling, tmp_path / "kept", keep=("tf.stone.position.z",))
    table = read_store(tmp_path / "kept").table()
    columns = (table[name].to_pylist() for name in ("values.world.gravity", "signal.tf.stone.position.z"))
    for gravity, heights in zip(*columns, strict=True):
        assert len(heights) == 10  # at 0, 0.1, ... 0.9 s
        # poses are recorded 25 times a second: the one at or before 0.5 s is at 0.48 s
        assert heights[5] == pytest.approx(10.0 - gravity * 0.48 * 0.481 / 2.0, abs=1e-9)  # semi-implicit Euler, steps of 1 ms
    with pytest.raises(InputError, match=r"no signal 'tf.stone.position.w'"):
        opened(falling, tmp_path / "other", keep=("tf.stone.position.w",))


@pytest.mark.parametrize(
    ("file", "text", "what"),
    [("sweep.json", "{", "is not the sweep.json"), ("sweep.json", "{}", "lacks"), ("runs-00000.parquet", "?", "cannot be read")],
)
def test_a_folder_that_is_broken_is_one_sentence(falling: Any, tmp_path: Path, file: str, text: str, what: str) -> None:
    fill(falling, tmp_path / "kept", most=2)
    (tmp_path / "kept" / file).write_text(text)
    with pytest.raises(InputError, match=what):
        read_store(tmp_path / "kept").table()


def test_the_summary_does_not_hang_on_the_order_of_runs(falling: Any) -> None:
    trials = list(enumerate(sweep(falling, RANGES, runs=10, scenario="fall")))
    there, back = SweepSummary(2), SweepSummary(2)
    there.add_all(trials)
    back.add_all(reversed(trials))
    assert there.found == back.found
    assert there.fell_short == back.fell_short
    assert len(there.fell_short) == 2
    assert there.found["depth"].missed == there.runs - there.met
