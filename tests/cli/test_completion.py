"""What the shell offers: twins and worlds, their scenarios and parameters, signals of a log."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.main import get_command

import didymos
from didymos.cli import kept_paths as module
from didymos.cli.kept_paths import kept_paths, model_file
from didymos.cli.main import app
from didymos.record.signal_names import signal_names

Complete = Callable[..., list[str]]


@pytest.fixture
def complete(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Complete:
    """The words that bash would be offered for the last one."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def offered(*words: str) -> list[str]:
        monkeypatch.setenv("_DIDYMOS_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", " ".join(("didymos", *words)))
        monkeypatch.setenv("COMP_CWORD", str(len(words)))
        with pytest.raises(SystemExit):
            get_command(app)(prog_name="didymos", complete_var="_DIDYMOS_COMPLETE")
        return capsys.readouterr().out.split()

    return offered


def test_twins_and_worlds_and_their_scenarios_are_offered(complete: Complete, tmp_path: Path) -> None:
    assert complete("run", "form") == ["formation"]
    assert complete("show", "quad") == ["quadcopter"]
    assert complete("run", "quadcopter", "--scenario", "cl") == ["climb"]
    assert complete("run", "landing", "--scenario", "li") == ["line"]
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "world.yaml").write_text("title: Mine\nscenarios: {dance: {}, drift: {}}\n")
    assert complete("run", str(tmp_path / "mi")) == [str(tmp_path / "mine")]
    assert complete("run", str(tmp_path / "mine"), "--scenario", "d") == ["dance", "drift"]


def test_parameter_paths_are_offered_and_kept_until_the_file_changes(
    complete: Complete, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert complete("run", "quadcopter", "--set", "world.gra") == ["world.gravity="]
    assert complete("sweep", "quadcopter", "--vary", "links.body_FLU.ma") == ["links.body_FLU.mass="]
    assert "links." in complete("falsify", "quadcopter", "--vary", "")  # too many for a screen
    assert kept_paths("quadcopter") == list(didymos.load("quadcopter", run_code=False).parameters)
    monkeypatch.setattr(module, "_found", lambda *_, **__: ["found.anew"])
    assert complete("run", "quadcopter", "--set", "world.gra") == ["world.gravity="]
    file = model_file("quadcopter")
    assert file is not None
    (kept,) = (Path(os.environ["XDG_CACHE_HOME"]) / "didymos" / "completion").iterdir()
    kept.write_text(kept.read_text().replace(str(file.stat().st_size), "1"))
    assert kept_paths("quadcopter") == ["found.anew"]
    assert kept_paths("nowhere") == []


def test_paths_are_offered_where_no_value_follows(complete: Complete) -> None:
    assert complete("fit", "power_unit", "a.csv", "--parameters", "parts.drive.rotor_i") == ["parts.drive.rotor_inertia"]
    assert complete("design", "power_unit", "--parameters", "parts.drive.kp,world.gra") == ["parts.drive.kp,world.gravity"]
    assert complete("show", "quadcopter", "world.gra") == ["world.gravity"]


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash on this machine")
@pytest.mark.parametrize(("offered", "space"), [("links.", ""), ("links.a.mass=", ""), ("ros2:", ""), ("quadcopter", " ")])
def test_a_path_that_goes_on_is_followed_by_no_space(offered: str, space: str) -> None:
    """bash asks a function in the place of the command, and says what it was told of the space."""
    shown = f"'{sys.executable}' -m didymos.cli.main --show-completion; true"  # its parent tells it which shell it is asked by
    variables = os.environ | {"PYTHONPATH": str(Path(didymos.__file__).parents[1])}
    script = subprocess.run(["bash", "-c", shown], capture_output=True, text=True, check=True, env=variables).stdout
    asked = f"""
compopt() {{ told=$2; }}
didymos() {{ echo {offered}; }}
env() {{ didymos; }}
{script}
COMP_WORDS=(didymos run x); COMP_CWORD=2; told=
_didymos_completion didymos
echo "${{COMPREPLY[0]}}|$told"
"""
    done = subprocess.run(["bash", "-c", asked], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"{offered}|{'' if space else 'nospace'}"


@pytest.mark.parametrize("suffix", ["mcap", "csv"])
def test_signals_of_the_log_on_the_line_are_offered(complete: Complete, tmp_path: Path, suffix: str) -> None:
    run = didymos.load("power_unit").simulate(scenario="step").run(0.1)
    log = run.save(tmp_path / f"run.{suffix}")
    assert set(signal_names(log)) == set(run.signals)
    assert complete("plot", str(log), "setpoints.pos") == ["setpoints.position"]
    assert complete("compare", str(log), str(log), "--limit", "setpoints.pos") == ["setpoints.position="]
    assert complete("compare", str(log), str(log), "--signal", "setpoints.pos") == ["setpoints.position"]
    broken = tmp_path / f"broken.{suffix}"
    broken.write_bytes(log.read_bytes()[:20])
    assert complete("plot", str(broken), "a") == []
