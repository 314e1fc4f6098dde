"""All that a run shows on ROS 2's wire, without a wire: nodes, topics, services, actions and frames. Needs no DDS library."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from didymos.ports.ros2.commands import subscriptions
from didymos.ports.ros2.offers import OFFERS, Offer
from didymos.ports.ros2.outlets import Owner, Trees, outlets, owners, pictures
from didymos.ports.ros2.quality import STREAM
from didymos.ports.ros2.statics import statics
from didymos.ports.ros2.tree import Edge, tree_of

if TYPE_CHECKING:
    from didymos.engine.simulation import Simulation
    from didymos.ports.ros2.node import Node

__all__ = ["Surface", "Topic", "surface_of"]


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
    offers = tuple(offer for owner in nodes for offered in OFFERS for offer in offered(owner))
    unique = {(topic.name, topic.type_name): topic for topic in published}
    return Surface(tuple(nodes), tuple(unique.values()), tuple(_subscribed(nodes)), offers, trees)


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
