"""`didymos list`: the bundled twins."""

from __future__ import annotations

import re

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
    """The bundled twins' titles by name, from the first lines of their files: reading them whole would take a second."""
    from didymos.describe.bundled import ROBOTS, bundled

    titles = {}
    for name in bundled():
        text = (ROBOTS / name / "twin.yaml").read_text(encoding="utf-8")
        found = re.search(r"^title:\s*(['\"]?)(.*?)\1\s*(#.*)?$", text, re.MULTILINE)
        titles[name] = found[2] if found else ""
    return titles
