"""What programs of ROS 2 would miss at a robot: rviz2, nav2, slam_toolbox and MoveIt 2, by what they need to begin.

A robot lacks what it has no sensor, no program or no joint for; what another node gives (a map, a SRDF) is the user's, and said
as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from didymos.describe.description import JointKind
from didymos.describe.names import driven_joints, movable_joints, readings
from didymos.ports.ros2.outlets import Owner
from didymos.ports.ros2.statics import ROBOT_DESCRIPTION
from didymos.ports.ros2.surface import Surface
from didymos.ports.ros2.tree import BASE
from didymos.sensors.ranging import Lidar

if TYPE_CHECKING:
    from didymos.describe.twin import Twin
    from didymos.ports.ros2.tree import RobotTree

__all__ = ["missing"]

_SCAN, _CLOUD, _TWIST = "sensor_msgs/msg/LaserScan", "sensor_msgs/msg/PointCloud2", "geometry_msgs/msg/Twist"
_TRAJECTORY = "control_msgs/action/FollowJointTrajectory"
_LEVEL = 0.05  # [rad] that a scan may lean and still draw a plane


def missing(surface: Surface, owner: Owner) -> dict[str, list[str]]:
    """What each program would miss at the robot of an owner: a line each; nothing where it can begin."""
    assert owner.robot is not None
    about = _Robot(surface, owner)
    tools: dict[str, Callable[[], Iterator[str]]] = {
        "rviz2": about.rviz2, "nav2": about.nav2, "slam_toolbox": about.slam_toolbox, "MoveIt 2": about.moveit,
    }  # fmt: skip
    return {tool: list(find()) for tool, find in tools.items()}


class _Robot:
    def __init__(self, surface: Surface, owner: Owner) -> None:
        assert owner.robot is not None
        self.surface, self.owner = surface, owner
        self.twin: Twin = owner.robot.twin
        self.tree: RobotTree = surface.trees[owner.robot_name]
        self.out, self.into = (
            {topic.name.removeprefix(owner.namespace): topic.type_name for topic in topics if self._own(topic.name)}
            for topics in (surface.published, surface.subscribed)
        )
        self.scans = [topic for topic, kind in self.out.items() if kind == _SCAN]

    def _own(self, topic: str) -> bool:
        return topic.startswith(f"{self.owner.namespace}/")

    def rviz2(self) -> Iterator[str]:
        """Frames and a description."""
        if ROBOT_DESCRIPTION not in self.out:
            yield f"no {ROBOT_DESCRIPTION}: its RobotModel shows nothing"
        if self.owner.prefix:
            yield f"frames bear the robot's name: set TF Prefix of its RobotModel to {self.owner.robot_name!r}"
        cameras = [name for name, sensor in self.twin.file.sensors.items() if sensor.contract.message == "image"]
        off = [name for name in cameras if not any(topic.startswith(f"/{name}/") for topic in self.out)]
        for name in off:
            yield f"camera {name} is switched off (sensors.{name}.enabled is 0)"

    def nav2(self) -> Iterator[str]:
        """An odometry, something that sees obstacles, a velocity to command; a map."""
        if not self.tree.odom:
            yield "no odom frame: this robot is held in place, and does not drive"
            return
        if not self.tree.odometry:
            yield f"{self.tree.odom} -> {self.tree.root} is left to another node (ros2.frames.odom is none)"
        elif self.tree.odometry == "truth":
            yield f"no odometry of its own: {self.tree.odom} -> {self.tree.root} and /odom are the truth, and never drift"
        if not self.scans and _CLOUD not in self.out.values():
            yield "no LaserScan and no PointCloud2: its costmaps see no obstacles (a sensor of kind lidar)"
        twists = [topic for topic, kind in self.into.items() if kind.startswith(_TWIST)]
        if not twists:
            yield "no /cmd_vel: its program has no set-points vx, vy or wz"
        if not any(edge.child == self.tree.odom for edge in self.surface.edges):
            yield "no map frame: slam_toolbox or amcl gives it, or ros2.frames.map of the twin file"
        yield from self._base()

    def slam_toolbox(self) -> Iterator[str]:
        """Scans in a plane, and an odometry."""
        if not self.tree.odom:
            yield "no odom frame: this robot is held in place"
        if not self.scans:
            yield "no LaserScan (a sensor of kind lidar)"
        elif "/scan" not in self.scans:
            yield f"no /scan: set its scan_topic to {self.owner.namespace}{self.scans[0]}"
        for name, sensor in readings(self.twin).items():
            about: Any = sensor
            if issubclass(about.contract, Lidar) and (lean := self._lean(about.link)) > _LEVEL:
                yield f"{name} scans a plane that leans by {lean:.2f} rad against the base's"
        if self.tree.odom:
            yield from self._base(because="its base_frame is base_footprint unless set: ")

    def moveit(self) -> Iterator[str]:
        """A description, the state of all joints, and somebody who follows trajectories."""
        movable, driven = movable_joints(self.twin.description), driven_joints(self.twin)
        if not driven:
            yield "no joint that a program can drive: there is nothing to plan for"
            return
        if "/joint_states" not in self.out:
            yield "no /joint_states"
        trajectories = [offer for offer in self.surface.offers if offer.type_name == _TRAJECTORY and self._own(offer.name)]
        if not trajectories:
            yield "no FollowJointTrajectory action: plans are made, and not executed"
        joints = self.twin.description.joints
        slow = [name for name in movable if joints[name].velocity is None and name in driven]
        if slow:
            yield f"no velocity limit in the description: {_some(slow)} (joint_limits.yaml of its configuration)"
        odd = [name for name, joint in joints.items() if joint.kind in (JointKind.BALL, JointKind.PLANAR) and joint.engine_joints]
        if odd:
            yield f"joints that URDF or /joint_states cannot say: {_some(odd)}"
        yield "no SRDF: planning groups and pairs that may touch are the user's to name (moveit_setup_assistant)"

    def _base(self, because: str = "") -> Iterator[str]:
        base = f"{self.owner.frames}{BASE}"
        if because:
            yield f"{because}set it to {base}"
        elif self.owner.prefix:
            yield f"frames bear the robot's name: set robot_base_frame to {base}, odom_frame to {self.tree.odom}"

    def _lean(self, frame: str) -> float:
        """By how much the z axis of a frame leans against the root's [rad]; 0 where something moves between them."""
        up = np.eye(3)
        child, parents = self.owner.frames + frame, {edge.child: edge for edge in self.tree.edges}
        while child != self.tree.root and child in parents:
            edge = parents[child]
            if edge.pose is None:
                return 0.0
            up, child = edge.pose.rotation @ up, edge.parent
        return float(np.arccos(np.clip(abs(up[2, 2]), 0.0, 1.0)))


def _some(names: list[str]) -> str:
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
