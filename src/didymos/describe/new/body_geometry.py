"""Where the shapes of a robot are at a posture: its lowest points, exactly, and which of its links move as one.

How far a convex shape reaches along a unit vector u is its support function; with R the rotation of the shape, r = R^T u, and p
its centre:

    sphere      u . p + a                            ellipsoid  u . p + sqrt(sum (r_i a_i)^2)
    capsule     u . p + |r_3| h + a                  cylinder   u . p + |r_3| h + a sqrt(1 - r_3^2)
    box         u . p + sum |r_i| a_i                mesh       u . p + max over its corners of r . v

The lowest point is that along -u, u upward. A mesh collides as its convex hull, whose corners are among the mesh's. Planes and
height fields are floors, not shapes of a robot. (`RobotModel.shapes` has what collides alone, without what is only seen.)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.describe.description import Description
from didymos.describe.formats.engine_spec import check_compiles

__all__ = ["BodyGeometry"]

_FLOORS = (mujoco.mjtGeom.mjGEOM_PLANE, mujoco.mjtGeom.mjGEOM_HFIELD)


class BodyGeometry:
    """A description compiled, at a posture that `place` chooses; bodies are the engine's, one per link.

    A *group* is what is welded together, named by the first body of it; the root's group is that of the root link. Positions [m]
    are in the world, with the root link where the description puts it; heights go along `up`, z unless somebody sets another.
    """

    def __init__(self, description: Description) -> None:
        self.description = description
        self.model, _ = check_compiles(description.spec.copy(), description.source)
        self.data = mujoco.MjData(self.model)
        self.root = int(self.model.body(description.links[description.root].body).id)
        own = int(self.model.body_rootid[self.root])
        self.bodies = tuple(int(body) for body in np.flatnonzero(self.model.body_rootid == own) if body)
        """All bodies of the robot: what hangs on the root link, parents first."""
        self.up = np.array([0.0, 0.0, 1.0])
        self.place({})

    def place(self, joints: Mapping[str, float]) -> None:
        """Put joints at positions [rad] or [m] by name, all others where the description has them."""
        mujoco.mj_resetData(self.model, self.data)
        for name, value in joints.items():
            for engine_joint in self.description.joints[name].engine_joints[:1]:
                self.data.qpos[self.model.joint(engine_joint).qposadr[0]] = value
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)

    @cached_property
    def groups(self) -> dict[int, tuple[int, ...]]:
        """Bodies of the robot by their group."""
        made: dict[int, list[int]] = {}
        for body in self.bodies:
            made.setdefault(self.group(body), []).append(body)
        return {head: tuple(bodies) for head, bodies in made.items()}

    def group(self, body: int) -> int:
        """The first body of the group of a body; what is welded to the world counts as the root's group."""
        head = int(self.model.body_weldid[body])
        return self.root_group if head == 0 else head

    @cached_property
    def root_group(self) -> int:
        head = int(self.model.body_weldid[self.root])
        return head or int(self.model.body_rootid[self.root])

    @cached_property
    def parent(self) -> dict[int, int]:
        """The group that carries each group, by joints; the root's has none."""
        return {
            head: self.group(int(self.model.body_parentid[head])) for head in self.groups if head != self.root_group
        }

    def children(self, group: int) -> tuple[int, ...]:
        """The groups that joints of a group carry."""
        return tuple(head for head, carrier in self.parent.items() if carrier == group)

    def below(self, group: int) -> tuple[int, ...]:
        """A group and all that it carries, by joints."""
        found = [group]
        for head in found:
            found.extend(self.children(head))
        return tuple(found)

    def mass(self, groups: Iterable[int]) -> float:
        """Mass [kg] of groups together."""
        return float(sum(self.model.body_mass[body] for head in groups for body in self.groups[head]))

    def shapes(self, groups: Iterable[int], *, seen: bool = False) -> Iterator[int]:
        """The geoms of groups: those that collide, or with `seen` all."""
        bodies = {body for head in groups for body in self.groups[head]}
        for geom in range(self.model.ngeom):
            solid = self.model.geom_contype[geom] or self.model.geom_conaffinity[geom]
            if int(self.model.geom_bodyid[geom]) in bodies and int(self.model.geom_type[geom]) not in _FLOORS and (seen or solid):
                yield geom

    @cached_property
    def solid(self) -> bool:
        """Whether anything of the robot collides."""
        return next(self.shapes(self.groups), None) is not None

    def lowest(self, groups: Iterable[int], *, seen: bool = False) -> float:
        """Height [m] of the lowest point of what collides of groups, infinite where nothing does.

        With `seen` of all that is there: shapes that collide or are only seen, or, of a group without, its frames and centres of
        mass.
        """
        if not seen:
            return min((-self.support(geom, -self.up) for geom in self.shapes(groups)), default=math.inf)
        found = []
        for head in groups:
            heights = [-self.support(geom, -self.up) for geom in self.shapes([head], seen=True)]
            bodies = self.groups[head]
            found += heights or [min(self.height(self.data.xpos[body]), self.height(self.data.xipos[body])) for body in bodies]
        return min(found, default=math.inf)

    def reach(self, group: int) -> float:
        """How far the shapes of a group, or its centres of mass, get from its origin [m]."""
        origin, found = self.data.xpos[group], [0.0]
        for geom in self.shapes([group], seen=True):
            away = self.data.geom_xpos[geom] - origin
            far = float(np.linalg.norm(away))
            found.append(self.support(geom, away / far) - float(origin @ away) / far if far > 1e-6 else 0.0)
        return max(found + [float(np.linalg.norm(self.data.xipos[body] - origin)) for body in self.groups[group]])

    @cached_property
    def floor(self) -> float | None:
        """Height [m] of the highest level plane that the description itself brings; None where it has none."""
        found = []
        for geom in range(self.model.ngeom):
            still = int(self.model.body_weldid[self.model.geom_bodyid[geom]]) == 0
            solid = self.model.geom_contype[geom] or self.model.geom_conaffinity[geom]
            level = self.data.geom_xmat[geom].reshape(3, 3)[2, 2] > 1.0 - 1e-6
            if still and solid and level and int(self.model.geom_type[geom]) == mujoco.mjtGeom.mjGEOM_PLANE:
                found.append(float(self.data.geom_xpos[geom][2]))
        return max(found, default=None)

    def height(self, point: NDArray[np.float64]) -> float:
        """How high a point of the world is [m]."""
        return float(self.up @ point)

    def support(self, geom: int, direction: NDArray[np.float64]) -> float:
        """How far a shape reaches along a unit vector of the world [m], from the world's origin."""
        model, size = self.model, self.model.geom_size[geom]
        middle, own = float(direction @ self.data.geom_xpos[geom]), direction @ self.data.geom_xmat[geom].reshape(3, 3)
        kind = mujoco.mjtGeom(int(model.geom_type[geom]))
        if kind == mujoco.mjtGeom.mjGEOM_SPHERE:
            return middle + float(size[0])
        if kind == mujoco.mjtGeom.mjGEOM_CAPSULE:
            return middle + abs(float(own[2])) * float(size[1]) + float(size[0])
        if kind == mujoco.mjtGeom.mjGEOM_CYLINDER:
            return middle + abs(float(own[2])) * float(size[1]) + float(size[0]) * math.sqrt(max(0.0, 1.0 - float(own[2]) ** 2))
        if kind == mujoco.mjtGeom.mjGEOM_BOX:
            return middle + float(np.abs(own) @ size)
        if kind == mujoco.mjtGeom.mjGEOM_ELLIPSOID:
            return middle + float(np.linalg.norm(own * size))
        if kind == mujoco.mjtGeom.mjGEOM_MESH:
            return middle + float((self.corners(geom) @ own).max())
        return middle + float(model.geom_rbound[geom])

    def corners(self, geom: int) -> NDArray[np.float64]:
        """The corners [m], shape [n, 3], of a mesh in the frame of its geom."""
        mesh = int(self.model.geom_dataid[geom])
        first, count = int(self.model.mesh_vertadr[mesh]), int(self.model.mesh_vertnum[mesh])
        return np.asarray(self.model.mesh_vert[first : first + count], dtype=np.float64)
