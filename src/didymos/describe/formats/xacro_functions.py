"""The functions and methods that an expression of a xacro file may call.

The functions are those that xacro documents: Python's harmless ones (directly and under `python.`), all of the module `math`
(directly and under `math.`); those under `xacro.` are made by the child process. Methods are those of texts, lists, tuples,
dictionaries and sets that compute a value; none that changes its owner. Whatever could make a huge value of a small one is
bounded before it is computed. Imports nothing of Didymos but its neighbour.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from didymos.describe.formats.xacro_bounds import ExpressionError, formatted, iterated, weight

__all__ = ["Function", "NameSpace", "Types", "call_method", "global_functions"]

NameSpace = Mapping[str, Any]

_TEXT = (
    "capitalize", "casefold", "center", "count", "endswith", "expandtabs", "find", "format", "index", "isalnum", "isalpha",
    "isascii", "isdecimal", "isdigit", "isidentifier", "islower", "isnumeric", "isprintable", "isspace", "istitle", "isupper",
    "join", "ljust", "lower", "lstrip", "partition", "removeprefix", "removesuffix", "replace", "rfind", "rindex", "rjust",
    "rpartition", "rsplit", "rstrip", "split", "splitlines", "startswith", "strip", "swapcase", "title", "upper", "zfill",
)  # fmt: skip
_SET = ("copy", "difference", "intersection", "isdisjoint", "issubset", "issuperset", "symmetric_difference", "union")
_METHODS: dict[type, frozenset[str]] = {
    str: frozenset(_TEXT),
    list: frozenset(("copy", "count", "index")),
    tuple: frozenset(("count", "index")),
    dict: frozenset(("copy", "get", "items", "keys", "values")),
    set: frozenset(_SET),
    frozenset: frozenset(_SET),
    float: frozenset(("is_integer",)),
    int: frozenset(("bit_length",)),
}
_LONGEST = 1_000_000  # [characters] of a text that a method makes
_MOST_FACTORS = 400
_MOST_ZIPPED = 100
_MOST_DIGITS = 400
_MOST_BITS = 100_000


class Caller(Protocol):
    """Who evaluates: a function that calls others, or goes through much, tells it."""

    def spend(self, steps: int, /) -> None: ...


@dataclass(frozen=True)
class Types:
    """The classes of xacro that an expression meets: namespaces, and dictionaries whose entries are also attributes."""

    namespace: Any
    dotted: Any


@dataclass(frozen=True, eq=False)
class Function:
    """Something that an expression may call. `kind` is the class that it stands for, if it does (`str`, `list`, ...)."""

    name: str
    compute: Callable[..., Any]
    kind: type | None = None
    takes_functions: bool = False

    def __call__(self, caller: Caller, arguments: list[Any], named: dict[str, Any]) -> Any:
        """The value for some arguments."""
        given = [*arguments, *named.values()]
        if not self.takes_functions and any(isinstance(value, Function) for value in given):
            raise ExpressionError(f"{self.name}() takes no function in an expression")
        for value in given:
            if not isinstance(value, (Function, int, float)):
                caller.spend(weight(value) // 4)
        if self.takes_functions:
            return self.compute(caller, *arguments, **named)
        return self.compute(*arguments, **named)

    def __str__(self) -> str:
        return f"<class {self.name!r}>"


def call_method(owner: Any, name: str, arguments: list[Any], named: dict[str, Any]) -> Any:
    """``owner.name(arguments)``; where the owner is a class (``str.join(',', items)``), of the first argument."""
    if isinstance(owner, Function) and owner.kind in _METHODS:
        if not arguments or not isinstance(arguments[0], owner.kind):
            raise ExpressionError(f"{owner.name}.{name}() needs a {owner.name} first")
        owner, *arguments = arguments
    kind = next((kind for kind in _METHODS if isinstance(owner, kind) and not isinstance(owner, bool)), None)
    if kind is None or name not in _METHODS[kind]:
        what = "function" if isinstance(owner, Function) else type(owner).__name__
        raise ExpressionError(f"the method {name!r} of a {what} is not allowed in an expression")
    if any(isinstance(value, Function) for value in [*arguments, *named.values()]):
        raise ExpressionError(f"the method {name!r} takes no function in an expression")
    if isinstance(owner, str):
        if name == "format":
            return formatted(owner, arguments, named)
        _bound_text(owner, name, arguments, named)
        if name == "join" and arguments:
            arguments = [iterated(arguments[0]), *arguments[1:]]
    return getattr(kind if kind is not dict else type(owner), name)(owner, *arguments, **named)


def _bound_text(text: str, name: str, arguments: list[Any], named: dict[str, Any]) -> None:
    """Refuse a method whose result would be huge."""
    size = 0
    first, second = [*arguments, None, None][:2]
    if name in ("center", "ljust", "rjust", "zfill") and isinstance(first, int):
        size = first
    elif name == "expandtabs":
        width = named.get("tabsize", first)
        size = text.count("\t") * (width if isinstance(width, int) else 8)
    elif name == "replace" and isinstance(first, str) and isinstance(second, str):
        size = text.count(first) * len(second)
    elif name == "join":
        size = len(text) * len(iterated(first))
    if size > _LONGEST:
        raise ExpressionError(f"the method {name!r} would make a text of {size} characters, expected at most {_LONGEST}")


def global_functions() -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """The names that every expression knows: directly, under `python`, and under `math`."""
    python: dict[str, Any] = {name: Function(name, compute, kind) for name, compute, kind in _PLAIN}
    python |= {name: Function(name, compute, takes_functions=True) for name, compute in _HIGHER.items()}
    python["type"] = Function("type", _type_of(python))
    python |= {"True": True, "False": False}
    maths = {
        name: Function(name, _BOUNDED.get(name, value)) if callable(value) else value
        for name, value in vars(math).items()
        if not name.startswith("_")
    }
    direct = {name: python[name] for name in _DIRECT} | maths
    return direct, python, maths


def _range(*limits: int) -> range:
    made = range(*limits)
    iterated(made)
    return made


def _round(number: Any, ndigits: int | None = None) -> Any:
    if ndigits is not None and abs(ndigits) > _MOST_DIGITS:
        raise ExpressionError(f"round() to {ndigits} digits, expected at most {_MOST_DIGITS}")
    return round(number, ndigits)


def _hash(value: Any) -> int:
    if not isinstance(value, (int, float)):
        raise ExpressionError("hash() of anything but a number is another one in every run")
    return hash(value)


def _zip(*several: Any, strict: bool = False) -> list[Any]:
    parts = [iterated(items) for items in several[:_MOST_ZIPPED]]
    if len(several) > _MOST_ZIPPED:
        raise ExpressionError(f"zip() takes {len(several)} lists, expected at most {_MOST_ZIPPED}")
    return list(zip(*parts, strict=strict))


def _text_of(*arguments: Any) -> str:
    if len(arguments) > 1:
        raise ExpressionError("str() takes one value in an expression")
    return str(*arguments)


_PLAIN: list[tuple[str, Callable[..., Any], type | None]] = [
    ("list", lambda items=(): iterated(items), list),
    ("tuple", lambda items=(): tuple(iterated(items)), tuple),
    ("set", lambda items=(): set(iterated(items)), set),
    ("frozenset", lambda items=(): frozenset(iterated(items)), frozenset),
    ("dict", dict, dict),
    ("str", _text_of, str),
    ("int", int, int),
    ("float", float, float),
    ("bool", bool, bool),
    ("complex", complex, complex),
    ("len", len, None),
    ("abs", abs, None),
    ("all", lambda items: all(iterated(items)), None),
    ("any", lambda items: any(iterated(items)), None),
    ("divmod", divmod, None),
    ("enumerate", lambda items, start=0: list(enumerate(iterated(items), start)), None),
    ("hash", _hash, None),
    ("ord", ord, None),
    ("range", _range, None),
    ("repr", repr, None),
    ("reversed", lambda items: iterated(items)[::-1], None),
    ("round", _round, None),
    ("slice", slice, None),
    ("zip", _zip, None),
]
_DIRECT = ("list", "dict", "map", "len", "str", "float", "int", "bool", "True", "False", "min", "max", "round", "sorted", "range")


def _called(caller: Caller, function: Any, *values: Any) -> Any:
    if not isinstance(function, Function):
        raise ExpressionError(f"a {type(function).__name__} cannot be called")
    result = function(caller, list(values), {})
    caller.spend(1 + (len(result) // 4 if isinstance(result, (str, list, tuple, dict, set, frozenset)) else 0))
    return result


def _map(caller: Caller, function: Any, *several: Any) -> list[Any]:
    return [_called(caller, function, *values) for values in _zip(*several)]


def _filter(caller: Caller, function: Any, items: Any) -> list[Any]:
    return [item for item in iterated(items) if (item if function is None else _called(caller, function, item))]


def _by(caller: Caller, key: Any) -> Callable[[Any], Any] | None:
    return None if key is None else lambda value: _called(caller, key, value)


def _sorted(caller: Caller, items: Any, *, key: Any = None, reverse: bool = False) -> list[Any]:
    return sorted(iterated(items), key=_by(caller, key), reverse=reverse)


def _extreme(choose: Any) -> Callable[..., Any]:
    def call(caller: Caller, *values: Any, key: Any = None, **default: Any) -> Any:
        if len(values) == 1:
            return choose(iterated(values[0]), key=_by(caller, key), **default)
        return choose(*values, key=_by(caller, key), **default)

    return call


def _sum(caller: Caller, items: Any, start: Any = 0) -> Any:
    """The sum of numbers; lists are joined by ``+``, as adding them up here could grow without bound."""
    items = iterated(items)
    if not all(isinstance(item, (int, float, complex)) for item in [*items, start]):
        raise ExpressionError("sum() adds numbers in an expression")
    return sum(items, start)


def _is_instance(caller: Caller, value: Any, kinds: Any) -> bool:
    several = kinds if isinstance(kinds, tuple) else (kinds,)
    if not all(isinstance(kind, Function) and kind.kind for kind in several):
        raise ExpressionError("isinstance() needs a type such as str, list or dict")
    return not isinstance(value, Function) and isinstance(value, tuple(kind.kind for kind in several))


def _type_of(python: dict[str, Any]) -> Callable[..., Function]:
    def call(*values: Any) -> Function:
        for name in ("bool", "int", "float", "complex", "str", "list", "tuple", "dict", "frozenset", "set"):
            if len(values) == 1 and isinstance(values[0], python[name].kind):
                made: Function = python[name]
                return made
        raise ExpressionError("type() tells the type of one plain value in an expression")

    return call


_HIGHER: dict[str, Callable[..., Any]] = {
    "map": _map, "filter": _filter, "sorted": _sorted, "min": _extreme(min), "max": _extreme(max), "sum": _sum,
    "isinstance": _is_instance,
}  # fmt: skip


def _few(compute: Callable[..., Any]) -> Callable[..., Any]:
    def call(*numbers: Any) -> Any:
        if any(isinstance(number, (int, float)) and abs(number) > _MOST_FACTORS for number in numbers):
            raise ExpressionError(f"{compute.__name__}() is of numbers up to {_MOST_FACTORS} in an expression")
        return compute(*numbers)

    return call


def _short(compute: Callable[..., Any]) -> Callable[..., Any]:
    def call(*numbers: Any, **named: Any) -> Any:
        items = [item for number in numbers for item in (iterated(number) if not isinstance(number, (int, float)) else [number])]
        if sum(item.bit_length() for item in items if isinstance(item, int)) > _MOST_BITS:
            raise ExpressionError(f"{compute.__name__}() has too many factors")
        return compute(*numbers, **named)

    return call


_BOUNDED: dict[str, Callable[..., Any]] = {
    "factorial": _few(math.factorial),
    "comb": _few(math.comb),
    "perm": _few(math.perm),
    "prod": _short(math.prod),
    "lcm": _short(math.lcm),
}
