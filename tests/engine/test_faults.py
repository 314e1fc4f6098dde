"""What a machine does to a long run: full disks, deleted files, stopped processes, clocks that jump, signals, too little memory.

The table on docs/faults.md says what happens then; these tests, and those that it names elsewhere, show it.
"""

from __future__ import annotations

import contextlib
import os
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import didymos
from didymos.cli.main import main
from didymos.errors import RunError
from didymos.record.rotation import RotatedFile

ROOT = Path(__file__).parents[2]
SRC = Path(didymos.__file__).parent.parent
STEP = 0.01  # [s] between two rows of the quadcopter's truth


def start(*words: str, before: Callable[[], None] | None = None) -> subprocess.Popen[str]:
    """`didymos WORDS` in a process that hears all signals, however these tests were started."""

    def prepare() -> None:
        for which in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(which, signal.SIG_DFL)
        if before is not None:
            before()

    command = [sys.executable, "-m", "didymos", *words]
    environment = os.environ | {"PYTHONPATH": str(SRC)}
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, preexec_fn=prepare
    )


def wait_for_size(process: subprocess.Popen[str], file: Path, size: int) -> None:
    while process.poll() is None and (not file.exists() or file.stat().st_size < size):
        time.sleep(0.01)
    assert process.poll() is None, process.communicate()


def assert_without_gap(log: didymos.Log, name: str = "truth.position.z") -> np.ndarray:
    times = log[name].time
    assert times[0] == 0.0
    assert np.allclose(np.diff(times), STEP, atol=1e-9)
    return times


def test_a_disk_that_fills_up_fails_the_run_and_keeps_what_it_took(tmp_path: Path) -> None:
    log = tmp_path / "run.mcap"
    most = 1_000_000  # [bytes] that a file may have: the write beyond is cut short, and the next one fails
    process = start(
        "run", "quadcopter", "--seconds", "100000", "--record", str(log), "--quiet",
        before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)),
    )  # fmt: skip
    _, said = process.communicate()
    assert process.returncode == 1, said
    assert f"the recording {log} cannot be written: File too large" in said
    assert "Traceback" not in said
    assert most - 100_000 < log.stat().st_size <= most
    assert len(assert_without_gap(didymos.Log.load(log))) > 500


def test_a_disk_without_space_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "full.mcap").symlink_to("/dev/full")
    assert main(["run", "quadcopter", "--seconds", "1", "--record", str(tmp_path / "full.mcap"), "--quiet"]) == 1
    assert "cannot be written: No space left on device" in capsys.readouterr().err


@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_recording_that_is_deleted_is_written_anew_with_all_that_it_held(tmp_path: Path, what: str) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    file = folder / "run.mcap"
    gone = []

    def delete(now: float) -> None:
        if now > 3.0 and not gone:
            gone.append(now)
            file.unlink()
            while what == "folder" and folder.exists():
                with contextlib.suppress(OSError):  # the recorder's thread may have written the file anew meanwhile
                    folder.rmdir()
                    break
                file.unlink(missing_ok=True)

    log = didymos.load("quadcopter").simulate(scenario="hover").run(6.0, record=file, progress=delete)
    assert gone
    again = didymos.Log.load(file)
    assert "damage" not in again.metadata
    assert again.sha256 == log.sha256


def test_a_recording_whose_name_another_file_took_fails_the_run_and_leaves_that_file(tmp_path: Path) -> None:
    file, other = tmp_path / "run.mcap", tmp_path / "other"
    other.write_bytes(b"mine")

    def replace(now: float) -> None:
        if now > 1.0 and other.exists():
            other.replace(file)  # in one step: the recorder's thread writes beside us

    with pytest.raises(RunError, match="was deleted, and another file has its name"):
        didymos.load("quadcopter").simulate(scenario="hover").run(6.0, record=file, progress=replace)
    assert file.read_bytes() == b"mine"


def test_a_recording_that_is_moved_goes_on_where_it_is_now(tmp_path: Path) -> None:
    file, moved = tmp_path / "run.mcap", tmp_path / "moved.mcap"

    def move(now: float) -> None:
        if now > 1.0 and file.exists():
            file.rename(moved)

    log = didymos.load("quadcopter").simulate(scenario="hover").run(4.0, record=file, progress=move)
    assert not file.exists()
    assert didymos.Log.load(moved).sha256 == log.sha256


