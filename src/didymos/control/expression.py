"""Expressions over signals, as rewards and endings of tasks are written: `exp(-norm(truth.position)) - 0.1 * norm(action)`.

| what | how |
|---|---|
| signals | as the log names them, `truth.position.z`, `imu.gyro.x`; in quotes where a name has other signs: `"scan.ranges.12"` |
| vectors | a name that several signals begin with, `truth.position`, `action`; `[1, 2, 3]`; of one length, or with a number |
| arithmetic | `+ - * / **`, comparisons (1 or 0), `and or not`, `A if B else C` |
| functions of each number | abs sqrt exp log tanh sin cos wrap (an angle to -pi..pi) |
| functions of all numbers given | min max sum mean norm; `clip(x, low, high)`, `atan2(y, x)` |

The text is parsed as Python's syntax and read over its tree; nothing of it is ever run.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import Annotated

from pydantic import AfterValidator

from didymos.errors import InputError, nearest

__all__ = [
    "FUNCTIONS", "Call", "Expression", "Listed", "Literal", "Node", "Signal", "check_expression",
    "is_signal_pattern", "parse_expression", "signals_of",
]  # fmt: skip

FUNCTIONS = {
    "abs": 1, "sqrt": 1, "exp": 1, "log": 1, "tanh": 1, "sin": 1, "cos": 1, "wrap": 1, "atan2": 2, "clip": 3,
    "min": None, "max": None, "sum": None, "mean": None, "norm": None,
}  # fmt: skip
"""Functions and how many arguments they take; None for any number."""

_LONGEST = 4000  # characters
_DEEPEST = 60
_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.Div: "divide", ast.Pow: "power",
    ast.Lt: "less", ast.LtE: "less_equal", ast.Gt: "greater", ast.GtE: "greater_equal", ast.Eq: "equal", ast.NotEq: "unequal",
    ast.And: "and", ast.Or: "or", ast.USub: "negative", ast.Not: "not",
}  # fmt: skip


@dataclass(frozen=True)
class Literal:
    """A number."""

    value: float


@dataclass(frozen=True)
class Signal:
    """A signal, or all that begin with a name."""

    path: str


@dataclass(frozen=True)
class Listed:
    """A vector, number by number."""

    items: tuple[Node, ...]


@dataclass(frozen=True)
class Call:
    """An operator or a function by its name, and what it takes."""

    name: str
    arguments: tuple[Node, ...]


Node = Literal | Signal | Listed | Call


def parse_expression(text: str) -> Node:
    """The tree of an expression; an `InputError` says what of it cannot be read."""
    if len(text) > _LONGEST:
        raise InputError(f"found an expression of {len(text)} characters, expected at most {_LONGEST}")
    try:
        body = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        where = (
            f" near {text[max((error.offset or 1) - 1, 0) :][:20]!r}" if isinstance(error, SyntaxError) and text.strip() else ""
        )
        raise InputError(f"found {text!r}, which cannot be read as an expression{where}") from None
    return _read(body, text, 0)


def is_signal_pattern(text: str) -> bool:
    """Whether a text is a pattern of names (`encoders.*.position`) and no expression, in which * multiplies."""
    if not re.fullmatch(r"[\w.*?/-]*[*?][\w.*?/-]*", text):
        return False
    try:
        parse_expression(text)
    except InputError:
        return True
    return False


def check_expression(text: str) -> str:
    """A text that can be read as an expression, as it is; for records of files."""
    try:
        parse_expression(text)
    except InputError as error:
        raise ValueError(error.message) from None
    return text


Expression = Annotated[str, AfterValidator(check_expression)]
"""A text of a file that can be read as an expression."""


def signals_of(node: Node) -> tuple[str, ...]:
    """Paths of all signals in an expression."""
    if isinstance(node, Signal):
        return (node.path,)
    inner = node.items if isinstance(node, Listed) else node.arguments if isinstance(node, Call) else ()
    return tuple(dict.fromkeys(path for item in inner for path in signals_of(item)))


def _path(node: ast.AST) -> str | None:
    """The dotted name that a tree of attributes spells."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else None


def _read(node: ast.AST, text: str, depth: int) -> Node:
    if depth > _DEEPEST:
        raise InputError(f"found {text[:40]!r}..., whose brackets lie too deep")
    deeper = depth + 1
    path = _path(node)
    if path is not None:
        return Signal(path)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return Signal(node.value)
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return Literal(float(node.value))
    if isinstance(node, ast.List | ast.Tuple):
        return Listed(tuple(_read(item, text, deeper) for item in node.elts))
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return Call(_OPERATORS[type(node.op)], (_read(node.left, text, deeper), _read(node.right, text, deeper)))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.UAdd):
        return _read(node.operand, text, deeper)
    if isinstance(node, ast.UnaryOp) and type(node.op) in _OPERATORS:
        return Call(_OPERATORS[type(node.op)], (_read(node.operand, text, deeper),))
    if isinstance(node, ast.BoolOp):
        return _chained(_OPERATORS[type(node.op)], [_read(item, text, deeper) for item in node.values])
    if isinstance(node, ast.Compare) and all(type(op) in _OPERATORS for op in node.ops):
        sides = [_read(item, text, deeper) for item in (node.left, *node.comparators)]
        pairs = zip(node.ops, sides, sides[1:], strict=False)
        return _chained("and", [Call(_OPERATORS[type(op)], (left, right)) for op, left, right in pairs])
    if isinstance(node, ast.IfExp):
        return Call("select", tuple(_read(item, text, deeper) for item in (node.test, node.body, node.orelse)))
    if isinstance(node, ast.Call) and _path(node.func) is not None:
        return _called(node, text, deeper)
    raise InputError(f"found {ast.unparse(node)[:60]!r} in {text!r}, expected signals, numbers, operators and functions")


def _called(node: ast.Call, text: str, depth: int) -> Node:
    name = _path(node.func) or ""
    if name not in FUNCTIONS:
        known = ", ".join(FUNCTIONS)
        raise InputError(f"there is no function {name!r}{nearest(name, FUNCTIONS)} (there is: {known})")
    expected = FUNCTIONS[name]
    if node.keywords or not node.args or (expected is not None and len(node.args) != expected):
        raise InputError(f"found {ast.unparse(node)[:60]!r}, expected {name} of {expected or 'any number of'} arguments")
    return Call(name, tuple(_read(item, text, depth) for item in node.args))


def _chained(operator: str, items: list[Node]) -> Node:
    found = items[0]
    for item in items[1:]:
        found = Call(operator, (found, item))
    return found
