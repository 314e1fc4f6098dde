"""The stage: all that stands in the 3D scene of one run. The ground, the robot, its ghost, arrows and rays."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import mujoco
import numpy as np
import viser
from numpy.typing import NDArray

from didymos.cockpit.overlays import Overlays
from didymos.cockpit.scene import Puppet, World
from didymos.cockpit.sensor_overlay import SensorOverlay
from didymos.cockpit.snapshot import Snapshot
from didymos.engine.simulation import Simulation

__all__ = ["Stage"]

GHOST = (51, 154, 240)
Array = NDArray[np.float64]


class Stage:
    """The scene of a simulation's model, for a robot of a size [m] and a weight [N]."""

    def __init__(self, scene: viser.SceneApi, simulation: Simulation, size: float, weight: float) -> None:
        self.root = simulation.links.root_body(simulation.model)
        self._scene, self._model, self._shown, self._links = scene, simulation.model, simulation.shown.model, simulation.links
        self._data = mujoco.MjData(simulation.model)  # of its own: the run does not stand still for a replay
        self._world = World(scene, self._shown, size)
        self._robot = Puppet(scene, self._shown, "robot")
        self._ghost: Puppet | None = None
        self._overlays = Overlays(scene, size, weight)
        self._sensors = SensorOverlay(scene, simulation.twin, self._links, self._robot, size)

    def fits(self, snapshot: Snapshot) -> bool:
        """Whether a snapshot is of the same bodies: a piloted run has boxes."""
        return len(snapshot.positions) == len(self._robot.bodies)

    def draw(self, snapshot: Snapshot, view: str, shown: Collection[str], scale: float) -> None:
        """Bring all up to a snapshot; `shown` names the overlays that are on, `scale` stretches their arrows."""
        self._remove_ghost()
        self._robot.pose(snapshot.positions, snapshot.quaternions)
        self._overlays.shown, self._overlays.scale = set(shown), scale
        self._overlays.draw(snapshot, self.root)
        self._sensors.draw(snapshot.ranges, "sensors" in shown)
        self._world.look(view, snapshot.positions[self.root], snapshot.quaternions[self.root])

    def draw_replay(self, joint_positions: Sequence[Array], view: str) -> None:
        """Show nothing but the robot with its joints at positions, shape [nq] each; the second ones as a ghost."""
        self._overlays.hide()
        self._sensors.draw({}, False)
        poses = [self._body_poses(qpos) for qpos in joint_positions]
        self._robot.pose(*poses[0])
        if len(poses) == 2:
            if self._ghost is None:
                self._ghost = Puppet(self._scene, self._shown, "ghost", tint=GHOST)
            self._ghost.pose(*poses[1])
        else:
            self._remove_ghost()
        positions, quaternions = poses[0]
        self._world.look(view, positions[self.root], quaternions[self.root])

    def _body_poses(self, qpos: Array) -> tuple[Array, Array]:
        """Positions [m] and quaternions of all bodies."""
        self._data.qpos[:] = qpos
        mujoco.mj_kinematics(self._model, self._data)
        return self._data.xpos.copy(), self._data.xquat.copy()

    def show_frames(self, pattern: str) -> int:
        """Show axes and names of the links and frames whose name contains a pattern; how many."""
        return self._overlays.show_frames(self._links, self._robot, pattern)

    def show_collision(self, on: bool) -> None:
        """Show or hide the shapes of contact."""
        self._robot.show_collision(on)

    def on_push(self, react: Callable[[str, Array], None]) -> None:
        """Call a function when a link is clicked with Shift: its name, and the direction in which the person looks."""
        for geom, node in self._robot.visual.items():
            link = self._links.link_of_geom(self._shown, geom)
            if link is not None:
                _on_click(node, link, react)

    def remove(self) -> None:
        """Clear the scene."""
        self._world.root.remove()

    def _remove_ghost(self) -> None:
        if self._ghost is not None:
            self._ghost.remove()
            self._ghost = None


def _on_click(node: Any, link: str, react: Callable[[str, Array], None]) -> None:
    node.on_click(modifier="shift")(lambda event: react(link, np.asarray(event.ray_direction, dtype=np.float64)))
