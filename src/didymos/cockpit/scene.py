"""The 3D scene: a model as nodes of the page, moved by snapshots.

Everything hangs under one node, `/twin`. To follow the robot, or to ride on it, that node moves the other way; the camera
stays with the person who turns it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
import viser
import viser.transforms as tf
from numpy.typing import NDArray

from didymos.engine.drawn_shapes import GROUP_OF_COLLISION, colour, triangles

__all__ = ["ROOT", "VIEWS", "Extent", "Puppet", "World", "extent_of", "light_up"]

ROOT = "/twin"
VIEWS = ("follow", "free", "on board")
Array = NDArray[np.float64]
_STILL = 1e-7  # [m] and unitless: smaller changes of a pose are not sent
_GROUND, _LINE = (226, 232, 226), (186, 196, 188)


@dataclass(frozen=True)
class Extent:
    """Where the robot is and how large: the middle of its bounding box [m], world frame, and half of its diagonal [m]."""

    middle: Array
    size: float


def extent_of(model: mujoco.MjModel, qpos: Array, bodies: Sequence[int] | None = None) -> Extent:
    """The extent of all that moves, or of some bodies, for positions of all joints."""
    data = mujoco.MjData(model)
    data.qpos[:] = qpos
    mujoco.mj_kinematics(model, data)
    own = [i for i in range(1, model.nbody) if not model.body(i).name.startswith("didymos:")]  # neither boxes nor objects
    mine = np.isin(model.geom_bodyid, own if bodies is None else bodies)
    moving = np.flatnonzero(mine & (model.geom_type != mujoco.mjtGeom.mjGEOM_PLANE))
    visible = [geom for geom in moving if model.geom_group[geom] < GROUP_OF_COLLISION] or list(moving)
    if not visible:
        return Extent(np.zeros(3), 1.0)
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    corners = np.concatenate([
        data.geom_xpos[geom] + (model.geom_aabb[geom, :3] + signs * np.minimum(model.geom_aabb[geom, 3:], 100.0))
        @ data.geom_xmat[geom].reshape(3, 3).T
        for geom in visible
    ])  # fmt: skip
    low, high = corners.min(axis=0), corners.max(axis=0)
    return Extent(0.5 * (low + high), float(np.clip(0.5 * np.linalg.norm(high - low), 0.05, 100.0)))


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
        only_collision = not any(model.geom_group[g] < GROUP_OF_COLLISION for g in range(model.ngeom) if model.geom_bodyid[g])
        for body in range(1, model.nbody):
            self.bodies[body] = scene.add_frame(f"{base}/{body}", show_axes=False)
        for geom in range(model.ngeom):
            body = int(model.geom_bodyid[geom])
            if body:
                hidden = model.geom_group[geom] >= GROUP_OF_COLLISION and not only_collision
                node = draw(scene, f"{base}/{body}/{geom}", model, geom, tint, not hidden)
                if node is not None and hidden:
                    self.collision.append(node)
                elif node is not None:
                    self.visual[geom] = node

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


def draw(
    scene: viser.SceneApi, name: str, model: mujoco.MjModel, geom: int, tint: tuple[int, int, int] | None, visible: bool
) -> Any:
    """A geom as a node in the frame of its body; None where it has no shape."""
    mesh = triangles(model, geom)
    rgb, opacity = colour(model, geom)
    if mesh is None or (opacity == 0.0 and visible):
        return None
    return scene.add_mesh_simple(
        name,
        *mesh,
        color=tint or rgb,
        opacity=0.35 if tint else None if opacity > 0.99 else opacity,
        flat_shading=model.geom_type[geom] in (mujoco.mjtGeom.mjGEOM_BOX, mujoco.mjtGeom.mjGEOM_MESH),
        position=model.geom_pos[geom],
        wxyz=model.geom_quat[geom],
        visible=visible,
        cast_shadow=tint is None,
    )


class World:
    """What does not move: the ground and all that is fixed to it; and the node that everything hangs under."""

    def __init__(self, scene: viser.SceneApi, model: mujoco.MjModel, size: float) -> None:
        self.root = scene.add_frame(ROOT, show_axes=False)
        cell = 10.0 ** np.floor(np.log10(max(4.0 * size, 0.1)))
        for geom in np.flatnonzero(model.geom_bodyid == 0):
            if model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_PLANE:
                width, height = (float(2.0 * s) if s > 0.0 else 2000.0 * float(cell) for s in model.geom_size[geom][:2])
                scene.add_grid(
                    f"{ROOT}/ground/{geom}",
                    width=width,
                    height=height,
                    cell_size=float(cell),
                    section_size=10.0 * float(cell),
                    cell_color=_LINE,
                    section_color=(150, 164, 154),
                    plane_color=_GROUND,
                    plane_opacity=1.0,
                    shadow_opacity=0.3,
                    fade_distance=1000.0 * float(cell),
                    position=model.geom_pos[geom],
                    wxyz=model.geom_quat[geom],
                )
            else:
                draw(scene, f"{ROOT}/ground/{geom}", model, int(geom), None, model.geom_group[geom] < GROUP_OF_COLLISION)

    def look(self, view: str, position: Array, quaternion: Array) -> None:
        """Place everything for a view: the robot in the middle (follow), as it is (free), or seen from its root link."""
        if view == "free":
            self.root.position, self.root.wxyz = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)
        elif view == "follow":
            self.root.position, self.root.wxyz = -position, (1.0, 0.0, 0.0, 0.0)
        else:
            back = tf.SO3(quaternion).inverse()
            self.root.position, self.root.wxyz = back @ -position, back.wxyz
