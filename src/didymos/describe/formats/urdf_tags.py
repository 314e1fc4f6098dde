"""The words of URDF: what is used, what is known and not used. All else is a typing error, or an extension."""

from __future__ import annotations

from didymos.describe.formats.import_report import words

__all__ = ["URDF_WORDS"]

URDF_WORDS = {
    "robot": words("name version", "link joint material gazebo", "transmission ros2_control mujoco sensor"),
    "link": words("name", "inertial visual collision", "gazebo self_collision_checking contact", "type"),
    "inertial": words("", "origin mass inertia"),
    "mass": words("value"),
    "inertia": words("ixx ixy ixz iyy iyz izz"),
    "origin": words("xyz rpy quat_xyzw"),
    "visual": words("", "origin geometry material", "", "name"),
    "collision": words("", "origin geometry", "verbose contact_coefficients", "name group concave"),
    "geometry": words("", "box cylinder sphere capsule mesh", "", "name"),
    "box": words("size"),
    "cylinder": words("radius length"),
    "capsule": words("radius length"),
    "sphere": words("radius"),
    "mesh": words("filename scale"),
    "material": words("name", "color texture"),
    "color": words("rgba"),
    "texture": words("", "", "", "filename"),
    "joint": words(
        "name type", "origin parent child axis limit dynamics mimic", "safety_controller calibration gazebo"
    ),
    "parent": words("link"),
    "child": words("link"),
    "axis": words("xyz"),
    "limit": words("lower upper effort velocity"),
    "dynamics": words("damping friction"),
    "mimic": words("joint multiplier offset"),
}
