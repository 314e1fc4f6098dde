"""How compiled code calls C functions: those of the engine by name, laws by address."""

from __future__ import annotations

from typing import Any

import llvmlite.binding
from numba import types
from numba.extending import intrinsic

from didymos.engine.layout import library_path
from didymos.native import address_caller

__all__ = ["call_law", "call_measure", "call_tick", "engine_function"]

llvmlite.binding.load_library_permanently(library_path())


def engine_function(name: str, *arguments: Any) -> Any:
    """A function of the engine that takes the model's and the data's address, then further arguments."""
    return types.ExternalFunction(name, types.void(types.int64, types.int64, *arguments))


@intrinsic
def call_law(typing_context, address, part, here, inputs, memory, state, rate, wrench, output):  # type: ignore[no-untyped-def]
    """Call a force law with the addresses of its records."""
    return address_caller(8)


@intrinsic
def call_tick(typing_context, address, part, clock, inputs, memory, output):  # type: ignore[no-untyped-def]
    """Call the tick function of a part."""
    return address_caller(5)


@intrinsic
def call_measure(typing_context, address, sensor, here, reading):  # type: ignore[no-untyped-def]
    """Call the function of a sensor that measures by itself."""
    return address_caller(3)
