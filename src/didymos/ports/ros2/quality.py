"""Qualities of service of ROS 2's topics, as its own nodes have them there."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CLOCK", "LASTING", "STREAM", "Quality"]


@dataclass(frozen=True)
class Quality:
    """How a topic is sent: `depth` messages are held, as many as fit into a few megabytes where it is None."""

    reliable: bool = True
    lasting: bool = False
    depth: int | None = None

    @property
    def words(self) -> str:
        """As ROS 2 says it."""
        durability = "transient local" if self.lasting else "volatile"
        return f"{'reliable' if self.reliable else 'best effort'}, {durability}"


STREAM = Quality()
"""Reliable and volatile: readers of both kinds match."""

CLOCK = Quality(reliable=False, depth=10)
"""As rclcpp::ClockQoS."""

LASTING = Quality(lasting=True, depth=1)
"""As tf2_ros::StaticBroadcasterQoS and robot_state_publisher: the last message, for whoever comes later."""
