"""The page of all commands, written from the command line itself: what `didymos VERB --help` says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer
from mkdocs.structure.files import Files

from didymos.cli.main import app

PAGE = "commands.md"


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Fill the page."""
    return markdown + "\n" + "\n".join(sections()) if page.file.src_uri == PAGE else markdown


def sections() -> Iterator[str]:
    """A section per verb: what it does, its arguments and options, an example."""
    group: Any = typer.main.get_command(app)
    context = group.make_context("didymos", ["--help"], resilient_parsing=True)
    for name in group.list_commands(context):
        yield from command(group.get_command(context, name), f"didymos {name}", 2)


def command(verb: Any, name: str, level: int) -> Iterator[str]:
    """The section of one verb, and of those below it."""
    context = verb.make_context(name, [], resilient_parsing=True)
    yield f"{'#' * level} {name}\n\n{_paragraphs(verb.help or '')}\n"
    if getattr(verb, "commands", None):
        for below in verb.list_commands(context):
            yield from command(verb.get_command(context, below), f"{name} {below}", level + 1)
        return
    yield f"```text\n{' '.join([name, *verb.collect_usage_pieces(context)])}\n```\n"
    rows = [_row(parameter, context) for parameter in verb.params]
    if any(rows):
        yield "| | |\n|---|---|\n" + "\n".join(row for row in rows if row) + "\n"
    if verb.epilog:
        yield f"{verb.epilog.partition(':')[0]}: `{verb.epilog.partition(':')[2].strip()}`\n"


def _row(parameter: Any, context: Any) -> str:
    if getattr(parameter, "hidden", False):
        return ""
    record = parameter.get_help_record(context)
    if record is None:
        return ""
    cells = [" ".join(cell.split()).replace("|", "\\|") for cell in record]
    return f"| `{cells[0]}` | {_plain(cells[1])} |"


def _paragraphs(text: str) -> str:
    return "\n\n".join(_plain(" ".join(block.split())) for block in text.split("\n\n"))


def _plain(text: str) -> str:
    """Words of help as Markdown: what would be a tag or emphasis is written as it stands."""
    return text.replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_")


