"""`didymos list`: the bundled twins, or the kinds of everything that plugs in."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from didymos.cli.completion import KINDS, kinds_of
from didymos.cli.options import AsJson
from didymos.cli.text import INDENT, print_json, print_table

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
        _print_titles([(name, f"{title}; {_count(variants)}" if variants else title) for name, title, variants in twins])
        if worlds:
            print()
            _print_titles([("world", "title"), *worlds])
    return 0


def _count(variants: Sequence[str]) -> str:
    return f"{len(variants)} variant{'s' * (len(variants) > 1)}"


def _print_titles(rows: Sequence[tuple[str, str]]) -> None:
    """Names and titles: in a terminal titles go on below themselves, for `grep` each stands in one line."""
    if not sys.stdout.isatty():
        print_table(rows)
        return
    indent = len(INDENT) * 2 + max(len(name) for name, _ in rows)
    width = max(shutil.get_terminal_size().columns, indent + 20)
    for name, title in rows:
        beside = f"{INDENT}{name}".ljust(indent)
        print(textwrap.fill(title, width, initial_indent=beside, subsequent_indent=" " * indent))


def _worlds() -> list[tuple[str, str]]:
    """Name and title of the bundled worlds."""
    from didymos.describe.bundled import WORLDS, bundled_worlds
    from didymos.describe.headline import headline_of

    return [(name, headline_of(WORLDS / name / "world.yaml").title) for name in bundled_worlds()]


def _twins() -> list[tuple[str, str, list[str]]]:
    """Name, title and variants of the bundled twins."""
    from didymos.describe.bundled import ROBOTS, bundled
    from didymos.describe.headline import headline_of

    found = [(name, headline_of(ROBOTS / name / "twin.yaml")) for name in bundled()]
    return [(name, headline.title, list(headline.variants)) for name, headline in found]


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
