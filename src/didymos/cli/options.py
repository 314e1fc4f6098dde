"""Arguments and options that several verbs share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["AsJson", "BusNumbers", "LogFile", "TwinName", "Variant"]

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
BusNumbers = Annotated[
    list[str] | None, typer.Option("--id", metavar="DRIVE=N", help="Number on the bus, 1, 2, ... by default; repeatable.")
]
LogFile = Annotated[Path, typer.Argument(metavar="LOG", help="A .mcap or .csv log.")]
TwinName = Annotated[str, typer.Argument(metavar="TWIN", help="A bundled name, or the path of a twin folder.")]
Variant = Annotated[
    str | None, typer.Option("--variant", metavar="NAME[+NAME]", help="A variant of the twin, or several laid over each other.")
]
