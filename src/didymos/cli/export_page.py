"""`didymos export page`: logs as one HTML file that works anywhere."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

from didymos.cli.command import command
from didymos.cli.completion import complete_twins
from didymos.cli.description_options import Reading
from didymos.cli.logs import open_log
from didymos.cli.options import AsJson, Quiet, Variant, load_model
from didymos.cli.text import print_json, print_table
from didymos.errors import InputError

__all__ = ["page"]

_ENDINGS = (".html", ".htm")


@dataclass(frozen=True, kw_only=True)
class PageOptions:
    """What the command takes."""

    logs: Annotated[
        list[Path], typer.Argument(metavar="LOG...", help="One log, or two: the second is shown as a ghost of the first.")
    ]
    out: Annotated[Path, typer.Option("-o", "--out", metavar="FILE.html", help="The page to write.")]
    twin: Annotated[
        str | None,
        typer.Option(metavar="TWIN", help="Whose logs they are; as the log says by default.", autocompletion=complete_twins),
    ] = None
    variant: Variant = None
    read: Reading
    quiet: Quiet = False
    as_json: AsJson = False


@command
def page(options: PageOptions) -> int:
    """Write a log as a page: the robot in 3-D, a timeline, plots and verdicts in one HTML file.

    The file needs no server, no network and no Didymos: it opens in a browser from any folder. Logs may be a twin's, a world's or
    those of a real robot, as `didymos log` reads them; a log that does not say whose it is needs --twin.
    """
    if options.out.suffix.lower() not in _ENDINGS:
        raise InputError(f"found {str(options.out)!r}, expected a file that ends in .html", option="out")
    if len(options.logs) > 2:
        raise InputError(f"found {len(options.logs)} logs, expected one, or two of which the second is a ghost", path="LOG")
    from didymos.record.own_file import check_replaceable
    from didymos.web.export.export_page import write_page
    from didymos.web.export.twin_of_log import name_of

    check_replaceable(options.out)
    logs = [(file.name, open_log(file)) for file in options.logs]
    first = logs[0][1]
    variant = options.variant or (first.metadata.get("variant") if options.twin is None else None)
    twin = load_model(options.twin or name_of(first), variant, {}, read=options.read, quiet=options.as_json)
    made = write_page(logs, options.out, twin)
    if options.as_json:
        print_json(asdict(made))
    elif not options.quiet:
        print_table([(str(made.file), f"{made.seconds:g} s, {made.size / 1e6:.1f} MB"), *(("", note) for note in made.notes)])
    return 0
