"""A program of products, sums and tables over named quantities: what aerodynamic files say, as compiled laws evaluate it.

A file of tables or of functions is flattened when it is read into a row of steps of fixed kinds over numbered slots; the law goes
through the steps. Nothing is compiled for a file, nothing of a file runs: a step can do no more than the list below.

    product    s_t  = v s_a s_b s_c          sum        s_t += v s_a s_b s_c        slot 0 is always 1
    locate     s_t = the interval of breakpoints that s_a lies in, s_t+1 where in it (0 to 1); held at both ends
               (s_t+2 how wide it is, where breakpoints are not evenly spaced)
    table      s_t, s_t+1, ... = values between the corners of the intervals located at s_a, s_b, s_c: one to three axes, linear
               in each; several tables over the same axes go side by side
    curve      the same, along the axis of s_a a cubic whose slopes overshoot nowhere (monotone between points)
    apply      s_t  = a function of s_a, s_b, s_c by its number (`FUNCTIONS`), none of which can make a NaN of numbers

Several tables over the same breakpoints are located once. Bounds: 1024 steps, 256 slots, 12288 numbers of tables.

References: Fritsch & Butland, A method for constructing local monotone piecewise cubic interpolants, SIAM J. Sci. Stat. Comput. 5
(1984), for the slopes; JSBSim Reference Manual (2011), ch. 2 and 3, for the functions that are known.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from didymos.compiled import kernel

__all__ = [
    "APPLY", "CURVE", "FUNCTIONS", "LOCATE", "MOST_NUMBERS", "MOST_SLOTS", "MOST_STEPS", "PRODUCT", "PROGRAM", "SUM", "TABLE",
    "run_program",
]  # fmt: skip

MOST_STEPS, MOST_SLOTS, MOST_NUMBERS = 1024, 256, 12288
_KINDS = ("product", "sum", "locate", "table", "curve", "apply")
PRODUCT, SUM, LOCATE, TABLE, CURVE, APPLY = range(len(_KINDS))

FUNCTIONS = (
    "abs", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "ln", "log2", "log10", "sqrt", "pow", "min", "max",
    "lt", "le", "gt", "ge", "eq", "nq", "and", "or", "not", "ifthen", "quotient", "floor", "ceil", "fmod", "integer", "fraction",
    "sign",
)  # fmt: skip
"""What a step `apply` may do, by its number."""

(_ABS, _SIN, _COS, _TAN, _ASIN, _ACOS, _ATAN, _ATAN2, _EXP, _LN, _LOG2, _LOG10, _SQRT, _POW, _MIN, _MAX, _LT, _LE, _GT, _GE, _EQ,
 _NQ, _AND, _OR, _NOT, _IFTHEN, _QUOTIENT, _FLOOR, _CEIL, _FMOD, _INTEGER, _FRACTION, _SIGN) = range(len(FUNCTIONS))  # fmt: skip

STEP = np.dtype(
    [
        ("kind", np.int64),
        ("target", np.int64),  # slot
        ("a", np.int64),  # slots
        ("b", np.int64),
        ("c", np.int64),
        ("first", np.int64),  # in `numbers`: breakpoints, values
        ("count", np.int64),  # of breakpoints; of tables; the number of a function
        ("row", np.int64),  # numbers from one breakpoint of the second axis to the next, 0 without one
        ("layer", np.int64),  # the same of the third axis
        ("size", np.int64),  # numbers from one table to the next, and from the values of a curve to their slopes
        ("factor", np.float64),  # of a product; where breakpoints are even 1 / their distance, of a curve the distance, else 0
    ]
)
"""Memory layout of a step."""

PROGRAM = np.dtype([("steps", np.int64), ("step", STEP, MOST_STEPS), ("numbers", np.float64, MOST_NUMBERS)])
"""Memory layout of a program; what it does not need is zero."""


@kernel
def _apply(function: int, a: float, b: float, c: float) -> float:
    """One of `FUNCTIONS`; an argument that it is not defined for is held at the nearest that it is."""
    if function == _ABS:
        return abs(a)
    if function == _SIN:
        return math.sin(a)
    if function == _COS:
        return math.cos(a)
    if function == _TAN:
        return math.tan(a)
    if function == _ASIN:
        return math.asin(min(max(a, -1.0), 1.0))
    if function == _ACOS:
        return math.acos(min(max(a, -1.0), 1.0))
    if function == _ATAN:
        return math.atan(a)
    if function == _ATAN2:
        return math.atan2(a, b)
    if function == _EXP:
        return math.exp(min(a, 700.0))
    if function == _LN:
        return math.log(max(a, 1e-300))
    if function == _LOG2:
        return math.log(max(a, 1e-300)) / math.log(2.0)
    if function == _LOG10:
        return math.log10(max(a, 1e-300))
    if function == _SQRT:
        return math.sqrt(max(a, 0.0))
    if function == _POW:
        if a > 0.0:
            return math.exp(min(b * math.log(a), 700.0))
        if b == np.floor(b) and b > 0.0:
            size = math.exp(min(b * math.log(max(-a, 1e-300)), 700.0)) if a < 0.0 else 0.0
            return -size if b % 2.0 == 1.0 else size
        return 1.0 if b == 0.0 else 0.0
    if function == _MIN:
        return min(a, b)
    if function == _MAX:
        return max(a, b)
    if function == _LT:
        return 1.0 if a < b else 0.0
    if function == _LE:
        return 1.0 if a <= b else 0.0
    if function == _GT:
        return 1.0 if a > b else 0.0
    if function == _GE:
        return 1.0 if a >= b else 0.0
    if function == _EQ:
        return 1.0 if a == b else 0.0
    if function == _NQ:
        return 1.0 if a != b else 0.0
    if function == _AND:
        return 1.0 if a != 0.0 and b != 0.0 else 0.0
    if function == _OR:
        return 1.0 if a != 0.0 or b != 0.0 else 0.0
    if function == _NOT:
        return 1.0 if a == 0.0 else 0.0
    if function == _IFTHEN:
        return b if a != 0.0 else c
    if function == _QUOTIENT:
        return a / b if b != 0.0 else 0.0
    if function == _FLOOR:
        return np.floor(a)
    if function == _CEIL:
        return np.ceil(a)
    if function == _FMOD:
        return a - b * np.trunc(a / b) if b != 0.0 else 0.0
    if function == _INTEGER:
        return np.trunc(a)
    if function == _FRACTION:
        return a - np.trunc(a)
    return 1.0 if a > 0.0 else -1.0 if a < 0.0 else 0.0


@kernel
def _interval(numbers: Any, first: int, count: int, x: float) -> int:
    """Which interval of ascending breakpoints x lies in: 0 to count - 2, the nearest outside."""
    left, right = 0, count - 1
    while right - left > 1:
        middle = (left + right) >> 1
        if x >= numbers[first + middle]:
            left = middle
        else:
            right = middle
    return left


@kernel
def _between(numbers: Any, at: int, row: int, y: float, layer: int, z: float) -> float:
    """Linear over the axes behind the first one; `row` and `layer` are the distances of the neighbours there, 0 without."""
    value = numbers[at]
    if row != 0:
        value += y * (numbers[at + row] - value)
    if layer != 0:
        upper = numbers[at + layer]
        if row != 0:
            upper += y * (numbers[at + layer + row] - upper)
        value += z * (upper - value)
    return value


@kernel
def _locate(step: Any, numbers: Any, s: Any) -> None:
    """The interval of breakpoints that a slot lies in."""
    first, count, target = step.first, step.count, step.target
    x = min(max(s[step.a], numbers[first]), numbers[first + count - 1])
    if step.factor > 0.0:
        along = (x - numbers[first]) * step.factor
        left = min(int(along), count - 2)
        s[target], s[target + 1] = left, along - left
        return
    left = _interval(numbers, first, count, x)
    low = numbers[first + left]
    width = numbers[first + left + 1] - low
    s[target], s[target + 1], s[target + 2] = left, (x - low) / width, width


@kernel
def _look_up(step: Any, numbers: Any, s: Any) -> None:
    """Tables over the same axes, linear."""
    at, row, target = step.first + int(s[step.a]), step.row, step.target
    x = s[step.a + 1]
    if row == 0:
        for k in range(step.count):
            low = numbers[at]
            s[target + k] = low + x * (numbers[at + 1] - low)
            at += step.size
    elif step.layer == 0:
        y = s[step.b + 1]
        at += int(s[step.b]) * row
        for k in range(step.count):
            low, high = numbers[at], numbers[at + row]
            low += x * (numbers[at + 1] - low)
            high += x * (numbers[at + row + 1] - high)
            s[target + k] = low + y * (high - low)
            at += step.size
    else:
        y, z, layer = s[step.b + 1], s[step.c + 1], step.layer
        at += int(s[step.b]) * row + int(s[step.c]) * layer
        for k in range(step.count):
            low, high = _between(numbers, at, row, y, layer, z), _between(numbers, at + 1, row, y, layer, z)
            s[target + k] = low + x * (high - low)
            at += step.size


@kernel
def _follow(step: Any, numbers: Any, s: Any) -> None:
    """Tables over the same axes, cubic along the first; each is followed by its slopes."""
    at, row, layer = step.first + int(s[step.a]), step.row, step.layer
    x, y, z = s[step.a + 1], 0.0, 0.0
    width = step.factor if step.factor > 0.0 else s[step.a + 2]
    if row != 0:
        y = s[step.b + 1]
        at += int(s[step.b]) * row
    if layer != 0:
        z = s[step.c + 1]
        at += int(s[step.c]) * layer
    for k in range(step.count):
        low, high = _between(numbers, at, row, y, layer, z), _between(numbers, at + 1, row, y, layer, z)
        at += step.size
        begin = width * _between(numbers, at, row, y, layer, z)
        end = width * _between(numbers, at + 1, row, y, layer, z)
        at += step.size
        rise = high - low
        s[step.target + k] = low + x * (begin + x * (3.0 * rise - 2.0 * begin - end + x * (begin + end - 2.0 * rise)))


@kernel
def run_program(program: Any, s: Any) -> None:
    """Go through the steps of a record of `PROGRAM` over slots, of which those of the quantities are filled."""
    numbers = program.numbers
    for i in range(program.steps):
        step = program.step[i]
        kind = step.kind
        if kind == SUM:
            s[step.target] += step.factor * s[step.a] * s[step.b] * s[step.c]
        elif kind == PRODUCT:
            s[step.target] = step.factor * s[step.a] * s[step.b] * s[step.c]
        elif kind == LOCATE:
            _locate(step, numbers, s)
        elif kind == TABLE:
            _look_up(step, numbers, s)
        elif kind == CURVE:
            _follow(step, numbers, s)
        else:
            s[step.target] = _apply(step.count, s[step.a], s[step.b], s[step.c])
