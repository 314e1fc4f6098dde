"""A table of JSBSim: one to three independent variables, values in rows.

    one    <independentVar>aero/alpha-rad</independentVar> <tableData> x y, one row each </tableData>
    two    lookup="row" and lookup="column"; the first row holds the breakpoints of the columns
    three  further lookup="table"; one <tableData breakPoint="z"> each

Reference: JSBSim Reference Manual (2011), ch. 2.3.3 (tables).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from didymos.describe.formats.xml_file import Element

__all__ = ["JsbsimTable", "read_table"]

_ORDER = ("row", "column", "table")


@dataclass(frozen=True, eq=False)
class JsbsimTable:
    """Properties that a table is over, their breakpoints, values of shape [axes[0], axes[1], ...]."""

    variables: tuple[str, ...]
    axes: tuple[NDArray[np.float64], ...]
    values: NDArray[np.float64]

    def range_of(self, radians: str, degrees: str) -> Iterator[tuple[float, float]]:
        """The ends [rad] of an axis over a property, where it has two points or more."""
        for name, axis in zip(self.variables, self.axes, strict=True):
            if name in (radians, degrees) and len(axis) > 1:
                scale = 1.0 if name == radians else math.pi / 180.0
                yield scale * float(axis[0]), scale * float(axis[-1])


def read_table(item: Element) -> JsbsimTable:
    """A table by its element; an `InputError` with the line where it does not add up."""
    named = item.all("independentVar")
    if not 1 <= len(named) <= 3:
        raise item.error(f"a table over {len(named)} variables, expected one to three")
    lookups = [one.attributes.get("lookup", "row") for one in named]
    if sorted(lookups) != sorted(_ORDER[: len(named)]):
        raise item.error(f"found lookups {', '.join(lookups)}, expected {', '.join(_ORDER[: len(named)])}")
    variables = tuple(named[lookups.index(word)].text.strip() for word in _ORDER[: len(named)])
    data = item.all("tableData")
    if not data or (len(named) < 3 and len(data) != 1):
        raise item.error(f"found {len(data)} <tableData>, expected {'one or more' if len(named) == 3 else 'one'}")
    if len(named) == 1:
        rows = _rows(data[0])
        if any(len(row) != 2 for row in rows):
            raise data[0].error("expected two numbers in each row: the variable and the value")
        axis, values = np.array(rows).T
        return JsbsimTable(variables, (_ascending(data[0], axis),), values)
    layers = [_layer(one) for one in data]
    if len(named) == 2:
        return JsbsimTable(variables, layers[0][:2], layers[0][2])
    rows_axis, columns_axis, _ = layers[0]
    for one, layer in zip(data, layers, strict=True):
        if not (np.array_equal(layer[0], rows_axis) and np.array_equal(layer[1], columns_axis)):
            raise one.error("has other breakpoints than the first <tableData> of its table")
    heights = np.array([_number(one, one.attributes.get("breakPoint", "")) for one in data])
    values = np.stack([layer[2] for layer in layers], axis=-1)
    return JsbsimTable(variables, (rows_axis, columns_axis, _ascending(data[0], heights)), values)


def _layer(data: Element) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    rows = _rows(data)
    width = len(rows[0])
    if len(rows) < 2 or any(len(row) != width + 1 for row in rows[1:]):
        raise data.error(f"expected {width + 1} numbers in each row below the first: the breakpoint of the row, then values")
    body = np.array(rows[1:])
    return _ascending(data, body[:, 0]), _ascending(data, np.array(rows[0])), body[:, 1:]


def _rows(data: Element) -> list[list[float]]:
    rows = [[_number(data, word) for word in line.split()] for line in data.text.splitlines() if line.strip()]
    if not rows:
        raise data.error("<tableData> is empty")
    return rows


def _ascending(data: Element, axis: NDArray[np.float64]) -> NDArray[np.float64]:
    if not (np.diff(axis) > 0.0).all():
        raise data.error("breakpoints must ascend")
    return axis


def _number(data: Element, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise data.error(f"found {text!r} in <{data.tag}>, expected a number")
    return value
