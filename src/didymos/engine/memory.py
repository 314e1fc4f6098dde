"""The few words with which compiled code reaches raw memory, C functions by address and the engine's functions by name."""

from __future__ import annotations

from typing import Any

import llvmlite.binding
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from didymos.compiled import DOUBLES
from didymos.engine.layout import library_path

__all__ = [
    "call_law", "call_program", "call_tick", "doubles", "engine_function", "integers", "pointer", "word",
]  # fmt: skip

llvmlite.binding.load_library_permanently(library_path())

_INTEGERS = types.CPointer(types.int32)


def engine_function(name: str, *arguments: Any) -> Any:
    """A function of the engine that takes the model's and the data's address, then further arguments."""
    return types.ExternalFunction(name, types.void(types.int64, types.int64, *arguments))


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


def _caller(n: int) -> Any:
    """An intrinsic that calls the C function at an address with n addresses as its arguments."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        argument = ir.IntType(8).as_pointer()
        function = ir.FunctionType(ir.VoidType(), [argument] * n)
        called = builder.inttoptr(arguments[0], function.as_pointer())
        builder.call(called, [builder.inttoptr(value, argument) for value in arguments[1:]])
        return context.get_dummy_value()

    return types.void(*[types.int64] * (n + 1)), generate


@intrinsic
def call_law(typing_context, address, a, b, c, d, e, f, g, h, i, j):  # type: ignore[no-untyped-def]
    """Call a force law: (parameters, tables, motion, input_from, inputs, memory, states, rates, wrench, outputs)."""
    return _caller(10)


@intrinsic
def call_tick(typing_context, address, a, b, c, d, e, f):  # type: ignore[no-untyped-def]
    """Call the tick function of a part: (parameters, tables, clock, inputs, outputs, memory)."""
    return _caller(6)


@intrinsic
def call_program(typing_context, address, a, b, c, d, e, f, g):  # type: ignore[no-untyped-def]
    """Call a control program: (clock, settings, gains, measured, setpoints, memory, inputs)."""
    return _caller(7)
