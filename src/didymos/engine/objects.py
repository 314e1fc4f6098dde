"""Objects of the world that are bodies: free ones, with mass and inertia, and ones that follow a trajectory (moving.py).

A free body has its shape's inertia at uniform density, or the given one: of a box with the lengths a, b, c about x
m (b^2 + c^2) / 12, of a ball 2/5 m r^2, and so on, by the engine; a mesh counts as its convex hull, by which it collides. The log
has a stream `objects.NAME` for each: its pose in the world, its velocity and its rate in its own frame.
"""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.describe.free_bodies import free_bodies
from didymos.describe.object_spec import ObjectSpec
from didymos.describe.twin import Twin
from didymos.engine.link_frames import LinkFrame, LinkFrames
from didymos.engine.object_shapes import add_shapes
from didymos.engine.start import quaternion_from_rpy
from didymos.rotations import Pose

__all__ = ["OBJECTS", "add_bodies", "add_velocity", "is_object", "object_body", "object_frames", "object_of"]

OBJECTS = "objects"
"""What stands before the names of objects, as the name of a robot before its links."""

_PREFIX = "didymos:object:"
_HERE, _UPRIGHT = np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])
Array = NDArray[np.float64]


def object_body(name: str) -> str:
    """The engine's name of an object's body, of its joint, and of the site at its origin."""
    return _PREFIX + name


def object_of(body: str) -> str | None:
    """The object that a body is, by the engine's name; None for any other body."""
    return body.removeprefix(_PREFIX) if body.startswith(_PREFIX) else None


def object_frames(twin: Twin) -> LinkFrames:
    """The objects of a twin's world that move, as frames of a robot called `objects`."""
    bodies = [body.name for body in free_bodies(twin.file, twin.surroundings.free).values() if body.is_object]
    bodies += [name for name, thing in twin.file.world.objects.items() if thing.motion is not None]
    return LinkFrames("", {name: LinkFrame(object_body(name), Pose()) for name in bodies}, {}, {})


def is_object(model: mujoco.MjModel, body: int) -> bool:
    """Whether a body of a model is an object of the world."""
    return str(model.body(body).name).startswith(_PREFIX)


def add_bodies(spec: mujoco.MjSpec, twin: Twin) -> None:
    """Put all objects that move into a model, after the robot."""
    for name, thing in twin.file.world.objects.items():
        if thing.is_free:
            body = spec.worldbody.add_body(
                name=object_body(name), pos=list(thing.position), quat=quaternion_from_rpy(*thing.orientation)
            )
            body.add_freejoint(name=object_body(name))
            _set_inertia(body, twin, name)
            add_shapes(spec, body, _HERE, _UPRIGHT, twin, name)
            add_velocity(spec, body)


def add_velocity(spec: mujoco.MjSpec, body: mujoco.MjsBody) -> None:
    """The engine's sensor of a body's velocity in its own frame."""
    body.add_site(name=body.name, group=5)
    spec.add_sensor(
        name=body.name, type=mujoco.mjtSensor.mjSENS_VELOCIMETER, objtype=mujoco.mjtObj.mjOBJ_SITE, objname=body.name
    )


def _set_inertia(body: mujoco.MjsBody, twin: Twin, name: str) -> None:
    thing = twin.file.world.objects[name]
    assert thing.mass is not None
    body.explicitinertial = True
    body.mass = thing.mass
    centre, axes, moments = _of_its_shape(twin, name, thing)
    body.ipos = centre
    if thing.inertia is not None:
        body.iquat, body.inertia = _UPRIGHT, list(thing.inertia)
    else:
        body.iquat, body.inertia = axes, moments


def _of_its_shape(twin: Twin, name: str, thing: ObjectSpec) -> tuple[Array, Array, Array]:
    """Centre of mass [m], principal axes as a quaternion and principal moments [kg m^2] of an object, uniform."""
    alone = mujoco.MjSpec()
    alone.compiler.inertiafromgeom = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE
    body = alone.worldbody.add_body()
    body.add_freejoint()
    add_shapes(alone, body, _HERE, _UPRIGHT, twin, name)
    for mesh in alone.meshes:
        mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX
    for geom in body.geoms:
        geom.mass = float(thing.mass or 0.0)
    model = alone.compile()
    return model.body_ipos[1].copy(), model.body_iquat[1].copy(), model.body_inertia[1].copy()


