"""What a control program takes: the names of its options and their types, from its own `__init__`."""

from __future__ import annotations

import inspect
from typing import Any, get_type_hints

from pydantic import ConfigDict, PydanticUserError, TypeAdapter, ValidationError
from pydantic_core import SchemaError

from didymos.control import Controller
from didymos.describe.validate import expected_of, found_in

__all__ = ["option_names", "wrong_option"]

_STRICTLY = ConfigDict(strict=True, allow_inf_nan=False, arbitrary_types_allowed=True)


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
