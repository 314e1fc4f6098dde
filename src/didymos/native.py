"""The few words with which compiled code reaches raw memory, and functions by their address."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

from didymos.compiled import DOUBLES

__all__ = ["address_caller", "array_at", "doubles", "integers", "longs", "matrix_at", "record_at", "row_at", "word"]

_INTEGERS, _LONGS = types.CPointer(types.int32), types.CPointer(types.int64)


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
def longs(typing_context, address):  # type: ignore[no-untyped-def]
    """The address as a pointer to int64."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return builder.inttoptr(arguments[0], ir.IntType(64).as_pointer())

    return _LONGS(types.int64), generate


@intrinsic
def record_at(typing_context, address, layout):  # type: ignore[no-untyped-def]
    """The record of a layout (a numpy dtype, known to the compiler) at an address."""
    record = layout.dtype

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return builder.inttoptr(arguments[0], context.get_value_type(record))

    return record(types.int64, layout), generate


@intrinsic
def row_at(typing_context, address, index, layout):  # type: ignore[no-untyped-def]
    """The record of a layout in a row of a table that begins at an address."""
    record = layout.dtype

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        size = context.get_constant(types.int64, record.size)
        address = builder.add(arguments[0], builder.mul(arguments[1], size))
        return builder.inttoptr(address, context.get_value_type(record))

    return record(types.int64, types.int64, layout), generate


def _array(context: Any, builder: Any, kind: Any, address: Any, shape: list[Any]) -> Any:
    """An array of numba's that lies at an address and belongs to nobody."""
    array = context.make_array(kind)(context, builder)
    item = context.get_abi_sizeof(context.get_data_type(kind.dtype))
    size = context.get_constant(types.intp, item)
    strides = [size]
    for extent in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], extent))
    populate_array(
        array,
        data=builder.inttoptr(address, context.get_data_type(kind.dtype).as_pointer()),
        shape=shape,
        strides=strides,
        itemsize=size,
        meminfo=None,
    )
    return array._getvalue()


@intrinsic
def array_at(typing_context, address, count, layout):  # type: ignore[no-untyped-def]
    """An array of records or numbers of a layout at an address."""
    kind = types.Array(layout.dtype, 1, "C")

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return _array(context, builder, kind, arguments[0], [arguments[1]])

    return kind(types.int64, types.int64, layout), generate


@intrinsic
def matrix_at(typing_context, address, rows, columns, layout):  # type: ignore[no-untyped-def]
    """A matrix of numbers at an address, row by row."""
    kind = types.Array(layout.dtype, 2, "C")

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return _array(context, builder, kind, arguments[0], [arguments[1], arguments[2]])

    return kind(types.int64, types.int64, types.int64, layout), generate


def address_caller(count: int) -> Any:
    """An intrinsic that calls the C function at an address with so many addresses as its arguments."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        argument = ir.IntType(8).as_pointer()
        function = ir.FunctionType(ir.VoidType(), [argument] * count)
        called = builder.inttoptr(arguments[0], function.as_pointer())
        builder.call(called, [builder.inttoptr(value, argument) for value in arguments[1:]])
        return context.get_dummy_value()

    return types.void(*[types.int64] * (count + 1)), generate
