"""`didymos list`: the bundled twins, or the kinds of everything that plugs in."""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from didymos.cli.completion import KINDS, kinds_of
from didymos.cli.options import AsJson
from didymos.cli.text import print_json, print_table

if TYPE_CHECKING:
    from didymos.kinds import Source

__all__ = ["list_twins"]


def list_twins(
    kinds: Annotated[
        bool, typer.Option("--kinds", help="Instead, all kinds of parts, sensors, programs, ports, formats, measures.")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """The bundled twins and worlds, or all kinds that plug in."""
    if kinds:
        return _list_kinds(as_json)
    twins, worlds = _twins(), _worlds()
    if as_json:
        facts = [{"name": name, "title": title, "variants": variants} for name, title, variants in twins]
        print_json({"twins": facts, "worlds": [{"name": name, "title": title} for name, title in worlds]})
    else:
        rows = [(name, f"{title} (variants: {', '.join(variants)})" if variants else title) for name, title, variants in twins]
        print_table(rows)
        if worlds:
            print()
            print_table(worlds, ("world", "title"))
    return 0


def _worlds() -> list[tuple[str, str]]:
    """Name and title of the bundled worlds."""
    from didymos.describe.bundled import WORLDS, bundled_worlds

    return [(name, _title((WORLDS / name / "world.yaml").read_text(encoding="utf-8") + "\n")) for name in bundled_worlds()]


def _title(text: str) -> str:
    found = re.search(r"^title:\s*(['\"]?)(.*?)\1\s*(#.*)?$", text, re.MULTILINE)
    return found[2] if found else ""


def _twins() -> list[tuple[str, str, list[str]]]:
    """Name, title and variants of the bundled twins, from the lines of their files: reading them whole would take a second."""
    from didymos.describe.bundled import ROBOTS, bundled

    twins = []
    for name in bundled():
        text = (ROBOTS / name / "twin.yaml").read_text(encoding="utf-8") + "\n"
        block = re.search(r"^variants:[^\n]*\n((?:[ #][^\n]*\n|\n)*)", text, re.MULTILINE)
        variants = re.findall(r"^  ([\w-]+):", block[1], re.MULTILINE) if block else []
        twins.append((name, _title(text), variants))
    return twins


def _list_kinds(as_json: bool) -> int:
    """Every kind and the package that brings it; none of them is loaded."""
    found: list[tuple[str, Source]] = [(role, source) for role in KINDS for source in kinds_of(role).sources()]
    if as_json:
        print_json({"kinds": [{"role": role, **asdict(source)} for role, source in found]})
        return 0
    hidden = " (not used: a bundled one has its name)"
    table = [(role, x.name, x.package, x.reference + hidden * x.hidden) for role, x in found]
    print_table(table, ("role", "kind", "package", "reference"))
    return 0
