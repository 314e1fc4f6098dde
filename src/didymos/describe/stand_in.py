"""A stand-in for a kind that may not run: it declares the same numbers and does nothing.

The class is read from its source (`python_source.py`): what its body declares by the words of `contract.py` (and `Gain`), with
arguments that can be read, is declared again on a class of ours; its laws become functions that do nothing; what its `__init__`
takes becomes the options of a program. So twin files are checked, parameters listed and a model built without running it.

What cannot be read (a computed argument, a base class from elsewhere, a loop) is a note, and makes the kind `open`: it may have
numbers of which nothing is known, and nobody is blamed for naming them.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import ConfigDict

from didymos.control.controller import Controller
from didymos.describe.class_body import ClassBody
from didymos.describe.description import Note
from didymos.describe.python_source import PythonSource, Unreadable
from didymos.describe.source_file import find_source
from didymos.errors import InputError, nearest
from didymos.kinds import Kinds, split_reference
from didymos.spec import Spec

__all__ = ["StandIn", "stand_in"]

T = TypeVar("T")


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
        body = ClassBody(self.source, bases, self._miss)
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


def _take_any(self: Any, **options: Any) -> None:
    """An `__init__` of which nothing is known."""


def _set_known_gain(self: Controller, path: str, value: float) -> None:
    if any(gain.path == path for gain in self.gain_table):
        Controller.set_gain(self, path, value)


def _empty(base: type, name: str) -> Any:
    return type(name, (base,), {"__module__": __name__})


def _opened(kind: Any) -> Any:
    """The same kind, which takes any further key of its record, gain and option."""
    if issubclass(kind, Controller):
        if kind.__init__ is object.__init__:
            kind.__init__ = _take_any
        kind.set_gain = _set_known_gain
    spec = getattr(kind, "spec", None)
    if isinstance(spec, type) and issubclass(spec, Spec):
        config = ConfigDict(**{**spec.model_config, "extra": "allow"})
        kind.spec = type(spec.__name__, (spec,), {"model_config": config, "__module__": __name__})
    return kind
