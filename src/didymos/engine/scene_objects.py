"""What the file of a world holds, put into a model: shapes that stand, free bodies, lights (see describe/scene.py)."""

from __future__ import annotations

import mujoco
import numpy as np

from didymos.describe.formats.inertia import principal_axes
from didymos.describe.scene import SceneBody, SceneShape
from didymos.describe.schema import WorldSpec
from didymos.describe.twin import Twin
from didymos.engine.object_shapes import FREE, STANDS, add_height_field, add_mesh
from didymos.engine.objects import add_velocity, object_body
from didymos.rotations import Pose

__all__ = ["add_scene", "add_scene_lights", "scene_frictions"]

_FOR_THE_EYE, _HIDDEN = 2, 3  # groups


def add_scene(spec: mujoco.MjSpec, twin: Twin) -> None:
    """Put shapes and free bodies of the world's file into a model."""
    scene, world = twin.surroundings.scene, twin.file.world
    if scene is None:
        return
    for i, shape in enumerate(scene.shapes):
        _add_shape(spec, spec.worldbody, f"didymos:world:{i}", shape, world, STANDS)
    for body in scene.bodies:
        _add_body(spec, body, world)


def add_scene_lights(spec: mujoco.MjSpec, twin: Twin) -> None:
    """The lamps of the world's file."""
    for i, light in enumerate(() if twin.surroundings.scene is None else twin.surroundings.scene.lights):
        kind = mujoco.mjtLightType.mjLIGHT_DIRECTIONAL if light.directional else mujoco.mjtLightType.mjLIGHT_SPOT
        spec.worldbody.add_light(
            name=f"didymos:light:{i}", type=kind, pos=light.position, dir=light.direction, diffuse=light.diffuse,
            castshadow=light.directional, cutoff=90.0,
        )  # fmt: skip


def scene_frictions(twin: Twin) -> dict[str, float]:
    """The names of all shapes of the world's file that can be touched, with the friction that the file gives them."""
    scene = twin.surroundings.scene
    if scene is None:
        return {}
    found = {f"didymos:world:{i}": shape.friction for i, shape in enumerate(scene.shapes) if shape.collides}
    for body in scene.bodies:
        found |= {f"{object_body(body.name)}:{i}": shape.friction for i, shape in enumerate(body.shapes) if shape.collides}
    return found


def _add_body(spec: mujoco.MjSpec, body: SceneBody, world: WorldSpec) -> None:
    made = spec.worldbody.add_body(
        name=object_body(body.name), pos=body.position, quat=body.quaternion, gravcomp=float(body.weightless)
    )
    made.add_freejoint(name=made.name)
    moments, axes = principal_axes(body.inertia)
    made.explicitinertial = True
    made.mass, made.ipos, made.inertia, made.iquat = body.mass, body.com, moments, Pose(rotation=axes).quaternion
    for i, shape in enumerate(body.shapes):
        _add_shape(spec, made, f"{made.name}:{i}", shape, world, FREE)
    add_velocity(spec, made)


def _add_shape(spec: mujoco.MjSpec, body: mujoco.MjsBody, name: str, shape: SceneShape, world: WorldSpec, rank: int) -> None:
    if shape.heights is not None:
        geom = add_height_field(spec, body, name, shape.position, shape.quaternion, shape.heights, shape.lengths)
    else:
        geom = body.add_geom(
            name=name, type=mujoco.mjtGeom(shape.kind), size=shape.size, pos=shape.position, quat=shape.quaternion
        )
        if shape.corners is not None and shape.faces is not None:
            add_mesh(spec, name, shape.corners, shape.faces)
            geom.meshname, geom.size = name, np.zeros(3)
    geom.rgba = shape.rgba
    if not shape.collides:
        geom.contype = geom.conaffinity = 0
        geom.group = _FOR_THE_EYE
        return
    geom.contype = geom.conaffinity = 1
    geom.group = _HIDDEN if shape.hidden else 0
    geom.priority = rank
    geom.friction[0] = shape.friction * world.friction_scale
    geom.solref[0] = world.contact_time
