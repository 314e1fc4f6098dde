"""Force laws: a spec and a compiled kernel each; `PARTS` names the kinds that a twin file may use."""

from didymos.parts.air_bearing import AIR_BEARING
from didymos.parts.body_drag import BODY_DRAG
from didymos.parts.generic_engine import GENERIC_ENGINE
from didymos.parts.gripper import GRIPPER, GRIPPER_PORT, GRIPPER_REACTION
from didymos.parts.joint_drive import JOINT_DRIVE
from didymos.parts.law import Law, PartSpec
from didymos.parts.rotor import ROTOR
from didymos.parts.thruster_pair import THRUSTER_PAIR

__all__ = ["PARTS", "Law", "PartSpec"]

PARTS: dict[str, Law] = {
    "generic_engine": GENERIC_ENGINE,
    "rotor": ROTOR,
    "body_drag": BODY_DRAG,
    "joint_drive": JOINT_DRIVE,
    "air_bearing": AIR_BEARING,
    "thruster_pair": THRUSTER_PAIR,
    "gripper_port": GRIPPER_PORT,
    "gripper": GRIPPER,
    "gripper_reaction": GRIPPER_REACTION,
}
