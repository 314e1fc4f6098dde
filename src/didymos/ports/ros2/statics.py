"""What never changes about a run, and is kept for whoever comes later: the static frames, and each robot's description.

/tf_static is one message with all frames, as a static broadcaster of tf2 sends it: a reader that keeps one message has all of
them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from didymos.describe.formats.urdf_writer import urdf_text
from didymos.ports.ros2.form import one_message
from didymos.ports.ros2.outlets import Owner, Trees
from didymos.ports.ros2.quality import LASTING, Quality
from didymos.ports.ros2.transforms import static_transforms

if TYPE_CHECKING:
    from didymos.ports.ros2.node import Node

__all__ = ["ROBOT_DESCRIPTION", "Static", "statics"]

ROBOT_DESCRIPTION = "/robot_description"
_STRING = "std_msgs/msg/String"


@dataclass(frozen=True)
class Static:
    """A message that is sent once, encoded."""

    topic: str
    type_name: str
    data: bytes
    node: Node
    quality: Quality = LASTING


def statics(nodes: Sequence[Owner], trees: Trees) -> Iterator[Static]:
    """All of a run; frames of all robots come from the first node, which is the world's or the twin's alone."""
    edges = [edge for tree in trees.values() for edge in tree.edges if edge.pose is not None]
    if edges:
        yield Static("/tf_static", "tf2_msgs/msg/TFMessage", static_transforms(edges), nodes[0].node)
    for owner in nodes:
        if owner.robot is not None:
            text = one_message(_STRING, {"data": urdf_text(owner.robot.twin.description)})
            yield Static(owner.namespace + ROBOT_DESCRIPTION, _STRING, text, owner.node)
