"""Light, ground and objects: what a picture needs to be read, and what things stand on and run into.

Ground and objects decide alone how they are touched (the engine's `priority`): their friction is the friction.
"""

from __future__ import annotations

import mujoco

from didymos.describe.schema import WorldSpec
from didymos.engine.start import quaternion_from_rpy

__all__ = ["GROUND", "add_ground", "add_light", "add_objects", "floors"]

GROUND = "didymos_ground"
_SHAPES = {
    "box": mujoco.mjtGeom.mjGEOM_BOX,
    "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
    "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
}


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
    ground.priority = 1


def floors(world: WorldSpec) -> dict[str, tuple[str, float]]:
    """All that things can touch: the path of its friction -> its shape's name and its friction, times the world's grip."""
    found = {} if world.ground is None else {"world.ground.friction": (GROUND, world.ground.friction)}
    found |= {f"world.objects.{name}.friction": (f"didymos:{name}", o.friction) for name, o in world.objects.items()}
    return {path: (shape, friction * world.friction_scale) for path, (shape, friction) in found.items()}


def add_objects(spec: mujoco.MjSpec, world: WorldSpec) -> None:
    """What stands in the world."""
    for name, thing in world.objects.items():
        half = [length / 2 for length in thing.size]
        geom = spec.worldbody.add_geom(
            name=f"didymos:{name}",
            type=_SHAPES[thing.shape],
            size=[half[0], half[2], 0] if thing.shape == "cylinder" else half,
            pos=list(thing.position),
            quat=quaternion_from_rpy(*thing.orientation),
            rgba=[*thing.colour, 1.0],
            priority=1,
        )
        geom.friction[0] = thing.friction * world.friction_scale
        geom.solref[0] = world.contact_time
