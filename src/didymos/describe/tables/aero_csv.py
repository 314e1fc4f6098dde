"""Tables of aerodynamic coefficients from a CSV (`grid_csv.py` says how it is laid out).

Axes: alpha, beta [deg or rad], mach, reynolds, and deflections dx, dy, dz, dflap, dslat [deg or rad], brake, spoiler, gear.
Values: CL, CD (stability axes), CY, CX, CZ (body axes), Cl, Cm, Cn (moments about the part's frame), each alone or with one of

    _p _r     times b p / 2V, b r / 2V              _q _adot  times c q / 2V, c (d alpha/dt) / 2V
    _alpha _beta _dx _dy _dz _dflap _dslat          times that angle [rad]

so `Cm_q` over alpha is a damping derivative that depends on alpha, `Cl_dx` one of the ailerons. Capital CL is lift, Cl rolls.
"""

from __future__ import annotations

from pathlib import Path

from didymos.describe.tables.grid_csv import read_grid
from didymos.parts.aero_data import COEFFICIENTS, AeroBuilder

__all__ = ["read_aero_csv"]

_AXES = {name: name for name in ("alpha", "beta", "mach", "reynolds", "dx", "dy", "dz", "dflap", "dslat")}
_AXES |= {name: f"{name}_share" for name in ("brake", "spoiler", "gear")}
_PER = {
    "p": ("p_hat",), "r": ("r_hat",), "q": ("q_hat",), "adot": ("alpha_rate", "c_2V"),
    **{name: (name,) for name in ("alpha", "beta", "dx", "dy", "dz", "dflap", "dslat")},
}  # fmt: skip
_VALUE = f"(?:{'|'.join(COEFFICIENTS)})(?:_(?:{'|'.join(_PER)}))?"


def read_aero_csv(file: Path, builder: AeroBuilder, *, monotone: bool) -> None:
    """Add the tables of a CSV file to a builder."""
    grid = read_grid(file, _AXES, _VALUE)
    slots = [builder.program.slot(_AXES[name]) for name in grid.names]
    tables = []
    for name, values in grid.values.items():
        coefficient, _, per = name.partition("_")
        tables.append((coefficient, [builder.program.slot(one) for one in _PER[per]] if per else [], values))
    builder.add_coefficients(slots, grid.axes, tables, monotone=monotone)
