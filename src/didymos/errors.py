"""The two ways in which Didymos says no.

`InputError`: what the user gave cannot be used (exit status 2). Its text is one sentence that names the file, the place
in it, what was found and what was expected. `RunError`: the input was fine and the run failed (exit status 1); it says
when. Nothing else reaches the user; a traceback is a defect of ours.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from didymos.words import removed, renamed

__all__ = ["DidymosError", "InputError", "RunError", "nearest", "nearest_few"]


_LONGEST = 4000  # characters of a text, which may quote a file


class DidymosError(Exception):
    """Base of every error that Didymos raises on purpose; `exit_status` is what the command line returns."""

    exit_status = 1


class InputError(DidymosError):
    """A file, a value or a name that cannot be used.

    The text reads ``FILE:LINE: PATH: MESSAGE``; each of the first three is left out where it is unknown. Where not a place
    in a file but an argument of ours does not fit, `option` names it instead of `path`; a message names further options
    in backticks, and the command line writes its flags for them. Where one reading found several mistakes, this is the
    first and `others` holds the rest.
    """

    exit_status = 2

    def __init__(
        self,
        message: str,
        *,
        file: str | Path | None = None,
        line: int | None = None,
        path: str | None = None,
        option: str | None = None,
    ) -> None:
        self.message, self.file, self.line, self.path, self.option = message, file, line, path, option
        self.others: tuple[InputError, ...] = ()
        where = "" if file is None else str(file) + ("" if line is None else f":{line}") + ": "
        name = path if option is None else option
        super().__init__(_one_line(where + ("" if name is None else f"{name}: ") + message))


class RunError(DidymosError):
    """A run that failed at a time [s] of the twin's clock; `log` is what was recorded until then."""

    log: Any = None

    def __init__(self, message: str, *, time: float | None = None) -> None:
        self.message, self.time = message, time
        super().__init__(_one_line(message if time is None else f"at t = {time:.6g} s: {message}"))


def _one_line(text: str) -> str:
    """The text as one line of bounded length without control characters: names come from files, and files hold anything."""
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST // 2]} ... {text[-_LONGEST // 2 :]}"
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in " ".join(text.split()))


def nearest(word: str, known: Iterable[str]) -> str:
    """A hint ``, did you mean 'x'?`` for a misspelt word, ``, it is now called 'x'`` for an old one, or an empty string.

    Of a word that is gone it says what took its place.
    """
    known = list(known)
    new = renamed(word, known)
    if new is not None:
        return f", it is now called {new!r}"
    instead = removed(word)
    if instead is not None:
        return f", it is gone: {instead}"
    found = difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    return f", did you mean {found[0]!r}?" if found else ""


def nearest_few(word: str, known: Iterable[str], most: int = 8) -> str:
    """Known words as a list for people: all of them in their order, or the few that are nearest and how many more there are."""
    words = list(known)
    if len(words) <= most:
        return ", ".join(words)
    alike = difflib.get_close_matches(word, words, n=most, cutoff=0.0)
    return f"{', '.join(alike)} and {len(words) - most} more"
