"""From a wrench to generalized forces: J^T w without forming J, by the engine's motion axes."""

from __future__ import annotations

from didymos.compiled import kernel
from didymos.engine.layout import DATA, MODEL
from didymos.native import doubles, integers, word

__all__ = ["add_generalized"]

_DOF_PARENTID = MODEL["dof_parentid"]
_QFRC_APPLIED, _CDOF = DATA["qfrc_applied"], DATA["cdof"]


@kernel
def add_generalized(
    model: int, data: int, last_dof: int, fx: float, fy: float, fz: float, tx: float, ty: float, tz: float
) -> None:
    """Add the generalized force of a wrench on the body that `last_dof` moves; it is about the centre of mass of its tree."""
    total, axes, parents = doubles(word(data + _QFRC_APPLIED)), word(data + _CDOF), integers(word(model + _DOF_PARENTID))
    dof = last_dof
    while dof >= 0:
        axis = doubles(axes + 48 * dof)
        total[dof] += axis[0] * tx + axis[1] * ty + axis[2] * tz + axis[3] * fx + axis[4] * fy + axis[5] * fz
        dof = parents[dof]
