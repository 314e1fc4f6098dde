"""Typed records read from files: every number with its unit, its bounds and whether it may change during a run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

__all__ = ["Spec", "number", "number_fields", "record_type"]


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


def number_fields(spec: type[Spec]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The names and metadata (unit, live, low, high, doc) of the plain numbers of a record, in the order written."""
    for name, field in spec.model_fields.items():
        extra = field.json_schema_extra
        if isinstance(extra, dict) and extra.get("number"):
            bounds = {"low": None, "high": None}
            for rule in field.metadata:
                for attribute, bound in (("ge", "low"), ("gt", "low"), ("le", "high"), ("lt", "high")):
                    if getattr(rule, attribute, None) is not None:
                        bounds[bound] = getattr(rule, attribute)
            yield name, {"unit": extra["unit"], "live": extra["live"], "doc": field.description or "", **bounds}


def record_type(spec: type[Spec]) -> np.dtype[Any]:
    """The memory layout of a record's numbers as the compiled law sees it: one float64 each, in order."""
    return np.dtype([(name, np.float64) for name, _ in number_fields(spec)])
