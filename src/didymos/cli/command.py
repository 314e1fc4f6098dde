"""A command whose options are a record: every field is an argument or a flag, and a field that is a record is a group of them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any, TypeVar, get_type_hints

__all__ = ["command"]

Options = TypeVar("Options")


def command(verb: Callable[[Options], int]) -> Callable[..., int]:
    """Let a verb that takes one record be called with its fields by name, as Typer calls the functions of its commands."""
    (record,) = (kind for name, kind in get_type_hints(verb).items() if name != "return")
    parameters = list(_parameters(record))

    def called(**given: Any) -> int:
        return verb(_filled(record, given))

    called.__name__, called.__doc__, called.__module__ = verb.__name__, verb.__doc__, verb.__module__
    called.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters} | {"return": int}
    called.__signature__ = inspect.Signature(parameters, return_annotation=int)  # type: ignore[attr-defined]
    return called


def _hinted(record: Any) -> Iterator[tuple[Field[Any], Any]]:
    hints = get_type_hints(record, include_extras=True)
    return ((field, hints[field.name]) for field in fields(record))


def _parameters(record: Any) -> Iterator[inspect.Parameter]:
    for field, kind in _hinted(record):
        if is_dataclass(kind):
            yield from _parameters(kind)
        else:
            default = inspect.Parameter.empty if field.default is MISSING else field.default
            yield inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)


def _filled(record: Any, given: Mapping[str, Any]) -> Any:
    return record(**{
        field.name: _filled(kind, given) if is_dataclass(kind) else given[field.name] for field, kind in _hinted(record)
    })  # fmt: skip
