"""`didymos list`: the bundled twins."""

from __future__ import annotations

import re

from didymos.cli.options import AsJson
from didymos.cli.text import print_json, print_table

__all__ = ["list_twins"]


def list_twins(as_json: AsJson = False) -> int:
    """The bundled twins."""
    twins = _twins()
    if as_json:
        print_json({"twins": [{"name": name, "title": title, "variants": variants} for name, title, variants in twins]})
    else:
        rows = [(name, f"{title} (variants: {', '.join(variants)})" if variants else title) for name, title, variants in twins]
        print_table(rows)
    return 0


def _twins() -> list[tuple[str, str, list[str]]]:
    """Name, title and variants of the bundled twins, from the lines of their files: reading them whole would take a second."""
    from didymos.describe.bundled import ROBOTS, bundled

    twins = []
    for name in bundled():
        text = (ROBOTS / name / "twin.yaml").read_text(encoding="utf-8") + "\n"
        title = re.search(r"^title:\s*(['\"]?)(.*?)\1\s*(#.*)?$", text, re.MULTILINE)
        block = re.search(r"^variants:[^\n]*\n((?:[ #][^\n]*\n|\n)*)", text, re.MULTILINE)
        variants = re.findall(r"^  ([\w-]+):", block[1], re.MULTILINE) if block else []
        twins.append((name, title[2] if title else "", variants))
    return twins
