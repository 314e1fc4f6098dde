"""Force laws: a spec and a compiled kernel each; `PARTS` names the kinds that a twin file may use."""

from didymos.parts.air_bearing import AIR_BEARING
from didymos.parts.airfoil import AIRFOIL
from didymos.parts.body_drag import BODY_DRAG
from didymos.parts.drive import DRIVE
from didymos.parts.electric_engine import ELECTRIC_ENGINE
from didymos.parts.generic_engine import GENERIC_ENGINE
from didymos.parts.gripper import GRIPPER, GRIPPER_PORT, GRIPPER_REACTION
from didymos.parts.joint_drive import JOINT_DRIVE
from didymos.parts.kinematic_drive import KINEMATIC_BASE, KINEMATIC_WHEEL
from didymos.parts.law import Law, PartSpec
from didymos.parts.mount_servo import MOUNT_SERVO
from didymos.parts.rolling_drag import ROLLING_DRAG
from didymos.parts.rotor import ROTOR
from didymos.parts.thruster_pair import THRUSTER_PAIR
from didymos.parts.wheel_servo import WHEEL_SERVO

__all__ = ["PARTS", "Law", "PartSpec"]

PARTS: dict[str, Law] = {
    "airfoil": AIRFOIL,
    "generic_engine": GENERIC_ENGINE,
    "electric_engine": ELECTRIC_ENGINE,
    "rotor": ROTOR,
    "body_drag": BODY_DRAG,
    "drive": DRIVE,
    "wheel_servo": WHEEL_SERVO,
    "rolling_drag": ROLLING_DRAG,
    "kinematic_wheel": KINEMATIC_WHEEL,
    "kinematic_base": KINEMATIC_BASE,
    "joint_drive": JOINT_DRIVE,
    "mount_servo": MOUNT_SERVO,
    "air_bearing": AIR_BEARING,
    "thruster_pair": THRUSTER_PAIR,
    "gripper_port": GRIPPER_PORT,
    "gripper": GRIPPER,
    "gripper_reaction": GRIPPER_REACTION,
}
