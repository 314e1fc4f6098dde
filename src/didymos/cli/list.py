"""`didymos list`: the bundled twins."""

from __future__ import annotations

import re
from importlib.resources import files

from didymos.cli.options import AsJson
from didymos.cli.text import print_json, print_table

__all__ = ["list_twins"]


def list_twins(as_json: AsJson = False) -> int:
    """The bundled twins."""
    import didymos

    titles = {name: _title(name) for name in didymos.bundled()}
    if as_json:
        print_json({"twins": [{"name": name, "title": title} for name, title in titles.items()]})
    else:
        print_table(list(titles.items()))
    return 0


def _title(name: str) -> str:
    """The title in a bundled twin's file, without reading the rest of it: a list must come at once."""
    text = (files("didymos") / "robots" / name / "twin.yaml").read_text(encoding="utf-8")
    found = re.search(r"^title:\s*(['\"]?)(.*?)\1\s*(#.*)?$", text, re.MULTILINE)
    return found[2] if found else ""
