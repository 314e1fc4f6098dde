"""`didymos sweep` into a folder: what it refuses, and how it goes on."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from didymos.cli.main import main
from didymos.studies.store import read_store

SWEEP = ["sweep", "quadcopter", "--scenario", "hover", "--seconds", "0.05", "--vary", "world.wind.speed=0:2", "--runs", "3"]


def test_a_folder_is_filled_once_and_gone_on_with(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = ["-o", str(tmp_path / "kept")]
    assert main([*SWEEP, *folder, "--json"]) == 0  # nothing is measured before 10 s, but for the thrust to weight, which is met
    assert json.loads(capsys.readouterr().out)["runs"] == 3
    assert main([*SWEEP, *folder]) == 2
    assert "--resume goes on with it" in capsys.readouterr().err
    assert main([*SWEEP, *folder, "--seed", "1", "--resume"]) == 2
    assert "has seed = 0, and this one 1" in capsys.readouterr().err
    assert main([*SWEEP, *folder, "--resume", "--quiet"]) == 0
    assert len(read_store(tmp_path / "kept").indices()) == 3


@pytest.mark.parametrize(
    ("more", "what"),
    [
        (["--resume"], "--resume: goes with a folder"),
        (["--keep", "truth.position.z"], "--keep: goes with a folder"),
        (["-o", "runs.txt"], "expected a FOLDER or FILE.csv"),
        (["-o", "kept", "--keep", "truth.position.w"], "no signal 'truth.position.w'"),
        (["--cluster", "somewhere"], "--cluster: found 'somewhere', expected ray"),
    ],
)
def test_what_does_not_fit_is_one_sentence(
    more: list[str], what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*SWEEP, *more]) == 2
    assert what in capsys.readouterr().err


def test_a_cluster_that_does_not_answer_leaves_a_sweep_that_can_be_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        where = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        assert main([*SWEEP, "-o", str(tmp_path / "kept"), "--cluster", where]) == 2
    assert f"--cluster: no cluster answers at {where}" in capsys.readouterr().err
    assert main([*SWEEP, "-o", str(tmp_path / "kept"), "--resume", "--quiet"]) == 0
    assert len(read_store(tmp_path / "kept").indices()) == 3
