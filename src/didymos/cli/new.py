"""`didymos new`: start a twin from a robot description."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from didymos.cli.description_options import Arguments, Packages, description_arguments, description_packages
from didymos.cli.options import AsJson
from didymos.cli.text import print_json
from didymos.errors import InputError

__all__ = ["new"]


def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The twin's name; its folder is called the same.")],
    source: Annotated[Path, typer.Option("--from", metavar="FILE", help="A URDF, xacro, SDF or MJCF file.")],
    into: Annotated[Path, typer.Option(metavar="DIR", help="Where the twin's folder is made.")] = Path("."),
    package: Packages = None,
    arg: Arguments = None,
    as_json: AsJson = False,
) -> int:
    """Start a twin from a URDF, xacro, SDF or MJCF."""
    from didymos.describe.new import new_twin
    from didymos.describe.trust import remember

    folder = new_twin(name, source, into, arguments=description_arguments(arg), packages=description_packages(package))
    try:
        remember(folder)  # what was made here is the user's own, and so is the code that will come into it
    except InputError as error:
        print(f"didymos: the folder is there, but was not noted as trusted: {error}", file=sys.stderr)
    if as_json:
        print_json({"twin": name, "folder": folder})
    else:
        print(f"{folder} is ready: next, didymos check {folder}")
    return 0
