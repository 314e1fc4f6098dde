"""The state that a shadow estimates, as streams of its log.

twin.base       where a floating robot is: position and orientation in the world, velocities in the body's frame
twin.joints     position and velocity of every joint
twin.sigma      standard deviations: BASE or JOINT and the coordinate; of an orientation, angles [rad] about the axes of the
                body by which it may be off
"""

from __future__ import annotations

from collections.abc import Callable

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.record.stream import Kind, StreamLayout
from didymos.rotations import rotate

__all__ = ["StateStreams"]

_Array = NDArray[np.float64]
_FREE, _BALL = int(mujoco.mjtJoint.mjJNT_FREE), int(mujoco.mjtJoint.mjJNT_BALL)
_SLIDE = int(mujoco.mjtJoint.mjJNT_SLIDE)
_BACK = np.array([1.0, -1.0, -1.0, -1.0])  # of a quaternion
_POSE = (*(f"position.{axis}" for axis in "xyz"), *(f"orientation.{axis}" for axis in "wxyz"))
_TWIST = (*(f"velocity.{axis}" for axis in "xyz"), *(f"angular_velocity.{axis}" for axis in "xyz"))
_OFF = (*(f"position.{axis}" for axis in "xyz"), *(f"rotation.{axis}" for axis in "xyz"))


class StateStreams:
    """Layouts for the coordinates of a model, and tables of estimates for each of them."""

    def __init__(self, model: mujoco.MjModel) -> None:
        self.layouts: list[StreamLayout] = []
        self._tables: list[Callable[[_Array, _Array, _Array], _Array]] = []
        self._plain: list[tuple[str, int, int, bool]] = []  # name, address of position and velocity, whether it slides
        self._sigmas: list[tuple[str, str, int]] = []  # column, unit, place in the covariance
        free = 0
        for i in range(model.njnt):
            kind, at, dof, name = int(model.jnt_type[i]), int(model.jnt_qposadr[i]), int(model.jnt_dofadr[i]), model.joint(i).name
            if kind == _FREE:
                free += 1
                self._add_free("base" if free == 1 else name, model.body(int(model.jnt_bodyid[i])).name, at, dof, model.nv)
            elif kind == _BALL:
                self._add_sigmas(name, [f"rotation.{axis}" for axis in "xyz"], "rad", dof)
                self._add_sigmas(name, [f"angular_velocity.{axis}" for axis in "xyz"], "rad/s", model.nv + dof)
            else:
                self._plain.append((name, at, dof, kind == _SLIDE))
                unit = "m" if kind == _SLIDE else "rad"
                self._add_sigmas(name, ["position"], unit, dof)
                self._add_sigmas(name, ["velocity"], f"{unit}/s", model.nv + dof)
        if self._plain:
            self._add_joints()
        names, units, places = zip(*self._sigmas, strict=True) if self._sigmas else ((), (), ())
        self.layouts.append(StreamLayout("twin.sigma", Kind.SCALARS, names, units))
        where = np.array(places, dtype=np.int64)
        self._tables.append(lambda _qpos, _qvel, variances: np.sqrt(np.maximum(variances[:, where], 0.0)))

    def tables(self, qpos: _Array, qvel: _Array, variances: _Array) -> list[_Array]:
        """For each layout the rows of n estimates: positions [n, nq], velocities [n, nv], diagonals of covariances [n, all]."""
        return [table(qpos, qvel, variances) for table in self._tables]

    def _add_free(self, name: str, body: str, at: int, dof: int, nv: int) -> None:
        def table(qpos: _Array, qvel: _Array, _variances: _Array) -> _Array:
            pose, twist = qpos[:, at : at + 7], qvel[:, dof : dof + 6]
            return np.hstack([pose, rotate(pose[:, 3:] * _BACK, twist[:, :3]), twist[:, 3:]])

        units = ("m",) * 3 + ("1",) * 4 + ("m/s",) * 3 + ("rad/s",) * 3
        self.layouts.append(StreamLayout(f"twin.{name}", Kind.ODOMETRY, (*_POSE, *_TWIST), units, child_frame=body))
        self._tables.append(table)
        for first, columns, unit in ((0, _OFF[:3], "m"), (3, _OFF[3:], "rad")):
            self._add_sigmas(name, columns, unit, dof + first)
        for first, columns, unit in ((0, _TWIST[:3], "m/s"), (3, _TWIST[3:], "rad/s")):
            self._add_sigmas(name, columns, unit, nv + dof + first)

    def _add_sigmas(self, name: str, columns: list[str] | tuple[str, ...], unit: str, first: int) -> None:
        self._sigmas += [(f"{name}.{column}", unit, first + i) for i, column in enumerate(columns)]

    def _add_joints(self) -> None:
        labels = tuple(name for name, _, _, _ in self._plain)
        columns = tuple(f"{name}.{what}" for name in labels for what in ("position", "velocity"))
        units = tuple(unit for *_, slides in self._plain for unit in (("m", "m/s") if slides else ("rad", "rad/s")))
        positions, velocities = [at for _, at, _, _ in self._plain], [dof for _, _, dof, _ in self._plain]
        self.layouts.append(StreamLayout("twin.joints", Kind.JOINT_STATES, columns, units, labels=labels))
        self._tables.append(
            lambda qpos, qvel, _: np.stack([qpos[:, positions], qvel[:, velocities]], axis=2).reshape(len(qpos), -1)
        )
