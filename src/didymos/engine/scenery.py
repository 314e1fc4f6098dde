"""Light, ground and objects: what a picture needs to be read, and what things stand on and run into.

Ground and objects decide alone how they are touched (object_shapes.py): their friction is the friction.
"""

from __future__ import annotations

import mujoco
import numpy as np

from didymos.describe.twin import Twin
from didymos.engine.object_shapes import STANDS, add_shapes, shape_names
from didymos.engine.scene_objects import scene_frictions
from didymos.engine.start import quaternion_from_rpy

__all__ = ["GROUND", "add_ground", "add_light", "add_objects", "floors"]

GROUND = "didymos_ground"


def add_light(spec: mujoco.MjSpec) -> None:
    """Daylight and a sky, unless the description brings lights of its own."""
    spec.visual.headlight.ambient = [0.35, 0.35, 0.35]
    spec.visual.headlight.diffuse = [0.45, 0.45, 0.45]
    if not any(texture.type == mujoco.mjtTexture.mjTEXTURE_SKYBOX for texture in spec.textures):
        spec.add_texture(
            name="didymos_sky",
            type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
            builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
            rgb1=[0.55, 0.72, 0.90],
            rgb2=[0.96, 0.97, 0.98],
            width=256,
            height=1536,
        )
    if not spec.lights:
        spec.worldbody.add_light(
            name="didymos_sun",
            type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL,
            pos=[0, 0, 50],
            dir=[0.3, 0.2, -1.0],
            diffuse=[0.6, 0.6, 0.6],
            castshadow=True,
        )


def add_ground(spec: mujoco.MjSpec, height: float, friction: float, contact_time: float) -> None:
    """A level plane with a grid of one metre, so that motion over it can be seen."""
    spec.add_texture(
        name="didymos_grid",
        type=mujoco.mjtTexture.mjTEXTURE_2D,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_CHECKER,
        mark=mujoco.mjtMark.mjMARK_EDGE,
        rgb1=[0.80, 0.83, 0.80],
        rgb2=[0.74, 0.78, 0.75],
        markrgb=[0.92, 0.94, 0.92],
        width=512,
        height=512,
    )
    material = spec.add_material(name="didymos_grid", texrepeat=[0.5, 0.5], texuniform=True, reflectance=0.05)
    material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = "didymos_grid"
    ground = spec.worldbody.add_geom(
        name=GROUND,
        type=mujoco.mjtGeom.mjGEOM_PLANE,
        size=[0, 0, 0.05],
        pos=[0, 0, height],
        material="didymos_grid",
    )
    ground.friction[0] = friction
    ground.solref[0] = contact_time
    ground.priority = STANDS


def floors(twin: Twin) -> dict[str, tuple[str, float]]:
    """All that things can touch: the name of a shape -> the path of its friction and its friction, times the world's scale."""
    world = twin.file.world
    found = {} if world.ground is None else {GROUND: ("world.ground.friction", world.ground.friction)}
    for name, thing in world.objects.items():
        path = f"world.objects.{name}.friction"
        found |= dict.fromkeys(shape_names(twin.surroundings, name, thing), (path, thing.friction))
    found |= {shape: ("", friction) for shape, friction in scene_frictions(twin).items()}
    return {shape: (path, friction * world.friction_scale) for shape, (path, friction) in found.items()}


def add_objects(spec: mujoco.MjSpec, twin: Twin) -> None:
    """What stands in the world."""
    for name, thing in twin.file.world.objects.items():
        if thing.is_free or thing.motion is not None:
            continue  # bodies of their own, see objects.py
        position, quaternion = np.array(list(thing.position)), quaternion_from_rpy(*thing.orientation)
        add_shapes(spec, spec.worldbody, position, quaternion, twin, name)
