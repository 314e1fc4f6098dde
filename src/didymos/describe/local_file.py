"""Files and folders that a twin names: whether they are there, whatever the name is."""

from __future__ import annotations

from pathlib import Path

__all__ = ["is_file", "is_folder"]


def is_file(path: Path) -> bool:
    """Whether a file is there; a name that no file can have (too long, a NUL in it) names none."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def is_folder(path: Path) -> bool:
    """Whether a folder is there; a name that no folder can have names none."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False
