"""Make a program of `coefficient_program.py`: slots by name, products, sums and tables; steps that are there already serve again.

All that a builder is given has been read from a file of somebody else: it refuses what does not fit, and what it answers can be
run safely whatever the numbers are (each slot and each stretch of numbers is inside of the record).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.parts.coefficient_program import (
    APPLY,
    CURVE,
    FUNCTIONS,
    LOCATE,
    MOST_NUMBERS,
    MOST_SLOTS,
    MOST_STEPS,
    PRODUCT,
    PROGRAM,
    SUM,
    TABLE,
)
from didymos.parts.monotone_slopes import monotone_slopes

__all__ = ["ProgramBuilder"]

_LOCATED = 3  # slots that a step `locate` fills


def _spacing(breakpoints: NDArray[np.float64]) -> float:
    """The distance of breakpoints that are evenly spaced, else 0."""
    widths = np.diff(breakpoints)
    mean = float(breakpoints[-1] - breakpoints[0]) / len(widths)
    return mean if widths.max() - widths.min() < 1e-12 * mean else 0.0


class ProgramBuilder:
    """A program that grows; `given` names the slots that are filled before it runs, the first of them is the number 1."""

    def __init__(self, given: Sequence[str]) -> None:
        self._slots = {name: i for i, name in enumerate(given)}
        self._count = len(given)
        self._steps: list[dict[str, Any]] = []
        self._numbers: list[float] = []
        self._known: dict[Any, int] = {}
        self.used: set[str] = set()  # given slots that something reads

    def slot(self, name: str) -> int:
        """The slot of a given quantity."""
        self.used.add(name)
        return self._slots[name]

    def new_slot(self) -> int:
        """A slot of its own, which begins at zero with the first `product` into it."""
        return self._take(1)

    def _take(self, count: int) -> int:
        start, self._count = self._count, self._count + count
        if self._count > MOST_SLOTS:
            raise ValueError(f"its functions and tables need more than {MOST_SLOTS} intermediate results")
        return start

    def _add(self, **step: Any) -> None:
        if len(self._steps) >= MOST_STEPS:
            raise ValueError(f"its functions and tables need more than {MOST_STEPS} steps")
        self._steps.append(step)

    def _put(self, numbers: NDArray[np.float64]) -> int:
        key = ("numbers", numbers.shape, numbers.tobytes())
        if key not in self._known:
            self._known[key] = len(self._numbers)
            self._numbers += [float(value) for value in numbers.ravel()]
            if len(self._numbers) > MOST_NUMBERS:
                raise ValueError(f"its tables hold more than {MOST_NUMBERS} numbers")
        return self._known[key]

    def accumulate(self, target: int, factor: float, slots: Sequence[int], *, anew: bool) -> None:
        """Add a product of a number and slots to a slot; `anew` where the slot holds nothing yet."""
        rest = list(slots)
        while len(rest) > 3:
            part = self.product(1.0, rest[:3])
            rest = [part, *rest[3:]]
        a, b, c = (*rest, 0, 0, 0)[:3]
        self._add(kind=PRODUCT if anew else SUM, target=target, a=a, b=b, c=c, factor=float(factor))

    def product(self, factor: float, slots: Sequence[int]) -> int:
        """A slot with the product of a number and slots."""
        if factor == 1.0 and len(slots) == 1:
            return slots[0]
        key = ("product", float(factor), tuple(slots))
        if key not in self._known:
            target = self.new_slot()
            self.accumulate(target, factor, slots, anew=True)
            self._known[key] = target
        return self._known[key]

    def apply(self, function: str, slots: Sequence[int]) -> int:
        """A slot with a function of `FUNCTIONS` of up to three slots."""
        a, b, c = (*slots, 0, 0, 0)[:3]
        key = ("apply", function, a, b, c)
        if key not in self._known:
            self._known[key] = target = self.new_slot()
            self._add(kind=APPLY, target=target, a=a, b=b, c=c, count=FUNCTIONS.index(function))
        return self._known[key]

    def _locate(self, slot: int, breakpoints: NDArray[np.float64]) -> int:
        if len(breakpoints) < 2 or not (np.diff(breakpoints) > 0.0).all():
            raise ValueError("the breakpoints of a table must ascend, and be at least two")
        first = self._put(breakpoints)
        key = ("locate", slot, first, len(breakpoints))
        if key not in self._known:
            self._known[key] = target = self._take(_LOCATED)
            factor = 1.0 / _spacing(breakpoints) if _spacing(breakpoints) > 0.0 else 0.0
            self._add(kind=LOCATE, target=target, a=slot, first=first, count=len(breakpoints), factor=factor)
        return self._known[key]

    def table(
        self, slots: Sequence[int], axes: Sequence[NDArray[np.float64]], values: NDArray[np.float64], *, monotone: bool = False
    ) -> int:
        """A slot with a table over one to three slots, values of shape [axes[0], axes[1], ...]; see `tables`."""
        return self.tables(slots, axes, [values], monotone=monotone)

    def tables(
        self,
        slots: Sequence[int],
        axes: Sequence[NDArray[np.float64]],
        values: Sequence[NDArray[np.float64]],
        *,
        monotone: bool = False,
    ) -> int:
        """The first of the slots with several tables over the same axes, side by side; they are the caller's own: more may be
        added to them. An axis of one point is left out; `monotone` is along the first axis, which has two points or more then.
        """
        if not all(np.isfinite(numbers).all() for numbers in (*values, *axes)):
            raise ValueError("a table holds a number that is not finite")
        kept = [i for i, axis in enumerate(axes) if len(axis) > 1]
        if len(kept) > 3:
            raise ValueError(f"found a table over {len(kept)} quantities, expected three at most")
        if not kept:
            target = self._take(len(values))
            for k, value in enumerate(values):
                self._add(kind=PRODUCT, target=target + k, factor=float(value.ravel()[0]))
            return target
        monotone = monotone and kept[0] == 0
        located = [self._locate(slots[i], np.ascontiguousarray(axes[i], dtype=np.float64)) for i in kept]
        laid = []  # the first axis lies side by side, the third has the largest distance
        for value in values:
            shaped = value.reshape([len(axes[i]) for i in kept])
            laid.append(shaped.T)
            if monotone:
                laid.append(monotone_slopes(axes[0], shaped).T)
        numbers = np.ascontiguousarray(np.stack(laid), dtype=np.float64)
        first = self._put(numbers)
        a, b, c = (*located, 0, 0)[:3]
        row = numbers.shape[-1] if len(kept) > 1 else 0
        layer = row * numbers.shape[-2] if len(kept) > 2 else 0
        target, kind, size = self._take(len(values)), CURVE if monotone else TABLE, numbers[0].size
        self._add(kind=kind, target=target, a=a, b=b, c=c, first=first, row=row, layer=layer, size=size, count=len(values),
                  factor=_spacing(axes[kept[0]]))  # fmt: skip
        return target

    def record(self) -> Any:
        """The program, a numpy scalar of `PROGRAM`."""
        made = np.zeros((), dtype=PROGRAM)
        made["steps"] = len(self._steps)
        for row, step in zip(made["step"], self._steps, strict=False):
            for name, value in step.items():
                row[name] = value
        made["numbers"][: len(self._numbers)] = self._numbers
        return made[()]
