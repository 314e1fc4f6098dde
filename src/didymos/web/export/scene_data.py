"""The scene of an exported page: bodies with their joints, the shapes that they carry, the ground; as plain data and blocks.

The page moves bodies itself, from positions of joints as the engine has them (`scripts/kinematics.js`): a base of 48 rollers is
59 numbers a picture so, not 371. Shapes that are equal are kept once; vertices are rounded to 1/65535 of their shape's size.
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.engine.simulation import Simulation
from didymos.web.export.blocks import Blocks
from didymos.web.shapes import Extent, Shape, cell_of_ground, extent_of, shapes_of

__all__ = ["body_data", "scene_data"]

_STEPS = 65535
_LARGEST_SHORT = 65535  # of a vertex's number in two bytes
_JOINTS = {
    mujoco.mjtJoint.mjJNT_FREE: "free",
    mujoco.mjtJoint.mjJNT_BALL: "ball",
    mujoco.mjtJoint.mjJNT_SLIDE: "slide",
    mujoco.mjtJoint.mjJNT_HINGE: "hinge",
}


def scene_data(simulation: Simulation, blocks: Blocks) -> dict[str, Any]:
    """All that there is to see of a run's model; lengths in m, quaternions w first."""
    model, qpos = simulation.shown.model, np.array(simulation.data.qpos)
    extents = {name: extent_of(model, qpos, _bodies(simulation, name)) for name in simulation.robots}
    return {
        "rest": [float(value) for value in model.qpos0],
        "bodies": [body_data(model, body) for body in range(model.nbody)],
        "robots": [
            _robot(name, robot.links.root_body(simulation.model), extents[name], simulation)
            for name, robot in simulation.robots.items()
        ],
        "cell": cell_of_ground(min(extent.size for extent in extents.values())),
        "planes": [
            _plane(model, int(geom))
            for geom in np.flatnonzero((model.geom_bodyid == 0) & (model.geom_type == mujoco.mjtGeom.mjGEOM_PLANE))
        ],
        **_shapes(model, blocks),
    }


def _robot(name: str, body: int, extent: Extent, simulation: Simulation) -> dict[str, Any]:
    """A robot by the body of its root link; `middle` leads from there to the middle of all of it as it begins, world frame."""
    data = mujoco.MjData(simulation.model)
    data.qpos[:] = simulation.data.qpos
    mujoco.mj_kinematics(simulation.model, data)
    return {"name": name, "body": body, "size": extent.size, "middle": _numbers(extent.middle - data.xpos[body])}


def _bodies(simulation: Simulation, robot: str) -> list[int] | None:
    """The bodies of a robot of a world; of a twin alone all that are not the world's."""
    if not robot:
        return None
    prefix = simulation.robots[robot].twin.description.prefix
    return [body for body in range(1, simulation.model.nbody) if simulation.model.body(body).name.startswith(prefix)]


def body_data(model: mujoco.MjModel, body: int) -> dict[str, Any]:
    """A body of a model with its joints, as the page moves it."""
    first, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
    return {
        "parent": int(model.body_parentid[body]),
        "position": _numbers(model.body_pos[body]),
        "quaternion": _numbers(model.body_quat[body]),
        "joints": [
            {
                "type": _JOINTS[mujoco.mjtJoint(model.jnt_type[joint])],
                "at": int(model.jnt_qposadr[joint]),
                "anchor": _numbers(model.jnt_pos[joint]),
                "axis": _numbers(model.jnt_axis[joint]),
            }
            for joint in range(first, first + count)
        ],
    }


def _plane(model: mujoco.MjModel, geom: int) -> dict[str, Any]:
    """A plane of the world; a half width of 0 means without end."""
    return {
        "position": _numbers(model.geom_pos[geom]),
        "quaternion": _numbers(model.geom_quat[geom]),
        "half": _numbers(model.geom_size[geom][:2]),
    }


def _shapes(model: mujoco.MjModel, blocks: Blocks) -> dict[str, Any]:
    meshes: dict[tuple[bytes, bytes], int] = {}
    told: list[dict[str, Any]] = []
    shapes = []
    for shape in shapes_of(model):
        if shape.hidden:
            continue
        key = shape.vertices.tobytes(), shape.faces.tobytes()
        if key not in meshes:
            meshes[key] = len(told)
            told.append(_mesh(shape, blocks))
        shapes.append({
            "body": shape.body, "mesh": meshes[key], "position": _numbers(shape.position),
            "quaternion": _numbers(shape.quaternion), "rgb": shape.rgb, "opacity": round(shape.opacity, 3),
        })  # fmt: skip
    return {"meshes": told, "shapes": shapes}


def _mesh(shape: Shape, blocks: Blocks) -> dict[str, Any]:
    """Vertices as steps between the corners of their box, axis by axis, and the numbers of three for each face."""
    low, high = shape.vertices.min(axis=0), shape.vertices.max(axis=0)
    steps = np.round((shape.vertices - low) / np.where(high > low, high - low, 1.0) * _STEPS)
    kind = "u2" if len(shape.vertices) <= _LARGEST_SHORT else "u4"
    return {
        "low": _numbers(low),
        "high": _numbers(high),
        "vertices": blocks.add(steps.T, "u2"),
        "faces": blocks.add(shape.faces, kind),
    }


def _numbers(values: NDArray[Any]) -> list[float]:
    return [float(f"{value:.9g}") for value in values]
