"""A scenario that is served is judged once its time is over, by the streams that it asks about alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import didymos
from didymos.cli.main import main
from didymos.engine.judge import Judge
from didymos.engine.run import Run

PORT = """
from didymos.engine.judge import Judge
from didymos.engine.run import Run
from didymos.ports import Port

PORT = Port("a wire that nobody is on", __name__)

def serve(simulation, options):
    run = Run(simulation, options.record, keep=False)
    judge = Judge(simulation, run.log)
    run.advance(round(options.seconds / simulation.period))
    run.close()
    return {"verdicts": judge.verdicts()}
"""


def test_the_verdicts_are_those_of_a_whole_log() -> None:
    kept = didymos.load("omni_base").simulate(scenario="refused")
    simulation = didymos.load("omni_base").simulate(scenario="refused")
    run = Run(simulation, keep=False)
    judge = Judge(simulation, run.log)
    run.advance(100)
    assert judge.verdicts() == ()
    run.advance(round((simulation.seconds + 1.0) / simulation.period) - 100)  # what comes after its end does not count
    run.close()
    assert judge.verdicts() == kept.judge(kept.run())


WORLD = """
robots:
  low: {twin: quadcopter, start: {position: [0, 0, 0.3]}, scenario: hover}
  high: {twin: quadcopter, start: {position: [2, 0, 1.3]}}
scenarios:
  apart:
    seconds: 1
    setpoints: {high.z: 1.3}
    expect:
      - {name: robots, distance: [low, high], measure: min, low: 1.0}
      - {name: links, distance: [low.arm1, high.arm1], measure: min, low: 1.0}
      - {name: height, signal: high.truth.position.z, measure: final, low: 0.0}
"""


def test_the_verdicts_on_a_world_are_those_of_a_whole_log(tmp_path: Path) -> None:
    (tmp_path / "world.yaml").write_text(WORLD)
    world = didymos.load_world(tmp_path)
    kept, simulation = world.simulate(scenario="apart"), world.simulate(scenario="apart")
    run = Run(simulation, keep=False)
    judge = Judge(simulation, run.log)
    run.advance(round(1.5 / simulation.period))
    run.close()
    verdicts = judge.verdicts()
    assert [item.name for item in verdicts][-3:] == ["robots", "links", "height"]
    assert verdicts == kept.judge(kept.run())


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    (tmp_path / "mute_wire.py").write_text(PORT)
    monkeypatch.syspath_prepend(tmp_path)

    def serve(*words: str) -> tuple[int, dict[str, Any], str]:
        status = main(["serve", "omni_base", "--port", "mute_wire:PORT", "--json", *words])
        out, err = capsys.readouterr()
        return status, json.loads(out), err

    return serve


def test_serve_judges_a_scenario_and_lists_what_it_skipped(served: Any) -> None:
    status, found, _ = served("--scenario", "refused", "--control", "idle", "--seconds", "3")
    assert status == 0
    assert [item["ok"] for item in found["expectations"]] == [True, True]
    status, found, err = served("--scenario", "forward", "--control", "idle", "--seconds", "8")
    assert status == 1
    assert [item["ok"] for item in found["expectations"]] == [False]
    assert "didymos: speed: found" in err
    status, found, _ = served("--scenario", "forward", "--control", "idle", "--seconds", "1")
    assert (status, found["expectations"], found["skipped"]) == (0, [], [])
    _, found, _ = served("--scenario", "silence", "--control", "idle", "--seconds", "0.1")
    assert found["skipped"] == [{"kind": "gain", "name": "timeout", "why": "of the program omni_drive"}]


def test_a_port_that_drives_itself_takes_no_program(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "power_unit", "--port", "moteus", "--control", "idle"]) == 2
    assert "--control: cannot go with --port moteus" in capsys.readouterr().err


@pytest.mark.parametrize("words", [(), ("--control", "low=idle")])
def test_a_port_that_speaks_for_one_robot_says_so_of_a_world(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mute_wire.py").write_text(PORT)
    (tmp_path / "world.yaml").write_text(WORLD)
    monkeypatch.syspath_prepend(tmp_path)
    assert main(["serve", str(tmp_path), "--port", "mute_wire:PORT", "--seconds", "1", *words]) == 2
    said = capsys.readouterr().err
    assert f"--port: mute_wire:PORT speaks for one robot; {tmp_path.name} is a world of robots" in said
