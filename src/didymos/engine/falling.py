"""Falling for good: through the ground, or where there is none.

A free body has fallen through the ground once it is below it with all that it carries, wherever its joints stand, and nothing
slows it down. With h the height of the highest level plane and T a tick, the origin of the body is then at

    z < h - r - 0.1 m + z' T,    z' < 0,    z'' < 0
    r >= |x_k - x| for every point x_k of the shapes and centres of mass that it carries

so one comparison for each free body in each tick is enough, and whoever stands, flies, rolls or lands is never near it. What
comes down so fast that a tick brings it deep into the ground has that tick's way, and is slowed down: it has not fallen through.
r is a bound over all positions of the joints: along the tree, the distances from body to body, twice those of the axes of turning
joints, and the travel of sliding ones. A body whose sliding joints have no limits, and one in a world without gravity, has none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import mujoco
import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from didymos.engine.simulation import Simulation

__all__ = ["collides", "free_fall", "ground_height", "lowest_heights"]

_MARGIN = 0.1  # [m]: no contact is so soft
_LEVEL = 1.0 - 1e-6  # of a plane's normal along z
_SLIDE = mujoco.mjtJoint.mjJNT_SLIDE


def ground_height(model: mujoco.MjModel) -> float:
    """The height [m] of the highest level plane of the world that something can stand on; -inf where there is none."""
    heights = [-np.inf]
    for geom in np.flatnonzero((model.geom_type == mujoco.mjtGeom.mjGEOM_PLANE) & (model.geom_bodyid == 0)):
        normal = np.zeros(9)
        mujoco.mju_quat2Mat(normal, model.geom_quat[geom])
        if normal[8] > _LEVEL and (model.geom_contype[geom] or model.geom_conaffinity[geom]):
            heights.append(float(model.geom_pos[geom][2]))
    return max(heights)


def lowest_heights(model: mujoco.MjModel, free: NDArray[np.int64]) -> NDArray[np.float64]:
    """For each of some free joints the height [m] of its body's origin below which it has fallen through the ground."""
    ground = ground_height(model) if model.opt.gravity[2] < 0.0 else -np.inf
    return np.array([ground - _reach(model, int(model.jnt_bodyid[joint])) - _MARGIN for joint in free], dtype=np.float64)


def _reach(model: mujoco.MjModel, root: int) -> float:
    """How far [m] anything that a body carries can be from its origin."""
    away = {root: 0.0}
    farthest = _extent(model, root)
    for body in range(root + 1, model.nbody):  # parents come first
        parent = int(model.body_parentid[body])
        if parent not in away:
            continue
        away[body] = away[parent] + float(np.linalg.norm(model.body_pos[body])) + _travel(model, body)
        farthest = max(farthest, away[body] + _extent(model, body))
    return farthest


def _travel(model: mujoco.MjModel, body: int) -> float:
    """How far [m] the joints of a body can bring its origin from where it is described."""
    first, total = int(model.body_jntadr[body]), 0.0
    for joint in range(first, first + int(model.body_jntnum[body])):
        if model.jnt_type[joint] == _SLIDE:
            total += float(np.abs(model.jnt_range[joint]).max()) if model.jnt_limited[joint] else np.inf
        else:
            total += 2.0 * float(np.linalg.norm(model.jnt_pos[joint]))
    return total


def _extent(model: mujoco.MjModel, body: int) -> float:
    """How far [m] the centre of mass and the colliding shapes of a body reach from its origin."""
    first = int(model.body_geomadr[body])
    geoms = [geom for geom in range(first, first + int(model.body_geomnum[body])) if _can_touch(model, geom)]
    reaches = [float(np.linalg.norm(model.geom_pos[geom]) + model.geom_rbound[geom]) for geom in geoms]
    return max([float(np.linalg.norm(model.body_ipos[body])), *reaches])


def _can_touch(model: mujoco.MjModel, geom: int) -> bool:
    paired = bool(model.npair) and geom in (*model.pair_geom1.tolist(), *model.pair_geom2.tolist())
    return bool(model.geom_contype[geom] or model.geom_conaffinity[geom]) or paired


def collides(model: mujoco.MjModel, root: int) -> bool:
    """Whether a body, or one that it carries, has a shape that can touch anything."""
    tree = model.body_rootid[root]
    return any(_can_touch(model, geom) for geom in range(model.ngeom) if model.body_rootid[model.geom_bodyid[geom]] == tree)


def free_fall(simulation: Simulation) -> str | None:
    """Why a robot falls for good, in a sentence; None where it does not, or where that cannot be known.

    Known it is where the root is free, there is gravity, and neither a part nor an actuator nor anything that stands in the world
    could ever hold it.
    """
    twin, model = simulation.twin, simulation.model
    root = simulation.links.root_body(model)
    standing = any(_can_touch(model, int(geom)) for geom in np.flatnonzero(model.geom_bodyid == 0))
    helped = twin.file.parts or twin.description.spec.actuators or model.neq or standing or model.ntree > 1
    if not twin.description.floating or helped or not model.opt.gravity[2] < 0.0:
        return None
    speed = -float(simulation.data.qvel[model.body_dofadr[root] + 2])
    if speed <= 0.0:
        return None
    falls = f"link {twin.description.root!r} falls freely, at {speed:.3g} m/s"
    return f"{falls}: nothing holds it, the world has no ground and the robot no parts (world: {{ground: {{}}}} gives it one)"
