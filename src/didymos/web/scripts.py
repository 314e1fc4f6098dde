"""The scripts of our pages, by name: ES modules of ours (`scripts/`) and of others (`vendor/`, each with its licence).

They lie side by side on a page, whoever wrote them: a module imports another by `./NAME.js`.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

__all__ = ["TYPES", "home_page", "scripts"]

TYPES = {".js": "application/javascript", ".css": "text/css; charset=utf-8"}
"""Suffixes of what a page loads, and how it is told what they are."""


@cache
def scripts() -> dict[str, bytes]:
    """Content of every script and style sheet, by file name."""
    found: dict[str, bytes] = {}
    for folder in ("scripts", "vendor"):
        for file in sorted(files("didymos.web").joinpath(folder).iterdir(), key=lambda item: item.name):
            if file.name.endswith(tuple(TYPES)):
                assert file.name not in found, f"two scripts have the name {file.name}"
                found[file.name] = file.read_bytes()
    return found


@cache
def home_page() -> bytes:
    """The cockpit's home page."""
    return files("didymos.web").joinpath("home.html").read_bytes()
