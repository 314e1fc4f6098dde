"""Couplings between robots: welds that can be closed and opened while a run goes on, and springs.

A weld is an equality of the engine between two bodies, on while the input of its name is above a half. When it closes, it holds
the pose that the two have to each other then, and takes their motion against each other away in an instant, as a latch does: a
plastic impact with the impulse lambda between them,

    v+ = v - M^-1 J^T lambda,    J M^-1 J^T lambda = J v,    J v = relative twist of the two at one point

(equal and opposite at one point: linear and angular momentum stay, energy is lost). From then on the engine's equality holds it.
The pose is kept in our state, so that a saved run continues with it, and is written to the engine's model from there each tick.

A spring is a tendon of the engine between two points: k (L - l) along the line between them and -d dl/dt; with `pushes_only`
there is none where l > L, as with a plunger.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import mujoco
import numpy as np
from numba import types
from numpy.typing import NDArray

from didymos.compiled import kernel
from didymos.control.small_linear import factor, solve
from didymos.describe.world_file import CouplingSpec
from didymos.engine.calls import engine_function
from didymos.engine.link_frames import LinkFrame, LinkFrames
from didymos.native import array_at, doubles, matrix_at, row_at

__all__ = [
    "WELD", "Coupling", "CouplingEnds", "CouplingTables", "add_couplings", "coupling_tables", "switch_couplings", "write_poses",
]  # fmt: skip

WELD = 10
"""Numbers of state of a weld: point of the second body, the same point of the first, orientation of the second in the first."""

COUPLING = np.dtype([
    ("equality", np.int64),
    ("input", np.int64),  # in the state: above a half, it holds
    ("pose", np.int64),  # in the state, WELD numbers
    ("first", np.int64), ("second", np.int64),  # bodies
    ("point", np.float64, 3),  # [m] in the second body, where they hold each other
])  # fmt: skip

_FLOAT, _BYTE = np.dtype(np.float64), np.dtype(np.uint8)
_EQUALITY_NUMBERS = int(mujoco.mjNEQDATA)
_ROWS = 6
_FAR = 1e6  # [m]: no tendon is so long
_STIFF = (0.9999, 0.9999, 0.001, 0.5, 2.0)  # of the engine's impedance: yields by 1e-4
_mj_jac = engine_function("mj_jac", types.int64, types.int64, types.int64, types.int32)
_mj_solve_m = engine_function("mj_solveM", types.int64, types.int64, types.int32)
_mj_fwd_position = engine_function("mj_fwdPosition")
_mj_fwd_velocity = engine_function("mj_fwdVelocity")


@dataclass(frozen=True)
class Coupling:
    """A coupling by its name, the frames of its ends, and the number of the robot whose input switches it."""

    name: str
    spec: CouplingSpec
    ends: tuple[LinkFrame, LinkFrame]
    owner: int


@dataclass(frozen=True)
class CouplingEnds:
    """A coupling before the model is known: robots by their numbers, and links; an object of the world is a link of robot -1."""

    name: str
    spec: CouplingSpec
    robots: tuple[int, int]
    links: tuple[str, str]

    def placed(self, links: Sequence[LinkFrames]) -> Coupling:
        """The same with the frames of its ends, `links` of each robot and, last, of objects being known."""
        first, second = (links[robot][link] for robot, link in zip(self.robots, self.links, strict=True))
        return Coupling(self.name, self.spec, (first, second), self.robots[0])


class CouplingTables(NamedTuple):
    """The welds of a world, the engine's arrays that they write, and room to reckon in."""

    couplings: NDArray[Any]  # COUPLING [n]
    active: NDArray[np.uint8]  # [equalities]
    equality_data: NDArray[np.float64]  # [equalities, numbers], the model's
    jacobian: NDArray[np.float64]  # [6, nv], that of the second body less that of the first
    other: NDArray[np.float64]  # [6, nv]
    inverse: NDArray[np.float64]  # [6, nv], M^-1 J^T by rows
    matrix: NDArray[np.float64]  # [6, 6]
    impulse: NDArray[np.float64]  # [6]
    point: NDArray[np.float64]  # [3]


def _name(coupling: str) -> str:
    return f"didymos:coupling:{coupling}"


def add_couplings(spec: mujoco.MjSpec, couplings: Sequence[Coupling], step: float) -> None:
    """Put all couplings on a spec."""
    for item in couplings:
        name, (first, second) = _name(item.name), item.ends
        if item.spec.kind == "weld":
            spec.add_equality(
                name=name, type=mujoco.mjtEq.mjEQ_WELD, objtype=mujoco.mjtObj.mjOBJ_BODY, name1=first.body, name2=second.body,
                active=False, solref=[2.0 * step, 1.0], solimp=_STIFF,
            )  # fmt: skip
            continue
        for number, end in enumerate(item.ends):
            spec.body(end.body).add_site(name=f"{name}:{number}", pos=end.pose.position, quat=end.pose.quaternion, group=5)
        length = item.spec.length
        tendon = spec.add_tendon(name=name, springlength=[length, _FAR if item.spec.pushes_only else length])
        tendon.stiffness[0], tendon.damping[0] = item.spec.stiffness, item.spec.damping
        for number in range(2):
            tendon.wrap_site(f"{name}:{number}")


