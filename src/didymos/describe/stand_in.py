"""A stand-in for a kind that may not run: it declares the same numbers and does nothing.

The class is read from its source (`python_source.py`): what its body declares by the words of `contract.py` (and `Gain`), with
arguments that can be read, is declared again on a class of ours; its laws become functions that do nothing; what its `__init__`
takes becomes the options of a program. So twin files are checked, parameters listed and a model built without running it.

What cannot be read (a computed argument, a base class from elsewhere, a loop) is a note, and makes the kind `open`: it may have
numbers of which nothing is known, and nobody is blamed for naming them.
"""

from __future__ import annotations

import ast
import contextlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Any, Generic, TypeVar

from pydantic import ConfigDict

from didymos import contract
from didymos.contract import Declaration
from didymos.control.controller import Controller, Gain
from didymos.describe.description import Note
from didymos.describe.python_source import PythonSource, Unreadable, find_source
from didymos.errors import InputError, nearest
from didymos.kinds import Kinds, split_reference
from didymos.spec import Spec

__all__ = ["StandIn", "stand_in"]

T = TypeVar("T")

_WORDS: tuple[Any, ...] = (
    Gain, contract.choice, contract.command, contract.input, contract.measurement, contract.memory, contract.needs,
    contract.odometry, contract.option, contract.output, contract.parameter, contract.quantity, contract.report,
    contract.setpoint, contract.setting, contract.state,
)  # fmt: skip
_LARGEST = 100_000  # numbers of one declaration; what is more is no robot


@dataclass(frozen=True)
class StandIn(Generic[T]):
    """A kind that stands for another one, what could not be read of that, and whether it may have further numbers."""

    kind: T
    notes: tuple[Note, ...]
    is_open: bool


def stand_in(kinds: Kinds[T], reference: str, folder: Path) -> StandIn[T]:
    """What stands for FILE.py:NAME or MODULE:NAME; nothing of it runs."""
    module, name = split_reference(reference)
    file = find_source(module, folder)
    if file is None:
        note = Note(module, None, "has no source that could be read; nothing is known about its numbers")
        return StandIn(_opened(_empty(kinds.base, name)), (note,), True)
    reader = _Reader(kinds, PythonSource(file), module)
    made = reader.read(name)
    return StandIn(made, tuple(reader.notes), reader.is_open)


class _Reader:
    """Reads one class, and those of the same file that it derives from."""

    def __init__(self, kinds: Kinds[Any], source: PythonSource, module: str) -> None:
        self.kinds, self.source, self.module = kinds, source, module
        self.notes: list[Note] = []
        self.is_open = False
        self._reading: list[str] = []

    def read(self, name: str) -> Any:
        """The stand-in of the class of a name."""
        if name not in self.source.classes:
            if name in self.source.names or self.source.imports_all:
                self._miss(None, f"{name} is not a class that stands here as one")
                return _opened(_empty(self.kinds.base, name))
            hint = nearest(name, self.source.classes)
            raise InputError(f"{self.module} has no {self.kinds.noun} {name!r}{hint}")
        made = self._class(self.source.classes[name])
        for item in getattr(made, "declared_setpoints", ()):
            if item.shape:
                self._miss(self.source.classes[name], f"which set-points {name} calls {item.name}")
        wrong = "" if self.is_open else self.kinds.complaint(made)
        if wrong:
            raise InputError(f"{self.module}:{name} {wrong}")
        self.notes.insert(0, self._note(self.source.classes[name], f"{name} was read and not run: what it does is not checked"))
        return _opened(made) if self.is_open else made

    def _note(self, node: ast.AST | None, what: str) -> Note:
        return Note(str(self.source.file), getattr(node, "lineno", None), what)

    def _miss(self, node: ast.AST | None, what: str) -> None:
        self.is_open = True
        self.notes.append(self._note(node, f"{what}; it is not known without running it"))

    def _class(self, node: ast.ClassDef) -> Any:
        if node.name in self._reading:
            raise InputError(f"{node.name} derives from itself", file=self.source.file, line=node.lineno)
        self._reading.append(node.name)
        bases = self._bases(node)
        for extra in (*node.decorator_list, *node.keywords):
            self._miss(extra, f"what becomes of {node.name} by {ast.unparse(extra)}")
        body = _Body(self, bases)
        for statement in node.body:
            body.take(statement)
        self._reading.pop()
        try:
            return type(node.name, bases, {"__module__": __name__, "__doc__": ast.get_docstring(node), **body.namespace})
        except (TypeError, ValueError) as error:  # two numbers of one name, a law with other arguments
            raise InputError(f"{node.name}: {error}", file=self.source.file, line=node.lineno) from None

    def _bases(self, node: ast.ClassDef) -> tuple[type, ...]:
        found: list[type] = []
        for base in node.bases:
            if isinstance(base, ast.Name) and base.id in self.source.classes:
                found.append(self._class(self.source.classes[base.id]))
                continue
            try:
                known = self.source.value(base, {})
                if isinstance(known, type):
                    found.append(known)
                    continue
            except Unreadable:
                pass
            self._miss(base, f"{node.name} derives from {ast.unparse(base)}, which is elsewhere")
        if self.is_open and not any(issubclass(base, self.kinds.base) for base in found):
            found.append(self.kinds.base)
        return tuple(dict.fromkeys(found))


