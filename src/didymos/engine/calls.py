"""How compiled code calls C functions: those of the engine by name, laws and programs by address."""

from __future__ import annotations

from typing import Any

import llvmlite.binding
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from didymos.engine.layout import library_path

__all__ = ["call_law", "call_measure", "call_program", "call_tick", "engine_function"]

llvmlite.binding.load_library_permanently(library_path())


def engine_function(name: str, *arguments: Any) -> Any:
    """A function of the engine that takes the model's and the data's address, then further arguments."""
    return types.ExternalFunction(name, types.void(types.int64, types.int64, *arguments))


def _caller(count: int) -> Any:
    """An intrinsic that calls the C function at an address with so many addresses as its arguments."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        argument = ir.IntType(8).as_pointer()
        function = ir.FunctionType(ir.VoidType(), [argument] * count)
        called = builder.inttoptr(arguments[0], function.as_pointer())
        builder.call(called, [builder.inttoptr(value, argument) for value in arguments[1:]])
        return context.get_dummy_value()

    return types.void(*[types.int64] * (count + 1)), generate


@intrinsic
def call_law(typing_context, address, part, here, inputs, memory, state, rate, wrench, output):  # type: ignore[no-untyped-def]
    """Call a force law with the addresses of its records."""
    return _caller(8)


@intrinsic
def call_tick(typing_context, address, part, clock, inputs, memory, output):  # type: ignore[no-untyped-def]
    """Call the tick function of a part."""
    return _caller(5)


@intrinsic
def call_measure(typing_context, address, sensor, here, reading):  # type: ignore[no-untyped-def]
    """Call the function of a sensor that measures by itself."""
    return _caller(3)


@intrinsic
def call_program(typing_context, address, clock, settings, gains, measured, setpoints, memory, inputs):  # type: ignore[no-untyped-def]
    """Call a compiled control program."""
    return _caller(7)
