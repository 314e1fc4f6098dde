"""From plain data to a typed `TwinFile`, with every mistake as a sentence that points at its line."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from didymos.control.stimulus import StimulusSpec
from didymos.describe.code import Code
from didymos.describe.schema import OF_A_KIND, TwinFile
from didymos.describe.tables.readers import table_readers
from didymos.describe.yaml_file import Lines
from didymos.errors import InputError, nearest
from didymos.spec import Spec

__all__ = ["expected_of", "found_in", "validate", "validate_as", "validate_given"]

F = TypeVar("F", bound=Spec)


def validate(raw: dict[str, Any], file: Path, lines: Lines, code: Code) -> TwinFile:
    """The typed twin file, or an `InputError` whose `others` are the further mistakes; `code` finds the kinds that it names."""
    return validate_as(TwinFile, raw, file, lines, code)


def validate_as(model: type[F], raw: dict[str, Any], file: Path, lines: Lines, code: Code) -> F:
    """A file typed as a record, as `validate` does it."""
    try:
        return model.model_validate(raw, context={"code": code, **table_readers(code.folder)})
    except ValidationError as error:
        mistakes = [_sentence(model, item, raw, file, lines, code) for item in _worst_first(error)]
    raise _with_others(mistakes)


def validate_given(model: type[F], raw: dict[str, Any], name: str) -> F:
    """A record that is handed over in Python instead of in a file, typed; `name` is what mistakes call it."""
    try:
        return model.model_validate(raw)
    except ValidationError as error:
        mistakes = [_sentence(model, item, raw, None, {}, None) for item in _worst_first(error)]
    raise _with_others([InputError(one.message, path=".".join(filter(None, (name, one.path)))) for one in mistakes])


def _worst_first(error: ValidationError) -> list[Any]:
    """A misspelt key comes with a missing one, which says less."""
    return sorted(error.errors(include_url=False), key=lambda item: item["type"] != "extra_forbidden")


def _with_others(mistakes: list[InputError]) -> InputError:
    first, *others = mistakes
    first.others = tuple(others)
    return first


def _place(item: Any) -> tuple[str | int, ...]:
    """Where the mistake is, in the words of the file."""
    steps = [step for step in item["loc"] if step != "[key]"]
    return tuple("from" if step == "before" and steps[2:3] == ["stimuli"] else step for step in steps)


def _line(place: tuple[str | int, ...], lines: Lines) -> int | None:
    for length in range(len(place), 0, -1):
        if place[:length] in lines:
            return lines[place[:length]]
    return None


def found_in(value: Any) -> str:
    """A value of a file, in a word."""
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list | tuple):
        return "a list"
    if isinstance(value, BaseModel):
        return "this"
    if isinstance(value, bool):
        return "true" if value else "false"
    text = "a huge number" if isinstance(value, int) and abs(value) > 10**60 else repr(value)
    return "nothing" if value is None else text if len(text) < 60 else text[:57] + "..."


def _keys_beside(model: Any, place: tuple[str | int, ...], raw: Any, code: Code | None) -> list[str]:
    """Known keys of the record that an unknown key stands in, of a file that is a `model`."""
    node, is_one_of_many = raw, False
    for index, step in enumerate(place[:-1]):
        node = _step_into(node, step)
        if is_one_of_many:  # a name in a mapping or an index in a list
            if index == 1 and place[0] in OF_A_KIND and code is not None:
                model = code.find(OF_A_KIND[str(place[0])], node["kind"]).spec
            is_one_of_many = False
        else:
            field = model.model_fields.get(str(step)) if _is_record(model) else None
            model, is_one_of_many = (None, False) if field is None else (_inner(field.annotation), _holds_many(field.annotation))
    if not _is_record(model):
        return []
    return ["from" if model is StimulusSpec and name == "before" else name for name in model.model_fields]


def _is_record(model: Any) -> bool:
    return isinstance(model, type) and issubclass(model, Spec)


def _holds_many(annotation: Any) -> bool:
    return getattr(annotation, "__origin__", None) in (dict, tuple)


def _step_into(node: Any, step: str | int) -> Any:
    if isinstance(node, dict):
        return node.get(step, {})
    return node[step] if isinstance(node, list) and isinstance(step, int) and step < len(node) else {}


def _inner(annotation: Any) -> Any:
    """The record inside Optional, dict and tuple annotations."""
    if _is_record(annotation):
        return annotation
    for argument in getattr(annotation, "__args__", ()):
        found = _inner(argument)
        if found is not None:
            return found
    return None


_EXPECTED = {
    "greater_than": "a number above {gt:g}",
    "greater_than_equal": "a number of at least {ge:g}",
    "less_than": "a number below {lt:g}",
    "less_than_equal": "a number of at most {le:g}",
    "literal_error": "{expected}",
    "finite_number": "a finite number",
    "string_type": "a text",
    "string_unicode": "a text",
    "string_pattern_mismatch": "a name of letters, digits, _ and - that begins with a letter",
    "string_too_long": "at most {max_length} characters",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "bool_type": "true or false",
    "list_type": "a list",
    "sequence_str": "a list",
    "mapping_type": "a mapping",
    "none_required": "nothing",
    "tuple_type": "a list",
    "float_type": "a number",
    "int_type": "a whole number",
}


def expected_of(item: Any) -> str:
    """What a complaint of the library expected, in a word."""
    kind, context = item["type"], item.get("ctx", {})
    if kind == "is_instance_of" and context["class"] == "Sequence":
        return "a list"
    return _EXPECTED[kind].format(**context) if kind in _EXPECTED else str(item["msg"])[:1].lower() + str(item["msg"])[1:]


def _sentence(model: type[Spec], item: Any, raw: Any, file: Path | None, lines: Lines, code: Code | None) -> InputError:
    place = _place(item)
    kind, found, context = item["type"], found_in(item["input"]), item.get("ctx", {})
    if kind == "missing":
        text = f"the key {place[-1]!r} is missing"
        place = place[:-1]
    elif kind == "extra_forbidden":
        near = nearest(str(place[-1]), _keys_beside(model, place, raw, code))
        text = f"unknown key{near or ', expected one that Didymos knows'}"
    elif kind == "kind":
        text = context["text"]
        place = (*place, "kind") if "kind" in item["input"] else place
    elif kind == "value_error":
        text = str(context["error"])
    elif kind == "model_type" and context.get("class_name") == "Vector":
        text = f"found {found}, expected three numbers [x, y, z]"
    elif kind in _EXPECTED:
        text = f"found {found}, expected {expected_of(item)}"
        if kind == "literal_error":
            known = context["expected"].replace(" or ", ", ").split(", ")
            text += nearest(str(item["input"]), [word.strip("'") for word in known])
    else:
        text = f"found {found}: {item['msg'][0].lower()}{item['msg'][1:]}"
    return InputError(text, file=file, line=_line(place, lines), path=".".join(map(str, place)) or None)
