"""Exported pages, as far as they can be told without a browser (tests/cockpit/test_exported_page.py has one)."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import didymos
from didymos import Log
from didymos.cli.main import main
from didymos.engine.given import SET
from didymos.errors import InputError
from didymos.record.stream import Kind, StreamLayout
from didymos.web.export import export_page
from didymos.web.export.blocks import Blocks
from didymos.web.export.signal_data import signal_data


@pytest.fixture(scope="module")
def heavy() -> Log:
    """Two seconds of a quadcopter that is too heavy for its scenario."""
    twin = didymos.load("quadcopter")
    twin.set("links.body_FLU.mass", 0.9)
    return twin.simulate(scenario="hover").run(2.0)


def about(file: Path) -> dict[str, Any]:
    """What a page tells."""
    found = re.search(r'<script type="application/json" id="didymos-about">(.*?)</script>', file.read_text("utf-8"))
    assert found is not None
    told: dict[str, Any] = json.loads(found[1])
    return told


def test_a_log_says_what_was_set_before_its_run(heavy: Log) -> None:
    assert json.loads(heavy.metadata[SET]) == {"links.body_FLU.mass": 0.9}
    plain = didymos.load("quadcopter").simulate(scenario="hover")
    assert SET not in plain.new_log().metadata  # values of the scenario are no one's


def test_a_page_tells_whose_log_it_is_and_the_verdicts_of_the_run(heavy: Log, tmp_path: Path) -> None:
    made = export_page([heavy], tmp_path / "page.html")
    told = about(made.file)["logs"][0]
    assert ["set", "links.body_FLU.mass = 0.9"] in told["facts"]
    assert {"twin", "scenario", "seed"} <= {word for word, _ in told["facts"]}
    twin = didymos.load("quadcopter")
    twin.set("links.body_FLU.mass", 0.9)
    verdicts = twin.simulate(scenario="hover").judge(heavy)
    assert [(item["name"], item["ok"], item["value"]) for item in told["verdicts"]] == [(x.name, x.ok, x.value) for x in verdicts]
    assert any("before its scenario does" in note for note in made.notes)  # 2 s of a longer one
    assert made.size == made.file.stat().st_size < 15_000_000


def test_a_page_names_no_address_and_lets_no_script_run_but_its_own(heavy: Log, tmp_path: Path) -> None:
    text = export_page([heavy], tmp_path / "page.html").file.read_text("utf-8")
    scripts = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    assert len(scripts) == 1
    digest = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
    assert f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'" in text
    assert not re.search(r"<(?:link|iframe|img|script[^>]*\ssrc)\b|@import|url\(", text[: text.index("<script>")])


def test_texts_of_a_strangers_log_stay_texts(heavy: Log, tmp_path: Path) -> None:
    evil = "</script><script>alert(1)</script><!--"
    log = Log(heavy.layouts, heavy.metadata | {"scenario": evil, "seed": evil, SET: f'{{"{evil}": 1}}', "alarms.1": "[]"})
    for i in range(len(heavy.layouts)):
        log.append(i, *heavy.rows(i))
    made = export_page([log], tmp_path / "page.html")
    assert evil not in made.file.read_text("utf-8")
    assert ["seed", evil] in about(made.file)["logs"][0]["facts"]
    assert any("not one of this twin's" in note for note in made.notes)


def test_a_log_that_names_a_path_opens_no_folder(heavy: Log, tmp_path: Path) -> None:
    elsewhere = ("nobody", "neither bundled nor a folder here; say where it is")
    for name, said in (("../quadcopter", "no name of a twin"), ("", "does not say which twin's"), elsewhere):
        log = Log(heavy.layouts, heavy.metadata | {"twin": name})
        with pytest.raises(InputError, match=said):
            export_page([log], tmp_path / "page.html")
    assert not (tmp_path / "page.html").exists()


def test_a_csv_of_a_real_robot_is_shown_by_the_twin_that_is_named(tmp_path: Path) -> None:
    twin = didymos.load("power_unit")
    joint = next(name for name, item in twin.description.joints.items() if item.engine_joints)
    file, page = tmp_path / "bench.csv", tmp_path / "bench.html"
    file.write_text(f"t [s],{joint}.position [rad]\n" + "".join(f"{0.01 * i},{0.1 * i}\n" for i in range(200)))
    assert main(["export", "page", str(file), "-o", str(page), "--twin", "power_unit", "--quiet"]) == 0
    told = about(page)["logs"][0]
    assert (told["begin"], told["end"], told["verdicts"]) == (0.0, pytest.approx(1.99), [])
    assert [len(track["places"]) for track in told["tracks"]] == [1]


def test_a_log_of_a_real_robot_is_shown_by_what_the_twin_file_says_of_its_columns(make_twin: Any, tmp_path: Path) -> None:
    columns = {
        "place": {"columns": ["north", "east", "down"], "signal": "truth.position", "unit": "cm", "frame": "NED"},
        "attitude": {"columns": ["qx", "qy", "qz", "qw"], "order": "xyzw", "signal": "truth.orientation"},
        "dead": {"signal": "truth.velocity.x"},
    }
    twin = make_twin(recordings={"columns": columns})
    file, page = tmp_path / "mocap.csv", tmp_path / "mocap.html"
    rows = "".join(f"{1.7e9 + 0.01 * i:.2f},0,{i},-50,0,0,0.6,0.8,nan\n" for i in range(100))
    file.write_text(f"t,north,east,down,qx,qy,qz,qw,dead\n{rows}")
    made = export_page([file], page, twin=twin)
    told = about(page)["logs"][0]
    names = {column["name"]: column["unit"] for stream in told["streams"] for column in stream["columns"]}
    assert names["truth.position.z"] == "m"
    assert "down" in names  # what the file has itself stays
    assert any("dead is not shown as truth.velocity.x" in note for note in made.notes)
    assert told["first"][0] == ["truth.position.x", "truth.position.y", "truth.position.z"]
    assert told["tracks"][0]["places"] == [0, 2, 3, 6]  # x, z and a turn about z


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["log.csv", "-o", "page.txt", "--twin", "quadcopter"], "--out: found 'page.txt', expected a file that ends in .html"),
        (["log.csv", "log.csv", "log.csv", "-o", "page.html"], "found 3 logs, expected one, or two"),
        (["log.csv", "-o", "page.html"], "--twin: this log does not say which twin's it is"),
        (["log.csv", "-o", "page.html", "--twin", "quadcopter"], "holds no pose and no joint position of quadcopter"),
        (["none.mcap", "-o", "page.html"], "none.mcap"),
    ],
)
def test_what_cannot_be_a_page_is_said_in_a_sentence(
    words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("log.csv").write_text("t [s],voltage [V]\n0,1\n1,2\n")
    assert main(["export", "page", *words]) == 2
    assert said in capsys.readouterr().err
    assert not Path("page.html").exists()


def test_signals_that_do_not_fit_are_thinned_and_that_is_said() -> None:
    rng, times = np.random.default_rng(1), 0.0025 * np.arange(40_000)
    log = Log([StreamLayout("noise", Kind.SCALARS, ("a", "b"), ("m", "1")), StreamLayout("slow", Kind.SCALARS, ("c",), ("m",))])
    log.append(0, times, rng.normal(size=(40_000, 2)))
    log.append(1, times[::100], rng.normal(size=(400, 1)))
    whole, told = signal_data(log, Blocks(), 10_000_000)
    assert (told, whole[0]["times"]["count"]) == ([], 40_000)
    blocks = Blocks()
    thin, told = signal_data(log, blocks, 70_000)  # 2 columns of noise, nearly 5 B a number: 96 kB at 100 Hz, 48 kB at 50 Hz
    assert thin[0]["times"] == {"first": 0.0, "step": pytest.approx(0.02), "count": 5000}
    assert thin[1]["times"]["count"] == 400
    assert told == ["signals with more than 50 samples a second are thinned: noise (1 of 8); the log has all"]
    assert len(blocks.text) < 70_000
