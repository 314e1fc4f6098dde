"""From the trajectories of a twin file to bodies of the engine and the tables that `moving.py` reads."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.describe.object_spec import MotionSpec, ObjectSpec, PoseSpec
from didymos.describe.twin import Twin
from didymos.engine.moving import MOVING, PIECE, MovingTables
from didymos.engine.object_shapes import add_shapes
from didymos.engine.objects import add_velocity, is_object, object_body, object_of
from didymos.engine.path_pieces import path_pieces
from didymos.engine.start import quaternion_from_rpy
from didymos.rotations import quaternion_product

__all__ = ["add_moving", "free_joints", "is_moving", "moving_tables", "stiffen"]

Array = NDArray[np.float64]
_HEAVIER = 1e4  # than all else together; with more, the solver ends before the tangential forces have settled
_LIGHT = 1e-12  # [kg], [kg m^2]: the engine's least is 1e-15, and this falls through no sum of the momentum
_HERE, _UPRIGHT = np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])


def add_moving(spec: mujoco.MjSpec, twin: Twin) -> None:
    """Put all objects that follow a trajectory into a model; they pass through what stands and through each other."""
    names = [name for name, thing in twin.file.world.objects.items() if thing.motion is not None]
    for i, name in enumerate(names):
        position, quaternion = _first_pose(twin.file.world.objects[name])
        body = spec.worldbody.add_body(name=object_body(name), pos=position, quat=quaternion)
        body.explicitinertial = True
        body.mass, body.inertia = _LIGHT, [_LIGHT] * 3
        body.add_freejoint(name=object_body(name))
        add_shapes(spec, body, _HERE, _UPRIGHT, twin, name)
        add_velocity(spec, body)
        for other in ("world", *map(object_body, names[:i])):
            spec.add_exclude(bodyname1=other, bodyname2=body.name)


def is_moving(twin: Twin, model: mujoco.MjModel, body: int) -> bool:
    """Whether a body of a model follows a trajectory."""
    name = object_of(model.body(body).name)
    return name is not None and name in twin.file.world.objects and twin.file.world.objects[name].motion is not None


def free_joints(model: mujoco.MjModel, twin: Twin) -> NDArray[np.int64]:
    """The free joints of a model, by number, but for those that trajectories move."""
    free = np.flatnonzero(model.jnt_type == mujoco.mjtJoint.mjJNT_FREE)
    return np.array([joint for joint in free if not is_moving(twin, model, int(model.jnt_bodyid[joint]))], dtype=np.int64)


def stiffen(model: mujoco.MjModel, twin: Twin) -> None:
    """Give the bodies that trajectories move their armature; the mean inertia, the solver's scale, stays that of all else."""
    bodies = [body for body in range(model.nbody) if is_moving(twin, model, body)]
    moving = np.isin(model.dof_bodyid, bodies)
    if moving.any() and not moving.all():
        model.stat.meaninertia = float(model.dof_M0[~moving].mean())
    others = np.setdiff1d(np.arange(1, model.nbody), bodies)
    mass = max(float(model.body_mass[others].sum()), 1.0)
    for body in bodies:
        first, geom = int(model.body_dofadr[body]), int(model.body_geomadr[body])
        reach = float(np.linalg.norm(model.geom_pos[geom]) + model.geom_rbound[geom])
        model.dof_armature[first : first + 3] = _HEAVIER * mass
        model.dof_armature[first + 3 : first + 6] = _HEAVIER * mass * reach**2


def moving_tables(twin: Twin, model: mujoco.MjModel) -> MovingTables:
    """The tables of all bodies that trajectories move."""
    rows: list[NDArray[Any]] = []
    pieces: list[NDArray[Any]] = []
    for body in range(model.nbody):
        if not is_object(model, body) or not is_moving(twin, model, body):
            continue
        thing = twin.file.world.objects[str(object_of(model.body(body).name))]
        row = np.zeros(1, dtype=MOVING)
        row["body"], row["dof"] = body, model.body_dofadr[body]
        row["qpos"] = model.jnt_qposadr[model.body_jntadr[body]]
        row["armature"], row["turning_armature"] = model.dof_armature[row["dof"]], model.dof_armature[row["dof"] + 3]
        motion = thing.motion
        assert motion is not None
        if motion.kind == "path":
            own = path_pieces(motion)
            row["first"], row["pieces"], row["repeats"] = sum(map(len, pieces)), len(own), motion.repeat
            row["begins"], row["ends"] = motion.poses[0].time, motion.poses[-1].time
            pieces.append(own)
        else:
            _swing(row[0], thing, motion)
        rows.append(row)
    energies = model.sensor_adr[model.sensor_type == mujoco.mjtSensor.mjSENS_E_KINETIC].astype(np.int64)
    moving, all_pieces = np.concatenate([np.zeros(0, dtype=MOVING), *rows]), np.concatenate([np.zeros(0, dtype=PIECE), *pieces])
    return MovingTables(moving, all_pieces, np.zeros(1), energies)


def _first_pose(thing: ObjectSpec) -> tuple[Array, Array]:
    motion = thing.motion
    where: ObjectSpec | PoseSpec = motion.poses[0] if motion is not None and motion.kind == "path" else thing
    return np.array(list(where.position)), quaternion_from_rpy(*where.orientation)


def _swing(row: Any, thing: ObjectSpec, motion: MotionSpec) -> None:
    row["position"], row["quaternion"] = list(thing.position), quaternion_from_rpy(*thing.orientation)
    row["rate"] = 2.0 * np.pi * motion.frequency
    row["phase"] = row["turn_phase"] = motion.phase
    if motion.kind == "sine":
        row["amplitude"], row["turn"] = list(motion.amplitude), list(motion.turn)
        return
    row["amplitude"] = motion.radius, motion.radius, 0.0
    row["phase"][0] += 0.5 * np.pi
    if motion.facing:
        along = np.copysign(0.5 * np.pi, motion.frequency) + motion.phase  # from east to the tangent at the start
        row["quaternion"] = quaternion_product(quaternion_from_rpy(0.0, 0.0, along)[None], row["quaternion"][None])[0]
        row["spin"] = row["rate"]
