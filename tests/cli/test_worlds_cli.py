"""Worlds on the command line: run, show, check, sweep, with programs and firmware of single robots."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from didymos.cli.main import main

WORLD = """
title: Two of a kind
robots:
  left: {twin: quadcopter, start: {position: [0, 0, 2]}}
  right: {twin: quadcopter, start: {position: [3, 0, 2]}}
scenarios:
  hold:
    seconds: 1
    setpoints: {left.z: 2.0, right.z: 2.0}
    expect: [{name: apart, distance: [left, right], measure: min, low: 2.5}]
"""
FIRMWARE = """
class Firmware:
    def step(self, time, sensors, attitude, setpoints):
        return [0.25] * 4
"""


@pytest.fixture
def pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pair").mkdir()
    (tmp_path / "pair" / "world.yaml").write_text(WORLD)
    (tmp_path / "mine.py").write_text(FIRMWARE)
    return "pair"


def _json(capsys: Any, *words: str) -> Any:
    assert main([*words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_run_says_where_each_robot_ends_and_what_was_expected(pair: str, capsys: Any) -> None:
    facts = _json(capsys, "run", pair)
    assert facts["twin"] == "pair"
    assert facts["scenario"] == "hold"
    assert list(facts["positions"]) == ["left", "right"]
    assert facts["positions"]["right"][0] == pytest.approx(3.0, abs=0.1)
    assert [item["ok"] for item in facts["expectations"]] == [True]


def test_show_and_check_know_the_robots(pair: str, capsys: Any) -> None:
    facts = _json(capsys, "show", pair, "drag")
    assert [robot["name"] for robot in facts["robots"]] == ["left", "right"]
    assert "right.parts.drag.area_x" in facts["parameters"]
    assert _json(capsys, "check", pair)["ok"] is True


def test_sweep_varies_a_number_of_one_robot(pair: str, capsys: Any) -> None:
    facts = _json(capsys, "sweep", pair, "--runs", "2", "--vary", "right.start.position.x=3:4")
    assert facts["met"] == 2
    assert len({trial["values"]["right.start.position.x"] for trial in facts["trials"]}) == 2


def test_a_firmware_flies_one_robot_and_the_others_fly_on(pair: str, tmp_path: Path) -> None:
    from didymos import Log

    assert main(["run", pair, "--firmware", "right=mine.py:Firmware", "--record", "log.mcap", "--quiet"]) == 0
    log = Log.load(tmp_path / "log.mcap")
    assert set(log["right.inputs.motor1"].values[1:]) == {0.25}
    assert set(log["left.inputs.motor1"].values[1:]) != {0.25}


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["--firmware", "mine.py:Firmware"], "expected ROBOT=FIRMWARE"),
        (["--control", "middle=idle"], "there is no robot 'middle'"),
        (["--variant", "x"], "a world says so for each robot"),
        (["--gamepad", "auto"], "a world has several"),
        (["--set", "drag=1"], "no such parameter"),
    ],
)
def test_what_a_world_cannot_be_told_is_one_sentence(pair: str, words: list[str], what: str, capsys: Any) -> None:
    assert main(["run", pair, *words]) == 2
    assert what in capsys.readouterr().err


@pytest.mark.parametrize("verb", ["fit", "validate", "design", "crosscheck", "trim"])
def test_verbs_of_one_twin_say_so(pair: str, verb: str, capsys: Any) -> None:
    assert main([verb, pair, *(["log.csv"] if verb in ("fit", "validate") else [])]) == 2
    assert "is a world of robots, not a twin" in capsys.readouterr().err
