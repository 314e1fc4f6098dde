"""What there is in a simulated world, as `simulation_interfaces` sees it: robots and objects, their states and their bounds.

An entity's frame is that of its root link, or of the object itself. States are true and belong to the very moment between two
ticks: positions and velocities are found anew from the joints, in a second set of the engine's data, so that asking changes
nothing about the run. Accelerations are those of the tick before, and only of what is free.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.engine.link_frames import LinkFrame
from didymos.engine.object_shapes import shape_names
from didymos.engine.objects import OBJECTS, object_body
from didymos.engine.put import free_joints, state_of
from didymos.engine.start import quaternion_from_rpy
from didymos.ports.ros2.simulation_types import Category
from didymos.rotations import Pose, quaternion_to_matrix

if TYPE_CHECKING:
    from didymos.engine.robot_run import RobotRun
    from didymos.engine.simulation import Simulation

__all__ = ["Box", "Entities", "Entity"]

Array = NDArray[np.float64]
Box = tuple[Array, Array]
"""Lower and upper corner [m], shape [3] each."""

_BODY = mujoco.mjtObj.mjOBJ_BODY


@dataclass
class Entity:
    """A robot or an object. Name, category, description and tags are what a client may ask for and, but for the name, change.

    Attributes:
        frame: the body that it moves with, and its frame in it.
        shapes: numbers of its shapes in the model.
        path: by which an intervention puts it elsewhere; empty for what is not free.
        joint: its free joint, which what follows a trajectory has as well; None for all else.
    """

    name: str
    category: int
    description: str
    tags: list[str]
    frame: LinkFrame
    shapes: list[int] = field(default_factory=list)
    path: str = ""
    joint: int | None = None


class Entities:
    """All entities of a run, by name."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self.all: dict[str, Entity] = {}
        for entity in (*map(self._robot, simulation.robots.values()), *self._objects()):
            if entity.name in self.all:  # an object that is called as a robot is
                entity.name = f"{OBJECTS}.{entity.name}"
            self.all[entity.name] = entity

    def _robot(self, robot: RobotRun) -> Entity:
        twin, prefix = robot.twin, f"{robot.name}." if robot.name else ""
        joint = free_joints(robot.built).get("robot")
        tags = [twin.name, "fixed" if joint is None else "floating"]
        shapes = [number for name in robot.links.geoms if (number := self._shape(name)) is not None]
        path = "" if joint is None else f"{prefix}robot"
        frame, name = robot.links[robot.links.root], robot.name or twin.name
        return Entity(name, Category.ROBOT, twin.title, tags, frame, shapes, path, joint)

    def _objects(self) -> Iterator[Entity]:
        first = next(iter(self._simulation.robots.values()))
        things, surroundings = first.twin.file.world.objects, first.twin.surroundings
        free = {path.removeprefix(f"{OBJECTS}."): joint for path, joint in free_joints(first.built).items() if path != "robot"}
        for name, thing in things.items():
            shapes = [number for one in shape_names(surroundings, name, thing) if (number := self._shape(one)) is not None]
            what = thing.shape.replace("_", " ")
            if name in free:
                yield self._free(name, free[name], [thing.shape], f"a free {what} of {thing.mass:g} kg")
            elif thing.motion is not None:
                moves, tags = LinkFrame(object_body(name), Pose()), ["moving", thing.shape]
                joint = int(self._model.joint(object_body(name)).id)
                yield Entity(name, Category.DYNAMIC_OBJECT, f"a {what} on a trajectory", tags, moves, shapes, joint=joint)
            else:
                turned = quaternion_to_matrix(quaternion_from_rpy(*thing.orientation))
                stands = LinkFrame("world", Pose(np.array(list(thing.position)), turned))
                yield Entity(name, Category.STATIC_OBJECT, f"a {what} that stands", ["static", thing.shape], stands, shapes)
        for name in free.keys() - things.keys():
            yield self._free(name, free[name], [], "a free body of the scene")

    def _free(self, name: str, joint: int, tags: list[str], about: str) -> Entity:
        model = self._model
        body = int(model.jnt_bodyid[joint])
        first, frame = int(model.body_geomadr[body]), LinkFrame(model.body(body).name, Pose())
        shapes = list(range(first, first + int(model.body_geomnum[body])))
        return Entity(name, Category.DYNAMIC_OBJECT, about, ["free", *tags], frame, shapes, f"{OBJECTS}.{name}", joint)

    @property
    def _model(self) -> mujoco.MjModel:
        return self._simulation.model

    @cached_property
    def _scratch(self) -> mujoco.MjData:
        return mujoco.MjData(self._model)

    def _shape(self, name: str) -> int | None:
        number = mujoco.mj_name2id(self._model, mujoco.mjtObj.mjOBJ_GEOM, name)
        return None if number < 0 else int(number)

    def look(self) -> None:
        """Bring poses and velocities up to the run's moment, for the calls below."""
        scratch, data = self._scratch, self._simulation.data
        scratch.qpos[:], scratch.qvel[:] = data.qpos, data.qvel
        mujoco.mj_kinematics(self._model, scratch)
        mujoco.mj_comPos(self._model, scratch)
        mujoco.mj_comVel(self._model, scratch)

    def pose(self, entity: Entity) -> Pose:
        """Of an entity in the world."""
        body = self._scratch.body(entity.frame.body)
        return Pose(body.xpos.copy(), body.xmat.reshape(3, 3).copy()) @ entity.frame.pose

    def state(self, entity: Entity) -> Array:
        """Position [m], quaternion (w first), velocity [m/s], angular velocity [rad/s], world frame; shape [13]."""
        if entity.joint is not None:
            return state_of(self._model, self._simulation.data, entity.joint)
        pose, motion = self.pose(entity), np.zeros(6)
        number = self._scratch.body(entity.frame.body).id
        mujoco.mj_objectVelocity(self._model, self._scratch, _BODY, number, motion, 0)  # of turning, then of the body's origin
        arm = pose.position - self._scratch.xpos[number]
        return np.concatenate([pose.position, pose.quaternion, motion[3:] + np.cross(motion[:3], arm), motion[:3]])

    def acceleration(self, entity: Entity) -> Array:
        """Of a free entity's origin [m/s^2] and of its turning [rad/s^2], world frame, shape [6]; zeros for all else."""
        if entity.joint is None:
            return np.zeros(6)
        data, model = self._simulation.data, self._model
        q, v = int(model.jnt_qposadr[entity.joint]), int(model.jnt_dofadr[entity.joint])
        turning = np.zeros(3)
        mujoco.mju_rotVecQuat(turning, data.qacc[v + 3 : v + 6], data.qpos[q + 3 : q + 7])
        return np.concatenate([data.qacc[v : v + 3], turning])

    def box(self, entity: Entity, frame: Pose | None = None) -> Box | None:
        """The box around an entity's shapes, along the axes of the world or of a frame; None where it has no end.

        What has no shapes is a point.
        """
        frame = Pose() if frame is None else frame
        own = self.pose(entity)
        corners = [own.position] if not entity.shapes else []
        for shape in entity.shapes:
            middle, half = self._model.geom_aabb[shape, :3], self._model.geom_aabb[shape, 3:]
            if self._model.geom_type[shape] == mujoco.mjtGeom.mjGEOM_PLANE:
                return None
            turn, at = self._scratch.geom_xmat[shape].reshape(3, 3), self._scratch.geom_xpos[shape]
            corners += [at + turn @ (middle + half * signs) for signs in _SIGNS]
        seen = (np.array(corners) - frame.position) @ frame.rotation
        return seen.min(axis=0), seen.max(axis=0)


_SIGNS = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
