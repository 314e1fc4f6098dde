"""Patterns of parameter paths: `joints.*.damping`, `parts.roller_?.friction` stand for every parameter that they match.

`*` is any text, dots included, `?` one sign, `[abc]` one of these. A path that is a parameter's own is no pattern, whatever signs
it holds. All that take values by path take patterns: options, files of values, a scenario's `set`, `Twin.set`, `Simulation.set`.
"""

from __future__ import annotations

import difflib
import fnmatch
from collections.abc import Collection, Mapping
from typing import TypeVar

from didymos.errors import InputError, nearest

__all__ = ["is_pattern", "spread", "tied_paths", "unknown_path"]

_NAMED = 3  # near names that an error lists

Value = TypeVar("Value")


def is_pattern(path: str) -> bool:
    """Whether a path has wildcards."""
    return any(mark in path for mark in "*?[")


def tied_paths(pattern: str, paths: Collection[str]) -> tuple[str, ...]:
    """The paths that take one value: one, or all that a pattern matches; none where nothing does."""
    if pattern in paths:
        return (pattern,)
    return tuple(path for path in paths if fnmatch.fnmatchcase(path, pattern)) if is_pattern(pattern) else ()


def spread(values: Mapping[str, Value], paths: Collection[str]) -> dict[str, Value]:
    """Values by path instead of by pattern, the last one where several match; a pattern without a match is an `InputError`.

    A path without wildcards goes through as it is, known or not.
    """
    found: dict[str, Value] = {}
    for pattern, value in values.items():
        tied = tied_paths(pattern, paths) if is_pattern(pattern) else (pattern,)
        if not tied:
            raise InputError(unknown_path(pattern, paths), path=pattern)
        found |= dict.fromkeys(tied, value)
    return found


def unknown_path(path: str, paths: Collection[str]) -> str:
    """What to say of a path or pattern that leads to no parameter, with those that are near."""
    if not is_pattern(path):
        return f"there is no such parameter{nearest(path, paths)}"
    bare = "".join(sign for sign in path if sign not in "*?[]")
    near = difflib.get_close_matches(bare, paths, n=_NAMED, cutoff=0.5)
    return "no parameter matches this pattern" + (f", near ones are {', '.join(map(repr, near))}" if near else "")
