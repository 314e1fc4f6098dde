"""One contract for everything that plugs in: a class whose attributes declare every number once, by name.

    class Parachute(Part):
        area = parameter(unit="m^2", low=0)
        released = input(range=(0, 1))
        opened = state()
        force = output(unit="N")

From the declaration come the keys of `twin.yaml`, the memory layout, the names that compiled code reads (`part.area`,
`state.opened`), the columns of the log, parameter paths, sliders and tables of the docs. A `Part` (a force law), a `Sensor` and
a control program (`Controller`, `CompiledController`) declare with the words below; which of them each takes, it says itself.

Layout: the numbers of one role lie side by side in one record of float64, in the order in which they are declared. A declared
vector has `columns` (`"xyz"`: `force.x`, `force.y`, `force.z` in the log, `output.force[0]` in the code), an array only a
`shape`, a group a `layout` of its own. Compiled code gets a reference to the record and reads and writes it by name.

Where two roles share a word (the state `speed` of a rotor and its readout `speed`), the attribute has another name and the word
is given first: `shown_speed = output("speed", unit="rad/s")`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numba
import numpy as np

__all__ = [
    "ODOMETRY", "Declaration", "choice", "command", "declared", "input", "layout_of", "measurement", "memory", "needs",
    "odometry", "offset_of", "option", "output", "parameter", "parameter_array", "quantity", "record_type", "report", "setpoint",
    "setting", "state",
]  # fmt: skip


ODOMETRY = (
    *(f"position.{axis}" for axis in "xyz"),
    *(f"orientation.{axis}" for axis in "wxyz"),
    *(f"{what}.{axis}" for what in ("velocity", "angular_velocity") for axis in "xyz"),
)
"""Columns of a pose and a twist: [m], quaternion, [m/s] and [rad/s] in the moving frame."""

_ODOMETRY_LAYOUT = np.dtype(
    [
        ("position", np.float64, 3),
        ("orientation", np.float64, 4),
        ("velocity", np.float64, 3),
        ("angular_velocity", np.float64, 3),
    ]
)


@dataclass(frozen=True)
class Declaration:
    """One declared number, vector, array or group: its role, its name, its unit and what may be said about it."""

    role: str
    name: str = ""
    unit: str = "1"
    columns: tuple[str, ...] = ()
    shape: tuple[int, ...] = ()
    layout: np.dtype[Any] | None = None
    default: Any = ...
    low: float | None = None
    high: float | None = None
    above: float | None = None
    live: bool = True
    recorded: bool = True
    range: tuple[float, float] = (-math.inf, math.inf)
    labels: tuple[str, ...] = ()
    kind: Any = None
    required: bool = False
    settles: bool = False
    doc: str = ""
    units: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """How many float64 it takes."""
        if self.layout is not None:
            return self.layout.itemsize // 8 * math.prod(self.shape)
        return len(self.columns) or math.prod(self.shape)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its numbers: its own, or one per column or entry."""
        if self.columns:
            return tuple(f"{self.name}.{column}".rstrip(".") for column in self.columns)
        if self.shape:
            return tuple(f"{self.name}.{i}" for i in range(math.prod(self.shape)))
        return (self.name,)

    @property
    def each_unit(self) -> tuple[str, ...]:
        """The unit of each of its numbers."""
        return self.units or (self.unit,) * len(self.names)


def _shape(count: int | tuple[int, ...] | None) -> tuple[int, ...]:
    if count is None:
        return ()
    return count if isinstance(count, tuple) else (count,)


def parameter(
    default: float | None = None,
    *,
    unit: str = "1",
    low: float | None = None,
    high: float | None = None,
    above: float | None = None,
    live: bool = True,
    doc: str = "",
    name: str = "",
) -> Any:
    """A number of the twin file: a path, a slider, a fit parameter. Without a default it must be given.

    Bounds are inclusive (`above`: exclusive lower bound); one that is not `live` is fixed while a run goes on.
    """
    return Declaration(
        "parameter", name, unit, default=... if default is None else float(default), low=low, high=high, above=above, live=live,
        doc=doc,
    )  # fmt: skip


