"""The words of SDF 1.4 to 1.11: what is used, what is known and not used. All else is a typing error or custom."""

from __future__ import annotations

from didymos.describe.formats.import_report import words

__all__ = ["SDF_WORDS"]

SDF_WORDS = {
    "sdf": words("version", "model world", "light actor"),
    "world": words(
        "name",
        "model include gravity frame",
        "physics scene light plugin gui actor state audio wind magnetic_field atmosphere "
        "spherical_coordinates road population joint",
    ),
    "model": words(
        "name canonical_link placement_frame",
        "pose link joint frame model include static self_collide",
        "plugin gripper allow_auto_disable enable_wind",
    ),
    "include": words("placement_frame merge", "uri name pose static placement_frame", "plugin"),
    "pose": words("relative_to degrees rotation_format", "", "", "frame"),
    "frame": words("name attached_to", "pose"),
    "link": words(
        "name",
        "pose inertial visual collision gravity self_collide",
        "sensor plugin light projector battery audio_sink audio_source must_be_base_link kinematic "
        "enable_wind velocity_decay particle_emitter",
    ),
    "inertial": words("auto", "pose mass inertia frame density", "fluid_added_mass auto_inertia_params"),
    "inertial/frame": words("", "pose"),
    "inertia": words("", "ixx ixy ixz iyy iyz izz"),
    "visual": words(
        "name", "pose geometry material", "cast_shadows transparency meta laser_retro visibility_flags plugin"
    ),
    "collision": words("name", "pose geometry surface", "laser_retro max_contacts density auto_inertia_params"),
    "geometry": words("", "box cylinder sphere capsule ellipsoid plane mesh empty cone heightmap image polyline"),
    "box": words("", "size"),
    "cylinder": words("", "radius length"),
    "capsule": words("", "radius length"),
    "sphere": words("", "radius"),
    "ellipsoid": words("", "radii"),
    "plane": words("", "normal size"),
    "mesh": words("", "uri scale submesh", "convex_decomposition", "optimization"),
    "submesh": words("", "name center"),
    "material": words(
        "", "ambient diffuse", "specular emissive script shader lighting pbr render_order double_sided shininess"
    ),
    "surface": words("", "friction", "bounce contact soft_contact"),
    "friction": words("", "ode bullet", "torsional"),
    "ode": words("", "mu", "mu2 fdir1 slip1 slip2"),
    "bullet": words("", "friction", "friction2 fdir1 rolling_friction"),
    "bullet/friction": words(),
    "joint": words(
        "name type",
        "pose parent child axis",
        "physics sensor axis2 gearbox_ratio thread_pitch gearbox_reference_body screw_thread_pitch",
    ),
    "axis": words("", "xyz limit dynamics use_parent_model_frame mimic", "initial_position"),
    "xyz": words("expressed_in"),
    "limit": words("", "lower upper effort velocity", "stiffness dissipation"),
    "dynamics": words("", "damping friction spring_reference spring_stiffness"),
    "dynamics/friction": words(),
    "mimic": words("joint", "multiplier offset reference", "", "axis"),
}
