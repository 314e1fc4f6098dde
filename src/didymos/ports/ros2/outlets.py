"""Who speaks on the wire, and where each stream of a run goes out.

A twin alone is one node of its name. In a world every robot is a node in a namespace of its own, `/drone/quadcopter`, which has
all that a twin alone has, under the same names; what there is once (`/clock`, `/tf`, `/step`) belongs to the node of the world.
Frames bear the robot's name: `drone/base_link`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from didymos.ports.ros2.names import ros_name, spell, wire_names
from didymos.ports.ros2.node import Node
from didymos.ports.ros2.statics import static_frames
from didymos.record.stream import Kind, StreamLayout

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from didymos.describe.parameters import Parameter
    from didymos.engine.robot_run import RobotRun
    from didymos.engine.simulation import Simulation
    from didymos.record.log import Log

__all__ = ["Outlet", "Owner", "outlets", "owners", "statics"]

_POSE = "/pose"
_COMMON = ("clock", "tf")  # streams of a robot that are the world's, where there is one


@dataclass(frozen=True)
class Owner:
    """A node, and what it speaks for: a twin alone, a robot of a world, or, without a robot, the world.

    `name` is the node's (`/drone/quadcopter`). `namespace` (`/drone`) stands before its topics, `prefix` (`drone.`) before its
    streams, handles and parameters in the run; both are empty for a twin alone and for the world.
    """

    node: Node
    name: str
    robot: RobotRun | None
    namespace: str = ""
    prefix: str = ""

    @property
    def robot_name(self) -> str:
        """The name of its robot in the run; empty for a twin alone and for the world."""
        return "" if self.robot is None else self.robot.name

    def parameters(self, simulation: Simulation) -> Mapping[str, Parameter]:
        """What it has, by the paths that it knows them by: a robot of a world has its own, the world has all."""
        if self.robot is not None:
            own = self.robot.twin.parameters
            return {path: item for path, item in own.items() if not path.startswith("world.")} if self.prefix else own
        found = {}
        for name, robot in simulation.robots.items():
            for path, item in robot.twin.parameters.items():
                found[path if path.startswith("world.") else f"{name}.{path}"] = item
        return found


@dataclass(frozen=True)
class Outlet:
    """Where rows go: the number of their stream in the log, their layout, the ROS 2 topic of each of its topics, and the node.

    `columns` are those of the stream that are sent; all without it.
    """

    stream: int
    layout: StreamLayout
    topics: tuple[str, ...]
    node: Node
    columns: tuple[int, ...] | None = None


def owners(simulation: Simulation, node: Node) -> list[Owner]:
    """The nodes of a run on one participant, that of the twin alone or of the world first."""
    if "" in simulation.robots:
        return [Owner(node, ros_name(simulation.twin.name), simulation.only)]
    found = [Owner(node, ros_name(simulation.twin.name), None)]
    for name, namespace in spell(simulation.robots).items():
        robot = simulation.robots[name]
        found.append(Owner(node.another(), namespace + ros_name(robot.twin.name), robot, namespace, f"{name}."))
    return found


def outlets(log: Log, owner: Owner, say: Callable[[str], None]) -> Iterator[Outlet]:
    """Where the streams of an owner go; `say` is told of names in its twin file that a world has no use for."""
    layouts = enumerate(log.layouts)
    own = {i: _own(layout, owner.prefix) for i, layout in layouts if layout.namespace == owner.robot_name}
    truth = None if any(_POSE in layout.topics for layout in own.values()) else _stream(own, "truth")
    taken = () if truth is None else (_POSE,)
    names = wire_names(tuple(own.values()), _renamed(log, owner, say), taken)
    for i, layout in own.items():
        yield Outlet(i, log.layouts[i], tuple(owner.namespace + names[topic] for topic in layout.topics), owner.node)
    if truth is not None:  # the pose alone
        layout = log.layouts[truth]
        columns = tuple(i for i, name in enumerate(layout.columns) if name.startswith(("position.", "orientation.")))
        kept, units = (tuple(which[i] for i in columns) for which in (layout.columns, layout.units))
        pose = StreamLayout("pose", Kind.POSE, kept, units, layout.frame)
        yield Outlet(truth, pose, (owner.namespace + _POSE,), owner.node, columns)


def statics(owner: Owner) -> Iterator[tuple[Outlet, NDArray[np.float64]]]:
    """What never changes about the robot of an owner, and the one row of each."""
    if owner.robot is not None:
        prefix = f"{owner.robot.name}/" if owner.prefix else ""
        for layout, row in static_frames(owner.robot.twin, prefix):
            yield Outlet(-1, layout, layout.topics, owner.node), row


def _own(layout: StreamLayout, prefix: str) -> StreamLayout:
    """A stream of a world's log by the name that its robot has for it."""
    return replace(layout, name=layout.name.removeprefix(prefix), namespace="") if prefix else layout


def _stream(layouts: Mapping[int, StreamLayout], name: str) -> int | None:
    return next((i for i, layout in layouts.items() if layout.name == name), None)


def _renamed(log: Log, owner: Owner, say: Callable[[str], None]) -> dict[str, str]:
    """The topics that the twin file of an owner names, by stream or signal; not those of a program that does not run."""
    if owner.robot is None:
        return {}
    named = dict(owner.robot.twin.file.ros2.topics)
    for stream in _COMMON if owner.prefix else ():
        if named.pop(stream, None) is not None:
            say(f"{owner.robot.name}: ros2.topics.{stream} of its twin file is not used, /{stream} is the world's")
    scope = owner.robot.scope
    return {name: topic for name, topic in named.items() if owner.prefix + name in log or not scope.lacks(name)}
