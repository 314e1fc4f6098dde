"""`didymos report`, and the ways of sampling of `didymos sweep`."""

from __future__ import annotations

import json
import re
import shlex
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from didymos.cli.main import main

pytest.importorskip("pyarrow")

STONE = """<mujoco><worldbody><body name="stone"><freejoint name="free"/>
  <geom size=".05" mass=".5" contype="0" conaffinity="0"/></body></worldbody></mujoco>"""
EXPECT = [
    {"name": "<b>sideways</b>", "signal": "tf.stone.position.y", "measure": "final", "low": -0.2, "high": 0.2},
    {"name": "height", "signal": "tf.stone.position.z", "measure": "final", "low": 0.0},
]
VARY = ["--vary", "start.position.y=normal:0:0.1", "--vary", "start.velocity.y=-0.5:0.5", "--vary", "world.gravity=log:5:20"]
VOID = {"meta", "link", "img", "br", "input"}


class Reader(HTMLParser):
    """Checks that tags close, and collects what a page loads and says."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loads: list[str] = []
        self.tags: set[str] = set()
        self.commands: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.loads += [value or "" for name, value in attributes if name in ("src", "href")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data
        if data.startswith("didymos run"):
            self.commands.append(data)


def read(file: Path) -> Reader:
    reader = Reader()
    reader.feed(file.read_text(encoding="utf-8"))
    assert reader.open == []
    return reader


@pytest.fixture
def stone(make_twin: Any) -> str:
    start = {"position": [0, 0, 10], "velocity": [1, 0, 2]}
    scenarios = {"gate": {"seconds": 0.2, "expect": EXPECT}}
    return str(make_twin(STONE, start=start, record={"tf_rate": 100}, scenarios=scenarios).folder)


def swept(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    main(["sweep", *words, "--json"])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert "error" not in found, found
    return found


def test_the_page_stands_alone_and_its_commands_repeat_the_runs(
    stone: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "runs"
    swept(capsys, stone, *VARY, "--runs", "60", "-o", str(folder))
    assert main(["report", str(folder), "-o", str(tmp_path / "page.html"), "--worst", "3", "--pictures", "2", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["runs"] == 60
    assert facts["pictures"] == 4  # two signals of two runs
    page = tmp_path / "page.html"
    assert page.stat().st_size < 1_000_000
    reader = read(page)
    assert reader.loads == []
    assert not reader.tags & {"script", "b", "link", "img", "iframe"}
    assert "<b>sideways</b>" in reader.text  # as a text, not as a tag
    assert "url(" not in page.read_text(encoding="utf-8")
    assert reader.commands == facts["worst"]
    import pyarrow.parquet

    rows = {row["seed"]: row for row in pyarrow.parquet.read_table(sorted(folder.glob("runs-*.parquet"))).to_pylist()}
    for command in reader.commands:
        words = shlex.split(command)[1:]
        row = rows[int(words[words.index("--seed") + 1])]
        assert main([*words, "--json"]) == (0 if row["ok"] else 1)
        again = json.loads(capsys.readouterr().out)
        for item in again["expectations"]:
            assert item["value"] == row[f"measured.{item['name']}"]  # to the bit
            assert item["ok"] == row[f"met.{item['name']}"]


def test_a_page_without_its_twin_has_no_pictures_and_says_why(
    stone: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "runs"
    swept(capsys, stone, *VARY, "--runs", "12", "-o", str(folder))
    about = json.loads((folder / "sweep.json").read_text())
    for change in ({"twin": str(tmp_path / "gone")}, {"control": "evil.py:Program"}):
        (folder / "sweep.json").write_text(json.dumps({**about, **change}))
        (tmp_path / "evil.py").write_text("raise SystemExit('it ran')")
        assert main(["report", str(folder), "--json"]) == 0
        facts = json.loads(capsys.readouterr().out)
        assert facts["pictures"] == 0
        assert facts["no_pictures"]
        assert "No pictures" in read(tmp_path / "runs.html").text


def test_a_folder_without_a_sweep_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(tmp_path)]) == 2
    assert "sweep.json" in capsys.readouterr().err


def test_crossed_runs_have_sobol_indices_on_the_page(stone: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("SALib")
    found = swept(capsys, stone, *VARY, "--runs", "100", "--sampling", "saltelli", "-o", str(tmp_path / "runs"))
    assert found["runs"] == 80  # 16 base points of 5 runs
    assert main(["report", str(tmp_path / "runs"), "--pictures", "0", "--quiet"]) == 0
    assert "Sobol indices" in read(tmp_path / "runs.html").text


def test_a_sweep_stops_when_its_pass_rate_is_known(stone: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = swept(capsys, stone, "--vary", "start.position.y=-0.01:0.01", "--runs", "500", "--until", "0.05", "--threads", "2")
    assert found["runs"] == found["met"] == 40  # half of 1 - 0.015^(1/n) is below 0.05 from n = 40 on; looks at 20, 40, ...
    assert found["pass_rate"]["high"] == 1.0


def test_rare_failures_are_the_same_after_an_interruption(stone: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [stone, "--vary", "start.position.y=normal:0:0.06", "--runs", "300", "--sampling", "rare"]
    whole = swept(capsys, *words, "-o", str(tmp_path / "whole"))
    folder = tmp_path / "cut"
    swept(capsys, *words, "-o", str(folder))
    import pyarrow.parquet

    part, *later = sorted(folder.glob("runs-*.parquet"))  # a slow machine writes more than one
    table = pyarrow.concat_tables([pyarrow.parquet.read_table(item) for item in (part, *later)])
    pyarrow.parquet.write_table(table.slice(0, 130), part)  # as if it had been killed there
    for item in later:
        item.unlink()
    assert swept(capsys, *words, "-o", str(folder), "--resume")["failure_probability"] == whole["failure_probability"]
    tables = [pyarrow.parquet.read_table(sorted(found.glob("runs-*.parquet"))) for found in (tmp_path / "whole", folder)]
    assert tables[0].sort_by("index").equals(tables[1].sort_by("index"))
    assert tables[0]["weight"].null_count == 140  # a search of 40 and five times 20 runs
    assert main(["report", str(folder), "--pictures", "0", "--quiet"]) == 0
    assert "likeliest failures" in read(tmp_path / "cut.html").text


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["--sampling", "sobbol"], "did you mean 'sobol'"),
        (["--vary", "world.gravity=bell:1:2"], "log:LOW:HIGH or normal:MEAN:SD"),
        (["--vary", "world.gravity=log:0:2"], "above 0"),
        (["--vary", "world.gravity=normal:-5:1"], "expected a number from 0"),
        (["--until", "0.7"], "--until"),
        (["--sampling", "rare"], "nothing to search in"),
    ],
)
def test_what_cannot_be_sampled_is_one_sentence(
    stone: str, words: list[str], what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["sweep", stone, "--runs", "10", *words]) == 2
    error = capsys.readouterr().err
    assert re.search(re.escape(what), error), error
    assert error.count("\n") == 1
