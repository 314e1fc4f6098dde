"""Tables over the angle of a motor: what one stretch of a gear does, learned from a recording, and nothing beyond it.

    T(x) = sum_j V_j B((x - x_1) / d - j),   j = 0 ... n - 1        x [rev] of the motor

    B(u) = (4 - 6 u^2 + 3 |u|^3) / 6   for |u| <= 1,      (2 - |u|)^3 / 6   for 1 <= |u| <= 2,      0 beyond

the cubic B-spline on even knots: x_1 (`first`) is the first one, d (`spacing`) their distance, V (`values`) one number for each.
T has two continuous derivatives and is zero from two knots beyond the ends on, so a gear that stands elsewhere falls back to what
else is known of it. V are weights of the spline, not its values at the knots: those are (V_(j-1) + 4 V_j + V_(j+1)) / 6.

Reference: de Boor, A Practical Guide to Splines (1978), on even knots.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from pydantic import Field

from didymos.compiled import kernel
from didymos.spec import Spec, number

__all__ = ["ANGLE_TABLE", "AngleTableSpec", "from_table"]

_KNOTS = 128

ANGLE_TABLE = np.dtype(
    [
        ("count", np.float64),  # n; 0 for no table
        ("first", np.float64),  # x_1 [rev]
        ("spacing", np.float64),  # d [rev]
        ("values", np.float64, _KNOTS),  # V
    ]
)
"""Memory layout of a table; what it does not need is zero."""


class AngleTableSpec(Spec):
    """A table over the angle of a motor, zero beyond its knots."""

    first: float = number(unit="rev", live=False, doc="x_1, angle of the first knot")
    spacing: float = number(unit="rev", above=0, live=False, doc="d, from knot to knot")
    values: tuple[float, ...] = Field(min_length=1, max_length=_KNOTS, description="V, a weight of the spline for each knot")

    def record(self) -> Any:
        """The numbers that `from_table` reads, a numpy scalar of `ANGLE_TABLE`."""
        made = np.zeros((), dtype=ANGLE_TABLE)
        made["count"], made["first"], made["spacing"] = len(self.values), self.first, self.spacing
        made["values"][: len(self.values)] = self.values
        return made[()]


@kernel
def from_table(table: Any, x: float) -> float:
    """T at an angle [rev]; 0 without a table."""
    count = int(table.count)
    if count == 0:
        return 0.0
    at = (x - table.first) / table.spacing
    if not -2.0 < at < count + 1.0:
        return 0.0
    left = math.floor(at)
    u = at - left
    a = 1.0 - u
    values = table.values
    total = 0.0
    if left >= 1:
        total += a * a * a / 6.0 * values[left - 1]
    if 0 <= left < count:
        total += (4.0 - 6.0 * u * u + 3.0 * u * u * u) / 6.0 * values[left]
    if -1 <= left < count - 1:
        total += (4.0 - 6.0 * a * a + 3.0 * a * a * a) / 6.0 * values[left + 1]
    if left < count - 2:
        total += u * u * u / 6.0 * values[left + 2]
    return total
