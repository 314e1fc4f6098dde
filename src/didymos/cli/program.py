"""The control program that `--control` names: `MODULE:CLASS` or `path/to/file.py:CLASS`."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from didymos.errors import InputError, nearest

if TYPE_CHECKING:
    from didymos import Controller

__all__ = ["load_program"]

OPTION = "--control"


def load_program(text: str) -> Controller:
    """An instance of the class that `text` names; modules are also looked for in the current folder."""
    from didymos import Controller

    place, colon, name = text.rpartition(":")
    if not (place and colon and name):
        raise InputError(f"found {text!r}, expected MODULE:CLASS or FILE.py:CLASS", path=OPTION)
    module = _from_file(Path(place)) if place.endswith(".py") else _from_name(place)
    found = getattr(module, name, None)
    classes = [key for key, value in vars(module).items() if _is_program(value, Controller)]
    if found is None:
        raise InputError(f"{place} has no class {name!r}{_hint(name, classes)}", path=OPTION)
    if not _is_program(found, Controller):
        raise InputError(f"{text} is not a didymos.Controller{_hint(name, classes)}", path=OPTION)
    try:
        program: Controller = found()
    except Exception as error:  # the user's own code
        raise InputError(f"{text} cannot be created without arguments: {_said(error)}", path=OPTION) from error
    return program


def _is_program(value: object, base: type) -> bool:
    return isinstance(value, type) and issubclass(value, base) and value is not base


def _hint(name: str, classes: list[str]) -> str:
    return nearest(name, classes) or (f"; it has {', '.join(classes)}" if classes else "; it has no Controller")


def _from_file(file: Path) -> ModuleType:
    if not file.is_file():
        raise InputError("there is no such file", file=file, path=OPTION)
    name = f"_program_{file.stem}"  # never the name of a library, whatever the file is called
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # pickling and dataclasses look a class up by its module
    sys.path.insert(0, str(file.parent.resolve()))  # what lies beside the program can be imported by it
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # the user's own code
        raise InputError(f"cannot be imported: {_said(error)}", file=file, path=OPTION) from error
    return module


def _from_name(name: str) -> ModuleType:
    sys.path.insert(0, str(Path.cwd()))
    try:
        return importlib.import_module(name)
    except Exception as error:  # the user's own code
        raise InputError(f"module {name!r} cannot be imported: {_said(error)}", path=OPTION) from error


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
