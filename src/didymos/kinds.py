"""Find what plugs in by its name: bundled kinds, those of installed packages, and those of a file or a module.

A kind is named in one of three ways:

    rotor                       bundled, or of an installed package that has an entry point of this name in our group
    my_package.laws:Parachute   a class of a module
    parachute.py:Parachute      a class of a file of the twin's folder

The first is always at hand: what is installed was chosen by whoever installed it. The other two run code that a twin file names,
and are looked up only by `Kinds.load`, whose caller answers for the folder (see `describe/trust.py`).
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import sys
from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, Generic, TypeVar

from didymos.errors import InputError, nearest

__all__ = ["Kinds", "is_reference", "load_module"]

T = TypeVar("T", bound=type)


def is_reference(name: str) -> bool:
    """Whether a name stands for a class of a module or file: MODULE:NAME or FILE.py:NAME."""
    module, colon, item = name.rpartition(":")
    return bool(colon and module and item)


class Kinds(Mapping[str, T], Generic[T]):
    """The kinds of one role by name, loaded when they are first asked for.

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
    def _installed(self) -> dict[str, EntryPoint]:
        return {point.name: point for point in entry_points(group=self.group) if point.name not in self._bundled}

    def __iter__(self) -> Iterator[str]:
        return iter((*self._bundled, *self._installed))

    def __len__(self) -> int:
        return len(self._bundled) + len(self._installed)

    def __contains__(self, name: object) -> bool:
        return name in self._bundled or name in self._installed

    def __getitem__(self, name: str) -> T:
        if name not in self._loaded:
            if name in self._bundled:
                self._loaded[name] = self._resolve(self._bundled[name])
            elif name in self._installed:
                self._loaded[name] = self._from_entry_point(self._installed[name])
            else:
                raise KeyError(name)
        return self._loaded[name]

    def load(self, name: str, folder: Path) -> T:
        """The kind of a name, or of a reference into a module or a file below a folder; runs that code."""
        if name in self:
            return self[name]
        if not is_reference(name):
            raise InputError(f"there is no such kind of {self.what} {name!r}{nearest(name, self)} (there is: {', '.join(self)})")
        module_name, _, item = name.rpartition(":")
        module = load_module(module_name, folder)
        loaded = getattr(module, item, None)
        if loaded is None:
            candidates = [key for key, value in vars(module).items() if self._fits(value)]
            raise InputError(f"{module_name} has no class {item!r}{nearest(item, candidates)}")
        return self._checked(loaded, name)

    def _fits(self, value: Any) -> bool:
        return isinstance(value, type) and issubclass(value, self._resolve(self._base))

    def _checked(self, loaded: Any, name: str) -> T:
        if not self._fits(loaded):
            raise InputError(f"{name} is not {self.what}: it does not derive from didymos.{self._base.rpartition(':')[2]}")
        return loaded  # type: ignore[no-any-return]

    def _from_entry_point(self, point: EntryPoint) -> T:
        try:
            loaded = point.load()
        except (Exception, SystemExit) as error:  # somebody else's package
            raise InputError(f"{self.what} {point.name!r} of {point.value} cannot be loaded: {_short(error)}") from error
        return self._checked(loaded, point.name)

    @staticmethod
    def _resolve(reference: str) -> Any:
        module, _, name = reference.rpartition(":")
        return getattr(importlib.import_module(module), name)


def load_module(name: str, folder: Path) -> ModuleType:
    """A module by its name, or a Python file relative to a folder; its code runs."""
    return _from_file(folder / name) if name.endswith(".py") else _from_module(name)


def _from_module(name: str) -> ModuleType:
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:
        raise InputError(f"the module {name!r} cannot be imported: {_short(error)}") from error


def _from_file(path: Path) -> ModuleType:
    try:
        there = path.is_file()
    except (OSError, ValueError):
        there = False
    if not there:
        raise InputError("there is no such file", file=path)
    name = f"didymos_user_{path.stem}_{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:8]}"
    spec = importlib.util.spec_from_file_location(name, path)
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
