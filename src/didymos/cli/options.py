"""Arguments and options that several verbs share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["AsJson", "LogFile", "TwinName", "Variant"]

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
LogFile = Annotated[Path, typer.Argument(metavar="LOG", help="A .mcap or .csv log.")]
TwinName = Annotated[str, typer.Argument(metavar="TWIN", help="A bundled name, or the path of a twin folder.")]
# a parameter set of the same robot is a variant like any other; one option, which answers to both words
Variant = Annotated[
    str | None,
    typer.Option("--variant", "--set-from", metavar="NAME[+NAME]", help="A variant or parameter set of the twin, or several."),
]
