"""Code that a twin file names, and what becomes of it: it is read, or, in a folder that the user trusts, it runs.

A twin file names code by FILE.py:NAME (a file of its folder), MODULE:NAME or FILE.fmu (`fmu_kind.py`), as the kind of a part or
sensor or as a control program. `ReadCode` answers with a stand-in that declares the same numbers and does nothing
(`stand_in.py`): enough for looking at a twin. `RunCode` imports. `trust.py` says for whom.

A policy (FILE.npz, FILE.onnx) is no code: it is a table of numbers, and is read as any file of the folder is.

What stands under `firmware` in a twin file names no code that could run: which firmware it is comes from the command line.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar, cast

from didymos.control.controller import Controller
from didymos.control.policy_file import SUFFIXES, is_policy
from didymos.control.programs import Programs
from didymos.describe.description import Note
from didymos.describe.fmu_kind import fmu_kind, with_fmus_named
from didymos.describe.stand_in import stand_in
from didymos.errors import InputError
from didymos.kinds import Kinds, is_fmu, is_reference, load_module, split_reference

__all__ = ["Code", "NamedCode", "ReadCode", "RunCode", "code_of_variants", "named_code"]

T = TypeVar("T")


@dataclass(frozen=True)
class NamedCode:
    """A piece of code that a twin file names, and where in the file."""

    name: str
    place: tuple[str, ...]


def named_code(raw: Any) -> tuple[NamedCode, ...]:
    """All code that the plain data of a twin file names, its variants left aside; the data may be anything."""
    return tuple(item for item in _named(with_fmus_named(raw)) if is_reference(item.name))


def code_of_variants(raw: Any) -> tuple[NamedCode, ...]:
    """All code that the variants of a twin file name."""
    overlays = _mapping(raw, "variants").items()
    return tuple(
        NamedCode(item.name, ("variants", variant, *item.place)) for variant, overlay in overlays for item in named_code(overlay)
    )


def _named(raw: Any) -> Iterator[NamedCode]:
    for room in ("parts", "sensors"):
        for name, record in _mapping(raw, room).items():
            yield from _word(record, "kind", room, name)
    yield from _word(_mapping(raw, "control"), "program", "control")
    for name, scenario in _mapping(raw, "scenarios").items():
        yield from _word(_mapping(scenario, "control"), "program", "scenarios", name, "control")


def _mapping(raw: Any, key: str) -> dict[str, Any]:
    inner = raw.get(key) if isinstance(raw, dict) else None
    return inner if isinstance(inner, dict) else {}


def _word(record: Any, key: str, *place: str) -> Iterator[NamedCode]:
    word = record.get(key) if isinstance(record, dict) else None
    if isinstance(word, str):
        yield NamedCode(word, (*place, key))


class Code(ABC):
    """The kinds that a twin file names, by whatever name. What was found once is kept: a file runs once per twin."""

    runs: bool
    """Whether code that is named is imported."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._kept: dict[tuple[str, str], Any] = {}
        self._policies: dict[str, type[Controller]] = {}  # no code

    def find(self, kinds: Kinds[T], name: str) -> T:
        """The kind of a name; an `InputError` where there is none."""
        if name in kinds:
            return kinds[name]
        if name == "fmu":
            raise InputError("an FMU is named by its file, which is missing: file: NAME.fmu (of a program, options.file)")
        if name == "policy" and isinstance(kinds, Programs):
            raise InputError("a policy is named by its file, which is missing: options: {file: NAME.npz}")
        if is_policy(name) and isinstance(kinds, Programs):
            if name not in self._policies:
                _check_inside(name, self.folder)
                self._policies[name] = kinds.load_policy(self.folder / name)
            return cast("T", self._policies[name])
        if not is_reference(name):
            raise kinds.unknown(name)
        key = kinds.group, name
        if key not in self._kept:
            self._kept[key] = self._found(kinds, name)
        return self._kept[key]

    @abstractmethod
    def _found(self, kinds: Kinds[T], name: str) -> T: ...

    @property
    def ran(self) -> tuple[str, ...]:
        """The names of the code that was imported."""
        return ()

    @property
    def stand_ins(self) -> tuple[str, ...]:
        """The names for which a stand-in was found instead of the code itself."""
        return ()

    def is_open(self, name: str) -> bool:
        """Whether a kind may have more numbers than are known."""
        return False

    @property
    def notes(self) -> tuple[Note, ...]:
        """What is not known about the code."""
        return ()


class RunCode(Code):
    """Imports what a twin file names. Only for a folder that is trusted."""

    runs = True

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._modules: dict[str, ModuleType] = {}

    def _found(self, kinds: Kinds[T], name: str) -> T:
        module, _ = split_reference(name)
        if is_fmu(name):
            _check_inside(module, self.folder)
            return fmu_kind(kinds, name, self.folder, runs=True)
        if module not in self._modules:
            _check_inside(module, self.folder)
            self._modules[module] = load_module(module, self.folder)
        return kinds.pick(name, self._modules[module])

    @property
    def ran(self) -> tuple[str, ...]:
        """The names of the code that was imported."""
        return tuple(dict.fromkeys(name for _, name in self._kept))


class ReadCode(Code):
    """Reads what a twin file names, and runs nothing of it."""

    runs = False

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._notes: dict[str, tuple[Note, ...]] = {}
        self._open: set[str] = set()

    def _found(self, kinds: Kinds[T], name: str) -> T:
        _check_inside(split_reference(name)[0], self.folder)
        if is_fmu(name):
            what = "its model description was read and it was not run: what it does is not checked"
            self._notes[name] = (Note(str(self.folder / name), None, what),)
            return fmu_kind(kinds, name, self.folder, runs=False)
        made = stand_in(kinds, name, self.folder)
        self._notes[name] = made.notes
        if made.is_open:
            self._open.add(name)
        return made.kind

    @property
    def stand_ins(self) -> tuple[str, ...]:
        """The names for which a stand-in was found instead of the code itself."""
        return tuple(self._notes)

    def is_open(self, name: str) -> bool:
        """Whether a kind may have more numbers than are known."""
        return name in self._open

    @property
    def notes(self) -> tuple[Note, ...]:
        """What is not known about the code."""
        return tuple(note for notes in self._notes.values() for note in notes)


def _check_inside(module: str, folder: Path) -> None:
    """Refuse a file outside of the folder that names it: whoever trusts a folder has not looked at its neighbours."""
    if module.endswith((".py", ".fmu", *SUFFIXES)):
        try:
            inside = (folder / module).resolve().is_relative_to(folder.resolve())
        except (OSError, ValueError, RuntimeError):  # a name that no file can have
            inside = True
        if not inside:
            raise InputError(f"{module!r} is outside of the twin's folder; put it into the folder, or into an installed package")
