"""Folders that nobody but their user can put anything into: what is read from them is code.

A folder on disk is only as safe as every folder above it. `private_folder` walks the whole path, through symbolic links, and
refuses one in which somebody else could have planted the last part or could put another in its place:

    every folder above     belongs to us or to root; one that everybody may write has the sticky bit (`/tmp`)
    every link on the way  belongs to us or to root
    the folder itself      is no link, belongs to us, and neither its group nor others may write it

A folder above that our own group may write, as a umask of 002 leaves it in a home, is accepted. Systems without user numbers
(Windows) keep a user's folders apart by themselves: nothing is checked there.
"""

from __future__ import annotations

import atexit
import os
import shutil
import stat
import tempfile
from pathlib import Path

__all__ = ["empty_folder", "own_folder_of_this_run", "private_folder"]

_MOST_LINKS = 40  # as Linux has it
_WRITABLE = stat.S_IWGRP | stat.S_IWOTH


def _user() -> int | None:
    """Our number, or None where users have none."""
    return os.geteuid() if hasattr(os, "geteuid") else None


def _check_link(path: Path, about: os.stat_result, user: int) -> None:
    if about.st_uid not in (user, 0):
        raise PermissionError(f"{path} is a link of another user")


def _check_above(path: Path, about: os.stat_result, user: int) -> None:
    if about.st_uid not in (user, 0):
        raise PermissionError(f"{path} belongs to another user")
    if about.st_mode & stat.S_IWOTH and not about.st_mode & stat.S_ISVTX:
        raise PermissionError(f"everybody may write {path}")


def _real_parent(path: Path, user: int) -> Path:
    """The folder that a path stands in, free of links; every folder and link on the way is checked."""
    ahead = list(reversed(path.parts[1:-1]))
    here, links = Path(path.anchor), 0
    _check_above(here, here.lstat(), user)
    while ahead:
        below = here / ahead.pop()
        about = below.lstat()
        if not stat.S_ISLNK(about.st_mode):
            _check_above(below, about, user)
            here = below
            continue
        _check_link(below, about, user)
        links += 1
        if links > _MOST_LINKS:
            raise PermissionError(f"{path} leads through too many links")
        target = Path(os.path.normpath(here / os.readlink(below)))
        ahead += reversed(target.parts[1:])
        here = Path(target.anchor)
    return here


def private_folder(path: Path) -> Path:
    """The folder at a path as nobody but us can write it, made (0700) where there is none; a `PermissionError` says why not.

    One of ours that its group or others could write until now is emptied first: nobody knows who wrote what is in it.
    """
    path = Path(os.path.abspath(path))
    user = _user()
    if user is None:
        path.mkdir(parents=True, exist_ok=True)
        return path
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder = _real_parent(path, user) / path.name
    try:
        folder.mkdir(mode=0o700)  # there is no moment in which it is anybody else's
    except FileExistsError:
        about = folder.lstat()
        if not stat.S_ISDIR(about.st_mode):
            raise PermissionError(f"{folder} is no folder") from None
        if about.st_uid != user:
            raise PermissionError(f"{folder} belongs to another user") from None
        if about.st_mode & _WRITABLE:
            folder.chmod(0o700)
            empty_folder(folder)
    if not os.access(folder, os.W_OK):
        raise PermissionError(f"{folder} cannot be written")
    return folder


def empty_folder(folder: Path) -> None:
    """Remove all that a folder holds; links are removed, not followed."""
    for entry in folder.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry, ignore_errors=True)
        else:
            entry.unlink(missing_ok=True)


def own_folder_of_this_run() -> Path:
    """A new folder of ours that is gone when this process ends."""
    folder, maker = Path(tempfile.mkdtemp(prefix="didymos-")), os.getpid()

    def remove() -> None:
        if os.getpid() == maker:  # a forked process ends earlier
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    return folder
