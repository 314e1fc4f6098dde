"""Boxes that a pilot drops: free bodies that wait high above the world, weightless, until they are needed.

The engine cannot grow bodies while it runs, so a run with a pilot has them from the start. Which are out is kept in our state
(how many were ever dropped, then 1 for each that is out), so it is saved and restored with the state; the weight that the
model gives them follows from it.
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.control.pilot import BoxesSpec
from didymos.engine.shown_model import ShownModel

__all__ = ["Boxes", "add_boxes", "is_box"]

_NAME = "didymos:box"
_APART = 10.0  # [m] between boxes that wait


def is_box(model: mujoco.MjModel, body: int, prefix: str = "") -> bool:
    """Whether a body of a model is such a box, of the pilot of the robot with a prefix."""
    return str(model.body(body).name).startswith(prefix + _NAME)


def add_boxes(spec: mujoco.MjSpec, boxes: BoxesSpec, boundary: float, prefix: str = "") -> None:
    """Put the boxes into a model, after all else that moves, half-way to the world's upper end."""
    for i in range(boxes.count):
        name = f"{prefix}{_NAME}{i + 1}"
        body = spec.worldbody.add_body(name=name, pos=[_APART * i, 0.0, 0.5 * boundary], gravcomp=1.0)
        body.explicitinertial = True
        body.mass, body.inertia = boxes.mass, [boxes.mass * boxes.side**2 / 6.0] * 3
        body.add_freejoint(name=name)
        body.add_geom(
            name=name, type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.5 * boxes.side] * 3,
            rgba=[0.85, 0.45, 0.1, 1.0],
        )  # fmt: skip


class Boxes:
    """The boxes of a run; `dropped` is their part of the state."""

    def __init__(
        self,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        shown: ShownModel,
        spec: BoxesSpec,
        dropped: NDArray[np.float64],
        prefix: str = "",
    ) -> None:
        self._model, self._data, self._shown, self._spec = model, data, shown, spec
        self._bodies = [body for body in range(model.nbody) if is_box(model, body, prefix)]
        self._dropped, self._prefix = dropped, prefix

    def weigh(self) -> None:
        """Give weight to the boxes that are out, and to them alone."""
        for i, body in enumerate(self._bodies):
            self._model.body_gravcomp[body] = 1.0 - self._dropped[1 + i]

    def drop(self, root: int) -> None:
        """Let a box go from below the robot with the speed of a body, its root; the oldest one where all are out."""
        i = int(self._dropped[0]) % len(self._bodies)
        mujoco.mj_kinematics(self._model, self._data)
        x, y, _ = self._data.xpos[root]
        height = self._lowest() - self._spec.gap - 0.5 * self._spec.side
        self._put(i, (x, y, height), self._speed(root))
        self._dropped[0] += 1.0
        self._dropped[1 + i] = 1.0
        self.weigh()

    def remove(self) -> None:
        """Take all boxes back to where they wait."""
        for i, body in enumerate(self._bodies):
            self._put(i, tuple(self._model.body_pos[body]), np.zeros(3))
        self._dropped[:] = 0.0
        self.weigh()

    def _speed(self, root: int) -> Any:
        found = np.zeros(6)
        mujoco.mj_comPos(self._model, self._data)
        mujoco.mj_comVel(self._model, self._data)
        mujoco.mj_objectVelocity(self._model, self._data, mujoco.mjtObj.mjOBJ_XBODY, root, found, 0)
        return found[3:]

    def _lowest(self) -> float:
        """Height [m] of the lowest point of the robot's shapes, by their boxes."""
        model = self._shown.model
        data = self._shown.pose(self._data)
        named = [body for body in range(1, model.nbody) if model.body(body).name.startswith(self._prefix)]
        own = set(named).difference(self._bodies)
        robot = [i for i in range(model.ngeom) if int(model.geom_bodyid[i]) in own]
        middle, half = model.geom_aabb[robot, :3], model.geom_aabb[robot, 3:]
        down = data.geom_xmat[robot, 6:9]  # the world's z in each shape's frame
        heights = data.geom_xpos[robot, 2] + (down * middle).sum(axis=1) - (np.abs(down) * half).sum(axis=1)
        return float(heights.min())

    def _put(self, i: int, position: Any, velocity: Any) -> None:
        joint = int(self._model.body_jntadr[self._bodies[i]])
        q, v = int(self._model.jnt_qposadr[joint]), int(self._model.jnt_dofadr[joint])
        self._data.qpos[q : q + 7] = *position, 1.0, 0.0, 0.0, 0.0
        self._data.qvel[v : v + 6] = *velocity, 0.0, 0.0, 0.0