class _Body:
    """What the body of a class declares."""

    def __init__(self, reader: _Reader, bases: tuple[type, ...]) -> None:
        self.reader, self.bases = reader, bases
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
            self.reader._miss(node, "what this line declares")

    def _assign(self, name: str, node: ast.expr) -> None:
        if isinstance(node, ast.Call):
            try:
                word = self.reader.source.value(node.func, self._local)
            except Unreadable:
                word = None
            if any(word is known for known in _WORDS):
                self._declare(name, word, node)
            elif not name.startswith("_"):
                self.reader._miss(node, f"{name} is computed")
            return
        try:
            value = self.reader.source.value(node, self._local)
        except Unreadable:
            if not name.startswith("_"):
                self.reader._miss(node, f"{name} is computed")
            return
        self._local[name] = value
        before = next((getattr(base, name) for base in self.bases if hasattr(base, name)), None)
        if not callable(before) and not isinstance(before, property):
            self.namespace[name] = value

    def _declare(self, name: str, word: Callable[..., Any], call: ast.Call) -> None:
        """Declare what a word declares; an argument that cannot be read is left out, and said."""
        positional, named, unread = [], {}, []
        for argument in call.args:
            try:
                positional.append(self.reader.source.value(argument, self._local))
            except Unreadable:
                unread.append(ast.unparse(argument))
        for keyword in call.keywords:
            try:
                named[str(keyword.arg)] = self.reader.source.value(keyword.value, self._local)
            except Unreadable:
                unread.append(ast.unparse(keyword))
        if unread:
            self.reader._miss(call, f"{name} is declared with {', '.join(unread)}")
            if word in (contract.parameter, contract.option, contract.choice):
                self.namespace[name] = contract.option(Any, None)
                return
            positional = positional if len(positional) == len(call.args) else []
        try:
            made = word(*positional, **named)
            fine = not isinstance(made, Declaration) or made.size <= _LARGEST
        except (TypeError, ValueError) as error:
            where = self.reader.source.file
            raise InputError(f"{name}: {error}", file=where, line=call.lineno) from None
        if fine:
            self.namespace[name] = made
        else:
            self.reader._miss(call, f"{name} has more than {_LARGEST} numbers")

    def _function(self, node: ast.FunctionDef) -> None:
        if node.name == "__init__":
            self.namespace["__init__"] = _taking(node, self.reader.source, self._local)
        elif node.name == "update" and any(issubclass(base, Controller) for base in self.bases):
            self.namespace["update"] = lambda self, t, measured, setpoints: {}
        for decorator in node.decorator_list:
            try:
                mark = self.reader.source.value(decorator, self._local)
            except Unreadable:
                continue  # classmethod and the like
            if isinstance(mark, FunctionType):
                try:
                    self.namespace[node.name] = mark(_nothing_of([argument.arg for argument in node.args.args]))
                except TypeError as error:
                    said = str(error).replace(_nothing.__qualname__, node.name)
                    raise InputError(said, file=self.reader.source.file, line=node.lineno) from None


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


def _empty(base: type, name: str) -> Any:
    return type(name, (base,), {"__module__": __name__})


def _opened(kind: Any) -> Any:
    """The same kind, whose record of the twin file takes any further key."""
    spec = getattr(kind, "spec", None)
    if isinstance(spec, type) and issubclass(spec, Spec):
        config = ConfigDict(**{**spec.model_config, "extra": "allow"})
        kind.spec = type(spec.__name__, (spec,), {"model_config": config, "__module__": __name__})
    return kind
