"""Where the mass of a robot is: a box for the inertia of each link, a ball at its centre of mass, a larger one at the robot's.

The box is the solid one of the link's mass m with its principal moments I about its centre of mass; its sides are

    a_i = sqrt(6 (I_j + I_k - I_i) / m)
"""

from __future__ import annotations

from typing import Any

import numpy as np
import viser
import viser.transforms as tf
from numpy.typing import NDArray

from didymos.cockpit.scene import ROOT, Puppet
from didymos.engine.link_inertia import LinkInertias
from didymos.engine.robot_run import RobotRun

__all__ = ["MassOverlay", "equivalent_box"]

BOX, LINK, WHOLE = (230, 119, 0), (250, 176, 5), (224, 49, 49)
LEAST = 1e-9  # [kg]: a link with less has no box
Array = NDArray[np.float64]


def equivalent_box(mass: float, inertia: Array) -> tuple[Array, Array]:
    """Sides [m], shape [3], and axes, shape [3, 3], of the solid box with a mass [kg] and an inertia [kg m^2], shape [3, 3]."""
    moments, axes = np.linalg.eigh(inertia)
    if np.linalg.det(axes) < 0.0:
        axes[:, 2] = -axes[:, 2]
    return np.sqrt(np.maximum(6.0 * (moments.sum() - 2.0 * moments) / mass, 0.0)), axes


class MassOverlay:
    """Boxes and balls of one robot of a size [m]; they move with the nodes of its bodies."""

    def __init__(self, scene: viser.SceneApi, robot: RobotRun, puppet: Puppet, size: float) -> None:
        self._scene, self.robot, self._puppet, self._size = scene, robot, puppet, size
        self._boxes: list[Any] = []
        self._balls: list[Any] = []
        self._whole: Any = None
        self._drawn: bytes | None = None

    @property
    def _inertias(self) -> LinkInertias:
        return self.robot.built.assembly.inertias

    def draw(self, boxes: bool, centres: bool, com: Array) -> None:
        """Show boxes, or centres of mass, or both; `com` is the robot's own, world frame [m], shape [3]."""
        now = self._inertias.state if boxes or centres else None
        if now is not None and now != self._drawn:  # a mass was tuned
            self._clear()
            self._build()
            self._drawn = now
        for node, on in (*((box, boxes) for box in self._boxes), *((ball, centres) for ball in self._balls)):
            if node.visible != on:
                node.visible = on
        if self._whole is not None and centres:
            self._whole.position = com
        if self._whole is not None and self._whole.visible != centres:
            self._whole.visible = centres

    def _build(self) -> None:
        radius = 0.025 * self._size
        for name, frame in self.robot.links.links.items():
            mass, com, inertia = self._inertias.of(name)
            if mass > LEAST and frame.body in self._puppet.names:
                base = f"{self._puppet.node(frame.body).name}/mass_{len(self._balls)}"
                sides, axes = equivalent_box(mass, inertia)
                if sides.min() > 0.0:
                    self._boxes.append(self._scene.add_box(
                        f"{base}_box", BOX, tuple(sides), opacity=0.35, position=com, wxyz=tf.SO3.from_matrix(axes).wxyz,
                        cast_shadow=False, visible=False,
                    ))  # fmt: skip
                self._balls.append(self._scene.add_icosphere(f"{base}_centre", radius, LINK, position=com, visible=False))
        if self._whole is None:
            base = f"{ROOT}/overlays/centre_{self.robot.name}"
            self._whole = self._scene.add_icosphere(base, 2.0 * radius, WHOLE, opacity=0.8, visible=False)

    def hide(self) -> None:
        """Show nothing until the next `draw`."""
        self.draw(False, False, np.zeros(3))

    def _clear(self) -> None:
        for node in (*self._boxes, *self._balls):
            node.remove()
        self._boxes, self._balls = [], []
