"""Force laws: a declaration and a compiled function each; `PARTS` names the kinds that a twin file may use."""

from didymos.kinds import Kinds
from didymos.parts.part import Part, PartSpec

__all__ = ["PARTS", "Part", "PartSpec"]

PARTS: Kinds[type[Part]] = Kinds(
    "a part",
    "didymos.parts",
    "didymos.parts.part:Part",
    {
        "airfoil": "didymos.parts.airfoil:Airfoil",
        "aero_table": "didymos.parts.aero_table:AeroTable",
        "generic_engine": "didymos.parts.generic_engine:GenericEngine",
        "thrust_table": "didymos.parts.thrust_table:ThrustTable",
        "electric_engine": "didymos.parts.electric_engine:ElectricEngine",
        "propeller": "didymos.parts.propeller:Propeller",
        "rotor": "didymos.parts.rotor:Rotor",
        "battery": "didymos.parts.battery:Battery",
        "balanced_disturbance": "didymos.parts.balanced_disturbance:BalancedDisturbance",
        "body_drag": "didymos.parts.body_drag:BodyDrag",
        "drive": "didymos.parts.drive:Drive",
        "wheel_servo": "didymos.parts.wheel_servo:WheelServo",
        "wheel": "didymos.parts.wheel:Wheel",
        "rolling_drag": "didymos.parts.rolling_drag:RollingDrag",
        "kinematic_wheel": "didymos.parts.kinematic_drive:KinematicWheel",
        "kinematic_base": "didymos.parts.kinematic_drive:KinematicBase",
        "servo": "didymos.parts.servo:Servo",
        "joint_drive": "didymos.parts.joint_drive:JointDrive",
        "mount_servo": "didymos.parts.mount_servo:MountServo",
        "air_bearing": "didymos.parts.air_bearing:AirBearing",
        "thruster_pair": "didymos.parts.thruster_pair:ThrusterPair",
        "gripper_port": "didymos.parts.gripper:GripperPort",
        "gripper": "didymos.parts.gripper:Gripper",
        "gripper_reaction": "didymos.parts.gripper:GripperReaction",
        "correction": "didymos.parts.correction:Correction",
        "joint_correction": "didymos.parts.joint_correction:JointCorrection",
    },
)
