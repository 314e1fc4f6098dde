"""Read Python without running it: what a name in a file stands for, as far as that can be seen.

A value can be read where it is a literal, arithmetic of numbers, a name that the file gives to such a value once, a type, or
something of this package that the file imports (`from didymos.contract import parameter`). All else is `Unreadable`: no code of
the file, nor of another package that it imports, ever runs.
"""

from __future__ import annotations

import ast
import importlib
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from enum import EnumType
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, get_origin

from didymos.describe.source_file import parse_file

__all__ = ["PythonSource", "Unreadable"]

_MOST_STEPS = 10_000  # of one expression
_ROOMS = ("didymos.contract", "didymos.control", "didymos.parts", "didymos.sensors", "didymos.spec")
"""Where a file finds what it needs to declare a kind; these may be imported, being our own."""
_CONSTANTS = {f"{home}.{name}": getattr(math, name) for home in ("math", "numpy") for name in ("pi", "e", "inf")}
_TYPES: dict[str, Any] = {kind.__name__: kind for kind in (float, int, str, bool, list, dict, tuple)}
_TYPES |= {f"typing.{name}": kind for name, kind in (("Any", Any), ("Literal", Literal))}
_TYPES |= {f"{home}.{kind.__name__}": kind for home in ("typing", "collections.abc") for kind in (Mapping, Sequence)}
_SPECIAL = (Any, Literal)
_ARITHMETIC: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: lambda base, power: float(base) ** float(power),  # of floats: 9**9**9 is an error, not an hour
}


class Unreadable(Exception):
    """What stands here cannot be known without running it."""


