"""Tables of a propeller over all directions of flow: what measured C_T and C_P become, and what stands where none were.

    tan(phi) = V / (0.7 pi n D)                         angle of the flow at 0.7 R: 0 at rest, 90 deg of a locked propeller ahead,
                                                        -90 deg the same in flow from behind, 180 deg turning backward at rest
    c_T = T / (1/2 rho A W^2),  c_Q = Q / (1/2 rho A D W^2),  W^2 = V^2 + (0.7 pi n D)^2,  A = pi D^2 / 4

which stay finite in all four quadrants of V and n, as ship propellers are measured. From C_T = T / (rho n^2 D^4),
C_P = P / (rho n^3 D^5) over J = V / (n D):  c_T = 8 C_T / (pi (J^2 + 0.49 pi^2)),  c_Q = 4 C_P / (pi^2 (J^2 + 0.49 pi^2)).
Values between points are linear in phi, and linear between the speeds of rotation that were measured; held beyond these.

Where the table ends, it is joined linearly in phi to points that are known roughly:

    locked, phi = +-90 deg       c_T = -+0.8 sigma        drag of stopped blades, sigma the solidity; the same blades, at the
                                 c_Q = -+0.8 sigma 0.35 tan(theta)   pitch theta, drive the shaft: theta is phi of zero thrust
    backward, phi = 180 deg      c_T = -0.5 c_T(0),  c_Q = -c_Q(0)   camber and twist are the wrong way round

so that beyond zero thrust a propeller brakes and is driven, and a stopped one is a bluff disc. The join is linear: between the
end of a table and 90 deg the drag of a windmilling propeller is right in sign and size, no more.

References: van Lammeren et al., The Wageningen B-screw series, SNAME Trans. 77 (1969), four quadrants; Raymer, Aircraft Design
(2018), sec. 12.5.9 (D/q = 0.8 sigma A of a stopped propeller).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, PrivateAttr, ValidationInfo, model_validator

from didymos.compiled import kernel
from didymos.spec import Spec

__all__ = ["MOST_POINTS", "MOST_ROWS", "PROPELLER", "PROPELLER_READER", "TIP", "PropellerFile", "PropellerRow",
           "coefficients", "extended"]  # fmt: skip

PROPELLER_READER = "read_propeller"
"""Key of the validation context under which `describe/` gives what reads a `PropellerFile` into rows."""

MOST_ROWS, MOST_POINTS = 32, 72
TIP = 0.7 * math.pi
"""The way of 0.7 R in a revolution, per diameter."""

_STOPPED, _BACKWARD = 0.8, 0.5

PROPELLER = np.dtype(
    [
        ("rows", np.int64),  # speeds of rotation that were measured, at least one
        ("turns", np.float64, MOST_ROWS),  # [1/s], ascending
        ("points", np.int64, MOST_ROWS),
        ("phi", np.float64, (MOST_ROWS, MOST_POINTS)),  # [rad], from -pi to pi
        ("thrust", np.float64, (MOST_ROWS, MOST_POINTS)),  # c_T
        ("torque", np.float64, (MOST_ROWS, MOST_POINTS)),  # c_Q
    ]
)
"""Memory layout of a propeller's tables."""


@dataclass(frozen=True, eq=False)
class PropellerRow:
    """What was measured at one speed of rotation [1/s]: C_T and C_P over J, ascending."""

    turns: float
    advance: NDArray[np.float64]
    thrust: NDArray[np.float64]
    power: NDArray[np.float64]


