"""`didymos export`: a run or a twin to give away, in a form that others use."""

from __future__ import annotations

import typer

from didymos.cli.export_fmu import fmu
from didymos.cli.export_page import page

__all__ = ["export"]

export = typer.Typer(
    help="Give a flight away as a page, or a twin as an FMU.",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
)
export.command(epilog="Example: didymos export page hover.mcap -o flight.html")(page)
export.command(epilog="Example: didymos export fmu quadcopter -o quadcopter.fmu")(fmu)
