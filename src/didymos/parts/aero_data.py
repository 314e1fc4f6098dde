"""What the files of an aircraft's aerodynamics come to: one program, and the sums of forces and moments that it makes.

A reader of a file adds terms to an `AeroBuilder`: numbers times quantities (`QUANTITIES`) times tables, each into one of the
sums (`SUMS`) [N, N m]. Terms of all files of a part add up. Forces and moments may be given in three sets of axes, x ahead, y
right and z down each:

    body        (X, Y, Z), (l, m, n)      of the part's frame [N, N m]
    stability   turned from it by alpha:  drag against x, lift against z, side along y
    wind        turned by alpha and beta: drag against the velocity

or as coefficients: CL, CD of stability axes, CY, CX, CZ, Cl, Cm, Cn of body axes, which the law takes times q S, q S b and q S c.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, PrivateAttr, ValidationInfo, model_validator

from didymos.parts.coefficient_program import PROGRAM
from didymos.parts.program_builder import ProgramBuilder
from didymos.spec import Spec

__all__ = ["AERO", "COEFFICIENTS", "QUANTITIES", "READER", "SUMS", "SURFACES", "AeroBuilder", "AeroFile", "AeroTables"]

READER = "read_aero"
"""Key of the validation context under which `describe/` gives the function that reads an `AeroFile` into an `AeroBuilder`."""

SURFACES = ("x", "y", "z", "flap", "slat", "brake", "spoiler", "gear")
"""What moves, in the order of the part's memory."""

QUANTITIES = (
    "one", "alpha", "beta", "qS", "qSb", "qSc", "p_hat", "q_hat", "r_hat", *(f"d{name}" for name in SURFACES),
    "mach", "reynolds", "speed", "pressure", "density", "u", "v", "w", "p", "q", "r", "b_2V", "c_2V", "alpha_rate",
    *(f"{name}_share" for name in SURFACES), "area", "span", "chord", "height_by_span", "wake", "stalled",
)  # fmt: skip
"""What a program reads, by slot: 1; [rad]; q S [N], q S b, q S c [N m] with q = 1/2 rho V^2; b p / 2V, c q / 2V, b r / 2V;
deflections [rad]. What follows is worked out only for programs that read some of it: 1; [m/s], [Pa], [kg/m^3]; velocities [m/s]
and rates [rad/s] forward-right-down; b / 2V, c / 2V [s]; [rad/s]; deflections as a share of the largest; [m^2], [m]; 1; [m/s];
0 or 1."""

_RARE = frozenset(QUANTITIES[QUANTITIES.index("mach") :])

_AXES = ("body", "stability", "wind")
COEFFICIENTS = ("CL", "CD", "CY", "CX", "CZ", "Cl", "Cm", "Cn")
"""Coefficients that tables may be of."""

SUMS = (*(f"{axes}_{name}" for axes in _AXES for name in ("x", "y", "z", "l", "m", "n")), *COEFFICIENTS)
"""What a program makes: forces and moments about x, y, z, in each set of axes, and coefficients."""

SETS = {
    **{f"{axes}_{what}": tuple(f"{axes}_{name}" for name in names)
       for axes in _AXES for what, names in (("forces", "xyz"), ("moments", "lmn"))},
    "coefficients": COEFFICIENTS,
}  # fmt: skip
"""The sums that are taken together."""

AERO = np.dtype(
    [
        ("program", PROGRAM),
        ("sums", [(name, np.int64) for name in SUMS]),  # slots; 0 where nothing goes into a sum
        *((f"has_{name}", np.float64) for name in SETS),  # 1 where something goes into one of six sums
        ("low", np.float64),  # [rad] range of alpha that the tables of forces share
        ("high", np.float64),
        ("uses_rare", np.float64),  # quantities from "mach" on, Mach and Reynolds number
        ("uses_mach", np.float64),
        ("uses_reynolds", np.float64),
        ("stall_ends", np.float64),  # [rad] alpha below which the flow is attached again, and above which it is not
        ("stall_begins", np.float64),
    ]
)
"""Memory layout of the aerodynamics of a part."""