def parameter_array(
    names: Iterable[str],
    *,
    shape: tuple[int, ...] | None = None,
    default: float = 0.0,
    units: Iterable[str] = (),
    low: float | None = None,
    high: float | None = None,
    doc: str = "",
) -> Any:
    """Numbers of a part that stand in a row or a table: each is a key of the twin file and a path by its own name, as if it were
    a `parameter`; compiled code reads all of them as one array of a shape, the last axis fastest. All are live.
    """
    words = tuple(names)
    shape = (len(words),) if shape is None else shape
    if math.prod(shape) != len(words):
        raise ValueError(f"found {len(words)} names, expected {math.prod(shape)} of them for the shape {shape}")
    return Declaration(
        "parameter_array", "", "*", words, shape, default=float(default), low=low, high=high, doc=doc,
        units=tuple(units) or ("1",) * len(words),
    )  # fmt: skip


def choice(*words: str, default: str | None = None, doc: str = "") -> Any:
    """A word of the twin file out of several; compiled code reads its number, from 0."""
    return Declaration("choice", labels=words, default=... if default is None else default, doc=doc, live=False)


def option(kind: Any, default: Any = ..., *, layout: np.dtype[Any] | None = None, doc: str = "") -> Any:
    """A further key of the twin file, of any type that pydantic knows.

    With a `layout`, its value is asked for a record (`value.record()`, a numpy scalar of that layout) that compiled code reads
    under the same name; None is a record of zeros.
    """
    return Declaration("option", kind=kind, default=default, layout=layout, doc=doc, live=False)


def input(
    name: str = "", *, range: tuple[float, float] = (0.0, 1.0), unit: str = "1", doc: str = ""
) -> Any:
    """A number that a control program sets; the loop holds it within its range."""
    return Declaration("input", name, unit, range=range, doc=doc)


def needs(
    name: str = "",
    *,
    columns: Iterable[str] = (),
    count: int | None = None,
    unit: str = "1",
    required: bool = False,
    doc: str = "",
) -> Any:
    """An output, by its name, of the part that `input_from` names; compiled code reads it among its inputs.

    Without such a part it is zero, or a mistake where it is `required`.
    """
    return Declaration("needs", name, unit, tuple(columns), _shape(count), required=required, doc=doc)


def state(name: str = "", *, unit: str = "1", settles: bool = False, doc: str = "") -> Any:
    """A continuous state, integrated by the engine in every stage; the law writes its rate.

    One that `settles` comes to rest soon where inputs and motion stay as they are, as the speed of a motor does: a run that
    begins in the middle of a recording begins with it at rest.
    """
    return Declaration("state", name, unit, settles=settles, doc=doc)


def memory(
    name: str = "",
    *,
    columns: Iterable[str] = (),
    count: int | tuple[int, ...] | None = None,
    layout: np.dtype[Any] | None = None,
    unit: str = "1",
    doc: str = "",
) -> Any:
    """Discrete memory, part of the twin's state: changed once per tick (of a part) or call (of a program)."""
    return Declaration("memory", name, unit, tuple(columns), _shape(count), layout, doc=doc)


def output(
    name: str = "",
    *,
    columns: Iterable[str] = (),
    count: int | None = None,
    unit: str = "1",
    recorded: bool = True,
    doc: str = "",
) -> Any:
    """A readout of a part, recorded as `parts.PART.NAME` unless it is there for other parts only."""
    return Declaration("output", name, unit, tuple(columns), _shape(count), recorded=recorded, doc=doc)


def setpoint(name: str = "", *, count: int | None = None, unit: str = "1", doc: str = "") -> Any:
    """A number that a program is asked to reach, `setpoints.NAME`; zero until a scenario, a pilot or a client sets it.

    With a `count`, up to so many whose names are known when the program is made (`Controller.name_setpoints`).
    """
    return Declaration("setpoint", name, unit, (), _shape(count), doc=doc)


