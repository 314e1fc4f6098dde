"""Curves of coefficients, as a twin file gives them and as compiled laws evaluate them.

    polynomial   f(x) = sum c_i x^i                                    coefficients in ascending order
    surface      f(x, y) = sum c_ij x^i y^j,  i <= n1, i + j <= n2     j counts fastest, n1 <= n2
    spline       f(x) = a d^3 + b d^2 + c d + e,  d = x - break_i      four numbers per piece, from the cube down

x is held inside [low, high] (a spline's own breaks): beyond the measured range the last value stands, since an extrapolated
cubic explodes (the original goes on with the last piece); an airfoil is a flat plate there. The order of coefficients is that of
last_letter_2.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from pydantic import Field, model_validator

from didymos.compiled import kernel
from didymos.spec import Spec

__all__ = ["CURVE", "CurveSpec", "evaluate"]

_KINDS = ("polynomial", "surface", "spline")
_POLYNOMIAL, _SURFACE, _SPLINE = range(len(_KINDS))
_JUMP = 1e-6  # of the curve's own size: what a spline may jump at a break, by rounding of printed numbers
_PIECES = 128  # of a spline at most
_COEFFICIENTS = 4 * _PIECES

CURVE = np.dtype(
    [
        ("kind", np.float64),  # polynomial, surface or spline
        ("low", np.float64),  # x is held above this
        ("high", np.float64),  # x is held below this
        ("degree_x", np.float64),  # of a polynomial; n1 of a surface
        ("degree_y", np.float64),  # n2 of a surface
        ("pieces", np.float64),  # of a spline
        ("breaks", np.float64, _PIECES + 1),
        ("coefficients", np.float64, _COEFFICIENTS),
    ]
)
"""Memory layout of a curve; what it does not need is zero."""


class CurveSpec(Spec):
    """A curve over one variable, or a surface over two."""

    kind: Literal["polynomial", "surface", "spline"] = "polynomial"
    coefficients: tuple[float, ...] = Field(min_length=1)
    degrees: tuple[int, int] | None = Field(default=None, description="of a surface: n1, n2")
    breaks: tuple[float, ...] = Field(default=(), description="of a spline, one more than pieces, ascending")
    low: float | None = Field(default=None, description="the variable is held above this")
    high: float | None = Field(default=None, description="the variable is held below this")

    @model_validator(mode="after")
    def _complete(self) -> CurveSpec:
        if self.kind == "spline":
            self._check_spline()
        elif self.breaks:
            raise ValueError(f"a {self.kind} has no breaks")
        if self.kind == "surface":
            self._check_surface()
        elif self.degrees is not None:
            raise ValueError(f"a {self.kind} has no key 'degrees'")
        if len(self.coefficients) > _COEFFICIENTS:
            raise ValueError(f"found {len(self.coefficients)} coefficients, expected at most {_COEFFICIENTS}")
        low, high = self._range()
        if low >= high:
            raise ValueError(f"found low {low:g} and high {high:g}, expected low below high")
        return self

    def _check_spline(self) -> None:
        pieces = len(self.breaks) - 1
        if pieces < 1 or len(self.coefficients) != 4 * pieces:
            raise ValueError(
                f"found {len(self.breaks)} breaks and {len(self.coefficients)} coefficients,"
                " expected four coefficients for each piece between two breaks"
            )
        size = max(abs(value) for value in self.coefficients[3::4]) or 1.0
        for i in range(pieces):
            width = self.breaks[i + 1] - self.breaks[i]
            if width <= 0.0:
                raise ValueError(f"breaks must ascend: {self.breaks[i]:g} is followed by {self.breaks[i + 1]:g}")
            a, b, c, d = self.coefficients[4 * i : 4 * i + 4]
            end = ((a * width + b) * width + c) * width + d
            if i + 1 < pieces and abs(end - self.coefficients[4 * i + 7]) > _JUMP * size:
                start = self.coefficients[4 * i + 7]
                raise ValueError(f"the spline has a gap at {self.breaks[i + 1]:g}: {end:g} before it, {start:g} after it")

    def _check_surface(self) -> None:
        if self.degrees is None:
            raise ValueError("a surface needs the key 'degrees'")
        n1, n2 = self.degrees
        if n1 < 0 or n2 < n1:
            raise ValueError(f"found degrees {n1}, {n2}, expected 0 <= n1 <= n2")
        expected = (2 * n2 + 2 * n1 * n2 + n1 - n1 * n1 + 2) // 2
        if len(self.coefficients) != expected:
            raise ValueError(f"found {len(self.coefficients)} coefficients, degrees {n1}, {n2} need {expected}")

    def _range(self) -> tuple[float, float]:
        ends = (self.breaks[0], self.breaks[-1]) if self.breaks else (-math.inf, math.inf)
        return (ends[0] if self.low is None else max(self.low, ends[0])), (
            ends[1] if self.high is None else min(self.high, ends[1])
        )

    def record(self) -> Any:
        """The numbers that `evaluate` reads, a numpy scalar of `CURVE`."""
        made = np.zeros((), dtype=CURVE)
        made["kind"] = _KINDS.index(self.kind)
        made["low"], made["high"] = (max(min(value, 1e300), -1e300) for value in self._range())
        made["degree_x"], made["degree_y"] = self.degrees or (len(self.coefficients) - 1, 0)
        made["pieces"] = max(len(self.breaks) - 1, 0)
        made["breaks"][: len(self.breaks)] = self.breaks
        made["coefficients"][: len(self.coefficients)] = self.coefficients
        return made[()]


@kernel
def evaluate(curve: Any, x: float, y: float) -> float:
    """Value of a curve (a record of `CURVE`) at x (and y for a surface)."""
    x = min(max(x, curve.low), curve.high)
    found = 0.0
    if curve.kind == _POLYNOMIAL:
        for i in range(int(curve.degree_x), -1, -1):
            found = found * x + curve.coefficients[i]
    elif curve.kind == _SURFACE:
        n1, n2 = int(curve.degree_x), int(curve.degree_y)
        power, first = 1.0, 0
        for i in range(n1 + 1):
            inner = 0.0
            for j in range(n2 - i, -1, -1):
                inner = inner * y + curve.coefficients[first + j]
            found += power * inner
            power *= x
            first += n2 - i + 1
    else:
        left, right = 0, int(curve.pieces)
        while right - left > 1:
            middle = (left + right) // 2
            if x >= curve.breaks[middle]:
                left = middle
            else:
                right = middle
        d = x - curve.breaks[left]
        c, row = curve.coefficients, 4 * left
        found = ((c[row] * d + c[row + 1]) * d + c[row + 2]) * d + c[row + 3]
    return found
