"""`didymos crosscheck` as a user starts it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from didymos.cli.main import main
from didymos.crosscheck import libraries

PENDULUM = """<robot name="pendulum"><link name="world"/>
  <link name="bob"><inertial><origin xyz="0 0 -0.5"/><mass value="1"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="pivot" type="continuous"><parent link="world"/><child link="bob"/><axis xyz="0 1 0"/></joint></robot>"""


def test_a_bare_description_is_compared_and_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "pendulum.urdf").write_text(PENDULUM)
    picture = tmp_path / "out" / "picture.png"
    assert main(["crosscheck", str(tmp_path / "pendulum.urdf"), "--seconds", "1", "--json", "-o", str(picture)]) == 0
    (row,) = json.loads(capsys.readouterr().out)["twins"]
    assert row["twin"] == "pendulum"
    assert row["verdict"] == "agree"
    assert row["freedoms"] == 1
    assert row["trajectory"]["difference"] < 1e-6
    assert picture.read_bytes()[:4] == b"\x89PNG"


def test_what_cannot_be_compared_is_said_and_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "still.urdf").write_text(PENDULUM.replace("continuous", "fixed"))
    assert main(["crosscheck", str(tmp_path / "still.urdf")]) == 1
    out, err = capsys.readouterr()
    assert "not comparable: nothing in it moves" in out
    assert err.endswith("didymos: still: not comparable: nothing in it moves\n")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["quadcopter", "--contact", "dop"], "--contact: there is no case 'dop', did you mean 'drop'?"),
        (["quadcopter", "--scenario", "hovr"], "has no scenario 'hovr', did you mean 'hover'?"),
        (["quadcopter", "meldog", "-o", "x.png"], "--output: one picture is of one twin"),
        (["quadcoptr"], "there is no twin 'quadcoptr', did you mean 'quadcopter'?"),
    ],
)
def test_bad_input_is_one_sentence(arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["crosscheck", *arguments]) == 2
    assert says in capsys.readouterr().err


def test_a_bare_description_that_cannot_be_read_is_named_as_given(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "torn.urdf"
    file.write_text(PENDULUM.replace('child link="bob"', 'child link="bub"'))
    assert main(["crosscheck", str(file)]) == 2
    assert capsys.readouterr().err.startswith(f"didymos: {file}:4: joint 'pivot' has the child link 'bub'")


def test_without_the_second_engines_the_command_that_installs_them_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(libraries, "find_spec", lambda name: None)
    assert main(["crosscheck", "quadcopter"]) == 2
    assert "needs pin and drake; install with: pip install 'didymos[crosscheck]'" in capsys.readouterr().err