class AeroBuilder:
    """Terms of one or several files, and what they have in common."""

    def __init__(self) -> None:
        self.program = ProgramBuilder(QUANTITIES)
        self._sums: dict[str, int] = {}
        self.low, self.high = -math.pi, math.pi
        self.stall_ends, self.stall_begins = 0.0, 0.0
        self.metrics: dict[str, float] = {}  # area [m^2], span, chord [m], where a file says them

    def add(self, name: str, factor: float, slots: Sequence[int]) -> None:
        """A term [N or N m] of a sum by its name: a number times slots of the program."""
        anew = name not in self._sums
        if anew:
            self._sums[name] = self.program.new_slot()
        self.program.accumulate(self._sums[name], factor, slots, anew=anew)

    def sum_slot(self, name: str) -> int:
        """The slot of what a sum has so far; that of the number 1 times 0 where it has nothing."""
        if name not in self._sums:
            self.add(name, 0.0, ())
        return self._sums[name]

    def add_coefficients(
        self,
        slots: Sequence[int],
        axes: Sequence[NDArray[np.float64]],
        values: Sequence[tuple[str, Sequence[int], NDArray[np.float64]]],
        *,
        monotone: bool = False,
    ) -> None:
        """Tables over the same slots, each of a coefficient, times slots (a rate b p / 2V, a deflection)."""
        if all(len(axis) == 1 for axis in axes):
            for coefficient, per, numbers in values:
                self.add(coefficient, float(numbers.ravel()[0]), per)
            return
        first = self.program.tables(slots, axes, [numbers for _, _, numbers in values], monotone=monotone)
        for k, (coefficient, per, _) in enumerate(values):
            if per or coefficient in self._sums:
                self.add(coefficient, 1.0, [first + k, *per])
            else:
                self._sums[coefficient] = first + k  # the table's own slot takes what else there is
            if coefficient in ("CL", "CD", "CX", "CZ") and not per:
                for slot, axis in zip(slots, axes, strict=True):
                    if slot == QUANTITIES.index("alpha") and len(axis) > 1:
                        self.narrow(float(axis[0]), float(axis[-1]))

    def narrow(self, low: float, high: float) -> None:
        """Forces are known for alpha from `low` to `high` [rad] only."""
        self.low, self.high = max(self.low, low), min(self.high, high)
        if self.low >= self.high:
            raise ValueError("the tables of its forces have no angle of attack in common")

    def record(self) -> Any:
        """The numbers that the law reads, a numpy scalar of `AERO`."""
        made = np.zeros((), dtype=AERO)
        made["program"] = self.program.record()
        for name in SUMS:
            made["sums"][name] = self._sums.get(name, 0)
        for name, sums in SETS.items():
            made[f"has_{name}"] = any(one in self._sums for one in sums)
        made["low"], made["high"] = self.low, self.high
        made["uses_rare"] = bool(_RARE & self.program.used)
        made["uses_mach"], made["uses_reynolds"] = "mach" in self.program.used, "reynolds" in self.program.used
        made["stall_ends"], made["stall_begins"] = self.stall_ends, self.stall_begins
        return made[()]


class AeroFile(Spec):
    """A file of tables or functions."""

    file: str | tuple[str, ...] = Field(
        description="of the twin's folder; of polars one or several, which differ in Reynolds number"
    )
    format: Literal["csv", "xfoil", "avl", "jsbsim"] | None = Field(
        default=None, description="csv (.csv), xfoil (also XFLR5), avl (.st), jsbsim (.xml)"
    )
    interpolation: Literal["linear", "monotone"] = Field("linear", description="along the first axis of each table")
    aspect_ratio: float | None = Field(
        default=None, gt=0, description="of a wing with this section: alpha and drag of polars get what its vortices induce"
    )
    oswald: float = Field(default=0.9, gt=0, le=1.2, description="e, with `aspect_ratio`")
    controls: Mapping[str, str] = Field(default={}, description="of AVL: what of the part each control moves, by its name there")
    properties: Mapping[str, str | float] = Field(
        default={}, description="of JSBSim: a quantity, -quantity or a number for a property by its name there"
    )


class AeroTables(Spec):
    """The files whose tables and functions add up to the aerodynamics of a part."""

    files: tuple[AeroFile, ...] = Field(min_length=1, description="the list may stand alone, without this key")
    _record: Any = PrivateAttr(None)
    _metrics: dict[str, float] = PrivateAttr({})

    @model_validator(mode="before")
    @classmethod
    def _from_list(cls, raw: Any) -> Any:
        return {"files": raw} if isinstance(raw, list | tuple) else raw

    @model_validator(mode="after")
    def _read(self, info: ValidationInfo) -> AeroTables:
        read: Callable[[AeroFile, AeroBuilder], None] | None = (info.context or {}).get(READER)
        if read is None:
            raise ValueError("files of tables are read for a twin's folder only")
        builder = AeroBuilder()
        for file in self.files:
            read(file, builder)
        self._record, self._metrics = builder.record(), builder.metrics
        return self

    @property
    def metrics(self) -> Mapping[str, float]:
        """Area [m^2], span and chord [m], as far as the files say them."""
        return self._metrics

    def record(self) -> Any:
        """The numbers that the law reads, a numpy scalar of `AERO`."""
        return self._record
