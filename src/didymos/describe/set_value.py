"""Set one number inside a record that has been read and checked, at the cost of copying the records around it.

Records are frozen and shared between twins; the one that holds the number, and those that hold that record, are replaced. The
number's own bounds are the caller's to check (`Parameter`); rules between the numbers of one record are asked again here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from didymos.describe.schema import FreeStartSpec, StartSpec
from didymos.errors import InputError
from didymos.spec import Spec, Vector

__all__ = ["with_value"]


def with_value(node: Any, steps: Sequence[str], value: float) -> Any:
    """A record, or a mapping of records, with another number at a path; a rule that it breaks is an `InputError`."""
    head, *rest = steps
    if isinstance(node, Mapping):
        return _in_mapping(node, steps, value)
    if isinstance(node, tuple) and not isinstance(node, Vector):
        return (*node[: int(head)], with_value(node[int(head)], rest, value), *node[int(head) + 1 :])
    child = getattr(node, head)
    if not rest:
        _check_bound(node, head, value)
        return _checked(_replaced(node, head, value))
    if child is None:
        child = _empty(node, head)
    if isinstance(node, StartSpec) and isinstance(child, Mapping) and len(rest) > 1:  # a free body, a ball joint
        child = {rest[0]: FreeStartSpec() if head == "objects" else Vector(), **child}
    return _replaced(node, head, with_value(child, rest, value))


def _in_mapping(node: Mapping[str, Any], steps: Sequence[str], value: float) -> dict[str, Any]:
    """Gains and positions of joints are plain numbers, nested or by dotted keys; all else are records."""
    dotted = ".".join(steps)
    head, *rest = steps
    if dotted in node or not rest:
        return {**node, dotted: value}
    return {**node, head: with_value(node.get(head, {}), rest, value)}


def _replaced(node: Spec, name: str, value: Any) -> Spec:
    """A copy of a record with another value; nothing of it is validated again."""
    made = node.__class__.__new__(node.__class__)
    object.__setattr__(made, "__dict__", {**node.__dict__, name: value})
    object.__setattr__(made, "__pydantic_fields_set__", node.__pydantic_fields_set__ | {name})
    object.__setattr__(made, "__pydantic_extra__", None)
    object.__setattr__(made, "__pydantic_private__", None)
    return made


def _check_bound(node: Spec, name: str, value: float) -> None:
    """Bounds that are not inclusive, which a parameter does not tell."""
    for rule in type(node).model_fields[name].metadata:
        bound = getattr(rule, "gt", None)
        if bound is not None and not value > bound:
            raise InputError(f"found {value:g}, expected a number above {bound:g}")


def _checked(node: Spec) -> Spec:
    """The record, if its numbers agree with each other."""
    for rule in type(node).__pydantic_decorators__.model_validators.values():
        if rule.info.mode == "after":
            try:
                rule.func(node)
            except ValueError as error:
                raise InputError(str(error)) from None
    return node


def _empty(node: Spec, name: str) -> Any:
    """A record of defaults where there was none."""
    kinds = [kind for kind in getattr(type(node).model_fields[name].annotation, "__args__", ()) if isinstance(kind, type)]
    (record,) = (kind for kind in kinds if issubclass(kind, Spec))
    return record()
