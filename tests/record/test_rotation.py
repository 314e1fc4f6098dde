"""A recording in a row of files: nothing lost, nothing twice, each a whole file, the oldest removed."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from mcap.reader import make_reader

import didymos
from didymos.cli.main import main
from didymos.engine.intervention import load_interventions
from didymos.engine.run import Run
from didymos.errors import InputError, RunError
from didymos.record import Log, RotatedFile
from didymos.record.rotation import RotatingRecorder

from .examples import ALL_LAYOUTS, rows_of


@pytest.fixture(scope="module")
def quadcopter() -> didymos.Twin:
    return didymos.load("quadcopter")


def joined(files: list[Path], index: int) -> tuple[np.ndarray, np.ndarray]:
    """Times and rows of a stream of all files, one after the other."""
    parts = [Log.load(file).rows(index) for file in files]
    return np.concatenate([times for times, _ in parts]), np.concatenate([values for _, values in parts])


def test_the_files_one_after_the_other_are_the_recording_that_one_file_would_have_been(
    tmp_path: Path, full_log: Log
) -> None:
    target = RotatedFile(tmp_path / "a.mcap", every=1.0)
    recorder = RotatingRecorder(target, full_log.layouts, full_log.metadata)
    ends = np.arange(0.0, 6.0, 0.37)  # flushes that fall on no seam, streams in any order, rows a flush later than their stamps
    for begin, end in itertools.pairwise(ends):
        for i in np.random.default_rng(int(100 * begin)).permutation(len(full_log.layouts)):
            times, values = full_log.rows(int(i))
            late = 0.2 if i % 3 == 0 else 0.0
            inside = (times + late >= begin) & (times + late < end)
            recorder.write(int(i), times[inside], values[inside])
        recorder.flush()
    recorder.close()
    assert [file.name for file in target.files] == [f"a-{n:04d}.mcap" for n in range(1, len(target.files) + 1)]
    assert len(target.files) == 2  # of a log of nearly two seconds
    for i, layout in enumerate(full_log.layouts):
        times, values = joined(target.files, i)
        assert times.tobytes() == full_log.rows(i)[0].tobytes(), layout.name
        assert values.tobytes() == full_log.rows(i)[1].tobytes(), layout.name
    for number, file in enumerate(target.files):
        first = Log.load(file).rows(1)[0]  # of a stream without delay
        if len(first):
            assert number <= first[0]
            assert first[-1] < number + 1


def test_each_file_is_whole_to_a_reader_that_shares_no_code_with_us(tmp_path: Path) -> None:
    target = RotatedFile(tmp_path / "a.mcap", every=2.0)
    recorder = RotatingRecorder(target, ALL_LAYOUTS, {"twin": "x"})
    for i, layout in enumerate(ALL_LAYOUTS):
        recorder.write(i, *rows_of(layout, 60, 10.0, seed=i))
    recorder.close()
    assert len(target.files) == 3
    for part, file in enumerate(target.files, 1):
        with file.open("rb") as stream:
            reader = make_reader(stream)
            summary = reader.get_summary()
            count = sum(1 for _ in reader.iter_messages())
            metadata = {item.name: item.metadata for item in reader.iter_metadata()}
        assert summary is not None
        assert summary.statistics is not None
        assert summary.statistics.message_count == count > 0
        assert summary.statistics.message_start_time == (part - 1) * 2_000_000_000
        assert metadata["didymos"] == {"twin": "x", "part": str(part)}


def test_only_the_newest_are_kept_and_numbers_go_on_when_it_starts_again(tmp_path: Path) -> None:
    target = RotatedFile(tmp_path / "a.mcap", every=1.0, keep=2)
    bystanders = [tmp_path / name for name in ("a.mcap", "a-b-0001.mcap", "a-1.mcap", "b-0001.mcap")]
    for file in bystanders:
        file.write_bytes(b"not ours")
    for started in (0, 5):
        recorder = RotatingRecorder(target, ALL_LAYOUTS[:1], {})
        for second in range(5):
            recorder.write(0, [second + 0.5], np.zeros((1, len(ALL_LAYOUTS[0].columns))))
            recorder.flush()
            assert len(target.files) <= 2
        recorder.close()
        assert [file.name for file in target.files] == [f"a-{started + n:04d}.mcap" for n in (4, 5)]
    assert all(file.read_bytes() == b"not ours" for file in bystanders)


def test_a_run_is_recorded_in_a_row_of_files_and_repeated_from_them(quadcopter: didymos.Twin, tmp_path: Path) -> None:
    target = RotatedFile(tmp_path / "run.mcap", every=1.0)
    simulation = quadcopter.simulate(scenario="hover")
    run = Run(simulation, target, keep=True)
    for path, value in (("setpoints.z", 0.2), ("setpoints.yaw", 0.3), ("setpoints.z", -0.1)):
        run.advance(round(0.9 / simulation.period))
        run.intervene("steer", path, value)
    run.close()
    whole = run.log
    assert len(target.files) == 3
    for i in range(len(whole.layouts)):
        times, values = joined(target.files, i)
        assert (times.tobytes(), values.tobytes()) == tuple(part.tobytes() for part in whole.rows(i))
    again = tmp_path / "again.mcap"
    assert main(["run", "quadcopter", "--interventions", str(target.files[-1]), "--record", str(again), "--quiet"]) in (0, 1)
    assert Log.load(again).sha256 == whole.sha256
    target.files[0].unlink()
    with pytest.raises(InputError, match=r"is part 3 of a recording, and run-0001\.mcap before it is not there"):
        load_interventions(target.files[-1])


ENDLESS = """
import sys, didymos
target = didymos.RotatedFile(sys.argv[1], every=2.0, keep=3)
def tell(t):
    print(f"{t:.9f}", flush=True)
