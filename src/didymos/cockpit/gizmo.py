"""A gizmo: three axes and three rings in the scene, with which a person places something."""

from __future__ import annotations

import time as wall
from collections.abc import Callable
from typing import Any

import numpy as np
import viser
from numpy.typing import NDArray

from didymos.cockpit.scene import ROOT

__all__ = ["Gizmo"]

PERIOD = 0.08  # [s] between two places on the way; where it is let go always counts
Array = NDArray[np.float64]


class Gizmo:
    """Stands at a pose in the world; `react` gets the position [m] and the quaternion, w first, to which it is moved."""

    def __init__(self, scene: viser.SceneApi, size: float, react: Callable[[Array, Array], None]) -> None:
        self._react, self._told = react, 0.0
        self.moving = False
        self._node: Any = scene.add_transform_controls(f"{ROOT}/gizmo", scale=0.8 * size, depth_test=False, line_width=3.0)

        async def moved(event: Any) -> None:  # so that events come in their order
            self._moved(event.phase)

        self._node.on_update(moved)

    def _moved(self, phase: str) -> None:
        self.moving = phase != "end"
        position, quaternion = np.array(self._node.position, dtype=float), np.array(self._node.wxyz, dtype=float)
        length = float(np.linalg.norm(quaternion))
        due = phase == "end" or wall.monotonic() - self._told > PERIOD
        if due and phase != "start" and np.isfinite([*position, length]).all() and length > 0.0:
            self._told = wall.monotonic()
            self._react(position, quaternion / length)

    def stand_at(self, position: Array, quaternion: Array) -> None:
        """Stand where the thing is, unless a person moves it right now."""
        if not self.moving and not (
            np.allclose(self._node.position, position, atol=1e-6) and np.allclose(self._node.wxyz, quaternion, atol=1e-6)
        ):
            self._node.position, self._node.wxyz = position, quaternion

    def remove(self) -> None:
        """Take it off the stage."""
        self._node.remove()
