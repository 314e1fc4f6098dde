"""What a name of a twin means where a bundled twin and a folder share it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import didymos
from didymos.describe.bundled import ROBOTS


def test_a_folder_here_goes_before_the_bundled_twin_of_its_name_and_a_note_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "quadcopter"
    folder.mkdir()
    assert didymos.load("quadcopter").folder == ROBOTS / "quadcopter"  # a folder without a twin is not meant
    body = '<mujoco><worldbody><body name="mine"><freejoint/><geom size=".1"/></body></worldbody></mujoco>'
    (folder / "model.xml").write_text(body)
    (folder / "twin.yaml").write_text(json.dumps({"description": {"file": "model.xml"}}))
    mine = didymos.load("quadcopter")
    assert list(mine.description.links) == ["mine"]
    assert [note.what for note in mine.notes if "not the bundled one of the same name" in note.what]
    assert not [note for note in didymos.load(ROBOTS / "quadcopter").notes if "bundled" in note.what]
