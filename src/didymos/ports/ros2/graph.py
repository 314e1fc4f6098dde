"""A line in `ros2 node list`: ROS 2 nodes tell each other by `ros_discovery_info` which node each writer and reader belongs to.

DDS knows participants, writers and readers, not nodes; so a participant says it itself, once all are there, on a topic that keeps
the message for whoever comes later. An identity has 16 bytes since Iron and had 24 before; ROS_DISTRO tells which is meant.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from cyclonedds.idl import types

from didymos.ports.ros2.node import Node
from didymos.ports.ros2.types import message_type, structure

__all__ = ["announce"]

_TOPIC = "ros_discovery_info"
_BEFORE_IRON = ("foxy", "galactic", "humble")
_NEW, _OLD = 16, 24  # bytes of an identity


def announce(nodes: Mapping[str, Node]) -> Any:
    """Announce the nodes of a participant by their names (`/quadcopter`), each with its writers and readers; the writer."""
    entities, info, gid, size = _types(os.environ.get("ROS_DISTRO", ""))

    def identity(raw: bytes) -> Any:
        return gid(data=list(raw.ljust(size, b"\0")))

    told = []
    for name, node in nodes.items():
        readers, writers = ([identity(raw) for raw in ids] for ids in (node.reader_ids, node.writer_ids))
        namespace, _, own = name.rpartition("/")
        told.append(entities(node_namespace=namespace or "/", node_name=own, reader_gid_seq=readers, writer_gid_seq=writers))
    first = next(iter(nodes.values()))
    writer = first.writer(_TOPIC, info, depth=1, lasting=True)
    writer.write(info(gid=identity(first.participant.guid.bytes), node_entities_info_seq=told))
    return writer


def _types(distribution: str) -> tuple[Any, Any, Any, int]:
    """The types of a node's entry, of the message and of an identity, and an identity's size [bytes]."""
    if distribution not in _BEFORE_IRON:
        names = ("NodeEntitiesInfo", "ParticipantEntitiesInfo", "Gid")
        entities, info, gid = (message_type(f"rmw_dds_common/msg/{name}") for name in names)
        return entities, info, gid, _NEW
    gid = structure("rmw_dds_common/msg/Gid", {"data": types.array[types.uint8, _OLD]})
    ids = types.sequence[gid]
    members = {"node_namespace": str, "node_name": str, "reader_gid_seq": ids, "writer_gid_seq": ids}
    entities = structure("rmw_dds_common/msg/NodeEntitiesInfo", members)
    whole = {"gid": gid, "node_entities_info_seq": types.sequence[entities]}
    return entities, structure("rmw_dds_common/msg/ParticipantEntitiesInfo", whole), gid, _OLD
