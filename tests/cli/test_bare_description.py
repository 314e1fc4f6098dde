"""A description in the place of a twin: every verb takes it, nothing is written beside it, nothing of it stays."""

from __future__ import annotations

import gc
import json
import pickle
import shlex
from pathlib import Path

import pytest

import didymos
from described_robots import quadruped
from didymos.cli.main import main
from didymos.control.legged import Legged
from didymos.engine import settle
from didymos.errors import InputError, RunError

ARM = """<robot name="arm"><link name="world"/>
  <link name="base"><inertial><mass value="2"/><inertia ixx=".1" iyy=".1" izz=".1"/></inertial></link>
  <joint name="stand" type="fixed"><parent link="world"/><child link="base"/></joint>
  <link name="upper"><inertial><mass value="1"/><inertia ixx=".1" iyy=".1" izz=".1"/></inertial></link>
  <joint name="elbow" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="5" velocity="2"/></joint></robot>"""
XACRO = ARM.replace("<robot name", '<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name').replace(
    '<mass value="1"/>', '<mass value="$(arg load)"/>'
)


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    (tmp_path / "my arm.urdf").write_text(ARM)
    return tmp_path / "my arm.urdf"


@pytest.mark.parametrize(
    "verb", ["check", "show", "run --seconds 0.1", "sweep --runs 2 --seconds 0.1", "bench", "crosscheck --seconds 0.2"]
)
def test_verbs_take_a_description_and_leave_nothing_beside_it(
    verb: str, arm: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if verb.startswith("crosscheck"):
        pytest.importorskip("pydrake")
    monkeypatch.chdir(arm.parent)
    name, *rest = verb.split()
    assert main([name, str(arm), "--json", *rest]) == 0
    assert json.loads(capsys.readouterr().out)
    assert [path.name for path in arm.parent.iterdir()] == [arm.name]


def test_a_run_says_what_it_made_of_the_description(arm: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(arm), "--seconds", "0.1"]) == 0
    said = capsys.readouterr().err
    assert f"didymos: {arm}: fixed base: its root link 'world' is the world; " in said
    assert "no collision shapes" in said.splitlines()[0]
    assert f"didymos new NAME --from {shlex.quote(str(arm))} keeps it" in said  # as a shell takes it: its name has a blank


def test_options_of_reading_reach_the_description(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "arm.urdf.xacro"
    file.write_text(XACRO)
    assert main(["show", str(file), "--json", "--arg", "load=7"]) == 0
    assert json.loads(capsys.readouterr().out)["mass"] == 9.0
    assert didymos.load(file, arguments={"load": "3"}).summary().mass == 5.0
    assert main(["run", str(file), "--seconds", "0.1"]) == 2
    assert "arm.urdf.xacro" in capsys.readouterr().err


def test_options_of_reading_are_not_for_a_twin(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "quadcopter", "--arg", "load=7"]) == 2
    assert "--arg: is for a bare description; a twin says so itself: description.arguments" in capsys.readouterr().err


def test_a_twin_of_a_description_travels_and_takes_its_folder_along_when_it_goes(arm: Path) -> None:
    twin = didymos.load(arm)
    assert twin.name == "my_arm"
    twin.set("links.upper.mass", 4.0)
    again = pickle.loads(pickle.dumps(twin))
    assert again.get("links.upper.mass") == 4.0
    folder = twin.folder
    simulation = twin.simulate()
    del twin
    gc.collect()
    assert folder.is_dir()  # the run still needs it
    simulation.run(0.1)
    del simulation
    gc.collect()
    assert not folder.exists()


def test_what_is_wrong_is_said_of_the_description(tmp_path: Path) -> None:
    file = tmp_path / "arm.urdf"
    file.write_text(ARM.replace('<child link="upper"/>', '<child link="uper"/>'))
    with pytest.raises(InputError, match=r"arm\.urdf:5: joint 'elbow' has the child link 'uper'.*did you mean 'upper'") as caught:
        didymos.load(file)
    assert caught.value.file == file


def test_a_file_that_is_not_there_and_a_folder_of_descriptions_are_told(arm: Path) -> None:
    with pytest.raises(InputError, match=r"other\.urdf: there is no such file"):
        didymos.load(arm.parent / "other.urdf")
    with pytest.raises(InputError, match=r"there is no twin\.yaml in this folder; it holds my arm\.urdf, a description"):
        didymos.load(arm.parent)


def _refuse_to_walk(self: Legged, robot: object) -> None:
    raise RunError("does not know how to walk today", time=0.0)


@pytest.fixture
def dog(tmp_path: Path) -> Path:
    (tmp_path / "dog.urdf").write_text(quadruped())
    return tmp_path / "dog.urdf"


def test_a_robot_on_legs_is_tried_as_new_does_it_and_a_line_says_what_it_did(
    dog: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["run", str(dog), "--seconds", "0.1"]) == 0
    assert f"program legged, tried for {settle.TRIAL:g} s: stands" in capsys.readouterr().err
    monkeypatch.setattr(Legged, "start", _refuse_to_walk)
    assert main(["run", str(dog), "--seconds", "0.1"]) == 0
    said = capsys.readouterr().err
    assert "under the program legged it does not stay up (at t = 0 s: does not know how to walk today)" in said.splitlines()[0]
    assert f"program joints, tried for {settle.TRIAL:g} s: stands" in said
    assert main(["new", "dog", "--from", str(dog), "--into", str(dog.parent), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["program"] == "joints"


def test_what_was_settled_travels_with_the_twin(dog: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    walks = didymos.load(dog)
    monkeypatch.setattr(Legged, "start", _refuse_to_walk)
    holds = didymos.load(dog)
    monkeypatch.undo()
    monkeypatch.setattr(didymos.twin, "settle", None)  # nothing is tried again
    for twin, program in ((walks, "legged"), (holds, "joints")):
        again = pickle.loads(pickle.dumps(twin))
        assert again.file.control is not None
        assert again.file.control.program == program


def test_a_robot_that_runs_with_neither_program_can_still_be_looked_at(
    dog: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RunError("left the world", time=0.5)

    monkeypatch.setattr(settle, "try_twin", broken)
    assert main(["show", str(dog), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["mass"] == pytest.approx(8.0 + 4 * 1.3)
