"""`didymos new`: start a twin from a robot description."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from didymos.cli.options import AsJson
from didymos.cli.text import print_json

__all__ = ["new"]


def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The twin's name; its folder is called the same.")],
    source: Annotated[Path, typer.Option("--from", metavar="FILE", help="A URDF, xacro, SDF or MJCF file.")],
    into: Annotated[Path, typer.Option(metavar="DIR", help="Where the twin's folder is made.")] = Path("."),
    as_json: AsJson = False,
) -> int:
    """Start a twin from a URDF, xacro, SDF or MJCF."""
    from didymos.describe.new import new_twin

    folder = new_twin(name, source, into)
    if as_json:
        print_json({"twin": name, "folder": folder})
    else:
        print(f"{folder} is ready: next, didymos check {folder}")
    return 0
