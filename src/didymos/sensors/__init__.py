"""What the robot knows: ideal reading, error model, reading at its rate; `SENSORS` names the kinds."""

from didymos.sensors.kind import SENSORS, SensorKind, SensorSpec

__all__ = ["SENSORS", "SensorKind", "SensorSpec"]
