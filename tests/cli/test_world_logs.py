"""`plot`, `log`, `compare`, `bench` and pictures of a world."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import didymos
from didymos.cli.main import main
from didymos.engine import bench

WORLD = """
robots:
  a: {twin: quadcopter, start: {position: [0, 0, 1]}, scenario: hover}
  b: {twin: quadcopter, start: {position: [2, 0, 1]}, scenario: hover}
  eye: {twin: plane_1wing_sensors, start: {position: [0, 9, 30], velocity: [14, 0, 0]}}
scenarios:
  apart:
    seconds: 0.2
    robots: {a: {scenario: hover}, b: {scenario: hover}}
    expect: [{name: apart, distance: [a, b], measure: min, low: 1.0}]
  pictures:
    seconds: 0.2
    set: {CAMERA: 1}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from didymos.describe.names import cameras

    folder = tmp_path_factory.mktemp("world")
    camera = next(iter(cameras(didymos.load("plane_1wing_sensors"))))
    (folder / "world.yaml").write_text(WORLD.replace("CAMERA", f"eye.sensors.{camera}.enabled"))
    return folder


@pytest.fixture(scope="module")
def logs(folder: Path) -> list[Path]:
    """Two runs of the world; in the second, b is heavier."""
    files = [folder / "first.mcap", folder / "second.mcap"]
    for file, sets in zip(files, ([], ["--set", "b.links.body_FLU.mass=0.8"]), strict=True):
        assert main(["run", str(folder), "--scenario", "apart", "--record", str(file), "--quiet", *sets]) == 0
    return files


def test_a_log_is_listed_by_robot_and_robots_that_are_alike_once(
    logs: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["log", str(logs[0])]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    counts = {words[0]: words[1:3] for words in lines if words[0] in ("a", "b", "eye")}
    assert counts["a"] == counts["b"] != counts["eye"]
    assert ["of", "a", "(b", "alike):"] in lines
    assert ["of", "eye:"] in lines
    assert len([words for words in lines if words[0] == "truth"]) == 2  # a's, which is b's as well, and the plane's


def test_one_robot_is_listed_as_its_twin_would_be(logs: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["log", str(logs[0]), "--robot", "b", "--json"]) == 0
    signals = json.loads(capsys.readouterr().out)["files"][0]["signals"]
    assert set(signals) == set(didymos.load("quadcopter").simulate(scenario="hover").run(0.01).signals)
    for words in (["log", "--robot", "c"], ["plot", "--robot", "c"]):
        assert main([words[0], str(logs[0]), *words[1:]]) == 2
        assert "--robot: this log holds no robot 'c'" in capsys.readouterr().err


def test_worlds_are_compared_by_robot(logs: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", *map(str, logs)]) == 0
    rows = {words[0]: words for line in capsys.readouterr().out.splitlines() if (words := line.split())}
    assert set(rows) == {"robot", "a", "b", "eye", "--robot"}
    assert rows["a"][2:5] == ["0", "0", "0"]  # nothing of it differs
    errors = didymos.compare(*logs).signals
    away = np.sqrt(sum(errors[f"b.truth.position.{axis}"].error ** 2 for axis in "xyz"))
    assert float(rows["b"][3]) == pytest.approx(np.sqrt(np.mean(away**2)), rel=1e-5)
    assert float(rows["b"][4]) == pytest.approx(away.max(), rel=1e-5)
    assert main(["compare", *map(str, logs), "--all"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2 + len(errors)  # a sentence and a head
    assert main(["compare", *map(str, logs), "--signal", "b.truth.position"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 5  # a sentence, a head, three signals


def test_a_robot_of_a_world_is_held_against_its_twin_alone(
    logs: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lone = tmp_path / "lone.mcap"
    didymos.load("quadcopter").simulate(scenario="hover").run(0.2, record=lone)
    assert main(["compare", str(lone), str(logs[0]), "--robot", "a", "--json"]) == 0
    assert "truth.position.z" in json.loads(capsys.readouterr().out)["signals"]
    assert main(["compare", str(lone), str(lone), "--robot", "a"]) == 2
    assert "not of a world" in capsys.readouterr().err


def test_signals_of_one_log_only_are_counted_by_robot(
    logs: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = WORLD.partition("scenarios:")[0].replace("  b:", "  c:")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "world.yaml").write_text(text)
    assert main(["run", str(tmp_path / "other"), "--seconds", "0.2", "--record", str(tmp_path / "c.mcap"), "--quiet"]) in (0, 1)
    assert main(["compare", str(logs[0]), str(tmp_path / "c.mcap")]) == 0
    told = capsys.readouterr().err
    count = len(didymos.Log.load(logs[0]).of_robot("b").signals)
    assert f"only in A: {count} of b" in told


def test_the_overview_and_one_robot_are_other_pictures(logs: list[Path], tmp_path: Path) -> None:
    files = [tmp_path / "all.png", tmp_path / "a.png"]
    assert main(["plot", str(logs[0]), "-o", str(files[0])]) == 0
    assert main(["plot", str(logs[0]), "--robot", "a", "-o", str(files[1])]) == 0
    wide, tall = (Image.open(file).size for file in files)
    assert wide != tall


def test_a_log_says_what_was_expected_of_the_run(logs: list[Path]) -> None:
    (item,) = json.loads(didymos.Log.load(logs[0]).metadata["expected"])
    assert (item["distance"], item["low"]) == (["a", "b"], 1.0)


def test_pictures_and_films_frame_all_robots(folder: Path, tmp_path: Path) -> None:
    """The quadcopters stand 30 m below the plane: a picture of all is of a wider view than one of a alone."""
    from didymos.record.view import Framing, View

    simulation = didymos.load_world(folder).simulate(scenario="apart", piloted=("a",))
    data = simulation.shown.pose(simulation.data)
    points, radii = Framing(simulation.shown.model, View(), 4 / 3).bounds(data)
    low, high = (points - radii[:, None]).min(axis=0), (points + radii[:, None]).max(axis=0)
    roots = [data.xpos[robot.links.root_body(simulation.model)] for robot in simulation.robots.values()]
    assert all((low < root).all() and (root < high).all() for root in roots)
    assert np.linalg.norm(high - low) < 80.0  # and boxes that nobody dropped, far above, are not in it
    files = ["--picture", str(tmp_path / "p.png"), "--clip", str(tmp_path / "c.gif")]
    assert main(["run", str(folder), "--scenario", "apart", "--quiet", *files]) == 0
    assert Image.open(tmp_path / "c.gif").n_frames > 1


def test_bench_counts_the_time_of_each_robot(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench, "_TURNS", 2)
    monkeypatch.setattr(bench, "_TURN", 0.02)
    assert main(["bench", str(folder), "quadcopter", "--json"]) == 0
    world, twin = json.loads(capsys.readouterr().out)["twins"]
    assert (world["robots"], twin["robots"]) == (3, 1)
    for row in (world, twin):
        assert row["us_per_robot_step"] == pytest.approx(1e6 / row["twin_steps_per_s"] / row["robots"], rel=1e-9)
    assert world["scenario"] == "apart"
    assert main(["bench", str(folder)]) == 0
    assert "us per robot and step" in capsys.readouterr().out


def test_cameras_of_a_world_are_off_in_a_bench(folder: Path) -> None:
    world = didymos.load_world(folder)
    assert len(world.simulate(scenario="pictures").cameras) == 1
    assert bench._simulation(world, "pictures").cameras == ()