def coupling_tables(
    model: mujoco.MjModel, data: mujoco.MjData, couplings: Sequence[Coupling], inputs: Mapping[str, int], poses: int
) -> CouplingTables:
    """The tables of the loop; `inputs` says where in the state the input of each is, `poses` where their poses begin."""
    welds = [item for item in couplings if item.spec.kind == "weld"]
    rows = np.zeros(len(welds), dtype=COUPLING)
    for i, (row, item) in enumerate(zip(rows, welds, strict=True)):
        first, second = item.ends
        row["equality"], row["input"], row["pose"] = model.equality(_name(item.name)).id, inputs[item.name], poses + WELD * i
        row["first"], row["second"], row["point"] = model.body(first.body).id, model.body(second.body).id, second.pose.position
    room = np.zeros((_ROWS, model.nv if welds else 0))
    return CouplingTables(
        rows, data.eq_active.view(np.uint8), model.eq_data, room, room.copy(), room.copy(), np.zeros((_ROWS, _ROWS)),
        np.zeros(_ROWS), np.zeros(3),
    )  # fmt: skip


@kernel
def _hold_pose(e: Any, row: Any, point: Any) -> None:
    """Remember how the second body stands in the first now."""
    pose = doubles(e.state + 8 * row.pose)
    p, q = doubles(e.xpos + 24 * row.first), doubles(e.xquat + 32 * row.first)
    r = doubles(e.xquat + 32 * row.second)
    a, b, c, d = q[0], -q[1], -q[2], -q[3]
    x, y, z = point[0] - p[0], point[1] - p[1], point[2] - p[2]
    # p + 2 v x (v x p + w p), with the quaternion (w, v) = (a, b, c, d) of the world in the first body
    u, v, w = c * z - d * y + a * x, d * x - b * z + a * y, b * y - c * x + a * z
    pose[3] = x + 2.0 * (c * w - d * v)
    pose[4] = y + 2.0 * (d * u - b * w)
    pose[5] = z + 2.0 * (b * v - c * u)
    pose[6] = a * r[0] - b * r[1] - c * r[2] - d * r[3]
    pose[7] = a * r[1] + b * r[0] + c * r[3] - d * r[2]
    pose[8] = a * r[2] - b * r[3] + c * r[0] + d * r[1]
    pose[9] = a * r[3] + b * r[2] - c * r[1] + d * r[0]
    for i in range(3):
        pose[i] = row.point[i]


@kernel
def _place_point(e: Any, row: Any, point: Any) -> None:
    """Where in the world the two hold each other [m]."""
    p, q, at = doubles(e.xpos + 24 * row.second), doubles(e.xquat + 32 * row.second), row.point
    a, b, c, d = q[0], q[1], q[2], q[3]
    x, y, z = at[0], at[1], at[2]
    u, v, w = c * z - d * y + a * x, d * x - b * z + a * y, b * y - c * x + a * z
    point[0] = p[0] + x + 2.0 * (c * w - d * v)
    point[1] = p[1] + y + 2.0 * (d * u - b * w)
    point[2] = p[2] + z + 2.0 * (b * v - c * u)


@kernel
def _stop_relative_motion(e: Any, c: Any, row: Any, freedoms: int) -> None:
    """The plastic impact of two bodies at a point."""
    _mj_jac(e.model, e.data, c.jacobian, c.jacobian + 24 * freedoms, c.point, row.second)
    _mj_jac(e.model, e.data, c.other, c.other + 24 * freedoms, c.point, row.first)
    jacobian, other = doubles(c.jacobian), doubles(c.other)
    for i in range(_ROWS * freedoms):
        jacobian[i] -= other[i]
    _mj_solve_m(e.model, e.data, c.inverse, c.jacobian, _ROWS)
    inverse, qvel, impulse = doubles(c.inverse), doubles(e.qvel), doubles(c.impulse)
    matrix = matrix_at(c.matrix, _ROWS, _ROWS, _FLOAT)
    for i in range(_ROWS):
        impulse[i] = 0.0
        for n in range(freedoms):
            impulse[i] += jacobian[i * freedoms + n] * qvel[n]
        for k in range(_ROWS):
            matrix[i, k] = 0.0
            for n in range(freedoms):
                matrix[i, k] += jacobian[i * freedoms + n] * inverse[k * freedoms + n]
    factor(matrix, _ROWS)
    solve(matrix, _ROWS, impulse, impulse)
    for n in range(freedoms):
        for i in range(_ROWS):
            qvel[n] -= inverse[i * freedoms + n] * impulse[i]


@kernel
def _write_pose(e: Any, c: Any, row: Any) -> None:
    pose, numbers = doubles(e.state + 8 * row.pose), doubles(c.equality_data + 8 * _EQUALITY_NUMBERS * row.equality)
    for k in range(WELD):
        numbers[k] = pose[k]


@kernel
def write_poses(e: Any, c: Any) -> None:
    """Give the engine the poses that closed welds hold, before it finds positions: a state may have been restored."""
    active = array_at(c.active, c.active_count, _BYTE)
    for i in range(c.couplings_count):
        row = row_at(c.couplings, i, COUPLING)
        if active[row.equality] != 0:
            _write_pose(e, c, row)


@kernel
def switch_couplings(e: Any, c: Any) -> None:
    """Close and open welds as their inputs say; where one did, the engine's positions and velocities are found anew."""
    active, changed = array_at(c.active, c.active_count, _BYTE), False
    for i in range(c.couplings_count):
        row = row_at(c.couplings, i, COUPLING)
        wanted = doubles(e.state)[row.input] > 0.5
        if wanted and active[row.equality] == 0:
            _place_point(e, row, doubles(c.point))
            _hold_pose(e, row, doubles(c.point))
            _stop_relative_motion(e, c, row, e.qvel_count)
            _write_pose(e, c, row)
            active[row.equality] = 1
            changed = True
            _mj_fwd_velocity(e.model, e.data)  # a second one that closes now sees what the first one did
        elif not wanted and active[row.equality] != 0:
            active[row.equality] = 0
            changed = True
    if changed:
        _mj_fwd_position(e.model, e.data)
        _mj_fwd_velocity(e.model, e.data)
