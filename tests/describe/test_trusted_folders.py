"""Code of a twin folder never runs by surprise."""

from __future__ import annotations

import copy
import json
import os
import pickle
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import didymos
from didymos import Twin
from didymos.describe import trust
from didymos.describe.trust import NotTrusted, forget, is_trusted, remember, trusted_folders
from own_kinds import PROGRAM, has_run, twin_folder


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with code of its own and a list in which nobody is trusted."""
    monkeypatch.setenv("DIDYMOS_CONFIG", str(tmp_path / "config"))
    return twin_folder(tmp_path / "twin")


def the_list() -> Path:
    return trust.config_folder() / "trusted.json"


def test_a_folder_that_nobody_trusts_is_refused_with_its_file_and_what_to_do(folder: Path) -> None:
    with pytest.raises(NotTrusted) as refused:
        didymos.load(folder)
    assert str(refused.value).startswith(f"{folder / 'twin.yaml'}:1: parts.canopy.kind: names code, parachute.py:Parachute,")
    assert str(refused.value).endswith(f"didymos trust {folder}")
    assert not has_run(folder)


@pytest.mark.parametrize(
    "keys",
    [
        {"parts": {}, "control": {"program": "release.py:Release"}},
        {"parts": {}, "scenarios": {"fall": {"control": {"program": "release.py:Release"}}}},
        {"parts": {}, "sensors": {"own": {"kind": "release.py:Release"}}},
        {"parts": {"x": {"kind": "os.path:join", "link": "load"}}},
        {"parts": {}, "control": {"program": "didymos.ports.firmware.peer:Peer", "options": {"command": "touch ran"}}},
    ],
)  # fmt: skip
def test_every_place_that_may_name_code_asks_for_trust(folder: Path, keys: dict[str, object]) -> None:
    twin_folder(folder, program=PROGRAM, **keys)
    with pytest.raises(NotTrusted):
        didymos.load(folder)
    assert not has_run(folder)


def test_a_variant_asks_for_trust_only_where_it_is_chosen(folder: Path) -> None:
    own = {"parts": {"canopy": {"kind": "parachute.py:Parachute", "link": "load", "area": 1.0}}}
    twin_folder(folder, parts={}, scenarios={}, variants={"chute": own})
    didymos.load(folder)
    with pytest.raises(NotTrusted):
        didymos.load(folder, variant="chute")
    assert not has_run(folder)


def test_the_word_of_one_call_runs_the_code_and_is_not_remembered(folder: Path) -> None:
    twin = didymos.load(folder, trust=True)
    assert has_run(folder)
    assert twin.get("parts.canopy.area") == 30.0
    with pytest.raises(NotTrusted):
        didymos.load(folder)


def test_a_trusted_folder_runs_also_after_a_change_until_it_is_forgotten(folder: Path) -> None:
    remember(folder)
    didymos.load(folder)
    assert has_run(folder)
    (folder / "parachute.py").write_text((folder / "parachute.py").read_text().replace("0.5, unit", "0.7, unit"))
    assert didymos.load(folder).get("parts.canopy.opening_time") == 0.7
    assert forget(folder)
    assert not forget(folder)
    with pytest.raises(NotTrusted):
        didymos.load(folder)


def test_a_link_to_a_trusted_folder_is_that_folder(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(folder)
    remember(tmp_path / "link")
    assert is_trusted(folder)
    assert is_trusted(tmp_path / "link")
    other = twin_folder(tmp_path / "other")
    (tmp_path / "link").unlink()
    (tmp_path / "link").symlink_to(other)
    assert not is_trusted(tmp_path / "link")


def test_a_folder_that_was_moved_or_copied_is_asked_about_anew(folder: Path, tmp_path: Path) -> None:
    remember(folder)
    shutil.copytree(folder, tmp_path / "copy")
    assert not is_trusted(tmp_path / "copy")
    folder.rename(tmp_path / "moved")
    assert not is_trusted(tmp_path / "moved")
    assert not is_trusted(folder)


def test_a_folder_that_another_user_put_in_its_place_is_not_trusted(folder: Path) -> None:
    remember(folder)
    the_list().write_text(json.dumps({"folders": {str(folder.resolve()): folder.stat().st_uid + 1}}))
    assert not is_trusted(folder)


def test_a_folder_inside_a_trusted_one_is_not_trusted(folder: Path) -> None:
    remember(folder)
    assert not is_trusted(twin_folder(folder / "inner"))


def test_bundled_twins_need_no_question() -> None:
    from didymos.describe.bundled import ROBOTS

    assert is_trusted(ROBOTS / "quadcopter")


def test_the_list_is_for_its_user_alone_and_keeps_what_it_held(folder: Path, tmp_path: Path) -> None:
    remember(folder)
    remember(tmp_path)
    assert stat.S_IMODE(the_list().stat().st_mode) == 0o600
    assert trusted_folders() == {str(path.resolve()): path.stat().st_uid for path in (folder, tmp_path)}
    assert {file.name for file in the_list().parent.iterdir()} == {"trusted.json", ".trusted.lock"}


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_list_that_others_can_write_is_not_believed_and_the_refusal_says_so(folder: Path, mode: int) -> None:
    remember(folder)
    the_list().chmod(mode)
    with pytest.raises(NotTrusted, match="can be written by others and is not believed: chmod 600"):
        didymos.load(folder)
    with pytest.raises(didymos.InputError, match="chmod 600"):
        remember(folder)
    assert not has_run(folder)


def test_a_list_of_somebody_else_is_not_believed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remember(folder)
    monkeypatch.setattr(os, "getuid", lambda: the_list().stat().st_uid + 1)
    with pytest.raises(NotTrusted, match="belongs to somebody else"):
        didymos.load(folder)


@pytest.mark.parametrize("text", ["", "[]", "{", '{"folders": 5}', '{"folders": {"/": "root"}}', "[" * 100_000, "\x00"])
def test_a_broken_list_trusts_nobody(folder: Path, text: str) -> None:
    remember(folder)
    the_list().write_text(text)
    assert trusted_folders() == {}
    remember(folder)
    assert is_trusted(folder)


def test_a_list_that_cannot_be_written_is_said(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("DIDYMOS_CONFIG", str(tmp_path / "file" / "inside"))
    with pytest.raises(didymos.InputError, match=r"trusted\.json: cannot be written"):
        remember(folder)
    assert not is_trusted(folder)


def test_the_list_lies_where_the_users_configuration_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DIDYMOS_CONFIG")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert the_list() == tmp_path / "didymos" / "trusted.json"


@pytest.mark.parametrize("name", ["../outside.py:Parachute", "link.py:Parachute"])
@pytest.mark.parametrize("run_code", [True, False])
def test_code_outside_of_the_folder_is_refused(folder: Path, name: str, run_code: bool) -> None:
    shutil.move(folder / "parachute.py", folder.parent / "outside.py")
    (folder / "link.py").symlink_to(folder.parent / "outside.py")
    twin_folder(folder, parts={"canopy": {"kind": name, "link": "load", "area": 1.0}})
    with pytest.raises(didymos.InputError, match=r"is outside of the twin's folder"):
        didymos.load(folder, trust=True, run_code=run_code)
    assert not has_run(folder)
    assert not has_run(folder.parent)


def test_what_a_person_names_needs_no_trust(folder: Path) -> None:
    twin_folder(folder, program=PROGRAM, parts={}, control=None, scenarios={})
    twin = didymos.load(folder)
    assert not has_run(folder)
    twin.replace_program("release.py:Release", folder)
    assert has_run(folder)
    assert twin.get("control.gains.below") == 50.0


def test_a_twin_without_its_code_cannot_be_simulated(folder: Path) -> None:
    twin = didymos.load(folder, run_code=False)
    with pytest.raises(didymos.InputError, match=r"was loaded without its code, parachute\.py:Parachute"):
        twin.simulate()
    assert not has_run(folder)


@pytest.mark.parametrize("again", [copy.deepcopy, lambda twin: pickle.loads(pickle.dumps(twin))])
def test_a_copy_of_a_twin_that_was_only_looked_at_runs_nothing_either(folder: Path, again: Callable[[Twin], Twin]) -> None:
    made = again(didymos.load(folder, run_code=False))
    assert made.code.stand_ins == ("parachute.py:Parachute",)
    assert not has_run(folder)
    assert again(didymos.load(folder, trust=True)).code.ran == ("parachute.py:Parachute",)


def test_of_many_processes_that_trust_folders_at_once_none_is_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIDYMOS_CONFIG", str(tmp_path / "config"))
    folders = [tmp_path / f"robot_{i}" for i in range(12)]
    for folder in folders:
        folder.mkdir()
    script = "import sys; from pathlib import Path; from didymos.describe.trust import remember; remember(Path(sys.argv[1]))"
    running = [subprocess.Popen([sys.executable, "-c", script, str(folder)]) for folder in folders]
    assert [process.wait(120) for process in running] == [0] * len(folders)
    assert set(trusted_folders()) >= {str(folder.resolve()) for folder in folders}
