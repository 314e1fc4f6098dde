"""`didymos trust`, and what every verb does with a folder that nobody trusts: nothing of it runs."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

import didymos
from didymos.cli.main import app, main
from own_kinds import URDF, has_run, twin_folder

SOURCE = str(Path(didymos.__file__).parents[1])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with code of its own; nobody is trusted."""
    monkeypatch.setenv("DIDYMOS_CONFIG", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    return twin_folder(tmp_path / "my twin")


def said(capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    out, err = capsys.readouterr()
    return out, err


RUNNING = {
    "run": [],
    "run --view": ["--view"],
    "fit": ["recording.csv"],
    "validate": ["recording.csv"],
    "design": ["--parameters", "parts.canopy.opening_time"],
    "sweep": ["--runs", "2"],
    "train": ["--minutes", "0.1"],
    "falsify": ["--vary", "links.body.mass=1:2", "--runs", "2"],
    "serve": ["--port", "ros2", "--seconds", "1"],
    "shadow": ["--robot", "socket:0", "--seconds", "1"],
    "cockpit": ["--no-browser", "--port", "0"],
    "bench": [],
    "crosscheck": [],
    "trim": [],
    "export fmu": ["-o", "twin.fmu"],
}
LOOKING = ("show", "check", "list", "new", "plot", "compare", "log", "trust", "fit-propeller", "polar", "report")


def test_no_verb_is_forgotten() -> None:
    verbs = {command.name or command.callback.__name__ for command in app.registered_commands if command.callback}
    verbs |= {str(group.name) for group in app.registered_groups}
    assert verbs == {verb.split()[0] for verb in RUNNING} | set(LOOKING)


@pytest.mark.parametrize("verb", RUNNING)
@pytest.mark.parametrize("as_json", [False, True])
def test_a_verb_that_runs_refuses_a_folder_that_nobody_trusts(
    folder: Path, verb: str, as_json: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [*(word for word in verb.split() if word[0] != "-"), str(folder), *RUNNING[verb], *(["--json"] if as_json else [])]
    assert main(words) == 2
    out, err = said(capsys)
    assert f"{folder / 'twin.yaml'}:1: parts.canopy.kind: names code, parachute.py:Parachute," in err
    assert err.rstrip().endswith(f"didymos trust '{folder}'")
    if as_json:
        assert "didymos trust" in json.loads(out)["error"]
    assert not has_run(folder)


@pytest.mark.parametrize("trusted", [False, True])
def test_looking_at_a_twin_runs_nothing_of_it_trusted_or_not(
    folder: Path, trusted: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    assert not trusted or main(["trust", str(folder)]) == 0
    assert main(["show", str(folder), "--all"]) == 0
    out, _ = said(capsys)
    assert "parts.canopy.opening_time" in out
    assert "canopy  parachute.py:Parachute  load  released  drag" in out
    assert ("(trusted)" in out) is trusted
    assert main(["show", str(folder), "--json"]) == 0
    shown = json.loads(said(capsys)[0])
    assert shown["own_code"] == ["parachute.py:Parachute"]
    assert main(["check", str(folder)]) == 0
    assert "parachute.py:10: Parachute was read and not run" in said(capsys)[0]
    assert main(["trust", str(folder), "--json"]) == 0
    assert not has_run(folder)


def test_trust_says_what_it_allows_and_is_listed_and_forgotten(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    variants = {"other": {"parts": {"canopy": {"kind": "other.py:Canopy"}}}}
    twin_folder(folder, variants=variants)
    assert main(["trust", str(folder)]) == 0
    out, _ = said(capsys)
    assert f"{folder} is trusted" in out
    assert "parachute.py:Parachute  parts.canopy.kind" in out
    assert "other.py:Canopy         variants.other.parts.canopy.kind" in out
    assert main(["trust", "--list", "--json"]) == 0
    assert json.loads(said(capsys)[0])["folders"] == [{"folder": str(folder), "owner": folder.stat().st_uid, "there": True}]
    assert main(["trust", str(folder / "twin.yaml"), "--forget", "--json"]) == 0
    assert json.loads(said(capsys)[0])["was_trusted"] is True
    assert main(["trust", "--list"]) == 0
    assert "no folder is trusted" in said(capsys)[0]


def test_a_folder_that_others_can_write_is_trusted_with_a_warning(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder.chmod(0o777)
    assert main(["trust", str(folder)]) == 0
    assert "WARNING: others can write to" in said(capsys)[1]


@pytest.mark.parametrize(
    ("words", "named"),
    [
        ([], "expected either a folder or --list"),
        (["x", "--list"], "expected either a folder or --list"),
        (["nowhere"], "there is no twin 'nowhere'"),
        (["."], "there is no twin.yaml in this folder"),
    ],
)
def test_what_cannot_be_trusted_is_said(folder: Path, words: list[str], named: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trust", *words]) == 2
    assert named in said(capsys)[1]


def test_what_new_made_here_is_trusted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    box = '<collision><geometry><box size="1 1 1"/></geometry></collision>'
    Path("load.urdf").write_text(URDF.replace("</link>", f"{box}</link>"))
    assert main(["new", "mine", "--from", "load.urdf"]) == 0
    twin_folder(Path("mine"))
    assert didymos.load("mine").get("parts.canopy.area") == 30.0
    assert has_run(Path("mine"))


CODE = """
import sys
from didymos.cli.options import load_twin
from didymos.cli.main import main
from didymos.errors import InputError
try:
    twin = load_twin(sys.argv[1], None, {}, quiet=len(sys.argv) > 2)
    print(twin.get("parts.canopy.area"))
except InputError as error:
    print("refused:", error)
"""


def at_terminal(folder: Path, answer: str, *more: str) -> str:
    """What a person sees who starts a verb on a folder, and answers."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", CODE, str(folder), *more]
    environment = {**os.environ, "PYTHONPATH": SOURCE, "TERM": "dumb"}
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment) as child:
        os.close(theirs)
        os.write(ours, answer.encode() + b"\n")
        seen = b""
        while True:
            try:
                piece = os.read(ours, 4096)
            except OSError:  # the other end has closed
                break
            if not piece:
                break
            seen += piece
        child.wait()
    os.close(ours)
    return seen.decode()


def test_a_person_at_a_terminal_is_asked_once(folder: Path) -> None:
    seen = at_terminal(folder, "no")
    assert "names code that would run on this machine" in seen
    assert "parachute.py:Parachute  (parts.canopy.kind)" in seen
    assert f"Do you trust {folder}, from now on? [y/N]" in seen
    assert "refused:" in seen
    assert not has_run(folder)
    seen = at_terminal(folder, "y")
    assert f"didymos: runs code of {folder}: parachute.py:Parachute" in seen
    assert "30.0" in seen
    assert has_run(folder)
    seen = at_terminal(folder, "", "quiet")
    assert "Do you trust" not in seen
    assert "runs code" not in seen
    assert "30.0" in seen
