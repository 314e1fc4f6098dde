"""The text of a formula, cut into words: which of them are signals, and that no other word is there than a formula may hold.

A signal is written as the log has it, with at least one dot (`truth.position.z`); one whose name has other signs than letters,
digits, `_` and dots stands in single quotes. The text is not understood here, which needs no library.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from didymos.errors import InputError, nearest

__all__ = ["LONGEST", "Word", "cut", "place", "signals_in", "under"]

LONGEST = 2000
"""Characters that a formula may have."""
_DEEPEST = 40  # brackets inside each other
_MOST = 150  # operators: each may stand inside the one before it, and is read by three calls inside each other
_NAMED = (
    "always", "eventually", "until", "not", "and", "or", "implies", "iff", "xor", "abs", "sqrt", "exp", "pow", "G", "F", "U",
)  # fmt: skip
_OPERATORS = frozenset((*_NAMED, "!", "&", "|", "->", "<->", "+", "-", "*", "/"))
_WORDS = (*_NAMED, "s", "ms", "us", "ns")
_TOKEN = re.compile(
    r"(?P<blank>\s+)|(?P<quoted>'[^'\n]{3,200}')|(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,2})?(?=(?:[mun]?s)?(?![\w.])))"
    r"|(?P<word>[A-Za-z_]\w*(?:\.\w+)*)|(?P<sign><->|->|<=|>=|[-+*()\[\]:,<>&|]|/(?![/*])|!(?!=))",
    re.ASCII,
)


@dataclass(frozen=True)
class Word:
    """A word of a formula's text, where it begins there, and the signal that it names where it names one."""

    written: str
    at: int
    signal: str | None = None


def signals_in(text: str) -> tuple[str, ...]:
    """The signals that a formula names, in their order."""
    return tuple(dict.fromkeys(word.signal for word in cut(text) if word.signal is not None))


def under(robot: str, text: str) -> str:
    """A formula over the log of a robot's twin alone as one over the log of a world, where its signals have the robot's name."""
    made = text
    for word in reversed(cut(text)):
        if word.signal is not None:
            made = f"{made[: word.at]}'{robot}.{word.signal}'{made[word.at + len(word.written) :]}"
    return made


def cut(text: str) -> list[Word]:
    """All words of a text; one that has no place in a formula is an `InputError`."""
    if len(text) > LONGEST:
        raise InputError(f"the formula has {len(text)} characters, expected at most {LONGEST}")
    found: list[Word] = []
    at = depth = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise InputError(f"found {text[at]!r} {place(text, at)}, which no formula holds{_advice(text, at)}")
        kind, word = match.lastgroup, match[0]
        depth += (word in "([") - (word in ")]")
        if depth > _DEEPEST:
            raise InputError(f"found more than {_DEEPEST} brackets inside each other {place(text, at)}")
        if kind == "word" and "." not in word and word not in _WORDS:
            raise InputError(f"found {word!r} {place(text, at)}, no operator and no signal{nearest(word, _WORDS)}")
        is_signal = kind == "quoted" or (kind == "word" and "." in word)
        if kind != "blank":
            found.append(Word(word, at, word.strip("'") if is_signal else None))
        at = match.end()
    if not any(word.signal for word in found):
        raise InputError("the formula names no signal of the log")
    operators = sum(word.written in _OPERATORS for word in found)
    if operators > _MOST:
        raise InputError(f"the formula has {operators} operators, expected at most {_MOST}")
    return found


def place(text: str, at: int) -> str:
    """Where in a formula something is, in words."""
    return f"at character {at + 1} of the formula (near {text[max(0, at - 12) : at + 13].strip()!r})"


def _advice(text: str, at: int) -> str:
    """What to write instead of a sign that people write."""
    if text[at] == "=" or text.startswith("!=", at):
        return "; an equality has no robustness: write abs(a - b) < tolerance"
    if text[at].isdigit():
        return "; a number is written as 12, 0.5 or 1e-3"
    return "; a signal with other signs in its name stands in single quotes" if text[at] in "'\"" else ""