didymos.load("quadcopter").simulate().run(1e6, record=target, progress=tell, keep=False)
"""


def test_a_killed_run_keeps_all_but_its_last_second_across_the_seam(tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(Path(didymos.__file__).parent.parent)}
    words = [sys.executable, "-c", ENDLESS, str(tmp_path / "run.mcap")]
    child = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment)
    assert child.stdout is not None
    told = [float(child.stdout.readline()) for _ in range(30)][-1]
    child.send_signal(signal.SIGKILL)
    rest, _ = child.communicate()
    told = max([told] + [float(line) for line in rest.splitlines() if line.endswith("00") and len(line.partition(".")[2]) == 9])
    files = RotatedFile(tmp_path / "run.mcap", every=2.0).files
    assert 2 <= len(files) <= 4  # killed between the opening of one and the removal of another
    logs = [log for log in map(Log.load, files) if len(log["truth.position.z"].time)]
    stamps = np.concatenate([log["truth.position.z"].time for log in logs])
    assert stamps[-1] > told - 1.0
    assert np.allclose(np.diff(stamps), 0.01, atol=1e-9)
    assert all("damage" not in log.metadata for log in logs[:-1])


def test_the_flags_rotate_and_every_verb_takes_one_of_the_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "new" / "run.mcap"
    words = ["run", "quadcopter", "--scenario", "hover", "--seconds", "3.5", "--record", str(log), "--json"]
    assert main([*words, "--record-every", "1s", "--keep", "2"]) == 0
    said = capsys.readouterr()
    facts = json.loads(said.out)
    assert facts["records"] == [str(log.with_name(f"run-{n:04d}.mcap")) for n in (3, 4)]
    assert "is not judged" in said.err
    assert facts["expectations"] == []
    assert main(["plot", facts["records"][0], "truth.position.z", "-o", str(tmp_path / "z.png")]) == 0
    assert main(["compare", *facts["records"][:1] * 2, "--json"]) == 0
    assert (tmp_path / "z.png").exists()


def test_a_served_twin_rotates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "run.mcap"
    words = ["serve", "power_unit", "--port", "moteus", "--seconds", "1.5", "--record", str(log), "--json"]
    assert main([*words, "--record-every", "1s"]) == 0
    files = json.loads(capsys.readouterr().out)["records"]
    assert [Path(file).name for file in files] == ["run-0001.mcap", "run-0002.mcap"]
    assert Log.load(files[1]).rows(0)[0][0] == 1.0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--record-every", "1h"], "--record-every: goes with --record only"),
        (["--record", "a.mcap", "--keep", "3"], "--keep: goes with --record-every only"),
        (["--record", "a.mcap", "--record-every", "hourly"], "--record-every: found 'hourly', expected a duration such as 30s"),
        (["--record", "a.mcap", "--record-every", "10"], "--record-every: found '10', expected a duration"),
        (["--record", "a.mcap", "--record-every", "-1h"], "--record-every: found '-1h', expected a duration"),
        (["--record", "a.mcap", "--record-every", "0.5s"], "--record-every: found 0.5 s, expected at least 1 s"),
        (["--record", "a.mcap", "--record-every", "1h", "--keep", "0"], "--keep: found 0, expected at least 1 file"),
        (["--record", "a.csv", "--record-every", "1h"], "--record: found 'a.csv', expected a file that ends in .mcap"),
        (["--record", "a.mcap", "--record-every", "1h", "--plot", "a.png"], "--plot: cannot go with --record-every"),
    ],
)
def test_nonsense_is_refused(
    words: list[str],
    said: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["run", "quadcopter", *words]) == 2
    assert said in capsys.readouterr().err
    if "--plot" not in words and "a.csv" not in words:
        assert main(["serve", "power_unit", "--port", "moteus", *words]) == 2
        assert said in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("text", "seconds"), [("30s", 30.0), ("10m", 600.0), ("1.5h", 5400.0), ("2d", 2 * 86400.0)])
def test_durations(text: str, seconds: float) -> None:
    from didymos.cli.values import duration

    assert duration(text, "--record-every") == seconds


def test_a_file_that_cannot_be_opened_at_the_seam_fails_the_run_and_keeps_the_files_before(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    target = RotatedFile(tmp_path / "logs" / "a.mcap", every=1.0)
    recorder = RotatingRecorder(target, ALL_LAYOUTS[:1], {})
    recorder.write(0, [0.5], np.zeros((1, len(ALL_LAYOUTS[0].columns))))
    recorder.flush()
    (tmp_path / "logs").rename(tmp_path / "moved")
    recorder.write(0, [1.5], np.zeros((1, len(ALL_LAYOUTS[0].columns))))
    with pytest.raises(RunError, match="cannot write the recording"):
        recorder.flush()
    recorder.close()
    log = Log.load(tmp_path / "moved" / "a-0001.mcap")
    assert "damage" not in log.metadata
    assert log.rows(0)[0].tolist() == [0.5]
