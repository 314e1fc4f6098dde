"""The tags of SDF 1.4 to 1.11: what is used, what is known and not used. All else is a typing error or custom."""

from __future__ import annotations

from didymos.describe.formats.import_report import allowed

__all__ = ["SDF_TAGS"]

SDF_TAGS = {
    "sdf": allowed("version", "model world", "light actor"),
    "world": allowed(
        "name",
        "model include gravity frame",
        "physics scene light plugin gui actor state audio wind magnetic_field atmosphere "
        "spherical_coordinates road population joint",
    ),
    "model": allowed(
        "name canonical_link placement_frame",
        "pose link joint frame model include static self_collide plugin",
        "gripper allow_auto_disable enable_wind",
    ),
    "include": allowed("placement_frame merge", "uri name pose static placement_frame", "plugin"),
    "pose": allowed("relative_to degrees rotation_format", "", "", "frame"),
    "frame": allowed("name attached_to", "pose"),
    "link": allowed(
        "name",
        "pose inertial visual collision gravity self_collide sensor plugin",
        "light projector battery audio_sink audio_source must_be_base_link kinematic "
        "enable_wind velocity_decay particle_emitter",
    ),
    "inertial": allowed("auto", "pose mass inertia frame density", "fluid_added_mass auto_inertia_params"),
    "inertial/frame": allowed("", "pose"),
    "inertia": allowed("", "ixx ixy ixz iyy iyz izz"),
    "visual": allowed(
        "name", "pose geometry material", "cast_shadows transparency meta laser_retro visibility_flags plugin"
    ),
    "collision": allowed("name", "pose geometry surface", "laser_retro max_contacts density auto_inertia_params"),
    "geometry": allowed("", "box cylinder sphere capsule ellipsoid plane mesh empty cone heightmap image polyline"),
    "box": allowed("", "size"),
    "cylinder": allowed("", "radius length"),
    "capsule": allowed("", "radius length"),
    "sphere": allowed("", "radius"),
    "ellipsoid": allowed("", "radii"),
    "plane": allowed("", "normal size"),
    "mesh": allowed("", "uri scale submesh", "convex_decomposition", "optimization"),
    "submesh": allowed("", "name center"),
    "material": allowed(
        "", "ambient diffuse", "specular emissive script shader lighting pbr render_order double_sided shininess"
    ),
    "surface": allowed("", "friction", "bounce contact soft_contact"),
    "friction": allowed("", "ode bullet", "torsional"),
    "ode": allowed("", "mu", "mu2 fdir1 slip1 slip2"),
    "bullet": allowed("", "friction", "friction2 fdir1 rolling_friction"),
    "bullet/friction": allowed(),
    "joint": allowed(
        "name type",
        "pose parent child axis sensor",
        "physics axis2 gearbox_ratio thread_pitch gearbox_reference_body screw_thread_pitch",
    ),
    "axis": allowed("", "xyz limit dynamics use_parent_model_frame mimic", "initial_position"),
    "xyz": allowed("expressed_in"),
    "limit": allowed("", "lower upper effort velocity", "stiffness dissipation"),
    "dynamics": allowed("", "damping friction spring_reference spring_stiffness"),
    "dynamics/friction": allowed(),
    "mimic": allowed("joint", "multiplier offset reference", "", "axis"),
}
