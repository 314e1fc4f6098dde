"""Find the control program that a twin file or the command line names."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, get_type_hints

from pydantic import ConfigDict, PydanticUserError, TypeAdapter, ValidationError
from pydantic_core import SchemaError

from didymos.control import PROGRAMS, CompiledController, Controller
from didymos.describe.local_file import is_file
from didymos.describe.validate import expected_of, found_in
from didymos.errors import InputError, nearest

__all__ = ["find_module", "find_program", "option_names", "wrong_option"]

_STRICTLY = ConfigDict(strict=True, allow_inf_nan=False, arbitrary_types_allowed=True)


def find_program(name: str, folder: Path) -> type[Controller]:
    """A shipped program by name, or `MODULE:CLASS`, or `FILE.py:CLASS` relative to a folder."""
    if name in PROGRAMS:
        return PROGRAMS[name]
    module_name, colon, class_name = name.rpartition(":")
    if not colon or not module_name or not class_name:
        known = ", ".join(PROGRAMS)
        hint = nearest(name, PROGRAMS)
        raise InputError(f"found {name!r}, expected a shipped program ({known}), MODULE:CLASS or FILE.py:CLASS{hint}")
    module = find_module(module_name, folder)
    found = getattr(module, class_name, None)
    if found is None:
        classes = [key for key, item in vars(module).items() if isinstance(item, type) and issubclass(item, Controller)]
        raise InputError(f"{module_name} has no class {class_name!r}{nearest(class_name, classes)}")
    if not (isinstance(found, type) and issubclass(found, Controller)):
        raise InputError(f"{module_name}:{class_name} is not a didymos.Controller")
    if issubclass(found, CompiledController) and not hasattr(found, "program"):
        raise InputError(f"{class_name} has no compiled function 'program'")
    if not (isinstance(found.setpoints, tuple | list) and all(isinstance(want, str) for want in found.setpoints)):
        raise InputError(f"{class_name}.setpoints is {found.setpoints!r}, expected a tuple of names")
    return found


def find_module(name: str, folder: Path) -> ModuleType:
    """A module by its name, or a Python file relative to a folder."""
    return _from_file(folder / name) if name.endswith(".py") else _from_module(name)


def option_names(program: type[Controller]) -> tuple[str, ...] | None:
    """Names of the options that a program takes, None where it takes any."""
    try:
        parameters = inspect.signature(program.__init__).parameters.values()
    except (TypeError, ValueError):
        return None
    if program.__init__ is object.__init__:
        return ()
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return None
    return tuple(parameter.name for parameter in parameters if parameter.kind is not parameter.VAR_POSITIONAL)[1:]


def wrong_option(program: type[Controller], options: dict[str, Any]) -> tuple[tuple[str | int, ...], str] | None:
    """The place of the first option that is not of the type that the program's own `__init__` says, and what was expected."""
    try:
        hints = get_type_hints(program.__init__)
    except Exception:  # a user's own class, with names that only a type checker knows
        return None
    for name, value in options.items():
        if name in hints:
            try:
                TypeAdapter(hints[name], config=_STRICTLY).validate_python(value)
            except ValidationError as error:
                return _deepest(name, value, error)
            except (PydanticUserError, SchemaError):
                continue  # a type that has no place in a file: a protocol, a user's own generic
    return None


def _deepest(name: str, value: Any, error: ValidationError) -> tuple[tuple[str | int, ...], str]:
    """Of all complaints about an option, those about the innermost value: a union complains once for each member."""
    found: dict[tuple[str | int, ...], list[Any]] = {}
    for item in error.errors(include_url=False):
        steps: list[str | int] = []
        node = value
        for step in item["loc"]:
            inside = isinstance(node, dict) and step in node
            if inside or (isinstance(node, list) and isinstance(step, int) and step < len(node)):
                steps.append(step)
                node = node[step]
        found.setdefault((name, *steps), []).append(item)
    place = max(found, key=len)
    expected = dict.fromkeys(expected_of(item) for item in found[place])
    return place, f"found {found_in(found[place][0]['input'])}, expected {' or '.join(expected)}"


def _from_module(name: str) -> ModuleType:
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:
        raise InputError(f"the control program {name!r} cannot be imported: {_short(error)}") from error


def _from_file(path: Path) -> ModuleType:
    if not is_file(path):
        raise InputError("there is no such file", file=path)
    name = f"didymos_program_{path.stem}_{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:8]}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise InputError("is not a Python file", file=path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise InputError(f"the control program cannot be imported: {_short(error)}", file=path) from error
    return module


def _short(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"
