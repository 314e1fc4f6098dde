"""Expressions as a row of steps over slots, which one compiled function goes through.

A slot holds a number: a constant, a signal that is read before, or what a step found. A step is

    slots[target] = operation(slots[first], slots[second], slots[third])

Parts of expressions that are written twice are found once. Vectors exist only here: `norm(truth.position)` becomes six steps.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.compiled import kernel
from didymos.control.expression import Call, Listed, Literal, Node, Signal
from didymos.errors import InputError
from didymos.native import row_at

__all__ = ["STEP", "StepBuilder", "run_steps"]

STEP = np.dtype([(name, np.int64) for name in ("operation", "target", "first", "second", "third")])
"""A step: what is done, and the slots of result and operands."""

_OPERATIONS = (
    "add", "subtract", "multiply", "divide", "power", "negative", "abs", "sqrt", "exp", "log", "tanh", "sin", "cos", "wrap",
    "atan2", "asin", "minimum", "maximum", "less", "less_equal", "greater", "greater_equal", "equal", "unequal", "and", "or",
    "not", "select",
)  # fmt: skip
(
    _ADD, _SUBTRACT, _MULTIPLY, _DIVIDE, _POWER, _NEGATIVE, _ABS, _SQRT, _EXP, _LOG, _TANH, _SIN, _COS, _WRAP, _ATAN2, _ASIN,
    _MINIMUM, _MAXIMUM, _LESS, _LESS_EQUAL, _GREATER, _GREATER_EQUAL, _EQUAL, _UNEQUAL, _AND, _OR, _NOT, _SELECT,
) = range(len(_OPERATIONS))  # fmt: skip

Slots = list[int]


@kernel
def _apply(operation: int, a: float, b: float, c: float) -> float:
    if operation == _ADD:
        return a + b
    if operation == _SUBTRACT:
        return a - b
    if operation == _MULTIPLY:
        return a * b
    if operation == _DIVIDE:
        return a / b
    if operation == _POWER:
        return a * a if b == 2.0 else a**b
    if operation == _NEGATIVE:
        return -a
    if operation == _ABS:
        return abs(a)
    if operation == _SQRT:
        return math.sqrt(a)
    if operation == _EXP:
        return math.exp(a)
    if operation == _LOG:
        return math.log(a)
    if operation == _TANH:
        return math.tanh(a)
    if operation == _SIN:
        return math.sin(a)
    if operation == _COS:
        return math.cos(a)
    if operation == _WRAP:
        return math.atan2(math.sin(a), math.cos(a))
    if operation == _ATAN2:
        return math.atan2(a, b)
    if operation == _ASIN:
        return math.asin(min(max(a, -1.0), 1.0))
    if operation == _MINIMUM:
        return min(a, b)
    if operation == _MAXIMUM:
        return max(a, b)
    if operation == _SELECT:
        return b if a != 0.0 else c
    return 1.0 if _holds(operation, a, b) else 0.0


@kernel
def _holds(operation: int, a: float, b: float) -> bool:
    if operation == _LESS:
        return a < b
    if operation == _LESS_EQUAL:
        return a <= b
    if operation == _GREATER:
        return a > b
    if operation == _GREATER_EQUAL:
        return a >= b
    if operation == _EQUAL:
        return a == b
    if operation == _UNEQUAL:
        return a != b
    if operation == _AND:
        return a != 0.0 and b != 0.0
    if operation == _OR:
        return a != 0.0 or b != 0.0
    return a == 0.0


@kernel
def run_steps(steps: int, count: int, slots: Any) -> None:
    """Go through so many steps at an address, over slots."""
    for i in range(count):
        step = row_at(steps, i, STEP)
        slots[step.target] = _apply(step.operation, slots[step.first], slots[step.second], slots[step.third])


class StepBuilder:
    """Makes steps of expressions. `look_up` gives the slots of a signal, or of all that begin with its name."""

    def __init__(self, look_up: Callable[[str], Slots]) -> None:
        self._look_up = look_up
        self._values: list[float] = []
        self._constants: dict[float, int] = {}
        self._made: dict[tuple[str, Slots | tuple[int, ...]], int] = {}
        self._steps: list[tuple[int, ...]] = []

    def slot(self) -> int:
        """A new slot."""
        self._values.append(0.0)
        return len(self._values) - 1

    def constant(self, value: float) -> int:
        """The slot of a number."""
        if value not in self._constants:
            self._constants[value] = self.slot()
            self._values[-1] = value
        return self._constants[value]

    def make(self, operation: str, *operands: int) -> int:
        """The slot of an operation on slots."""
        key = operation, operands
        if key not in self._made:
            target = self.slot()
            first, second, third = (*operands, operands[0], operands[0])[:3]
            self._steps.append((_OPERATIONS.index(operation), target, first, second, third))
            self._made[key] = target
        return self._made[key]

    @property
    def steps(self) -> NDArray[Any]:
        """STEP [n]."""
        return np.array(self._steps, dtype=STEP)

    @property
    def slots(self) -> NDArray[np.float64]:
        """Slots before anything is read, shape [slots]."""
        return np.array(self._values or [0.0])

    def angle(self, name: str, w: int, x: int, y: int, z: int) -> int:
        """The slot of an angle [rad] of a unit quaternion in slots, as `rotations.angle` has it."""
        make, constant = self.make, self.constant

        def twice(first: tuple[int, int], second: tuple[int, int], operation: str) -> int:
            return make("multiply", constant(2.0), make(operation, make("multiply", *first), make("multiply", *second)))

        if name == "pitch":
            return make("asin", twice((w, y), (z, x), "subtract"))
        if name == "tilt":
            aside = make("sqrt", make("add", make("multiply", x, x), make("multiply", y, y)))
            return make("multiply", constant(2.0), make("asin", aside))
        one, other = ((w, x), (y, z)) if name == "roll" else ((w, z), (x, y))
        squares = ((x, x), (y, y)) if name == "roll" else ((y, y), (z, z))
        return make("atan2", twice(one, other, "add"), make("subtract", constant(1.0), twice(*squares, "add")))

    def number(self, node: Node) -> int:
        """The slot of an expression that is one number."""
        found = self.vector(node)
        if len(found) != 1:
            raise InputError(f"found {len(found)} numbers, expected one: take norm, sum, mean, min or max of them")
        return found[0]

    def vector(self, node: Node) -> Slots:
        """The slots of an expression, one number or several."""
        if isinstance(node, Literal):
            return [self.constant(node.value)]
        if isinstance(node, Signal):
            return self._look_up(node.path)
        if isinstance(node, Listed):
            return [self.number(item) for item in node.items]
        return self._called(node)

    def _called(self, call: Call) -> Slots:
        given = [self.vector(item) for item in call.arguments]
        every = [slot for item in given for slot in item]
        if call.name in ("min", "max") and len(given) > 1:
            return self._each(f"{call.name}imum", given)
        if call.name in ("min", "max"):
            return [self._over(f"{call.name}imum", every)]
        if call.name == "sum":
            return [self._over("add", every)]
        if call.name == "mean":
            return [self.make("divide", self._over("add", every), self.constant(float(len(every))))]
        if call.name == "norm":
            squares = [self.make("multiply", slot, slot) for slot in every]
            return [self.make("sqrt", self._over("add", squares))]
        if call.name == "clip":
            return self._each("minimum", [self._each("maximum", given[:2]), given[2]])
        if call.name == "select":
            return self._by_number("select", given)
        return self._by_number(call.name, given)

    def _over(self, operation: str, slots: Sequence[int]) -> int:
        return reduce(lambda one, other: self.make(operation, one, other), slots)

    def _each(self, operation: str, given: Sequence[Slots]) -> Slots:
        return reduce(lambda one, other: self._by_number(operation, [one, other]), given)

    def _by_number(self, operation: str, given: Sequence[Slots]) -> Slots:
        """An operation on numbers, number by number of vectors; single numbers go with each."""
        lengths = {len(item) for item in given} - {1}
        if len(lengths) > 1:
            sizes = " and ".join(str(len(item)) for item in given)
            raise InputError(f"found vectors of {sizes} numbers together, expected the same length")
        length = lengths.pop() if lengths else 1
        rows = [item * length if len(item) == 1 else item for item in given]
        return [self.make(operation, *operands) for operands in zip(*rows, strict=True)]
