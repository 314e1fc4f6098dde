"""Whose code may run: the folders that the user has trusted, remembered as editors do it.

A twin file may name code of its own (see `code.py`). It runs only in a folder that the user has trusted once. What is kept is
the folder's resolved path and its owner: a folder that was moved, or that somebody else has put in its place, is asked about
anew; a link to a trusted folder is that folder; a file that changes in it stays trusted. Bundled twins need no question.

The list is `trusted.json` in `~/.config/didymos` (XDG_CONFIG_HOME is heeded; DIDYMOS_CONFIG names another folder). It is
believed only while it is the user's own and nobody else can write to it.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import stat
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from didymos.describe.bundled import ROBOTS
from didymos.describe.code import NamedCode
from didymos.errors import InputError
from didymos.unix import FileLock

__all__ = ["NotTrusted", "config_folder", "forget", "is_trusted", "quoted", "remember", "trusted_folders"]

_LARGEST = 10_000_000  # [bytes]


class NotTrusted(InputError):
    """A twin names code of its own, and its folder is not trusted."""

    def __init__(self, file: Path, line: int | None, code: Sequence[NamedCode]) -> None:
        self.folder, self.code = file.parent, tuple(code)
        names = ", ".join(dict.fromkeys(item.name for item in code))
        unsafe = _unsafe(_list())
        why = f" ({unsafe})" if unsafe else ""
        then = f"look at it, then: didymos trust {quoted(self.folder)}"
        super().__init__(
            f"names code, {names}, that runs only in a folder you trust{why}; {then}",
            file=file,
            line=line,
            path=".".join(code[0].place),
        )


def quoted(folder: Path) -> str:
    """A folder as a shell takes it."""
    return shlex.quote(str(folder))


def config_folder() -> Path:
    """The folder of what Didymos remembers about its user."""
    named = os.environ.get("DIDYMOS_CONFIG")
    if named:
        return Path(named)
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "didymos"


def is_trusted(folder: Path) -> bool:
    """Whether the code of a folder may run."""
    try:
        there = folder.resolve()
        return there.is_relative_to(ROBOTS.resolve()) or trusted_folders().get(str(there)) == there.stat().st_uid
    except (OSError, ValueError, RuntimeError):
        return False


def trusted_folders() -> dict[str, int]:
    """The trusted folders and the numbers of their owners; none where the list cannot be believed."""
    file = _list()
    if _unsafe(file):
        return {}
    try:
        kept = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    folders = kept.get("folders") if isinstance(kept, dict) else None
    if not isinstance(folders, dict):
        return {}
    return {path: owner for path, owner in folders.items() if isinstance(owner, int)}


def remember(folder: Path) -> None:
    """Trust a folder from now on."""
    there = folder.resolve()
    with _alone():
        _write({**trusted_folders(), str(there): there.stat().st_uid})


def forget(folder: Path) -> bool:
    """Trust a folder no longer; whether it was trusted. It need not be there any more."""
    with _alone():
        folders = trusted_folders()
        known = folders.pop(str(folder.resolve()), None) is not None
        if known:
            _write(folders)
    return known


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """While the list is read and written anew no other process does; else of two at once one would be forgotten."""
    file = _list()
    if file == Path(os.devnull):
        yield
        return
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    lock = FileLock(file.with_name(".trusted.lock"))
    lock.acquire()
    try:
        yield
    finally:
        lock.release()


def _list() -> Path:
    try:
        return config_folder() / "trusted.json"
    except RuntimeError:  # a user without a home
        return Path(os.devnull)


def _unsafe(file: Path) -> str:
    """Why a list cannot be believed; empty where it can, or where there is none."""
    try:
        about = file.stat()
    except (OSError, ValueError):
        return ""
    if not stat.S_ISREG(about.st_mode) or about.st_size > _LARGEST:
        return f"the list {file} is no list"
    if hasattr(os, "getuid") and about.st_uid != os.getuid():
        return f"the list {file} belongs to somebody else and is not believed"
    if about.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return f"the list {file} can be written by others and is not believed: chmod 600 {quoted(file)}"
    return ""


def _write(folders: dict[str, int]) -> None:
    """The whole list or nothing of it, for the user alone."""
    file = _list()
    unsafe = _unsafe(file)
    if unsafe:
        raise InputError(unsafe)
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, made = tempfile.mkstemp(dir=file.parent, prefix=".trusted_")  # 0600 from the start
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                json.dump({"folders": folders}, stream, indent=1)
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(made, file)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(made)
            raise
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", file=file) from None
