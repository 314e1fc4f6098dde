"""A formula: what a run has to do over time, in signal temporal logic, read from its text.

    always[10:20](abs(truth.position.z - 1) < 0.02)
    eventually[0:3](always(truth.tilt < 0.05))
    (parts.battery.charge > 0.2) until[0:8] (control.landed > 0.5)
    always[0:8]((truth.tilt > 0.3) implies eventually[0:2](truth.tilt < 0.1))

Comparisons (`<`, `<=`, `>`, `>=`) of arithmetic (`+ - * /`, abs, sqrt, exp, pow) over signals of the log are joined by not (`!`),
and (`&`), or (`|`), implies (`->`), iff (`<->`), xor, and by always (G), eventually (F), until (U), each with an interval [s] or
without one. A signal is written as the log has it; one whose name has other signs than letters, digits, `_` and dots stands in
single quotes: 'tf.drone/base_link.translation.x'.

`rtamt` reads the text by its grammar. Its language can import modules, and takes a slash for a letter; so the text is cut into
words first (`formula_text.py`), only words that stand above are let through, and a signal becomes a plain name for `rtamt`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from didymos.describe.formula_text import Word, cut, place
from didymos.errors import InputError

__all__ = ["Formula", "Term", "read_formula", "wrong_formula"]

_SECONDS = {"": 1.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_ARITHMETIC = {
    "Addition": "+", "Subtraction": "-", "Multiplication": "*", "Division": "/", "Pow": "pow",
    "Abs": "abs", "Sqrt": "sqrt", "Exp": "exp",
}  # fmt: skip
_UNARY = ("abs", "sqrt", "exp", "not")  # an addition and a negation of rtamt's tree hold their children twice
_LOGIC = {
    "Neg": "not", "Conjunction": "and", "Disjunction": "or", "Implies": "implies", "Iff": "iff", "Xor": "xor",
    "Always": "always", "TimedAlways": "always", "Eventually": "eventually", "TimedEventually": "eventually",
    "Until": "until", "TimedUntil": "until",
}  # fmt: skip


@dataclass(frozen=True)
class Term:
    """One operator of a formula and what it is applied to; leaves are constants and signals.

    `kind` is `constant`, `signal`, an operator of arithmetic, `above` (met by as much as the first of its two terms exceeds the
    second), or an operator of logic; `begin` and `end` [s] are its interval, None without one.
    """

    kind: str
    of: tuple[Term, ...] = ()
    value: float = 0.0
    signal: str = ""
    begin: float | None = None
    end: float | None = None

    def all(self) -> Iterator[Term]:
        """The term and every term inside it."""
        yield self
        for term in self.of:
            yield from term.all()

    @property
    def horizon(self) -> float:
        """How far [s] after a time the intervals reach that decide about the formula at that time."""
        return max((term.horizon for term in self.of), default=0.0) + (self.end or 0.0)


@dataclass(frozen=True)
class Formula:
    """A formula that has been read: its text, its tree, the signals that it names."""

    text: str
    term: Term
    signals: tuple[str, ...]


def wrong_formula(text: str, seconds: float) -> str | None:
    """What is wrong with a formula on a run of some seconds, None if nothing is; without `rtamt` only its words are looked at."""
    try:
        cut(text)
        if _without_library() is not None:
            return None
        horizon = read_formula(text).term.horizon
    except InputError as error:
        return error.message
    if horizon > seconds * (1.0 + 1e-9):
        return f"the formula reaches to {horizon:g} s, expected within the scenario's {seconds:g} s"
    return None


@lru_cache(maxsize=512)
def read_formula(text: str) -> Formula:
    """A formula of its text; what is wrong with it is an `InputError`."""
    words = cut(text)
    signals = tuple(dict.fromkeys(word.signal for word in words if word.signal is not None))
    stand_ins = {signal: f"x{i}" for i, signal in enumerate(signals)}
    tree = _parsed(words, stand_ins, text)
    return Formula(text, _logic(tree, {stand_in: signal for signal, stand_in in stand_ins.items()}), signals)


@cache
def _without_library() -> str | None:
    """What to say where formulas cannot be read, because `rtamt` is not there or does not run; None where they can."""
    try:
        import rtamt.syntax.ast.parser.stl.specification_parser  # noqa: F401
    except ImportError as error:
        if (error.name or "").startswith("typing"):  # which its parser imports from where Python no longer has it
            return "rtamt, which reads expectations in signal temporal logic, does not run on this version of Python"
        return "an expectation in signal temporal logic needs rtamt; install it with: pip install 'didymos[stl]'"
    return None


def _parsed(words: Sequence[Word], stand_ins: Mapping[str, str], text: str) -> Any:
    """The syntax tree of `rtamt`; our listener raises only for mistakes: that of `rtamt` refuses some formulas that are right."""
    spelt = [word.written if word.signal is None else stand_ins[word.signal] for word in words]
    columns = [sum(len(one) + 1 for one in spelt[:i]) for i in range(len(spelt))]
    missing = _without_library()
    if missing is not None:
        raise InputError(missing)
    from antlr4 import CommonTokenStream, InputStream, Token
    from antlr4.error.ErrorListener import ErrorListener
    from rtamt.antlr.parser.stl.LtlLexer import LtlLexer
    from rtamt.antlr.parser.stl.StlParser import StlParser
    from rtamt.syntax.ast.parser.stl.specification_parser import StlAst

    class Listener(ErrorListener):
        def syntaxError(self, recognizer: Any, symbol: Any, line: int, column: int, msg: str, e: Any) -> None:
            raise misread(column)

    def misread(column: int) -> InputError:
        """What is wrong at a column of what `rtamt` reads, in the words of the text."""
        if column not in columns:
            return InputError(f"the formula ends too early: something is missing after {text.rstrip()[-12:]!r}")
        return InputError(f"the formula is not understood {place(text, words[columns.index(column)].at)}")

    parser = StlParser(CommonTokenStream(LtlLexer(InputStream(" ".join(spelt)))))
    parser.removeErrorListeners()
    parser.addErrorListener(Listener())
    tree = StlAst()
    for name in stand_ins.values():
        tree.declare_var(name, "float")
    context = parser.expression()
    left = parser.getCurrentToken()
    if left.type != Token.EOF:
        raise misread(left.column)
    return tree.visit(context)


def _logic(node: Any, signals: Mapping[str, str]) -> Term:
    """A term that is met or not, of a node of `rtamt`."""
    kind = type(node).__name__
    if kind == "Predicate":
        left, right = (_number(child, signals) for child in node.children)
        return Term("above", (right, left) if str(node.operator).startswith("<") else (left, right))
    if kind not in _LOGIC:
        raise InputError("found a number where something to be met is expected; compare it, as in truth.position.z > 1")
    begin, end = _interval(node) if kind.startswith("Timed") else (None, None)
    return Term(_LOGIC[kind], tuple(_logic(child, signals) for child in _children(node, _LOGIC[kind])), begin=begin, end=end)


def _number(node: Any, signals: Mapping[str, str]) -> Term:
    """A term that is a number at every time."""
    kind = type(node).__name__
    if kind == "Constant":
        return Term("constant", value=float(node.val))
    if kind == "Variable":
        return Term("signal", signal=signals[node.var])
    if kind not in _ARITHMETIC:
        raise InputError("found something to be met where a number is expected; join comparisons by 'and'")
    return Term(_ARITHMETIC[kind], tuple(_number(child, signals) for child in _children(node, _ARITHMETIC[kind])))


def _children(node: Any, kind: str) -> Any:
    return node.children[: 1 if kind in _UNARY else 2]


def _interval(node: Any) -> tuple[float, float]:
    units = node.begin_unit, node.end_unit
    if bool(units[0]) != bool(units[1]):
        written = f"[{node.begin}{units[0]}:{node.end}{units[1]}]"
        raise InputError(f"found the interval {written}, expected a unit at both times or none")
    begin, end = (float(time) * _SECONDS[unit] for time, unit in zip((node.begin, node.end), units, strict=True))
    if not 0.0 <= begin <= end < float("inf"):
        raise InputError(f"found an interval from {begin:g} to {end:g} s, expected 0 or more and the earlier time first")
    return begin, end