@pytest.mark.parametrize("which", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals_that_end_a_run_complete_its_recording(tmp_path: Path, which: signal.Signals) -> None:
    log = tmp_path / "run.mcap"
    process = start("run", "quadcopter", "--seconds", "1000", "--real-time", "--record", str(log), "--quiet")
    wait_for_size(process, log, 40_000)
    process.send_signal(which)
    _, said = process.communicate()
    assert process.returncode == 130, said
    assert f"what happened until then is in {log}" in said
    assert "damage" not in didymos.Log.load(log).metadata


@pytest.mark.parametrize("which", [signal.SIGTERM, signal.SIGHUP])
def test_signals_that_end_a_server_complete_its_recording(tmp_path: Path, which: signal.Signals) -> None:
    log = tmp_path / "run.mcap"
    process = start("serve", "power_unit", "--port", "moteus", "--record", str(log), "--json")
    wait_for_size(process, log, 20_000)
    process.send_signal(which)
    _, said = process.communicate()
    assert process.returncode == 0, said
    assert "damage" not in didymos.Log.load(log).metadata


def test_a_run_under_nohup_does_not_end_with_its_terminal(tmp_path: Path) -> None:
    log = tmp_path / "run.mcap"
    process = start(
        "run", "quadcopter", "--seconds", "1000", "--real-time", "--record", str(log), "--quiet",
        before=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN) and None,
    )  # fmt: skip
    wait_for_size(process, log, 20_000)
    process.send_signal(signal.SIGHUP)
    wait_for_size(process, log, log.stat().st_size + 20_000)
    process.send_signal(signal.SIGTERM)
    process.communicate()
    assert process.returncode == 130


def test_a_run_that_stands_still_for_a_while_goes_on_without_a_gap(tmp_path: Path) -> None:
    log = tmp_path / "run.mcap"
    process = start("run", "quadcopter", "--seconds", "4", "--real-time", "--record", str(log), "--json")
    wait_for_size(process, log, 40_000)  # more than its head: the run goes on, a chunk of it is there
    process.send_signal(signal.SIGSTOP)
    time.sleep(1.0)
    process.send_signal(signal.SIGCONT)
    out, said = process.communicate()
    assert process.returncode in (0, 1), said  # of the scenario's expectations
    times = assert_without_gap(didymos.Log.load(log))
    assert times[-1] == pytest.approx(4.0 - STEP, abs=1e-9)
    assert int(re.search(r'"overruns": (\d+)', out)[1]) >= 1  # type: ignore[index]


def test_the_wall_clock_may_jump(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jumps = iter(range(0, 10**9, 86_400))

    def jump(*_: object) -> float:
        return float(next(jumps))

    alone = didymos.load("quadcopter").simulate(scenario="hover").run(1.0)
    with monkeypatch.context() as patch:
        patch.setattr(time, "time", jump)
        patch.setattr(time, "time_ns", lambda: int(1e9 * jump()))
        began = time.monotonic()
        target = RotatedFile(tmp_path / "run.mcap", every=1.0)
        log = didymos.load("quadcopter").simulate(scenario="hover").run(1.0, real_time=True, record=target)
        assert time.monotonic() - began >= 1.0
    assert log.sha256 == alone.sha256


def test_nothing_of_a_run_asks_the_wall_clock() -> None:
    asks = re.compile(r"\b(time|wall)\.time(_ns)?\(|datetime\.(now|utcnow|today)|CLOCK_REALTIME|from time import .*\btime\b")
    rooms = ("engine", "record", "ports", "cockpit", "control", "sensors", "parts", "air")
    files = [file for room in rooms for file in (SRC / "didymos" / room).rglob("*.py")]
    assert len(files) > 100
    assert [str(file) for file in files if asks.search(file.read_text(encoding="utf-8"))] == []


STARVED = """
import resource, sys, didymos
from didymos.cli import main as cli
from didymos.engine.simulation import Simulation
run = Simulation.run
def starved(self, *arguments, **options):
    size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + 60 * 2**20,) * 2)  # once everything is loaded and made
    return run(self, *arguments, **options)
Simulation.run = starved
sys.exit(cli.main(sys.argv[1:]))
"""


def test_too_little_memory_is_one_sentence_and_the_recording_stays(tmp_path: Path) -> None:
    log = tmp_path / "run.mcap"
    words = [sys.executable, "-c", STARVED, "run", "quadcopter", "--seconds", "20000", "--record", str(log), "--quiet"]
    done = subprocess.run(words, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": str(SRC)})
    assert done.returncode == 1, done.stderr
    assert "not enough memory" in done.stderr
    assert "Traceback" not in done.stderr
    assert len(assert_without_gap(didymos.Log.load(log))) > 1000


def test_every_fault_of_the_page_has_a_test_that_is_there() -> None:
    page = (ROOT / "docs" / "faults.md").read_text(encoding="utf-8")
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", page)
    assert len(named) > 20
    for file, name in named:
        assert f"def {name}(" in (ROOT / file).read_text(encoding="utf-8"), f"{file}::{name}"
    rows = [line for line in page.splitlines() if line.startswith("| ") and "---" not in line]
    faults = [line for line in rows if "`tests/" in line]
    assert len(faults) > 15
