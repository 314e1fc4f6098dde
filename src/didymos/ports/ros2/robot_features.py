"""What the node of a robot offers beside its streams and parameters: ros2_control's surface, and messages of the robot's own."""

from __future__ import annotations

from didymos.ports.ros2.control import Control
from didymos.ports.ros2.hardware import Hardware
from didymos.ports.ros2.outlets import Owner
from didymos.ports.ros2.own_wire import OwnWire
from didymos.ports.ros2.services import Feature

__all__ = ["robot_features"]


def robot_features(owner: Owner) -> list[Feature]:
    """Those of one robot; what it cannot do is not there."""
    if owner.robot is None:
        return []
    hardware = Hardware(owner.robot)
    control = Control(owner, hardware) if hardware.lines else None
    made: list[Feature] = [] if control is None else [control]
    own = OwnWire(owner, hardware, control)
    return [*made, own] if own.topics or own.messages else made
