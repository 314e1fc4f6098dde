"""Folders that code is read from: nobody else can have put anything into them."""

from __future__ import annotations

import os
import pickle
import stat
from pathlib import Path
from typing import Any

import pytest

from didymos import private_folder as place
from didymos.private_folder import private_folder

unix = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="a system without user numbers keeps users apart by itself")


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


@unix
def test_a_new_folder_is_ours_alone_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        made = private_folder(tmp_path / "a" / "b")
    finally:
        os.umask(before)
    assert _mode(made) == 0o700
    assert private_folder(tmp_path / "a" / "b") == made


@unix
def test_a_folder_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = private_folder(tmp_path / "cache")
    other = os.geteuid() + 1
    monkeypatch.setattr(place, "_check_above", lambda *_: None)  # those above are that user's as well
    monkeypatch.setattr(place, "_user", lambda: other)
    with pytest.raises(PermissionError, match="cache belongs to another user"):
        private_folder(folder)


@unix
def test_a_folder_below_one_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if os.geteuid() == 0:
        os.chown(tmp_path, 12345, -1)
    else:
        monkeypatch.setattr(place, "_user", lambda: os.geteuid() + 1)
    with pytest.raises(PermissionError, match="belongs to another user"):
        private_folder(tmp_path / "cache")


@unix
def test_a_link_in_the_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    (tmp_path / "cache").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(PermissionError, match="cache is no folder"):
        private_folder(tmp_path / "cache")


@unix
def test_a_link_above_is_followed_where_it_is_ours_and_refused_where_it_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "home").symlink_to("disk")
    assert private_folder(tmp_path / "home" / "cache") == tmp_path / "disk" / "cache"
    if os.geteuid() == 0:
        os.chown(tmp_path / "home", 12345, -1, follow_symlinks=False)
    else:
        monkeypatch.setattr(place, "_check_above", lambda *_: None)
        monkeypatch.setattr(place, "_user", lambda: os.geteuid() + 1)
    with pytest.raises(PermissionError, match="home is a link of another user"):
        private_folder(tmp_path / "home" / "cache")


@unix
def test_links_that_lead_in_a_circle_end(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(FileExistsError):
        private_folder(tmp_path / "a" / "cache")
    with pytest.raises(PermissionError, match="too many links"):
        place._real_parent(tmp_path / "a" / "cache", os.geteuid())


@unix
@pytest.mark.parametrize(("mode", "fits"), [(0o1777, True), (0o777, False), (0o775, True)])
def test_a_folder_that_everybody_may_write_needs_the_sticky_bit(tmp_path: Path, mode: int, fits: bool) -> None:
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared").chmod(mode)
    if fits:
        private_folder(tmp_path / "shared" / "cache")
    else:
        with pytest.raises(PermissionError, match="everybody may write"):
            private_folder(tmp_path / "shared" / "cache")


@unix
@pytest.mark.parametrize("mode", [0o770, 0o777, 0o702])
def test_one_of_ours_that_others_could_write_is_emptied_and_closed(tmp_path: Path, mode: int) -> None:
    folder, precious = tmp_path / "cache", tmp_path / "precious"
    (folder / "old").mkdir(parents=True)
    precious.mkdir()
    (precious / "file").write_text("stays")
    (folder / "planted").write_text("x")
    (folder / "link").symlink_to(precious)
    folder.chmod(mode)
    assert list(private_folder(folder).iterdir()) == []
    assert _mode(folder) == 0o700
    assert (precious / "file").read_text() == "stays"


KERNEL = """
from didymos.compiled import kernel

@kernel
def twice(x):
    return 2.0 * x
"""
CALL = """
import os, sys
sys.path.insert(0, sys.argv[1])
from kernels_of_a_test import twice
print(twice(4.0), twice.stats.cache_path, os.environ.get("DIDYMOS_CACHE", "-"))
"""


class _Plant:
    """What runs a command when it is unpickled."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.marker),)


def _plant(folder: Path, marker: Path) -> int:
    """Put such a pickle in the place of every index file below a folder; how many there were."""
    indices = list(folder.rglob("*.nbi"))
    for index in indices:
        version = pickle.dumps(pickle.loads(index.read_bytes()))  # numba's own version stands first
        index.write_bytes(version + pickle.dumps(_Plant(marker)))
    return len(indices)


@unix
def test_a_planted_index_runs_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_python: Any) -> None:
    (tmp_path / "kernels_of_a_test.py").write_text(KERNEL)
    marker, cache = tmp_path / "marker", tmp_path / "cache"
    monkeypatch.setenv("DIDYMOS_CACHE", str(cache))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    assert run_python(CALL, tmp_path).stdout.split()[0] == "8.0"
    assert _plant(cache, marker) > 0
    (cache / "kernels").chmod(0o777)  # as whoever planted them needs it
    assert run_python(CALL, tmp_path).stdout.split()[0] == "8.0"
    assert not marker.exists()
    assert _plant(cache, marker) > 0  # and the test itself can fail: nobody looks into a folder that is ours alone
    run_python(CALL.replace("print(", "import contextlib\nwith contextlib.suppress(Exception): print("), tmp_path)
    assert marker.exists()


@unix
def test_without_a_safe_place_kernels_last_for_one_run_and_it_is_said_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_python: Any
) -> None:
    (tmp_path / "kernels_of_a_test.py").write_text(KERNEL)
    shared, elsewhere = tmp_path / "shared", tmp_path / "elsewhere"
    shared.mkdir()
    elsewhere.mkdir()
    shared.chmod(0o1777)
    (shared / "cache").mkdir()
    (shared / "cache" / "kernels").symlink_to(elsewhere)
    (shared / f"didymos-{os.getuid()}").symlink_to(elsewhere)
    monkeypatch.setenv("DIDYMOS_CACHE", str(shared / "cache"))
    monkeypatch.setenv("TMPDIR", str(shared))
    done = run_python(CALL, tmp_path)
    value, used, told = done.stdout.split()
    assert float(value) == 8.0
    assert used.startswith(f"{told}/kernels/")  # a process that we start finds the same
    assert not Path(told).exists()  # gone with its process
    assert list(elsewhere.iterdir()) == []
    assert done.stderr.count("didymos:") == 1
    assert "kernels are compiled for this run only: " in done.stderr
    assert "kernels is no folder" in done.stderr
    assert "DIDYMOS_CACHE=FOLDER" in done.stderr


@unix
def test_what_else_is_in_a_folder_that_the_user_names_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_python: Any
) -> None:
    (tmp_path / "kernels_of_a_test.py").write_text(KERNEL)
    named = tmp_path / "named"
    named.mkdir()
    (named / "thesis.tex").write_text("years of work")
    named.chmod(0o775)
    monkeypatch.setenv("DIDYMOS_CACHE", str(named))
    assert run_python(CALL, tmp_path).stdout.split()[1].startswith(str(named / "kernels"))
    assert (named / "thesis.tex").read_text() == "years of work"
    assert _mode(named) == 0o775
    assert _mode(named / "kernels") == 0o700
