"""Flags of the verbs that read a bare description: where its packages stand, and the arguments of a xacro file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from didymos.cli.values import pairs
from didymos.errors import InputError

__all__ = ["Arguments", "Packages", "description_arguments", "description_packages"]

Packages = Annotated[
    list[str] | None,
    typer.Option("--package", metavar="NAME=FOLDER", help="Where a package stands that the description names. Repeatable."),
]
Arguments = Annotated[
    list[str] | None,
    typer.Option("--arg", metavar="NAME=VALUE", help="An argument of a xacro file; env:NAME is a variable. Repeatable."),
]


def description_packages(texts: list[str] | None) -> dict[str, Path]:
    """The folders of packages by name."""
    folders = {name: Path(folder).expanduser() for name, folder in pairs(texts or (), "--package").items()}
    for name, folder in folders.items():
        if not folder.is_dir():
            raise InputError(f"{name!r} is said to be {str(folder)!r}, which is not a folder", path="--package")
    return folders


def description_arguments(texts: list[str] | None) -> dict[str, str]:
    """The arguments of a xacro file; a value may be empty."""
    arguments: dict[str, str] = {}
    for text in texts or ():
        name, equals, value = text.partition("=")
        if not (name.strip() and equals):
            raise InputError(f"found {text!r}, expected NAME=VALUE", path="--arg")
        if name.strip() in arguments:
            raise InputError(f"{name.strip()!r} is given twice", path="--arg")
        arguments[name.strip()] = value
    return arguments
