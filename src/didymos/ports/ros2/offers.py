"""What every node of a served twin offers beside its robot's own topics, by name and type. Nothing here needs DDS.

    offered_by("/yard", whole=True)                 the node of a twin alone, or of a world
    offered_by("/drone/quadcopter", whole=False)    the node of a robot in a world: the simulation is the world's
"""

from __future__ import annotations

from dataclasses import dataclass, field

from didymos.ports.ros2.parameter_names import EVENTS, parameter_services
from didymos.ports.ros2.simulation_types import ACTION, simulation_services, snake

__all__ = ["ROSOUT", "Offers", "Topic", "offered_by"]

ROSOUT = ("/rosout", "rcl_interfaces/msg/Log")
"""The topic on which nodes log, and its type."""


@dataclass(frozen=True)
class Topic:
    """A topic that is published: its type, and its quality of service in ROS 2's words."""

    type_name: str
    quality: str


@dataclass(frozen=True)
class Offers:
    """Types of services and actions, and topics, by name."""

    services: dict[str, str] = field(default_factory=dict)
    actions: dict[str, str] = field(default_factory=dict)
    topics: dict[str, Topic] = field(default_factory=dict)


def offered_by(node: str, *, whole: bool) -> Offers:
    """What a node offers; `whole`: it speaks for the whole run."""
    topics = {
        ROSOUT[0]: Topic(ROSOUT[1], "reliable, transient local, depth 1000, lifespan 10 s"),
        EVENTS[0]: Topic(EVENTS[1], "reliable, volatile, depth 1000"),
    }
    if not whole:
        return Offers(parameter_services(node), {}, topics)
    services = parameter_services(node) | simulation_services(node)
    return Offers(services, {f"{node}/{snake(ACTION)}": f"simulation_interfaces/action/{ACTION}"}, topics)
