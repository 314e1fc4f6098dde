"""What the body of a class declares, read from its source; see `stand_in.py`."""

from __future__ import annotations

import ast
import contextlib
import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any, Protocol

from didymos import contract
from didymos.contract import Declaration
from didymos.control.controller import Controller, Gain
from didymos.describe.python_source import PythonSource, Unreadable
from didymos.errors import InputError

__all__ = ["ClassBody"]

_WORDS: tuple[Any, ...] = (
    Gain, contract.choice, contract.command, contract.input, contract.measurement, contract.memory, contract.needs,
    contract.odometry, contract.option, contract.output, contract.parameter, contract.parameter_array, contract.quantity,
    contract.report, contract.setpoint, contract.setting, contract.state,
)  # fmt: skip
_LARGEST = 100_000  # numbers of one declaration; what is more is no robot


class Miss(Protocol):
    """Takes a place of the source and what about it cannot be known."""

    def __call__(self, node: ast.AST | None, what: str) -> None:
        """Note it."""


class ClassBody:
    """The names of a class and what they stand for, of those that can be read; `miss` is told of the others."""

    def __init__(self, source: PythonSource, bases: tuple[type, ...], miss: Miss) -> None:
        self._source, self._bases, self._miss = source, bases, miss
        self.namespace: dict[str, Any] = {}
        self._local: dict[str, Any] = {}

    def take(self, node: ast.stmt) -> None:
        """Take one statement in."""
        if isinstance(node, ast.FunctionDef):
            self._function(node)
        elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            self._assign(node.targets[0].id, node.value)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            if node.value is not None:
                self._assign(node.target.id, node.value)
        elif not _is_harmless(node):
            self._miss(node, "what this line declares")

    def _assign(self, name: str, node: ast.expr) -> None:
        if isinstance(node, ast.Call):
            try:
                word = self._source.value(node.func, self._local)
            except Unreadable:
                word = None
            if any(word is known for known in _WORDS):
                self._declare(name, word, node)
            elif not name.startswith("_"):
                self._miss(node, f"{name} is computed")
            return
        try:
            value = self._source.value(node, self._local)
        except Unreadable:
            if not name.startswith("_"):
                self._miss(node, f"{name} is computed")
            return
        self._local[name] = value
        before = next((getattr(base, name) for base in self._bases if hasattr(base, name)), None)
        if not callable(before) and not isinstance(before, property):
            self.namespace[name] = value

    def _declare(self, name: str, word: Callable[..., Any], call: ast.Call) -> None:
        """Declare what a word declares; an argument that cannot be read is left out, and said."""
        positional, named, unread = [], {}, []
        for argument in call.args:
            try:
                positional.append(self._source.value(argument, self._local))
            except Unreadable:
                unread.append(ast.unparse(argument))
        for keyword in call.keywords:
            try:
                named[str(keyword.arg)] = self._source.value(keyword.value, self._local)
            except Unreadable:
                unread.append(ast.unparse(keyword))
        if unread:
            self._miss(call, f"{name} is declared with {', '.join(unread)}")
            if word in (contract.parameter, contract.parameter_array, contract.option, contract.choice):
                self.namespace[name] = contract.option(Any, None)
                return
            positional = positional if len(positional) == len(call.args) else []
        try:
            made = word(*positional, **named)
            fine = not isinstance(made, Declaration) or made.size <= _LARGEST
        except (TypeError, ValueError) as error:
            where = self._source.file
            raise InputError(f"{name}: {error}", file=where, line=call.lineno) from None
        if fine:
            self.namespace[name] = made
        else:
            self._miss(call, f"{name} has more than {_LARGEST} numbers")

    def _function(self, node: ast.FunctionDef) -> None:
        if node.name == "__init__":
            self.namespace["__init__"] = _taking(node, self._source, self._local)
        elif node.name == "update" and any(issubclass(base, Controller) for base in self._bases):
            self.namespace["update"] = lambda self, t, measured, setpoints: {}
        for decorator in node.decorator_list:
            try:
                mark = self._source.value(decorator, self._local)
            except Unreadable:
                continue  # classmethod and the like
            if isinstance(mark, FunctionType):
                try:
                    self.namespace[node.name] = mark(_nothing_of([argument.arg for argument in node.args.args]))
                except TypeError as error:
                    said = str(error).replace(_nothing.__qualname__, node.name)
                    raise InputError(said, file=self._source.file, line=node.lineno) from None


def _is_harmless(node: ast.stmt) -> bool:
    """Whether a statement declares nothing: a docstring, a `pass`, a class in the class."""
    return isinstance(node, ast.Pass | ast.ClassDef) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


def _nothing() -> None:
    """What a law of a stand-in does."""


def _nothing_of(arguments: list[str]) -> FunctionType:
    """A function of some arguments that does nothing and that numba can compile."""
    count = len(arguments)
    code = _nothing.__code__.replace(co_argcount=count, co_nlocals=count, co_varnames=tuple(arguments))
    return FunctionType(code, globals(), _nothing.__name__)


def _taking(node: ast.FunctionDef, source: PythonSource, local: dict[str, Any]) -> Callable[..., None]:
    """An `__init__` that takes what another one takes, and does nothing with it."""
    arguments = node.args
    names = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    without_default = len(arguments.posonlyargs) + len(arguments.args) - len(arguments.defaults)
    hints: dict[str, Any] = {}
    parameters = []
    for index, argument in enumerate(names):
        by_name = index >= len(arguments.posonlyargs) + len(arguments.args)
        default = arguments.kw_defaults[index - len(names)] if by_name else (None if index < without_default else argument)
        if argument.annotation is not None:
            with contextlib.suppress(Unreadable):
                hints[argument.arg] = source.value(argument.annotation, local)
        kind = inspect.Parameter.KEYWORD_ONLY if by_name else inspect.Parameter.POSITIONAL_OR_KEYWORD
        parameters.append(inspect.Parameter(argument.arg, kind, default=inspect.Parameter.empty if default is None else None))
    if arguments.vararg is not None:
        place = next((i for i, one in enumerate(parameters) if one.kind is inspect.Parameter.KEYWORD_ONLY), len(parameters))
        parameters.insert(place, inspect.Parameter(arguments.vararg.arg, inspect.Parameter.VAR_POSITIONAL))
    if arguments.kwarg is not None:
        parameters.append(inspect.Parameter(arguments.kwarg.arg, inspect.Parameter.VAR_KEYWORD))
    try:
        signature = inspect.Signature(parameters)
    except ValueError as error:
        raise InputError(f"__init__: {error}", file=source.file, line=node.lineno) from None

    def __init__(self: Any, **options: Any) -> None:
        signature.bind(self, **options)

    __init__.__signature__ = signature  # type: ignore[attr-defined]
    __init__.__annotations__ = hints
    return __init__
