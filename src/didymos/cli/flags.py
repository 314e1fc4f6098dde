"""How the command line spells the options of the rooms: their errors name arguments, what the user reads names flags."""

from __future__ import annotations

import re

from didymos.errors import DidymosError, InputError

__all__ = ["flag", "in_flags", "with_flags"]

_SPELT = {
    "arguments": "--arg", "bounds": "--parameters", "columns": "--column", "ids": "--id", "limits": "--limit",
    "links": "--link", "packages": "--package",
}  # fmt: skip
"""Flags that are not called as their argument is."""

_MENTIONED = re.compile(r"`([a-z_]+)`")


def flag(option: str) -> str:
    """The flag of an option."""
    return _SPELT.get(option, "--" + option.replace("_", "-"))


def in_flags(error: DidymosError) -> str:
    """The text of an error, with flags for the options that it names."""
    if not isinstance(error, InputError):
        return str(error)
    name = error.path if error.option is None else flag(error.option)
    return str(InputError(with_flags(error.message), file=error.file, line=error.line, path=name))


def with_flags(text: str) -> str:
    """A text of a room, with flags for the options that it names."""
    return _MENTIONED.sub(lambda match: flag(match[1]), text)
