"""`didymos list`: the bundled twins."""

from __future__ import annotations

import re
from importlib.resources import files

from didymos.cli.options import AsJson
from didymos.cli.text import print_json, print_table

__all__ = ["list_twins"]


def list_twins(as_json: AsJson = False) -> int:
    """The bundled twins."""
    titles = _titles()
    if as_json:
        print_json({"twins": [{"name": name, "title": title} for name, title in titles.items()]})
    else:
        print_table(list(titles.items()))
    return 0


def _titles() -> dict[str, str]:
    """The bundled twins' titles by name, from their files alone: `didymos.bundled` would wait for the engine."""
    titles = {}
    for folder in sorted(files("didymos").joinpath("robots").iterdir(), key=lambda folder: folder.name):
        file = folder.joinpath("twin.yaml")
        if file.is_file():
            found = re.search(r"^title:\s*(['\"]?)(.*?)\1\s*(#.*)?$", file.read_text(encoding="utf-8"), re.MULTILINE)
            titles[folder.name] = found[2] if found else ""
    return titles
