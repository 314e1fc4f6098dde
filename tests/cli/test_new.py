"""`didymos new` as a user calls it: what it says, in words and as JSON, and what it leaves behind."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from described_robots import arm, joint, link, quadruped, robot
from didymos.cli.main import main


def test_it_says_what_it_decided_and_what_the_twin_did(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "arm.urdf").write_text(arm('<odd name="first"/><odd name="second"/>'))
    assert main(["new", "lifter", "--from", str(tmp_path / "arm.urdf"), "--into", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "fixed base: one chain of joints on 'base'" in said
    assert "3 servos: the description says nothing of drives" in said
    assert "holds its posture" in said
    assert "(2 x, first in line" in said  # notes of one kind share a line
    assert said.rstrip().endswith(f"is ready: next, didymos run {tmp_path / 'lifter'}")
    assert main(["run", str(tmp_path / "lifter"), "--scenario", "move", "--quiet"]) == 0  # its own expectations hold


def test_json_has_the_decisions_and_every_note(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "arm.urdf").write_text(arm('<odd name="first"/><odd name="second"/>'))
    assert main(["new", "lifter", "--from", str(tmp_path / "arm.urdf"), "--into", str(tmp_path), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["ready"], told["base"], told["program"], told["warnings"]) == (True, "held", "joints", [])
    assert told["why"].startswith("one chain of joints")
    assert told["trial"]["well"]
    assert told["trial"]["error"] < 0.05
    assert len(told["notes"]) == 2


def test_a_link_without_mass_names_the_option_that_estimates_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = robot(link("a", mass=0), link("b", '<sphere radius="0.1"/>', mass=0), joint("j", "a", "b"))
    (tmp_path / "r.urdf").write_text(text)
    call = ["new", "ball", "--from", str(tmp_path / "r.urdf"), "--into", str(tmp_path)]
    assert main(call) == 2
    assert "--estimate-inertia" in capsys.readouterr().err
    assert not (tmp_path / "ball").exists()
    assert main([*call, "--mass", "2"]) == 2
    assert "--mass: goes with --estimate-inertia only" in capsys.readouterr().err
    assert main([*call, "--estimate-inertia", "--mass", "2", "--json"]) == 0
    twin = (tmp_path / "ball" / "twin.yaml").read_text()
    assert "density: 477.46" in twin  # 2 kg in a ball of 0.1 m


def test_a_robot_that_falls_under_its_program_holds_its_posture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from didymos.control.legged import Legged
    from didymos.errors import RunError

    def broken(self: Legged, robot: object) -> None:
        raise RunError("does not know how to walk today", time=0.0)

    monkeypatch.setattr(Legged, "start", broken)
    (tmp_path / "dog.urdf").write_text(quadruped())
    assert main(["new", "dog", "--from", str(tmp_path / "dog.urdf"), "--into", str(tmp_path), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["program"] == "joints"
    assert "does not stay up (at t = 0 s: does not know how to walk today)" in told["warnings"][0]
    assert told["trial"]["verdict"].startswith("stands")


@pytest.mark.parametrize(
    ("name", "better"), [("my robot v1.2", "'my_robot_v1.2'"), ("../twins/rover", "'twins_rover'"), (".rover", "'rover'")]
)
def test_a_name_that_no_twin_can_have_says_which_it_may(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str, better: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.urdf").write_text('<robot name="r"><link name="a"/></robot>')
    assert main(["new", name, "--from", "r.urdf"]) == 2
    said = capsys.readouterr().err
    assert repr(name) in said
    assert better in said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r.urdf"]
