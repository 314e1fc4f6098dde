"""The 3D scene: a model as nodes of the page, moved by snapshots.

Everything hangs under one node, `/twin`. To follow the robot, or to ride on it, that node moves the other way; the camera
stays with the person who turns it.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import mujoco
import numpy as np
import viser
import viser.transforms as tf
from numpy.typing import NDArray

from didymos.web.shapes import Shape, cell_of_ground, shapes_of

__all__ = ["ROOT", "VIEWS", "Puppet", "World", "horizon_of", "light_up"]

ROOT = "/twin"
VIEWS = ("follow", "free", "on board")
Array = NDArray[np.float64]
CATCH_UP = 0.85  # how much of its distance a view that follows has left at the next picture
_STILL = 1e-7  # [m] and unitless: smaller changes of a pose are not sent
_GROUND, _CELL, _SECTION = (226, 232, 226), (200, 209, 202), (170, 182, 173)
_HORIZON = 2000.0  # cells of the ground to where it is lost in haze
_REACH = 6e5  # the horizon over the nearest that is drawn: beyond, single precision puts the ground decimetres too high
HAZE = 4.0  # the ground at a distance d is (1 - d / horizon)^haze as clear as here


def horizon_of(size: float, near: float) -> float:
    """How far the ground reaches [m], for something of a size [m] on a page that draws nothing nearer than `near` [m]."""
    return min(_HORIZON * cell_of_ground(size), _REACH * near)


def light_up(scene: viser.SceneApi, *, shadows: bool) -> None:
    """Light from above and a little from all sides; the page's own picture of surroundings takes seconds to load."""
    scene.configure_environment_map(None)
    scene.configure_default_lights(cast_shadow=shadows)
    scene.add_light_hemisphere("/light", sky_color=(255, 255, 255), ground_color=(150, 156, 150), intensity=1.6)


class Puppet:
    """The moving bodies of a model, drawn once and posed by snapshots."""

    def __init__(
        self, scene: viser.SceneApi, model: mujoco.MjModel, name: str, *, tint: tuple[int, int, int] | None = None
    ) -> None:
        self._scene = scene
        self._numbers = {model.body(i).name: i for i in range(model.nbody)}
        self.collision: list[Any] = []
        self.visual: dict[int, Any] = {}  # by the number of the shape
        self._posed = np.full((model.nbody, 7), np.nan)
        base = f"{ROOT}/{name}"
        self._base = scene.add_frame(base, show_axes=False)
        self.bodies = {0: self._base}
        for body in range(1, model.nbody):
            self.bodies[body] = scene.add_frame(f"{base}/{body}", show_axes=False)
        for shape in shapes_of(model):
            if shape.body:
                node = draw(scene, f"{base}/{shape.body}/{shape.geom}", shape, tint)
                if shape.hidden:
                    self.collision.append(node)
                else:
                    self.visual[shape.geom] = node

    @property
    def names(self) -> Collection[str]:
        """The bodies of the engine that it has."""
        return self._numbers.keys()

    def node(self, body: str) -> Any:
        """The node that moves with a body of the engine."""
        return self.bodies[self._numbers[body]]

    def pose(self, positions: Array, quaternions: Array) -> None:
        """Move to positions [m] and quaternions of all bodies; bodies that stand still cost nothing."""
        poses = np.concatenate([positions, quaternions], axis=1)
        moved = ~(np.abs(poses - self._posed).max(axis=1) <= _STILL)
        moved[0] = False  # the world
        self._posed[moved] = poses[moved]
        for body in np.flatnonzero(moved):
            node = self.bodies[int(body)]
            node.position, node.wxyz = poses[body, :3], poses[body, 3:]

    def show_collision(self, on: bool) -> None:
        """Show or hide the shapes of contact."""
        for node in self.collision:
            node.visible = on

    def remove(self) -> None:
        """Take the puppet off the stage."""
        self._base.remove()


def draw(scene: viser.SceneApi, name: str, shape: Shape, tint: tuple[int, int, int] | None = None) -> Any:
    """A shape as a node in the frame of its body."""
    return scene.add_mesh_simple(
        name,
        shape.vertices,
        shape.faces,
        color=tint or shape.rgb,
        opacity=0.35 if tint else None if shape.opacity > 0.99 else shape.opacity,
        flat_shading=shape.flat,
        position=shape.position,
        wxyz=shape.quaternion,
        visible=not shape.hidden,
        cast_shadow=tint is None,
    )


class World:
    """What does not move: the ground and all that is fixed to it; and the node that everything hangs under."""

    def __init__(self, scene: viser.SceneApi, model: mujoco.MjModel, size: float, horizon: float) -> None:
        self.root = scene.add_frame(ROOT, show_axes=False)
        self._behind = np.zeros(3)  # [m] that a view is behind what it follows
        cell = cell_of_ground(size)
        for geom in np.flatnonzero(model.geom_bodyid == 0):
            if model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_PLANE:
                width, height = (float(2.0 * s) for s in model.geom_size[geom][:2])
                endless = width == 0.0 or height == 0.0
                scene.add_grid(
                    f"{ROOT}/ground/{geom}",
                    width=2.0 if endless else width,  # of an endless one: fade distances
                    height=2.0 if endless else height,
                    infinite_grid=endless,  # comes along with the camera, and its lines stay where they are in the world
                    cell_size=cell,
                    section_size=10.0 * cell,
                    cell_color=_CELL,
                    section_color=_SECTION,
                    plane_color=_GROUND,
                    plane_opacity=1.0,
                    shadow_opacity=0.3,
                    fade_distance=horizon,
                    fade_strength=HAZE,
                    position=model.geom_pos[geom],
                    wxyz=model.geom_quat[geom],
                )
        for shape in shapes_of(model):
            if not shape.body:
                draw(scene, f"{ROOT}/ground/{shape.geom}", shape)

    def look(self, view: str, position: Array, quaternion: Array, *, hold: bool = False) -> None:
        """Place everything for a view: the robot in the middle (follow), as it is (free), or seen from its root link.

        While `hold`, a view that follows stands still, so that a robot can be seen to come; then it catches up.
        """
        self._behind = self.root.position + position if hold and view == "follow" else CATCH_UP * self._behind
        if view == "free":
            self.root.position, self.root.wxyz = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)
        elif view == "follow":
            self.root.position, self.root.wxyz = self._behind - position, (1.0, 0.0, 0.0, 0.0)
        else:
            back = tf.SO3(quaternion).inverse()
            self.root.position, self.root.wxyz = back @ -position, back.wxyz

    def to_world(self, point: Array) -> Array:
        """A point of the page's scene [m] in the twin's world, shape [3]."""
        found: Array = tf.SO3(np.asarray(self.root.wxyz)).inverse() @ (point - np.asarray(self.root.position))
        return found

    def turned_to_world(self, vector: Array) -> Array:
        """A direction in the page's scene as one in the twin's world, shape [3]."""
        found: Array = tf.SO3(np.asarray(self.root.wxyz)).inverse() @ vector
        return found
