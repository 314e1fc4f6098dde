"""The 3D scene: every link of every robot, the objects and the ground as `foxglove.SceneUpdate`, once; `/tf` moves it.

An entity is all that is seen of a link, in the link's own frame and locked to it, so a viewer needs nothing but the scene and the
transforms: no robot description, no files. Boxes, balls and cylinders are primitives; all else is a list of triangles.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import mujoco
import numpy as np
from foxglove import messages as fg

from didymos.engine.drawn_shapes import GROUP_OF_COLLISION, colour, triangles
from didymos.engine.objects import object_of
from didymos.rotations import Pose, quaternion_to_matrix

if TYPE_CHECKING:
    from collections.abc import Mapping

    from didymos.engine.simulation import Simulation

__all__ = ["SCENE", "WORLD", "object_frames", "scene"]

SCENE = "/scene"
"""Topic of the scene."""

WORLD = "world"
"""The frame that stands still."""

_BOX = "didymos:"  # stands before the names of a pilot's boxes in the engine
_G = mujoco.mjtGeom
_FLOOR = 100.0  # [m]: half the side of a ground without end
_THIN = 0.002  # [m]: thickness of the ground, below its surface, where it leaves a viewer's own grid to be seen
_GROUND = fg.Color(r=0.80, g=0.84, b=0.80, a=1.0)

_Place = tuple[str, Pose]
"""A frame, and the pose of the engine's body in it."""


def scene(simulation: Simulation) -> fg.SceneUpdate:
    """All that there is to see, by frame."""
    model = simulation.shown.model
    only_collision = not any(model.geom_group[g] < GROUP_OF_COLLISION for g in range(model.ngeom) if model.geom_bodyid[g])
    links, bodies = _places_of_geoms(simulation), _places_of_bodies(simulation)
    by_frame: defaultdict[str, list[tuple[int, Pose]]] = defaultdict(list)
    for geom in range(model.ngeom):
        hidden = model.geom_group[geom] >= GROUP_OF_COLLISION and not (only_collision and model.geom_bodyid[geom])
        place = links.get(str(model.geom(geom).name)) or bodies.get(str(model.body(model.geom_bodyid[geom]).name))
        if not hidden and place is not None and colour(model, geom)[1] > 0.0:
            own = Pose(np.array(model.geom_pos[geom]), quaternion_to_matrix(np.array(model.geom_quat[geom])))
            by_frame[place[0]].append((geom, place[1] @ own))
    return fg.SceneUpdate(entities=[_entity(model, frame, geoms) for frame, geoms in by_frame.items()])


def object_frames(simulation: Simulation) -> Mapping[str, str]:
    """The frame of each object that moves, by its name: the name itself, or behind `objects/` where a link is called so."""
    model = simulation.model
    taken = {f"{robot.name}/{link}" if robot.name else link for robot in simulation.robots.values() for link in robot.links.links}
    names = (object_of(str(model.body(body).name)) for body in range(model.nbody))
    return {name: f"objects/{name}" if name in taken or name == WORLD else name for name in names if name is not None}


def _places_of_geoms(simulation: Simulation) -> dict[str, _Place]:
    """The frame of the link that each shape of a robot belongs to."""
    found = {}
    for robot in simulation.robots.values():
        for geom, link in robot.links.geoms.items():
            found[geom] = (_frame(robot.name, link), robot.links[link].pose.inverse())
    return found


def _places_of_bodies(simulation: Simulation) -> dict[str, _Place]:
    """The frame of each body, for shapes that have no name: that of a link of it, of an object, of a box, or the world."""
    model, objects = simulation.model, object_frames(simulation)
    found: dict[str, _Place] = {}
    for robot in simulation.robots.values():
        for body, links in robot.links.bodies.items():
            found[body] = (_frame(robot.name, links[0]), robot.links[links[0]].pose.inverse())
        prefix = robot.twin.description.prefix + _BOX
        names = (str(model.body(body).name) for body in range(model.nbody))
        found |= {name: (name.removeprefix(prefix), Pose()) for name in names if name.startswith(f"{prefix}box")}
    for number in range(model.nbody):
        name = str(model.body(number).name)
        if (thing := object_of(name)) is not None:
            found[name] = (objects[thing], Pose())
    return {**found, WORLD: (WORLD, Pose())}


def _frame(robot: str, link: str) -> str:
    return f"{robot}/{link}" if robot else link


def _entity(model: mujoco.MjModel, frame: str, geoms: list[tuple[int, Pose]]) -> fg.SceneEntity:
    cubes, spheres, cylinders, meshes = [], [], [], []
    for geom, pose in geoms:
        kind, size, at = model.geom_type[geom], model.geom_size[geom], _pose(pose)
        (red, green, blue), opacity = colour(model, geom)
        shade = fg.Color(r=red / 255, g=green / 255, b=blue / 255, a=opacity)
        if kind == _G.mjGEOM_BOX:
            cubes.append(fg.CubePrimitive(pose=at, size=_vector(2.0 * size), color=shade))
        elif kind == _G.mjGEOM_SPHERE:
            spheres.append(fg.SpherePrimitive(pose=at, size=_vector(np.full(3, 2.0 * size[0])), color=shade))
        elif kind == _G.mjGEOM_ELLIPSOID:
            spheres.append(fg.SpherePrimitive(pose=at, size=_vector(2.0 * size), color=shade))
        elif kind == _G.mjGEOM_CYLINDER:
            extent = _vector(np.array([2.0 * size[0], 2.0 * size[0], 2.0 * size[1]]))
            cylinders.append(fg.CylinderPrimitive(pose=at, size=extent, bottom_scale=1.0, top_scale=1.0, color=shade))
        elif kind == _G.mjGEOM_PLANE:
            below = pose @ Pose(np.array([0.0, 0.0, -_THIN]), np.eye(3))
            sides = [2.0 * (float(side) if side > 0.0 else _FLOOR) for side in size[:2]]
            cubes.append(fg.CubePrimitive(pose=_pose(below), size=_vector(np.array([*sides, _THIN])), color=_GROUND))
        elif (mesh := triangles(model, geom)) is not None:
            points = [fg.Point3(x=x, y=y, z=z) for x, y, z in mesh[0].tolist()]
            meshes.append(fg.TriangleListPrimitive(pose=at, points=points, color=shade, indices=mesh[1].ravel().tolist()))
    return fg.SceneEntity(
        frame_id=frame, id=frame, frame_locked=True, cubes=cubes, spheres=spheres, cylinders=cylinders, triangles=meshes
    )


def _pose(pose: Pose) -> fg.Pose:
    w, x, y, z = pose.quaternion.tolist()
    return fg.Pose(position=_vector(pose.position), orientation=fg.Quaternion(x=x, y=y, z=z, w=w))


def _vector(numbers: np.ndarray) -> fg.Vector3:
    x, y, z = numbers.tolist()
    return fg.Vector3(x=x, y=y, z=z)
