"""`docs/build_an_aircraft.md`: its pieces are those of `examples/v_tail`, which flies from take-off to landing by data alone."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest
from ruamel.yaml import YAML

import didymos
from didymos.cli.main import main

ROOT = Path(__file__).parents[1]
PLANE = ROOT / "examples" / "v_tail"
PAGE = (ROOT / "docs" / "build_an_aircraft.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("language", "file"), [("yml", "twin.yaml"), ("xml", "model.urdf")])
def test_what_the_page_shows_stands_in_the_folder(language: str, file: str) -> None:
    lines = {line.strip() for line in (PLANE / file).read_text(encoding="utf-8").splitlines()}
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert blocks
    assert not [line for block in blocks for line in block.splitlines() if line.strip() not in lines]


@pytest.mark.parametrize(("scenario", "seed"), [("cruise", 1), ("circuit", 2), ("circuit_crosswind", 3)])
def test_it_flies_without_a_gain_of_its_loops(scenario: str, seed: int) -> None:
    simulation = didymos.load(PLANE).simulate(scenario=scenario, seed=seed)
    verdicts = simulation.judge(simulation.run())
    assert verdicts
    assert all(verdict.ok for verdict in verdicts), verdicts


def test_the_commands_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(PLANE, tmp_path / "examples" / "v_tail")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    commands = [shlex.split(line)[1:] for block in blocks for line in block.splitlines()]
    assert {words[0] for words in commands} == {"check", "trim", "run", "sweep"}
    for words in commands:
        assert main([*words, "--quiet"] if words[0] != "check" else words) == 0, words


def test_a_yaw_of_the_wrong_sign_is_refused_as_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(PLANE, tmp_path / "plane")
    file = tmp_path / "plane" / "twin.yaml"
    text = file.read_text(encoding="utf-8")
    turned = text.replace("{left_tail.y: 0.5, right_tail.y: -0.5,", "{left_tail.y: -0.5, right_tail.y: 0.5,")
    assert turned != text
    file.write_text(turned, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["check", "plane"]) == 2
    (told,) = re.findall(r"^```text\n(.*?)\n```$", PAGE, re.MULTILINE | re.DOTALL)
    assert capsys.readouterr().err.strip() == told


def test_the_mission_of_the_flight_page_is_one(tmp_path: Path) -> None:
    """It is written for planes, so the pages' own test, which tries pieces of twin files on the quadcopter, cannot hold it."""
    yaml = YAML(typ="safe")
    page = (ROOT / "docs" / "flight.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```yml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    shutil.copytree(PLANE, tmp_path / "plane")
    file = tmp_path / "plane" / "twin.yaml"
    twin = yaml.load(file.read_text(encoding="utf-8"))
    twin["control"]["options"] |= yaml.load(block)["control"]["options"]
    with file.open("w", encoding="utf-8") as stream:
        yaml.dump(twin, stream)
    items = didymos.load(tmp_path / "plane").simulate(scenario="circuit", seed=1).run(30.0)["control.item"].values
    assert [item for item, before in zip(items[1:], items, strict=False) if item != before] == [2.0, 3.0]  # after the take-off
