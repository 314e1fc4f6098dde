"""All that a run shows on ROS 2's wire, without a wire: nodes, topics, services, actions and frames. Needs no DDS library."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

from didymos.ports.ros2.commands import subscriptions
from didymos.ports.ros2.control_surface import control_surface
from didymos.ports.ros2.offers import offered_by
from didymos.ports.ros2.outlets import Owner, Trees, outlets, owners, pictures
from didymos.ports.ros2.quality import LASTING, STREAM
from didymos.ports.ros2.stamped_scalars import DYNAMIC_JOINT_STATE
from didymos.ports.ros2.statics import statics
from didymos.ports.ros2.tree import Edge, tree_of
from didymos.record.messages import TABLE
from didymos.record.stream import Kind, StreamLayout

if TYPE_CHECKING:
    from didymos.engine.simulation import Simulation
    from didymos.ports.ros2.node import Node

__all__ = ["Offer", "StreamTopic", "Surface", "Topic", "stream_topics", "surface_of"]


@dataclass(frozen=True)
class Offer:
    """A service or an action: `/robot/set_parameters`, `rcl_interfaces/srv/SetParameters`."""

    name: str
    type_name: str
    kind: Literal["service", "action"] = "service"


@dataclass(frozen=True)
class Topic:
    """A topic, its message type, its quality of service in words, and the node that has it."""

    name: str
    type_name: str
    quality: str
    node: str


@dataclass(frozen=True)
class Surface:
    """What a run shows.

    Attributes:
        nodes: who speaks, by the names of nodes.
        published, subscribed: topics out and in.
        offers: services and actions.
        trees: the frames of each robot.
    """

    nodes: tuple[Owner, ...]
    published: tuple[Topic, ...]
    subscribed: tuple[Topic, ...]
    offers: tuple[Offer, ...]
    trees: Trees

    @property
    def edges(self) -> tuple[Edge, ...]:
        """All frames, each with its parent."""
        return tuple(edge for tree in self.trees.values() for edge in tree.edges)

    def frame_lines(self) -> Iterator[str]:
        """The tree of frames, a line each, children below their parents."""
        children: dict[str, list[Edge]] = {}
        for edge in self.edges:
            children.setdefault(edge.parent, []).append(edge)
        known = {edge.child for edge in self.edges}

        def lines(frame: str, depth: int) -> Iterator[str]:
            for edge in children.get(frame, ()):
                yield f"{'  ' * depth}{edge.child}  ({edge.source})"
                yield from lines(edge.child, depth + 1)

        for root in dict.fromkeys(edge.parent for edge in self.edges if edge.parent not in known):
            yield root
            yield from lines(root, 1)

    def facts(self) -> dict[str, Any]:
        """The same as JSON has it."""
        return {
            "nodes": [owner.name for owner in self.nodes],
            "published": [_fact(topic) for topic in self.published],
            "subscribed": [_fact(topic) for topic in self.subscribed],
            "services": [{"name": item.name, "type": item.type_name} for item in self.offers if item.kind == "service"],
            "actions": [{"name": item.name, "type": item.type_name} for item in self.offers if item.kind == "action"],
            "frames": [{"parent": edge.parent, "child": edge.child, "source": edge.source} for edge in self.edges],
        }


def surface_of(simulation: Simulation, say: Callable[[str], None] = lambda text: None) -> Surface:
    """What a run of a simulation would show; `say` is told of what its twin files ask for in vain."""
    nodes = owners(simulation, cast("Node", _Nobody()))  # whose writers are never asked for here
    trees = tree_of(simulation)
    log = simulation.new_log(keep=False)
    published = []
    for owner in nodes:
        for outlet in outlets(log, owner, trees, say):
            published += [Topic(name, outlet.encoder.type_name, outlet.quality.words, owner.name) for name in outlet.topics]
    for owner, picture in pictures(simulation, nodes):
        published.append(Topic(picture.topic, picture.type_name, STREAM.words, owner.name))
    owner_of = {id(owner.node): owner.name for owner in nodes}
    for static in statics(nodes, trees):
        published.append(Topic(static.topic, static.type_name, static.quality.words, owner_of[id(static.node)]))
    subscribed, offers = list(_subscribed(nodes)), list[Offer]()
    for owner in nodes:
        more = offered_by(owner.name, whole=not owner.prefix)
        offers += [Offer(name, type_name) for name, type_name in more.services.items()]
        offers += [Offer(name, type_name, "action") for name, type_name in more.actions.items()]
        published += [Topic(name, topic.type_name, topic.quality, owner.name) for name, topic in more.topics.items()]
        for entry in () if owner.robot is None else control_surface(owner.robot):
            name = owner.namespace + entry.name
            if entry.kind in ("service", "action"):
                offers.append(Offer(name, entry.type_name, "action" if entry.kind == "action" else "service"))
            else:
                quality = LASTING.words if entry.lasting else STREAM.words
                (published if entry.kind == "publishes" else subscribed).append(Topic(name, entry.type_name, quality, owner.name))
    unique = {(topic.name, topic.type_name): topic for topic in published}
    return Surface(tuple(nodes), tuple(unique.values()), tuple(subscribed), tuple(offers), trees)


def _subscribed(nodes: list[Owner]) -> Iterator[Topic]:
    for owner in nodes:
        if owner.robot is not None:
            for item in subscriptions(owner.robot.overrides.names, owner.robot.twin.file.ros2.commands):
                yield Topic(owner.namespace + item.topic, item.type_name, STREAM.words, owner.name)


def _fact(topic: Topic) -> dict[str, str]:
    return {"name": topic.name, "type": topic.type_name, "qos": topic.quality, "node": topic.node}


class _Nobody:
    """In the place of a participant, where nobody speaks."""

    def another(self) -> _Nobody:
        return _Nobody()


@dataclass(frozen=True)
class StreamTopic:
    """Where a stream of a robot's log travels with its stamps: its layout, its topic and the type of the messages there."""

    layout: StreamLayout
    topic: str
    type_name: str


def stream_topics(simulation: Simulation) -> dict[str, StreamTopic]:
    """The topics of a twin alone by stream, as somebody knows them who listens to its robot."""
    (owner,) = owners(simulation, cast("Node", _Nobody()))
    log, found = simulation.new_log(keep=False), dict[str, StreamTopic]()
    for outlet in outlets(log, owner, tree_of(simulation), lambda text: None):
        layout = log.layouts[outlet.stream]
        stamped = DYNAMIC_JOINT_STATE if layout.kind is Kind.SCALARS else TABLE[layout.kind].type_name
        if outlet.encoder.type_name == stamped and layout.name not in found:
            found[layout.name] = StreamTopic(layout, outlet.topics[0], stamped)
    return found
