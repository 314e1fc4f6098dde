"""The stage: all that stands in the 3D scene of one run. The ground, the robots, their ghosts, arrows and rays."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Literal

import mujoco
import numpy as np
import viser
from numpy.typing import NDArray

from didymos.cockpit.mass_overlay import MassOverlay
from didymos.cockpit.overlays import FrameLabels, Overlays, PullLine
from didymos.cockpit.robots import Figure
from didymos.cockpit.scene import Puppet, World
from didymos.cockpit.sensor_overlay import SensorOverlay
from didymos.cockpit.snapshot import Snapshot
from didymos.engine.simulation import Simulation

__all__ = ["Stage"]

Push = Callable[[str, str, NDArray[np.float64]], None]
Pulling = Callable[[str, str, str, NDArray[np.float64], NDArray[np.float64]], None]
GHOST = (51, 154, 240)
Array = NDArray[np.float64]


class Stage:
    """The scene of a simulation's model of a size [m] up to a horizon [m], with robots of these figures by name."""

    def __init__(
        self, scene: viser.SceneApi, simulation: Simulation, size: float, horizon: float, figures: Mapping[str, Figure]
    ) -> None:
        self._scene, self._model, self._shown = scene, simulation.model, simulation.shown.model
        self._links = {name: robot.links for name, robot in simulation.robots.items()}
        self._roots = {name: links.root_body(self._model) for name, links in self._links.items()}
        self._figures = figures
        self._data = mujoco.MjData(simulation.model)  # of its own: the run does not stand still for a replay
        self._world = World(scene, self._shown, size, horizon)
        self._robots = Puppet(scene, self._shown, "robot")
        self._ghost: Puppet | None = None
        self._labels = FrameLabels(scene)
        self._pull = PullLine(scene)
        self._overlays, self._sensors, self._names = {}, [], []
        self._masses: dict[str, MassOverlay] = {}
        for name, robot in simulation.robots.items():
            own = figures[name]
            self._overlays[name] = Overlays(scene, name, own.extent.size, own.weight)
            if name:
                self._names.append(self._name(name, own.above))
            self._masses[name] = MassOverlay(scene, robot, self._robots, own.extent.size)
            self._sensors.append(SensorOverlay(scene, name, robot.twin, robot.links, self._robots, own.extent.size))

    def _name(self, robot: str, above: Array) -> Any:
        """A label with a robot's name at a point of its root link's body [m], with which it moves."""
        node = self._robots.bodies[self._roots[robot]]
        return self._scene.add_label(f"{node.name}/name_{robot}", robot, position=above, font_size_mode="screen")

    def fits(self, snapshot: Snapshot) -> bool:
        """Whether a snapshot is of the same bodies: a piloted run has boxes."""
        return len(snapshot.positions) == len(self._robots.bodies)

    def renew(self, simulation: Simulation) -> None:
        """Show another run of the same bodies: their masses may have been tuned in it."""
        for name, robot in simulation.robots.items():
            self._masses[name].robot = robot

    def root(self, robot: str) -> int:
        """The number of the body of a robot's root link."""
        return self._roots[robot]

    def focus(self, positions: Array, quaternions: Array, target: str | None) -> tuple[Array, Array]:
        """Where a view is centred, and how it is turned: at a robot's root link, or between those of all robots (None)."""
        first = next(iter(self._roots.values())) if target is None else self._roots[target]
        if target is not None or len(self._roots) == 1:
            return positions[first], quaternions[first]
        places = positions[list(self._roots.values())]
        return 0.5 * (places.min(axis=0) + places.max(axis=0)), quaternions[first]

    def spread(self, positions: Array) -> float:
        """Half of the diagonal of the box around all root links [m]; none for a twin alone."""
        return 0.5 * float(np.linalg.norm(np.ptp(positions[list(self._roots.values())], axis=0)))

    def draw(
        self, snapshot: Snapshot, view: str, target: str | None, shown: Collection[str], scale: float,
        ghost: Array | None = None, *, hold: bool = False,
    ) -> None:  # fmt: skip
        """Bring all up to a snapshot; `shown` names the overlays that are on, `scale` stretches their arrows.

        `ghost` are positions of all joints, shape [nq], at which robots are shown as ghosts besides. While `hold`, the view
        stands still.
        """
        self._draw_ghost(ghost)
        self._robots.pose(snapshot.positions, snapshot.quaternions)
        for name, overlays in self._overlays.items():
            overlays.shown, overlays.scale = set(shown), scale
            overlays.draw(snapshot, self._roots[name])
            self._masses[name].draw("inertia" in shown, "centres" in shown, snapshot.robots[name].com)
        for sensors in self._sensors:
            sensors.draw(snapshot.ranges, "sensors" in shown)
        self._pull.draw(snapshot.pulled)
        self._look(view, target, snapshot.positions, snapshot.quaternions, hold=hold or snapshot.pulled is not None)

    def draw_replay(self, joint_positions: Sequence[Array], view: str, target: str | None) -> None:
        """Show nothing but the robots with their joints at positions, shape [nq] each; the second ones as ghosts."""
        for overlays in self._overlays.values():
            overlays.hide()
        for masses in self._masses.values():
            masses.hide()
        for sensors in self._sensors:
            sensors.draw({}, False)
        self._pull.draw(None)
        poses = self.body_poses(joint_positions[0])
        self._robots.pose(*poses)
        self._draw_ghost(joint_positions[1] if len(joint_positions) == 2 else None)
        self._look(view, target, *poses)

    def _draw_ghost(self, qpos: Array | None) -> None:
        if qpos is None:
            self._remove_ghost()
            return
        if self._ghost is None:
            self._ghost = Puppet(self._scene, self._shown, "ghost", tint=GHOST)
        self._ghost.pose(*self.body_poses(qpos))

    def _look(self, view: str, target: str | None, positions: Array, quaternions: Array, hold: bool = False) -> None:
        self._world.look(view, *self.focus(positions, quaternions, target), hold=hold)

    def body_poses(self, qpos: Array) -> tuple[Array, Array]:
        """Positions [m] and quaternions of all bodies, for positions of all joints, shape [nq]."""
        self._data.qpos[:] = qpos
        mujoco.mj_kinematics(self._model, self._data)
        return self._data.xpos.copy(), self._data.xquat.copy()

    def show_frames(self, pattern: str) -> int:
        """Show axes and names of the links and frames whose name contains a pattern; how many."""
        self._labels.clear()
        return sum(
            self._labels.show(name, links, self._robots, pattern, self._figures[name].extent.size)
            for name, links in self._links.items()
        )

    def show_names(self, on: bool) -> None:
        """Show or hide the names of robots."""
        for label in self._names:
            label.visible = on

    def show_collision(self, on: bool) -> None:
        """Show or hide the shapes of contact."""
        self._robots.show_collision(on)

    def on_push(self, react: Push) -> None:
        """Call a function when a link is clicked with Shift: its robot, its name, and where the person looks in the world."""
        def clicked(robot: str, link: str, event: Any) -> None:
            react(robot, link, self._world.turned_to_world(np.asarray(event.ray_direction, dtype=np.float64)))

        for node, robot, link in self._touchable():
            node.on_click(modifier="shift")(partial(clicked, robot, link))

    def on_pull(self, react: Pulling, *, modifier: Literal["cmd/ctrl"] | None) -> None:
        """Call a function while a link is dragged with a key held: phase, robot, link, what was grabbed and the pointer [m]."""

        def dragged(robot: str, link: str) -> Callable[[Any], Any]:
            async def drag(event: Any) -> None:  # so that events come in their order
                held, pointer = (np.asarray(point, dtype=np.float64) for point in (event.start_position, event.end_position))
                react(event.phase, robot, link, self._world.to_world(held), self._world.to_world(pointer))

            return drag

        for node, robot, link in self._touchable():
            node.on_drag("left", modifier=modifier)(dragged(robot, link))

    def drag_plainly(self, react: Pulling, on: bool) -> None:
        """Let links be dragged without a key, or not."""
        for node, _, _ in self._touchable():
            node.remove_drag_callback("all")
        self.on_pull(react, modifier="cmd/ctrl")
        if on:
            self.on_pull(react, modifier=None)

    def _touchable(self) -> Iterator[tuple[Any, str, str]]:
        """The nodes that belong to links, their robots and their links."""
        owners = {geom: (name, link) for name, links in self._links.items() for geom, link in links.geoms.items()}
        for geom, node in self._robots.visual.items():
            owner = owners.get(self._shown.geom(geom).name)
            if owner is not None:
                yield node, *owner

    def remove(self) -> None:
        """Clear the scene."""
        self._world.root.remove()

    def _remove_ghost(self) -> None:
        if self._ghost is not None:
            self._ghost.remove()
            self._ghost = None
