"""Flags of the verbs that read a bare description: where its packages stand, and the arguments of a xacro file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from didymos.cli.values import pairs
from didymos.errors import InputError

__all__ = ["Arguments", "Packages", "Reading", "Repair", "description_arguments", "description_packages", "reading"]

Packages = Annotated[
    list[str] | None,
    typer.Option("--package", metavar="NAME=FOLDER", help="Where a package stands that the description names. Repeatable."),
]
Arguments = Annotated[
    list[str] | None,
    typer.Option("--arg", metavar="NAME=VALUE", help="An argument of a xacro file; env:NAME is a variable. Repeatable."),
]
Repair = Annotated[
    bool, typer.Option("--repair", help="Mend inertias that are off by rounding, and moving links without mass.")
]


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How a bare description is read, for verbs that take one in the place of a twin."""

    package: Packages = None
    arg: Arguments = None
    repair: Repair = False


def reading(given: Reading | None) -> dict[str, Any]:
    """These options as arguments of `didymos.load`."""
    if given is None:
        return {}
    arguments, packages = description_arguments(given.arg), description_packages(given.package)
    return {"arguments": arguments, "packages": packages, "repair": given.repair}


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
