"""Find what plugs in by its name: bundled kinds, those of installed packages, and those of a file or a module.

A kind is named in one of four ways:

    rotor                       bundled, or of an installed package that has an entry point of this name in our group
    my_package.laws:Parachute   a class of a module
    parachute.py:Parachute      a class of a file of the twin's folder
    cylinder.fmu                an FMU of the twin's folder, which is a part or a program (`kind: fmu` with `file` says the same)

The first is always at hand: what is installed was chosen by whoever installed it. The others run code. Where a twin file names
them, `describe/code.py` decides what becomes of them; where a person names them on the command line, `Kinds.load` does as told.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.machinery import SourceFileLoader
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Generic, TypeVar

from didymos.errors import InputError, nearest

__all__ = ["Functions", "Kinds", "Objects", "Source", "is_fmu", "is_reference", "load_module", "split_reference"]

T = TypeVar("T")
_OF_FMUS = ("didymos.parts", "didymos.programs")  # groups of what an FMU can be


@dataclass(frozen=True)
class Source:
    """Where a kind comes from: the package that brings it and where it stands in it. A `hidden` one gives way to another."""

    name: str
    package: str
    reference: str
    hidden: bool = False


def is_reference(name: str) -> bool:
    """Whether a name stands for something in a module or file: MODULE:NAME, FILE.py:NAME or FILE.fmu."""
    module, item = split_reference(name)
    return bool(module and item) or is_fmu(name)


def is_fmu(name: str) -> bool:
    """Whether a name is that of an FMU."""
    return name.endswith(".fmu") and name != ".fmu"


def split_reference(name: str) -> tuple[str, str]:
    """The module or file of a reference, and the name in it."""
    if is_fmu(name):
        return name, ""
    module, _, item = name.rpartition(":")
    return module, item


class Kinds(Mapping[str, T], Generic[T]):
    """The kinds of one role by name, loaded when they are first asked for: classes that derive from one base.

    Args:
        what: what one of them is, for messages ("a part").
        group: group of entry points through which installed packages add theirs ("didymos.parts").
        base: the class that all of them derive from, as "module:Name".
        bundled: our own, name -> "module:Name".
    """

    def __init__(self, what: str, group: str, base: str, bundled: Mapping[str, str]) -> None:
        self.what, self.group, self._base, self._bundled = what, group, base, dict(bundled)
        self._loaded: dict[str, T] = {}

    @cached_property
    def _installed(self) -> dict[str, list[EntryPoint]]:
        found: dict[str, list[EntryPoint]] = {}
        for point in entry_points(group=self.group):
            found.setdefault(point.name, []).append(point)
        return found

    @property
    def _added(self) -> Iterator[str]:
        return (name for name in self._installed if name not in self._bundled)

    def __iter__(self) -> Iterator[str]:
        return iter((*self._bundled, *self._added))

    def __len__(self) -> int:
        return len(self._bundled) + sum(1 for _ in self._added)

    def __contains__(self, name: object) -> bool:
        return name in self._bundled or name in self._installed

    def __getitem__(self, name: str) -> T:
        if name not in self._loaded:
            if name in self._bundled:
                self._loaded[name] = _item(self._bundled[name])
            elif name in self._installed:
                self._loaded[name] = self._from_entry_points(name, self._installed[name])
            else:
                raise KeyError(name)
        return self._loaded[name]

    @property
    def base(self) -> type:
        """The class that all of them derive from."""
        found: type = _item(self._base)
        return found

    @property
    def noun(self) -> str:
        """What one of them is, without the article."""
        return self.what.partition(" ")[2]

    def sources(self) -> list[Source]:
        """Where each of them comes from; nothing is loaded for it."""
        found = [Source(name, "didymos", reference) for name, reference in self._bundled.items()]
        for name, points in self._installed.items():
            found += [Source(name, _package(point), point.value, hidden=name in self._bundled) for point in points]
        return found

    def load(self, name: str, folder: Path) -> T:
        """The kind of a name, or of a reference into a file below a folder, or a module (of this folder too); runs that code."""
        if name in self:
            return self[name]
        if not is_reference(name) or is_fmu(name):
            raise self.unknown(name)
        return self.pick(name, load_module(split_reference(name)[0], folder, modules_too=True))

    def pick(self, reference: str, module: ModuleType) -> T:
        """What a reference names in its module."""
        where, item = split_reference(reference)
        if not hasattr(module, item):
            candidates = [key for key, value in vars(module).items() if self.fits(value)]
            raise InputError(f"{where} has no {self.noun} {item!r}{nearest(item, candidates)}")
        return self._checked(getattr(module, item), reference)

    def unknown(self, name: str) -> InputError:
        """What to say to a name that stands for nothing."""
        forms = "FILE.py:NAME, MODULE:NAME or FILE.fmu" if self.group in _OF_FMUS else "FILE.py:NAME or MODULE:NAME"
        known = f"{', '.join(self)}, {forms}"
        return InputError(f"there is no such {self.noun}: found {name!r}{nearest(name, self)} (expected one of {known})")

    def fits(self, value: Any) -> bool:
        """Whether something is one of this kind."""
        return isinstance(value, type) and issubclass(value, self.base)

    def complaint(self, value: Any) -> str:
        """What is wrong with something, in a few words; empty where nothing is."""
        if not self.fits(value):
            return f"is not {self.what}: it does not derive from {self._base.replace(':', '.')}"
        incomplete: Callable[[], str] = getattr(value, "incomplete", str)
        return incomplete()

    def _checked(self, loaded: Any, name: str) -> T:
        wrong = self.complaint(loaded)
        if wrong:
            raise InputError(f"{name} {wrong}")
        return loaded

    def _from_entry_points(self, name: str, points: list[EntryPoint]) -> T:
        if len(points) > 1:
            brought = " and ".join(f"{_package(point)} ({point.value})" for point in points)
            raise InputError(f"{self.noun} {name!r} is brought by {brought}: name it as MODULE:NAME, or remove one of them")
        try:
            loaded = points[0].load()
        except (Exception, SystemExit) as error:  # somebody else's package
            raise InputError(f"{self.noun} {name!r} of {_package(points[0])} cannot be loaded: {_short(error)}") from error
        return self._checked(loaded, name)


class Objects(Kinds[T]):
    """Kinds that are objects of one class instead of classes."""

    def fits(self, value: Any) -> bool:
        """Whether something is one of this kind."""
        return isinstance(value, self.base)

    def complaint(self, value: Any) -> str:
        """What is wrong with something, in a few words; empty where nothing is."""
        return "" if self.fits(value) else f"is not {self.what}: it is no {self._base.replace(':', '.')}"


class Functions(Kinds[T]):
    """Kinds that are plain functions."""

    def __init__(self, what: str, group: str, bundled: Mapping[str, str]) -> None:
        super().__init__(what, group, "builtins:object", bundled)

    def fits(self, value: Any) -> bool:
        """Whether something is one of this kind."""
        return callable(value)

    def complaint(self, value: Any) -> str:
        """What is wrong with something, in a few words; empty where nothing is."""
        return "" if self.fits(value) else f"is not {self.what}: it cannot be called"


def load_module(name: str, folder: Path, *, modules_too: bool = False) -> ModuleType:
    """A module by its name, or a Python file relative to a folder; its code runs.

    `modules_too`: a module that Python does not find elsewhere is looked for in the folder.
    """
    if name.endswith(".py"):
        return _from_file(folder / name)
    here = str(folder.resolve())
    if modules_too and here not in sys.path:
        sys.path.append(here)  # at the end: what is installed is never hidden by what lies about
    return _from_module(name)


def _item(reference: str) -> Any:
    module, name = split_reference(reference)
    return getattr(importlib.import_module(module), name)


def _package(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist is not None else point.value.partition(".")[0]


def _from_module(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:
        raise InputError(f"the module {name!r} cannot be imported: {_short(error)}") from error


class _SourceLoader(SourceFileLoader):
    """Reads the file itself each time, and leaves nothing beside it: byte code knows a change only by its second and the size."""

    def get_code(self, fullname: str) -> CodeType:
        return self.source_to_code(self.get_data(self.path), self.path)


def _from_file(path: Path) -> ModuleType:
    try:
        there = path.is_file()
    except (OSError, ValueError):
        there = False
    if not there:
        raise InputError("there is no such file", file=path)
    name = f"didymos_user_{path.stem}_{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:8]}"
    spec = importlib.util.spec_from_file_location(name, path, loader=_SourceLoader(name, str(path)))
    if spec is None or spec.loader is None:
        raise InputError("is not a Python file", file=path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise InputError(f"cannot be imported: {_short(error)}", file=path) from error
    return module


def _short(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"
