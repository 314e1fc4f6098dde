"""Typed records read from files: every number with its unit, its bounds and whether it may change during a run."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated, Any, NamedTuple

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, PlainValidator, model_validator
from pydantic_core import PydanticKnownError

__all__ = ["PerAxis", "PerAxisFromZero", "Spec", "Vector", "number", "number_fields", "per_axis", "record_type"]


class Spec(BaseModel):
    """A record of a twin file: unknown keys are errors, numbers are finite."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, allow_inf_nan=False, validate_default=True, strict=False,
        defer_build=True,  # when the first record is read: no twin has records of all types
    )  # fmt: skip


def number(
    default: Any = ...,
    *,
    unit: str = "1",
    low: float | None = None,
    high: float | None = None,
    above: float | None = None,
    live: bool = True,
    doc: str = "",
) -> Any:
    """A float field: default, unit, inclusive bounds (`above`: exclusive lower bound), live or fixed during a run."""
    return Field(
        default,
        ge=low,
        le=high,
        gt=above,
        strict=True,  # neither true nor a quoted 5 is a number
        description=doc,
        json_schema_extra={"unit": unit, "live": live, "number": True},
    )


class Vector(Spec):
    """Three numbers, written as a list [x, y, z] or by name."""

    x: float = number(0.0, unit="*", live=False)
    y: float = number(0.0, unit="*", live=False)
    z: float = number(0.0, unit="*", live=False)

    @model_validator(mode="before")
    @classmethod
    def _from_list(cls, raw: Any) -> Any:
        if isinstance(raw, list | tuple):
            if len(raw) != 3:
                raise ValueError(f"found {len(raw)} numbers, expected 3")
            return dict(zip("xyz", raw, strict=True))
        return raw

    def __iter__(self) -> Any:
        return iter((self.x, self.y, self.z))


class _Bounds(NamedTuple):
    """Of a number or of three, where pydantic's own would not know what to compare; read by `number_fields`."""

    ge: float | None


def _one_or_three(low: float | None) -> PlainValidator:
    """Reads a number, or three of them as a `Vector`."""

    def read(raw: Any) -> float | Vector:
        value: float | Vector
        numbers: tuple[float, ...]
        if isinstance(raw, list | tuple | dict | Vector):
            value = vector = raw if isinstance(raw, Vector) else Vector.model_validate(raw)
            numbers = tuple(vector)
        elif isinstance(raw, bool) or not isinstance(raw, int | float):
            raise PydanticKnownError("float_type")
        else:
            value, numbers = float(raw), (raw,)
        for one in numbers:
            if not math.isfinite(one):
                raise PydanticKnownError("finite_number")
            if low is not None and one < low:
                raise PydanticKnownError("greater_than_equal", {"ge": low})
        return value

    return PlainValidator(read)


PerAxis = Annotated[float | Vector, _one_or_three(None)]
"""A number for all axes, or one for each: [x, y, z]."""

PerAxisFromZero = Annotated[float | Vector, _Bounds(0.0), _one_or_three(0.0)]
"""The same, none of them negative."""


def per_axis(default: float, *, unit: str = "1", live: bool = True, doc: str = "") -> Any:
    """A field of `PerAxis` or `PerAxisFromZero`; one number has its name as path, of three each has one: NAME.x."""
    return Field(
        default, description=doc, json_schema_extra={"unit": unit, "live": live, "number": True, "axes": True},
        validate_default=False,
    )  # fmt: skip


def number_fields(spec: type[Spec]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The names and metadata (unit, live, low, high, doc, axes) of the numbers of a record, in the order written."""
    for name, field in spec.model_fields.items():
        extra = field.json_schema_extra
        if isinstance(extra, dict) and extra.get("number"):
            bounds = {"low": None, "high": None}
            for rule in field.metadata:
                for attribute, bound in (("ge", "low"), ("gt", "low"), ("le", "high"), ("lt", "high")):
                    if getattr(rule, attribute, None) is not None:
                        bounds[bound] = getattr(rule, attribute)
            axes = bool(extra.get("axes"))
            yield name, {"unit": extra["unit"], "live": extra["live"], "doc": field.description or "", "axes": axes, **bounds}


def record_type(spec: type[Spec]) -> np.dtype[Any]:
    """The memory layout of a record's numbers as the compiled law sees it: one float64 each, or three, in order."""
    return np.dtype([(name, np.float64, 3) if about["axes"] else (name, np.float64) for name, about in number_fields(spec)])
