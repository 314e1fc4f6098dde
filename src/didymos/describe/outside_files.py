"""Files and folders that a twin file names outside of its own folder: only in a folder that the user trusts.

A twin file that came from somebody else must not choose what is read on this machine. Its own folder, and the package in which it
stands (the nearest folder above with a ``package.xml``), are what came with it; anything else it may name once the user has said
so (`didymos trust`), as for code. `didymos new` trusts what it makes.
"""

from __future__ import annotations

from pathlib import Path

from didymos.describe.formats.boundary import package_above
from didymos.describe.trust import is_trusted, quoted

__all__ = ["why_not_outside"]


def why_not_outside(name: str, folder: Path) -> str:
    """Why the twin file of a folder may not name a path, as a sentence; empty where it may."""
    here = folder.resolve()
    try:
        there = (folder / name).resolve()
    except (OSError, ValueError, RuntimeError):
        return ""  # no file has this name, which is said where it is opened
    package = package_above(here)
    if there.is_relative_to(here) or (package is not None and there.is_relative_to(package)) or is_trusted(folder):
        return ""
    then = f"look at it, then: didymos trust {quoted(folder)}"
    return f"{name!r} is outside of the twin's folder, which is read only for a folder you trust; {then}"
