"""Broken descriptions at every door: `new`, `check` and `run` say one sentence that helps, and end with status 2."""

from __future__ import annotations

from pathlib import Path

import pytest
from broken_descriptions import BROKEN, Broken

from didymos.cli.main import main

DOORS = {"check": ("check",), "new": ("new", "made", "--from"), "run": ("run",)}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def laid_out(broken: Broken, folder: Path) -> None:
    """Write a description and what stands beside it."""
    (folder / broken.name).write_bytes(broken.data)
    for name, content in broken.beside.items():
        (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)


def test_there_are_at_least_sixty_of_them() -> None:
    assert len(BROKEN) >= 60
    assert sum(not broken.runs for broken in BROKEN.values()) >= 60


@pytest.mark.parametrize("broken", [b for b in BROKEN.values() if not b.runs], ids=[k for k, b in BROKEN.items() if not b.runs])
def test_a_broken_description_gets_one_sentence_at_every_door(
    broken: Broken, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    laid_out(broken, folder)
    for door in DOORS.values():
        assert main([*door, broken.name]) == 2
        said = capsys.readouterr().err
        assert said.count("\n") == 1
        assert said.startswith(f"didymos: {broken.name}:{f'{broken.line}:' if broken.line else ''}")
        assert broken.said in said
        assert not any(word in said for word in ("internal error", "Traceback", "NoneType"))
    assert not (folder / "made").exists()


@pytest.mark.parametrize("broken", [b for b in BROKEN.values() if b.runs], ids=[k for k, b in BROKEN.items() if b.runs])
def test_what_can_be_read_all_the_same_is_read_with_a_note(
    broken: Broken, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    laid_out(broken, folder)
    assert main(["check", broken.name]) == 0
    said = capsys.readouterr().out
    assert broken.said in said
    assert not broken.line or f"{broken.name}:{broken.line}: " in said


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS.keys())
def test_a_folder_and_a_name_that_leads_nowhere_are_no_descriptions(
    door: tuple[str, ...], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "robot.urdf").mkdir()
    for name in ("robot.urdf", "nowhere.urdf"):
        assert main([*door, name]) == 2
        said = capsys.readouterr().err
        assert said.count("\n") == 1
        assert name in said
