"""POSIX extended regular expressions, for filters that strangers send: time grows with the text, never with its power.

    atoms      a  .  [abc]  [^a-z]  [[:digit:]]  (...)  \\. and any other escaped character for itself
    repeated   *  +  ?  {m}  {m,}  {m,n}
    joined     one after the other, or by |
    anchored   ^ at the beginning, $ at the end

An expression becomes a machine with a state for each character that it may read (K. Thompson, CACM 11(6), 1968); all states that
a text may be in are followed at once. A match anywhere in the text counts, as `regexec` has it.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from didymos.errors import InputError

__all__ = ["PosixRegex"]

_MOST_STATES = 5_000
_MOST_SIGNS = 1_000
_MOST_REPEATS = 255  # POSIX's RE_DUP_MAX
_COUNT = re.compile(r"([0-9]{1,3})(,)?(?(2)([0-9]{0,3}))\}")
_DEEPEST = 50  # brackets within brackets, repetitions of repetitions
_CLASSES: dict[str, Callable[[str], bool]] = {
    "alpha": str.isalpha, "digit": lambda c: c in string.digits, "alnum": str.isalnum, "upper": str.isupper,
    "lower": str.islower, "space": str.isspace, "blank": lambda c: c in " \t", "xdigit": lambda c: c in string.hexdigits,
    "punct": lambda c: c in string.punctuation, "print": str.isprintable, "graph": lambda c: c.isprintable() and c != " ",
    "cntrl": lambda c: ord(c) < 32 or ord(c) == 127,
}  # fmt: skip

_Test = Callable[[str], bool]
_Make = Callable[[int], int]
"""Makes the states of a piece in front of a state, and says where it begins; called once for each repetition."""


@dataclass
class _State:
    """Reads a character and goes on, or goes on without (`free`); `at` is "^" or "$" where only there."""

    test: _Test | None = None
    free: list[int] = field(default_factory=list)
    next: int = -1
    at: str = ""


class PosixRegex:
    """An expression; `search` says whether a text has a match. Anything that is no expression is an `InputError`."""

    def __init__(self, text: str) -> None:
        self._text, self._at, self._depth = text, 0, 0
        self._states: list[_State] = []
        self._copies = 0
        if len(text) > _MOST_SIGNS:
            raise InputError(f"found a regular expression of {len(text)} characters, expected at most {_MOST_SIGNS}")
        end = self._new(_State())
        piece = self._alternatives()
        if self._at < len(text):
            raise self._wrong("a closing bracket without an opening one")
        self._end, self._begin = end, piece(end)

    def search(self, text: str) -> bool:
        """Whether any part of a text matches."""
        here = self._reached([self._begin], 0, len(text))
        for i, sign in enumerate(text):
            if self._end in here:
                return True
            after = [self._states[k].next for k in here if (test := self._states[k].test) is not None and test(sign)]
            here = self._reached([*after, self._begin], i + 1, len(text))
        return self._end in here

    def _reached(self, states: list[int], at: int, length: int) -> set[int]:
        """All states that these lead to without reading anything."""
        found: set[int] = set()
        while states:
            k = states.pop()
            state = self._states[k]
            if k not in found and not (state.at == "^" and at > 0) and not (state.at == "$" and at < length):
                found.add(k)
                states += state.free
        return found

    def _new(self, state: _State) -> int:
        if len(self._states) >= _MOST_STATES:
            raise InputError("this regular expression repeats too much")
        self._states.append(state)
        return len(self._states) - 1

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _wrong(self, what: str) -> InputError:
        return InputError(f"{self._text[:40]!r} is no regular expression (POSIX extended): {what} at {self._at}")

    def _alternatives(self) -> _Make:
        pieces = [self._sequence()]
        while self._peek() == "|":
            self._at += 1
            pieces.append(self._sequence())
        if len(pieces) == 1:
            return pieces[0]
        return lambda after: self._new(_State(free=[piece(after) for piece in pieces]))

    def _sequence(self) -> _Make:
        pieces = []
        while self._peek() and self._peek() not in "|)":
            pieces.append(self._repeated())

        def make(after: int) -> int:
            for piece in reversed(pieces):
                after = piece(after)
            return after

        return make

    def _repeated(self) -> _Make:
        piece, depth = self._atom(), self._depth
        while self._peek() and self._peek() in "*+?{":
            piece, depth = self._times(piece, *self._count()), depth + 1
            if depth > _DEEPEST:
                raise self._wrong("too many repetitions of repetitions")
        return piece

    def _count(self) -> tuple[int, int | None]:
        sign = self._peek()
        self._at += 1
        if sign != "{":
            return {"*": (0, None), "+": (1, None), "?": (0, 1)}[sign]
        found = _COUNT.match(self._text, self._at)
        if found is None:
            raise self._wrong("expected {m}, {m,} or {m,n}")
        self._at, least = found.end(), int(found[1])
        most = least if found[2] is None else int(found[3]) if found[3] else None
        if max(least, most or 0) > _MOST_REPEATS or (most is not None and most < least):
            raise self._wrong(f"expected at most {_MOST_REPEATS} repetitions")
        return least, most

    def _times(self, piece: _Make, least: int, most: int | None) -> _Make:
        def make(after: int) -> int:
            self._copies += least + (most or 0)
            if self._copies > _MOST_STATES:  # also where what is repeated has no state of its own
                raise InputError("this regular expression repeats too much")
            if most is None:
                loop = self._new(_State(free=[after]))
                self._states[loop].free.append(piece(loop))
                after = loop
            else:
                end = after
                for _ in range(most - least):
                    after = self._new(_State(free=[piece(after), end]))
            for _ in range(least):
                after = piece(after)
            return after

        return make

    def _atom(self) -> _Make:
        sign = self._peek()
        self._at += 1
        if sign == "(":
            self._depth += 1
            if self._depth > _DEEPEST:
                raise self._wrong("too many brackets")
            piece = self._alternatives()
            if self._peek() != ")":
                raise self._wrong("an opening bracket without a closing one")
            self._at, self._depth = self._at + 1, self._depth - 1
            return piece
        if sign in "^$":
            return lambda after: self._new(_State(free=[after], at=sign))
        if sign in "*+?{":
            raise self._wrong("nothing to repeat")
        if sign == ".":
            return self._reader(lambda _: True)
        if sign == "[":
            return self._reader(self._set())
        if sign == "\\":
            sign = self._peek()
            self._at += 1
            if not sign:
                raise self._wrong("a backslash with nothing after it")
        return self._reader(lambda other: other == sign)

    def _reader(self, test: _Test) -> _Make:
        return lambda after: self._new(_State(test, next=after))

    def _set(self) -> _Test:
        """After an opening square bracket: what it holds; a closing one counts where it stands first."""
        inverse = self._peek() == "^"
        self._at += inverse
        tests = list(self._members())
        return lambda sign: any(test(sign) for test in tests) is not inverse

    def _members(self) -> Iterator[_Test]:
        first = self._at
        while (sign := self._peek()) != "]" or self._at == first:
            if not sign:
                raise self._wrong("a set without a closing bracket")
            if self._text.startswith("[:", self._at):
                close = self._text.find(":]", self._at)
                name = self._text[self._at + 2 : close] if close > 0 else ""
                if name not in _CLASSES:
                    raise self._wrong(f"expected one of: {', '.join(_CLASSES)}")
                self._at = close + 2
                yield _CLASSES[name]
                continue
            last = self._text[self._at + 2 : self._at + 3] if self._text.startswith("-", self._at + 1) else ""
            if last and last != "]":
                self._at += 3
                yield lambda other, a=sign, b=last: a <= other <= b  # type: ignore[misc]
            else:
                self._at += 1
                yield lambda other, a=sign: other == a  # type: ignore[misc]
        self._at += 1