def extended(row: PropellerRow, solidity: float) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """phi, c_T and c_Q of a row, all around; points of the table stay what they are."""
    scale = 8.0 / (math.pi * (row.advance**2 + TIP**2))
    phi, thrust, torque = np.arctan2(row.advance, TIP), scale * row.thrust, scale * row.power / (2.0 * math.pi)
    pitch = float(phi[-1])
    if row.thrust[-1] > 0.0 and len(phi) > 1:  # where the thrust would vanish, in the direction of the last two points
        slope = (thrust[-1] - thrust[-2]) / (phi[-1] - phi[-2])
        pitch = min(pitch - float(thrust[-1] / slope), 1.2) if slope < 0.0 else pitch
    rest_thrust, rest_torque = float(np.interp(0.0, phi, thrust)), float(np.interp(0.0, phi, torque))
    drag = _STOPPED * solidity
    drive = 0.35 * math.tan(min(max(pitch, 0.05), 1.2)) * drag
    beyond = [(0.5 * math.pi, -drag, -drive), (math.pi, -_BACKWARD * rest_thrust, -rest_torque)]
    if row.thrust[-1] > 0.0 and phi[-1] < pitch < 0.5 * math.pi:
        # thrust and torque vanish together, the torque a little later: a propeller without thrust still takes its profile drag
        beyond.insert(0, (pitch, 0.0, 0.25 * float(torque[-1])))
    before = [(-math.pi, -_BACKWARD * rest_thrust, -rest_torque), (-0.5 * math.pi, drag, drive)]
    lead = [] if phi[0] <= 0.0 else [(0.0, rest_thrust, rest_torque)]
    points = np.array([*before, *lead, *zip(phi, thrust, torque, strict=True), *beyond])
    return points[:, 0], points[:, 1], points[:, 2]


class PropellerFile(Spec):
    """A file with C_T and C_P over the advance ratio."""

    file: str | tuple[str, ...] = Field(description="of the twin's folder; of UIUC one or several, which differ in speed")
    format: Literal["uiuc", "apc", "csv"] | None = Field(
        default=None, description="uiuc (.txt: J CT CP eta), apc (.dat: PERFILES_WEB), csv (J, CT, CP, perhaps rpm)"
    )
    solidity: float = Field(default=0.08, gt=0, le=1, description="sigma, blade by disc area, for a propeller that stands")
    _record: Any = PrivateAttr(None)

    @model_validator(mode="after")
    def _read(self, info: ValidationInfo) -> PropellerFile:
        read: Callable[[PropellerFile], list[PropellerRow]] | None = (info.context or {}).get(PROPELLER_READER)
        if read is None:
            raise ValueError("files of tables are read for a twin's folder only")
        made = np.zeros((), dtype=PROPELLER)
        rows = sorted(read(self), key=lambda row: row.turns)
        if len(rows) > MOST_ROWS:
            raise ValueError(f"found {len(rows)} speeds of rotation, expected at most {MOST_ROWS}")
        made["rows"] = len(rows)
        for i, row in enumerate(rows):
            phi, thrust, torque = extended(row, self.solidity)
            if len(phi) > MOST_POINTS:
                raise ValueError(f"found {len(row.advance)} advance ratios, expected at most {MOST_POINTS - 6}")
            made["turns"][i], made["points"][i] = row.turns, len(phi)
            made["phi"][i, : len(phi)], made["thrust"][i, : len(phi)], made["torque"][i, : len(phi)] = phi, thrust, torque
        self._record = made[()]
        return self

    def record(self) -> Any:
        """The tables, a numpy scalar of `PROPELLER`."""
        return self._record


@kernel
def _row(table: Any, i: int, phi: float) -> tuple[float, float, float, float]:
    """c_T and c_Q of a row at an angle [rad], and their slopes [1/rad]."""
    left, right = 0, table.points[i] - 1
    while right - left > 1:
        middle = (left + right) >> 1
        if phi >= table.phi[i, middle]:
            left = middle
        else:
            right = middle
    width = table.phi[i, left + 1] - table.phi[i, left]
    thrust_slope = (table.thrust[i, left + 1] - table.thrust[i, left]) / width
    torque_slope = (table.torque[i, left + 1] - table.torque[i, left]) / width
    along = phi - table.phi[i, left]
    return table.thrust[i, left] + thrust_slope * along, table.torque[i, left] + torque_slope * along, thrust_slope, torque_slope


@kernel
def coefficients(table: Any, phi: float, turns: float) -> tuple[float, float, float, float]:
    """c_T, c_Q and their slopes [1/rad] at an angle of flow [rad] and a speed of rotation [1/s], for a record of `PROPELLER`."""
    last = table.rows - 1
    upper = 0
    while upper < last and table.turns[upper] < turns:
        upper += 1
    if upper == 0 or turns >= table.turns[last]:
        return _row(table, 0 if upper == 0 else last, phi)
    share = (turns - table.turns[upper - 1]) / (table.turns[upper] - table.turns[upper - 1])
    a, b, c, d = _row(table, upper - 1, phi)
    e, f, g, h = _row(table, upper, phi)
    return a + share * (e - a), b + share * (f - b), c + share * (g - c), d + share * (h - d)
