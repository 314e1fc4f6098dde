"""What the robot knows: ideal reading, error model, reading at its rate; `SENSORS` names the kinds."""

from didymos.kinds import Kinds
from didymos.sensors.sensor import Sensor, SensorSpec

__all__ = ["SENSORS", "Sensor", "SensorSpec"]

SENSORS: Kinds[type[Sensor]] = Kinds(
    "a sensor",
    "didymos.sensors",
    "didymos.sensors.sensor:Sensor",
    {
        "imu": "didymos.sensors.motion:Imu",
        "odometry": "didymos.sensors.motion:Odometry",
        "pose": "didymos.sensors.motion:Pose",
        "joints": "didymos.sensors.motion:Joints",
        "gps": "didymos.sensors.motion:Gps",
        "magnetometer": "didymos.sensors.environment:Magnetometer",
        "barometer": "didymos.sensors.environment:Barometer",
        "airspeed": "didymos.sensors.environment:Airspeed",
        "rangefinder": "didymos.sensors.ranging:Rangefinder",
        "lidar": "didymos.sensors.ranging:Lidar",
        "camera": "didymos.sensors.camera:Camera",
        "contact_force": "didymos.sensors.forces:ContactForce",
        "force_torque": "didymos.sensors.forces:ForceTorque",
        "readout": "didymos.sensors.readout:Readout",
        "relative_pose": "didymos.sensors.relative:RelativePose",
        "beacon": "didymos.sensors.relative:Beacon",
    },
)
