"""Evaluates the expressions of a xacro file without Python's own `eval`.

The text is parsed into a syntax tree (`ast.parse`, which runs nothing), and the tree is walked by the methods below: one per
kind of node, and a node without a method is refused. So an expression can do what is written here and no more: numbers, texts,
lists, dictionaries, indexing, arithmetic, comparisons, conditions, comprehensions, and calls of the functions and methods listed
in `xacro_functions`. There is no lambda, no attribute that starts with an underscore, no function as a result. Work and size are
bounded (`xacro_bounds`).

Imports nothing of Didymos but its neighbours: the child process of xacro starts with it.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from didymos.describe.formats.xacro_bounds import ExpressionError, checked, combined, iterated, weight
from didymos.describe.formats.xacro_functions import Function, NameSpace, Types, call_method

__all__ = ["Evaluator", "ExpressionError", "Names"]

_LONGEST = 20_000  # [characters]
_MOST_STEPS = 1_000_000  # in all expressions of one file
_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "Add": operator.add, "Sub": operator.sub, "Mult": operator.mul, "Div": operator.truediv, "FloorDiv": operator.floordiv,
    "Mod": operator.mod, "Pow": operator.pow, "LShift": operator.lshift, "RShift": operator.rshift, "BitOr": operator.or_,
    "BitAnd": operator.and_, "BitXor": operator.xor,
}  # fmt: skip
_UNARY: dict[str, Callable[[Any], Any]] = {
    "UAdd": operator.pos, "USub": operator.neg, "Not": operator.not_, "Invert": operator.invert,
}  # fmt: skip
_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "Eq": operator.eq, "NotEq": operator.ne, "Lt": operator.lt, "LtE": operator.le, "Gt": operator.gt, "GtE": operator.ge,
    "Is": operator.is_, "IsNot": operator.is_not,
    "In": lambda item, among: item in _plain(among), "NotIn": lambda item, among: item not in _plain(among),
}  # fmt: skip
_CALLED = {
    "Lambda": "a lambda", "NamedExpr": "an assignment (:=)", "JoinedStr": "an f-string", "FormattedValue": "an f-string",
    "Await": "await", "Yield": "yield", "YieldFrom": "yield", "MatMult": "the operator @",
}  # fmt: skip


class Names(Protocol):
    """What the names in an expression mean; a KeyError for one that means nothing."""

    def __getitem__(self, name: str, /) -> Any: ...


class Evaluator:
    """Evaluates expressions; `steps` is what all of them together may take."""

    def __init__(self, types: Types, steps: int = _MOST_STEPS) -> None:
        self._types, self._left = types, steps

    def evaluate(self, text: str, names: Names) -> Any:
        """The value of an expression: plain data."""
        text = text.strip()
        if len(text) > _LONGEST:
            raise ExpressionError(f"the expression has {len(text)} characters, expected at most {_LONGEST}")
        try:
            tree = ast.parse(text, mode="eval")
        except SyntaxError as error:
            raise SyntaxError(f"this is no expression ({error.msg})") from None
        except (ValueError, MemoryError, RecursionError) as error:  # a NUL, or too many parentheses
            raise ExpressionError(f"this is no expression ({error})") from None
        return checked(_plain(self._value(tree.body, [names])))

    def spend(self, steps: int) -> None:
        """Take steps from what is left."""
        self._left -= steps
        if self._left < 0:
            raise ExpressionError("the expressions of this file take too long")

    def _value(self, node: ast.AST, names: list[Names]) -> Any:
        self.spend(1)
        kind = type(node).__name__
        method = getattr(self, f"_{kind}", None)
        if method is None:
            raise ExpressionError(f"{_CALLED.get(kind, kind)} is not allowed in an expression")
        return method(node, names)

    def _data(self, node: ast.AST, names: list[Names]) -> Any:
        """A value that is data, not a function or a namespace."""
        return _plain(self._value(node, names))

    def _Constant(self, node: ast.Constant, names: list[Names]) -> Any:
        if node.value is Ellipsis or isinstance(node.value, bytes):
            raise ExpressionError(f"{node.value!r} is not allowed in an expression")
        return checked(node.value)

    def _Name(self, node: ast.Name, names: list[Names]) -> Any:
        if node.id.startswith("__"):
            raise ExpressionError(f"the name {node.id!r} is not allowed in an expression: it starts with two underscores")
        for table in reversed(names):
            try:
                value = table[node.id]
            except KeyError:
                continue
            return value if isinstance(value, (Function, self._types.namespace)) else checked(value)
        raise NameError(f"name {node.id!r} is not defined")

    def _Attribute(self, node: ast.Attribute, names: list[Names]) -> Any:
        owner = self._value(node.value, names)
        if node.attr.startswith("_"):
            raise ExpressionError(f"the attribute {node.attr!r} is not allowed in an expression: it starts with an underscore")
        if isinstance(owner, self._types.namespace):
            return self._in_namespace(owner, node.attr)
        if isinstance(owner, self._types.dotted) and not hasattr(dict, node.attr):
            if node.attr not in owner:
                raise ExpressionError(f"the dictionary has no key {node.attr!r}")
            return checked(owner[node.attr])
        raise ExpressionError(f"the attribute {node.attr!r} of a {_kind(owner)} is not allowed in an expression")

    def _in_namespace(self, owner: NameSpace, name: Any) -> Any:
        if not isinstance(name, str) or name.startswith("__"):
            raise ExpressionError(f"{name!r} is not allowed as a name in an expression")
        try:
            value = owner[name]
        except KeyError:
            raise NameError(f"name {name!r} is not defined") from None
        return value if isinstance(value, (Function, self._types.namespace)) else checked(value)

    def _Subscript(self, node: ast.Subscript, names: list[Names]) -> Any:
        owner, index = self._value(node.value, names), self._data(node.slice, names)
        if isinstance(owner, self._types.namespace):
            return self._in_namespace(owner, index)
        return checked(_plain(owner)[index])

    def _Slice(self, node: ast.Slice, names: list[Names]) -> slice:
        return slice(*(None if part is None else self._data(part, names) for part in (node.lower, node.upper, node.step)))

    def _BinOp(self, node: ast.BinOp, names: list[Names]) -> Any:
        operation = type(node.op).__name__
        if operation not in _BINARY:
            raise ExpressionError(f"{_CALLED[operation]} is not allowed in an expression")
        left, right = self._data(node.left, names), self._data(node.right, names)
        return self._paid(combined(operation, _BINARY[operation], left, right))

    def _UnaryOp(self, node: ast.UnaryOp, names: list[Names]) -> Any:
        return checked(_UNARY[type(node.op).__name__](self._data(node.operand, names)))

    def _BoolOp(self, node: ast.BoolOp, names: list[Names]) -> Any:
        stops = isinstance(node.op, ast.Or)
        value = None
        for operand in node.values:
            value = self._data(operand, names)
            if bool(value) is stops:
                break
        return value

    def _Compare(self, node: ast.Compare, names: list[Names]) -> Any:
        left, result = self._value(node.left, names), True
        for comparison, operand in zip(node.ops, node.comparators, strict=True):
            right = self._value(operand, names)
            self._paid(left)
            self._paid(right)
            result = bool(_COMPARISONS[type(comparison).__name__](left, right))
            if not result:
                break
            left = right
        return result

    def _IfExp(self, node: ast.IfExp, names: list[Names]) -> Any:
        return self._value(node.body if self._data(node.test, names) else node.orelse, names)

    def _List(self, node: ast.List, names: list[Names]) -> Any:
        return self._paid(checked(self._items(node.elts, names)))

    def _Tuple(self, node: ast.Tuple, names: list[Names]) -> Any:
        return self._paid(checked(tuple(self._items(node.elts, names))))

    def _Set(self, node: ast.Set, names: list[Names]) -> Any:
        return self._paid(checked(set(self._items(node.elts, names))))

    def _Dict(self, node: ast.Dict, names: list[Names]) -> Any:
        made: dict[Any, Any] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                made.update(self._data(value, names))
            else:
                made[self._data(key, names)] = self._data(value, names)
        return self._paid(checked(made))

    def _items(self, nodes: list[ast.expr], names: list[Names]) -> list[Any]:
        """The values of items and arguments, those of ``*items`` one by one; functions among them are left as they are."""
        made: list[Any] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                made += iterated(self._data(node.value, names))
            else:
                made.append(self._value(node, names))
        return made

    def _Call(self, node: ast.Call, names: list[Names]) -> Any:
        arguments = self._items(node.args, names)
        named: dict[str, Any] = {}
        for keyword in node.keywords:
            value = self._value(keyword.value, names)
            named.update({keyword.arg: value} if keyword.arg is not None else _plain(value))
        if isinstance(node.func, ast.Attribute) and not node.func.attr.startswith("_"):
            owner = self._value(node.func.value, names)
            if not isinstance(owner, self._types.namespace):
                return self._paid(checked(call_method(owner, node.func.attr, arguments, named)))
        function = self._value(node.func, names)
        if not isinstance(function, Function):
            raise ExpressionError(f"a {_kind(function)} cannot be called")
        result = function(self, arguments, named)
        return result if isinstance(result, Function) else self._paid(checked(result))

    def _ListComp(self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp, names: list[Names]) -> Any:
        made = []
        for inner in self._loops(node.generators, names):
            made.append(self._data(node.elt, inner))
        return self._paid(checked(made))

    _GeneratorExp = _ListComp

    def _SetComp(self, node: ast.SetComp, names: list[Names]) -> Any:
        return set(self._ListComp(node, names))

    def _DictComp(self, node: ast.DictComp, names: list[Names]) -> Any:
        inside = self._loops(node.generators, names)
        return self._paid(checked({self._data(node.key, inner): self._data(node.value, inner) for inner in inside}))

    def _loops(self, loops: list[ast.comprehension], names: list[Names]) -> Iterator[list[Names]]:
        if not loops:
            yield names
            return
        first, *others = loops
        if first.is_async:
            raise ExpressionError("async is not allowed in an expression")
        for item in iterated(self._data(first.iter, names)):
            self.spend(1)
            inner = [*names, _bound(first.target, item)]
            if all(self._data(condition, inner) for condition in first.ifs):
                yield from self._loops(others, inner)

    def _paid(self, value: Any) -> Any:
        """The value, after as many steps as it took to make or look at it."""
        if isinstance(value, (str, bytes)):
            self.spend(len(value) // 256)
        elif not isinstance(value, (int, float, type(None), Function, self._types.namespace)):
            self.spend(weight(value) // 4)
        return value


def _bound(target: ast.expr, item: Any) -> dict[str, Any]:
    """The names of the target of a loop, each with its part of the item."""
    if isinstance(target, ast.Name):
        return {target.id: item}
    if not isinstance(target, (ast.Tuple, ast.List)):
        raise ExpressionError("the target of a comprehension is not a name")
    items = iterated(item)
    if len(items) != len(target.elts):
        raise ExpressionError(f"{len(target.elts)} names of a comprehension meet {len(items)} values")
    made: dict[str, Any] = {}
    for inner, part in zip(target.elts, items, strict=True):
        made |= _bound(inner, part)
    return made


def _plain(value: Any) -> Any:
    """A value that is data; an error where it is a function or a namespace."""
    if isinstance(value, Function) or hasattr(value, "unevaluated"):
        raise ExpressionError(f"a {_kind(value)} is no value, expected data")
    return value


def _kind(value: Any) -> str:
    if isinstance(value, Function):
        return "function"
    return "namespace" if hasattr(value, "unevaluated") else type(value).__name__
