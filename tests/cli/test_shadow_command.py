"""`didymos shadow` as a user starts it: what it says and keeps, its exit status, and what it refuses."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import didymos
from didymos.cli.main import main
from didymos.shadow.calibration import Calibration

SRC = Path(didymos.__file__).parent.parent
SECONDS = 4.0


@pytest.fixture(scope="module")
def sine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording of a power unit as its twin has it."""
    file = tmp_path_factory.mktemp("robot") / "sine.mcap"
    didymos.load("power_unit").simulate(scenario="sine").run(SECONDS, record=file)
    return file


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_beside_a_recording_that_its_twin_explains_there_is_no_alarm_and_a_log_of_both(
    sine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    both = tmp_path / "kept" / "both.mcap"
    assert main(["shadow", "power_unit", "--robot", f"log:{sine}", "--record", str(both), "--json"]) == 0
    (summary,) = lines(capsys.readouterr().out)
    assert (summary["event"], summary["alarms"], summary["record"]) == ("summary", [], str(both))
    assert summary["seconds"] == pytest.approx(SECONDS, abs=0.01)
    assert "latency_p50" not in summary  # of a recording, which nobody has to be quick for
    robot, log = didymos.Log.load(sine), didymos.Log.load(both)
    told, kept = robot["parts.drive.position"], log["parts.drive.position"]
    assert (kept.time.tolist(), kept.values.tolist()) == (told.time.tolist(), told.values.tolist())
    expected, sigma = log["twin.parts.drive.position.predicted"], log["twin.parts.drive.position.sigma"]
    assert len(expected.time) > 0.9 * len(told.time)
    there = np.searchsorted(told.time, expected.time)
    assert told.time[there].tolist() == expected.time.tolist()
    assert (np.abs(told.values[there] - expected.values) < 4.0 * sigma.values).all()  # nothing is noisy here but the statement
    assert "twin.parts.drive.heat.predicted" not in log  # not compared
    assert main(["log", str(both)]) == main(["plot", str(both), "twin.parts.drive.position", "-o", str(tmp_path / "p.png")]) == 0


def test_another_friction_is_an_alarm_on_stderr_as_json_for_the_command_and_in_the_log(
    sine: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    both, told = tmp_path / "both.mcap", tmp_path / "told"
    code = f"import sys; open('{told}', 'a').write(sys.argv[1] + sys.stdin.read())"
    hook = f'{sys.executable} -c "{code}" "{{number}} {{cause}}: "'
    words = ["shadow", "power_unit", "--robot", f"log:{sine}", "--set", "parts.drive.coulomb=0.5", "--on-alarm", hook]
    assert main([*words, "--record", str(both), "--json"]) == 1
    out, err = capfd.readouterr()
    first, *_, summary = lines(out)
    assert first["event"] == "alarm"
    assert first["text"] in err
    assert summary["alarms"][0] == {key: value for key, value in first.items() if key not in ("event", "text")}
    metadata = didymos.Log.load(both).metadata
    assert json.loads(metadata["alarms.1"]) == {key: value for key, value in first.items() if key != "event"}
    head, _, alarm = told.read_text().splitlines()[0].partition(": ")
    assert (head, json.loads(alarm)) == (f"1 {first['causes'][0]['cause']}", json.loads(metadata["alarms.1"]))


def test_what_is_normal_is_learnt_from_a_healthy_recording_kept_and_used(
    sine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "new" / "normal.yaml"
    assert main(["shadow", "power_unit", "--calibrate", str(sine), "--save-calibration", str(kept)]) == 0
    assert capsys.readouterr().out == f"calibration: {kept}\n"
    plain = ["shadow", "power_unit", "--robot", f"log:{sine}", "--json"]
    words = [*plain, "--calibration", str(kept)]
    assert main(plain) == main(words) == 0
    before, after = lines(capsys.readouterr().out)
    # nothing unknown acts in a recording of the twin itself, so less of it is expected; stated noise is not taken for smaller
    assert Calibration.load(kept).density["hinge"] < 0.5 * Calibration().density["hinge"]
    assert after["nis_per_reading"] > before["nis_per_reading"]
    kept.write_text("density: 3")
    assert main(words) == 2
    assert "is no calibration" in capsys.readouterr().err


def test_ctrl_c_ends_it_with_its_summary_and_a_whole_log(sine: Path, tmp_path: Path) -> None:
    both = tmp_path / "both.mcap"
    words = ["shadow", "power_unit", "--robot", f"log:{sine}", "--pace", "0.001", "--record", str(both), "--json"]
    process = subprocess.Popen(
        [sys.executable, "-m", "didymos.cli.main", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=os.environ | {"PYTHONPATH": str(SRC)},
    )  # fmt: skip
    assert process.stderr is not None
    assert "Ctrl-C ends it" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode == 0, err
    assert [line["event"] for line in lines(out)] == ["summary"]
    assert "damage" not in didymos.Log.load(both).metadata


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--robot", "lug:x.mcap"], "--robot: found 'lug:x.mcap'"),
        (["--robot", "log:nowhere.mcap"], "nowhere.mcap: "),
        (["--robot", "log:x.mcap", "--alarms-per-hour", "0"], "--alarms-per-hour: found 0"),
        (["--robot", "log:x.mcap", "--seconds", "-1"], "--seconds: found -1"),
        (["--robot", "log:x.mcap", "--record", "both.csv"], "--record: found 'both.csv'"),
        ([], "--robot: expected KIND:ADDRESS"),
        (["--calibrate", "x.mcap"], "--calibrate: goes with --robot, or with --save-calibration"),
        (["--robot", "log:x.mcap", "--save-calibration", "x.yaml"], "--save-calibration: goes with --calibrate only"),
        (["--robot", "log:x.mcap", "--calibration", "x.yaml", "--calibrate", "x.mcap"], "--calibration: cannot go with"),
        (["--robot", "log:x.mcap", "--zero"], "--zero: goes with --drive only"),
        (["--robot", "moteos:x", "--drive"], "--robot: found 'moteos:x', did you mean 'moteus'?"),
    ],
)
def test_what_cannot_be_is_one_sentence(words: list[str], line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["shadow", "power_unit", *words]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith(f"didymos: {line}")


def test_a_command_that_is_none_and_a_world_are_refused(sine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["shadow", "power_unit", "--robot", f"log:{sine}", "--on-alarm", "no_such_program"]) == 2
    assert capsys.readouterr().err.startswith("didymos: --on-alarm: found 'no_such_program'")
    assert main(["shadow", "formation", "--robot", f"log:{sine}"]) == 2
    assert "a world of several" in capsys.readouterr().err