def measurement(
    name: str = "",
    *,
    columns: Iterable[str] = (),
    count: int | None = None,
    layout: np.dtype[Any] | None = None,
    unit: str = "1",
    doc: str = "",
) -> Any:
    """Readings that a compiled program is handed; `CompiledController.reads` says which reading each of its numbers is."""
    return Declaration("measurement", name, unit, tuple(columns), _shape(count), layout, doc=doc)


def setting(
    name: str = "",
    *,
    columns: Iterable[str] = (),
    count: int | tuple[int, ...] | None = None,
    layout: np.dtype[Any] | None = None,
    unit: str = "1",
    doc: str = "",
) -> Any:
    """A number that a program works out before it starts and that stays: a mixer, a count, a mass."""
    return Declaration("setting", name, unit, tuple(columns), _shape(count), layout, doc=doc)


def command(
    name: str = "", *, count: int | None = None, layout: np.dtype[Any] | None = None, unit: str = "1", doc: str = ""
) -> Any:
    """What a compiled program answers; `CompiledController.writes` says which input of the robot each of its numbers is."""
    return Declaration("command", name, unit, (), _shape(count), layout, doc=doc)


def report(
    name: str = "",
    *,
    columns: Iterable[str] = (),
    count: int | None = None,
    unit: str = "1",
    labels: Iterable[str] = (),
    doc: str = "",
) -> Any:
    """A number that a program tells about itself, recorded as `control.NAME`; `labels` are the words for 0, 1, 2, ...

    With a `count`, so many, numbered from 0 unless the program names them when it is made (`Controller.name_reports`).
    """
    return Declaration("report", name, unit, tuple(columns), _shape(count), labels=tuple(labels), doc=doc)


def quantity(source: str = "measure", *, columns: Iterable[str] = ("",), unit: str = "1", name: str = "", doc: str = "") -> Any:
    """A quantity that a sensor measures: one key of errors in the twin file, one group of columns in the log.

    `source` is one of the engine's sensors by name (`sensors/sensor.py` lists them), or `measure` where the sensor works it out
    itself. A single nameless column is a scalar; columns w, x, y, z are an orientation.
    """
    return Declaration("quantity", name, unit, tuple(columns), kind=source, doc=doc)


def odometry(name: str = "") -> Any:
    """A program's own estimate of its motion, in its memory: recorded as the stream `odom`, velocities in the robot's frame.

    Compiled code writes `memory.NAME.position`, `.orientation` (w first), `.velocity` and `.angular_velocity`.
    """
    return Declaration("odometry", name, "*", ODOMETRY, layout=_ODOMETRY_LAYOUT)


def declared(owner: type, *roles: str) -> tuple[Declaration, ...]:
    """What a class and its bases declare in some roles, in order, each under its name; a later one replaces an earlier one."""
    known: dict[str, Declaration] = {}
    for base in reversed(owner.__mro__):
        for attribute, value in vars(base).items():
            if isinstance(value, Declaration):
                known[attribute] = value if value.name else replace(value, name=attribute)
            elif attribute in known:
                del known[attribute]
    return tuple(item for item in known.values() if item.role in roles)


def layout_of(items: Iterable[Declaration]) -> np.dtype[Any]:
    """The memory layout of declared numbers: one float64 each, vectors and arrays as arrays, groups as records."""
    fields: list[Any] = []
    for item in items:
        kind: Any = np.float64 if item.layout is None else item.layout
        flat = item.columns and item.layout is None and item.role != "parameter_array"
        shape = (len(item.columns),) if flat else item.shape
        fields.append((item.name.replace(".", "_"), kind, shape) if shape else (item.name.replace(".", "_"), kind))
    return np.dtype(fields or [("nothing", np.float64)])


def offset_of(layout: np.dtype[Any], path: str) -> int:
    """Where in a record the number, or the first of the numbers, of a dotted path lies, in float64 words."""
    offset = 0
    for step in path.split("."):
        assert layout.fields is not None
        inner, start, *_ = layout.fields[step]
        offset, layout = offset + start // 8, inner.base
    return offset


def record_type(layout: np.dtype[Any]) -> Any:
    """numba's type of a record; a C function takes it as a pointer and compiled code reads it by name."""
    return numba.from_dtype(layout)