class PythonSource:
    """The file of a module: its classes, what it imports, and the values it gives to names."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.classes: dict[str, ast.ClassDef] = {}
        self.names: set[str] = set()
        self.imports_all = False
        self._imports: dict[str, str] = {}
        self._values: dict[str, ast.expr] = {}
        self._left = 0
        for node in parse_file(file).body:
            self._take(node)

    def _take(self, node: ast.stmt) -> None:
        """Remember what a statement of the module gives a name to; a name that is given twice can be anything."""
        if isinstance(node, ast.ClassDef):
            if self._is_new(node.name):
                self.classes[node.name] = node
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            self._is_new(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            self._take_import(node)
        elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            if self._is_new(node.targets[0].id):
                self._values[node.targets[0].id] = node.value
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
            if self._is_new(node.target.id):
                self._values[node.target.id] = node.value
        else:  # in a loop, behind a condition
            for inner in ast.walk(node):
                if isinstance(inner, ast.Name) and not isinstance(inner.ctx, ast.Load):
                    self._is_new(inner.id)
                elif isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                    self._is_new(inner.name)
                elif isinstance(inner, ast.alias):
                    self._is_new(inner.asname or inner.name.partition(".")[0])

    def _take_import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            name = alias.asname or alias.name
            if isinstance(node, ast.Import):
                path = alias.name if alias.asname else alias.name.partition(".")[0]
                name = alias.asname or path
                if self._imports.get(name) == path:  # `import a.b` and `import a.c` both give `a`
                    continue
            else:
                self.imports_all |= name == "*"
                path = f"{node.module}.{alias.name}" if node.level == 0 else ""
            if self._is_new(name) and path:
                self._imports[name] = path

    def _is_new(self, name: str) -> bool:
        """Note a name; whether it is the first time."""
        new = name not in self.names
        self.names.add(name)
        if not new:
            self.classes.pop(name, None)
            self._imports.pop(name, None)
            self._values.pop(name, None)
        return new

    def value(self, node: ast.expr, local: Mapping[str, Any]) -> Any:
        """The value of an expression; `local` are names of the class that it stands in."""
        self._left = _MOST_STEPS
        try:
            return self._value(node, local)
        except Unreadable:
            raise
        except (ArithmeticError, ValueError, TypeError, AttributeError, RecursionError, MemoryError) as error:
            raise Unreadable from error

    def _value(self, node: ast.expr, local: Mapping[str, Any]) -> Any:
        self._left -= 1  # names of names of names can stand for more than memory holds
        if self._left < 0:
            raise Unreadable
        match node:
            case ast.Constant():
                return node.value
            case ast.Tuple():
                return tuple(self._items(node.elts, local))
            case ast.List():
                return self._items(node.elts, local)
            case ast.Dict() if all(key is not None for key in node.keys):
                keys = [self._value(key, local) for key in node.keys if key is not None]
                return dict(zip(keys, self._items(node.values, local), strict=True))
            case ast.UnaryOp(op=ast.USub() | ast.UAdd()):
                number = _number(self._value(node.operand, local))
                return -number if isinstance(node.op, ast.USub) else number
            case ast.BinOp(op=ast.BitOr()):
                return self._type(node.left, local) | self._type(node.right, local)
            case ast.BinOp() if type(node.op) in _ARITHMETIC:
                left, right = _number(self._value(node.left, local)), _number(self._value(node.right, local))
                return _ARITHMETIC[type(node.op)](left, right)
            case ast.Subscript(slice=ast.Tuple(elts=[inner, *_])) if self._is(node.value, "typing.Annotated"):
                return self._type(inner, local)  # what else is said about the type is for those who run it
            case ast.Subscript():
                generic = self._type(node.value, local)
                if generic not in _TYPES.values():
                    raise Unreadable
                return generic[self._value(node.slice, local)]
            case ast.Name(id=name) if name in local:
                return local[name]
            case ast.Name(id=name) if name in self._values:
                return self._value(self._values[name], {})
            case ast.Name() | ast.Attribute():
                return self._imported(self.path(node))
        raise Unreadable

    def _is(self, node: ast.expr, path: str) -> bool:
        try:
            return self.path(node) == path
        except Unreadable:
            return False

    def _items(self, nodes: Sequence[ast.expr], local: Mapping[str, Any]) -> list[Any]:
        found: list[Any] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                found += list(self._value(node.value, local))
            else:
                found.append(self._value(node, local))
        return found

    def _type(self, node: ast.expr, local: Mapping[str, Any]) -> Any:
        found = self._value(node, local)
        if found is None or isinstance(found, type) or get_origin(found) is not None or found in _SPECIAL:
            return found
        raise Unreadable

    def path(self, node: ast.expr) -> str:
        """The dotted path, from a module that is imported, of a name or an attribute; Unreadable where it is none."""
        if isinstance(node, ast.Attribute):
            return f"{self.path(node.value)}.{node.attr}"
        if isinstance(node, ast.Name):
            if node.id in self._imports:
                return self._imports[node.id]
            if node.id not in self.names and node.id in _TYPES:
                return node.id
        raise Unreadable

    @staticmethod
    def _imported(path: str) -> Any:
        """What a path leads to: a constant, a type, or something of this package."""
        if path in _CONSTANTS:
            return _CONSTANTS[path]
        if path in _TYPES:
            return _TYPES[path]
        head, *steps = path.split(".")
        if head != "didymos":
            raise Unreadable
        found: Any = importlib.import_module(head)
        for step in steps:
            if isinstance(found, ModuleType):
                found = _of_module(found, step)
            elif isinstance(found, EnumType):
                found = found[step]
            else:
                raise Unreadable
        return found


def _of_module(module: ModuleType, name: str) -> Any:
    """What a module of this package calls so; a module below it only where kinds are at home."""
    if module.__name__ != "didymos" and not module.__name__.startswith(_ROOMS):
        raise Unreadable
    if hasattr(module, name):
        return getattr(module, name)
    inner = f"{module.__name__}.{name}"
    if not inner.startswith(_ROOMS):
        raise Unreadable
    try:
        return importlib.import_module(inner)
    except ImportError:
        raise Unreadable from None


def _number(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e300:
        raise Unreadable
    return value
