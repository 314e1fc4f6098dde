"""The tags of URDF: what is used, what is known and not used. All else is a typing error, or an extension."""

from __future__ import annotations

from didymos.describe.formats.import_report import allowed

__all__ = ["URDF_TAGS"]

URDF_TAGS = {
    "robot": allowed("name version", "link joint material gazebo transmission ros2_control", "mujoco sensor"),
    "link": allowed("name", "inertial visual collision", "gazebo self_collision_checking contact", "type"),
    "inertial": allowed("", "origin mass inertia"),
    "mass": allowed("value"),
    "inertia": allowed("ixx ixy ixz iyy iyz izz"),
    "origin": allowed("xyz rpy quat_xyzw"),
    "visual": allowed("", "origin geometry material", "", "name"),
    "collision": allowed("", "origin geometry", "verbose contact_coefficients", "name group concave"),
    "geometry": allowed("", "box cylinder sphere capsule mesh drake:capsule drake:ellipsoid", "", "name"),
    "box": allowed("size"),
    "cylinder": allowed("radius length"),
    "capsule": allowed("radius length"),
    "drake:capsule": allowed("radius length"),
    "drake:ellipsoid": allowed("a b c"),
    "sphere": allowed("radius"),
    "mesh": allowed("filename scale"),
    "material": allowed("name", "color texture"),
    "color": allowed("rgba"),
    "texture": allowed("", "", "", "filename"),
    "joint": allowed(
        "name type", "origin parent child axis limit dynamics mimic", "safety_controller calibration gazebo"
    ),
    "parent": allowed("link"),
    "child": allowed("link"),
    "axis": allowed("xyz"),
    "limit": allowed("lower upper effort velocity"),
    "dynamics": allowed("damping friction"),
    "mimic": allowed("joint multiplier offset"),
}
