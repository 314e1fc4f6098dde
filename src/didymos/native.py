"""The few words with which compiled code reaches raw memory."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import carray, types
from numba.extending import intrinsic

from didymos.compiled import DOUBLES, kernel

__all__ = ["doubles", "integers", "pointer", "record_at", "records_at", "word"]

_INTEGERS = types.CPointer(types.int32)


@intrinsic
def word(typing_context, address):  # type: ignore[no-untyped-def]
    """The 64-bit word at an address: usually a pointer."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return builder.load(builder.inttoptr(arguments[0], ir.IntType(64).as_pointer()))

    return types.int64(types.int64), generate


@intrinsic
def doubles(typing_context, address):  # type: ignore[no-untyped-def]
    """The address as a pointer to float64."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return builder.inttoptr(arguments[0], ir.DoubleType().as_pointer())

    return DOUBLES(types.int64), generate


@intrinsic
def integers(typing_context, address):  # type: ignore[no-untyped-def]
    """The address as a pointer to int32."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return builder.inttoptr(arguments[0], ir.IntType(32).as_pointer())

    return _INTEGERS(types.int64), generate


@intrinsic
def pointer(typing_context, address):  # type: ignore[no-untyped-def]
    """The address as a void pointer, for `numba.carray` with a record type."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return builder.inttoptr(arguments[0], ir.IntType(8).as_pointer())

    return types.voidptr(types.int64), generate


@kernel
def record_at(address: int, layout: Any) -> Any:
    """The record of a layout (a numpy dtype, known to the compiler) at an address."""
    return carray(pointer(address), 1, layout)[0]


@kernel
def records_at(address: int, count: int, layout: Any) -> Any:
    """An array of records of a layout at an address."""
    return carray(pointer(address), count, layout)
