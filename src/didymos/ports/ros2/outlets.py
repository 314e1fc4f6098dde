"""Who speaks on the wire, and where each stream of a run goes out.

A twin alone is one node of its name. In a world every robot is a node in a namespace of its own, `/drone/quadcopter`, which has
all that a twin alone has, under the same names; what there is once (`/clock`, `/tf`, `/tf_static`, `/step`) belongs to the node
of the world. Frames bear the robot's name: `drone/base_link`. Nothing here needs DDS: `didymos check --ros2` asks here as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from didymos.engine.sensor_sites import TRUTH
from didymos.ports.ros2.battery import BatteryStates, batteries
from didymos.ports.ros2.efforts import JointStates
from didymos.ports.ros2.encode import Encoder, MessageEncoder
from didymos.ports.ros2.names import ros_name, spell, wire_names
from didymos.ports.ros2.pictures import PictureOutlet, picture_outlets
from didymos.ports.ros2.quality import CLOCK, STREAM, Quality
from didymos.ports.ros2.sensors_out import reading_encoders
from didymos.ports.ros2.stamped_scalars import StampedScalars
from didymos.ports.ros2.transforms import CarriedTransform, LinkTransforms, MapTransform, PoseTransform
from didymos.ports.ros2.tree import ODOM, WORLD, RobotTree
from didymos.record.stream import Kind, StreamLayout

if TYPE_CHECKING:
    from didymos.describe.parameters import Parameter
    from didymos.engine.robot_run import RobotRun
    from didymos.engine.simulation import Simulation
    from didymos.ports.ros2.node import Node
    from didymos.record.log import Log

__all__ = ["GROUND_TRUTH", "Outlet", "Owner", "Trees", "outlets", "owners", "pictures"]

GROUND_TRUTH = "/ground_truth"
"""Topics of what no sensor tells begin so."""

_POSE = f"{GROUND_TRUTH}/pose"
_TRUE = f"{GROUND_TRUTH}/odom"
_ODOM = f"/{ODOM}"
_COMMON = ("clock", "tf")  # streams of a robot that are the world's, where there is one
_POSE_COLUMNS = (*(f"position.{axis}" for axis in "xyz"), *(f"orientation.{axis}" for axis in "wxyz"))

Trees = Mapping[str, RobotTree]
"""The tree of frames of each robot of a run by its name."""

_Streams = Mapping[str, tuple[int, StreamLayout]]


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

    @property
    def frames(self) -> str:
        """What stands before the names of its frames (`drone/`)."""
        return f"{self.robot_name}/" if self.prefix else ""

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
    """Where rows go: the number of their stream in the log, what makes messages of them, the topic of each, and the node."""

    stream: int
    encoder: Encoder
    topics: tuple[str, ...]
    node: Node
    quality: Quality = STREAM


def owners(simulation: Simulation, node: Node) -> list[Owner]:
    """The nodes of a run on one participant, that of the twin alone or of the world first."""
    if "" in simulation.robots:
        return [Owner(node, ros_name(simulation.twin.name), simulation.only)]
    found = [Owner(node, ros_name(simulation.twin.name), None)]
    for name, namespace in spell(simulation.robots).items():
        robot = simulation.robots[name]
        found.append(Owner(node.another(), namespace + ros_name(robot.twin.name), robot, namespace, f"{name}."))
    return found


def outlets(log: Log, owner: Owner, trees: Trees, say: Callable[[str], None]) -> Iterator[Outlet]:
    """Where the streams of an owner go; `say` is told of names in its twin file that a world has no use for."""
    own = {i: _own(layout, owner.prefix) for i, layout in enumerate(log.layouts) if layout.namespace == owner.robot_name}
    streams = {layout.name: (i, log.layouts[i]) for i, layout in own.items()}
    renamed = _renamed(log, owner, say)
    extra = [] if owner.robot is None else list(_extra(owner, streams, trees[owner.robot_name]))
    names = wire_names(tuple(own.values()), _apart(own.values()) | renamed, ())
    for i, layout in own.items():
        yield from _stream_outlets(owner, i, log.layouts[i], [names[topic] for topic in layout.topics], streams)
    for topic, outlet in extra:
        if topic not in names.values():  # unless something of the robot's own has this name
            yield replace(outlet, topics=(owner.namespace + topic,))
    yield from _transforms(log, owner, trees, {layout.name: names[layout.topics[0]] for layout in own.values() if layout.topics})


def pictures(simulation: Simulation, nodes: Sequence[Owner]) -> list[tuple[Owner, PictureOutlet]]:
    """The topics of all cameras that are switched on, each with the node of its robot."""
    found = []
    for eye in simulation.cameras:
        owner = next(own for own in nodes if own.robot is not None and eye.name.startswith(own.prefix))
        found += [(owner, outlet) for outlet in picture_outlets(eye.name, eye)]
    return found


def _stream_outlets(
    owner: Owner, number: int, layout: StreamLayout, topics: Sequence[str], streams: _Streams
) -> Iterator[Outlet]:
    """A stream as it is, or as ROS 2 wants it; poses of links go out as a tree, see `_transforms`."""
    name = layout.name.removeprefix(owner.prefix)
    named = tuple(owner.namespace + topic for topic in topics)
    if layout.kind is Kind.TF and name == "tf":
        return
    if layout.kind is Kind.CLOCK:
        yield Outlet(number, MessageEncoder(layout), named, owner.node, CLOCK)
    elif layout.kind is Kind.JOINT_STATES and name == "joints" and owner.robot is not None:
        yield Outlet(number, JointStates(owner.robot, layout, streams), named, owner.node)
    else:
        sensor = None if owner.robot is None else owner.robot.twin.file.sensors.get(name)
        if layout.kind is Kind.ODOMETRY and name == ODOM and layout.frame == WORLD:
            layout = replace(layout, frame=owner.frames + ODOM)  # a sensor of this name, which is the odometry then
        for behind, encoder in reading_encoders(layout, sensor, owner.frames):
            yield Outlet(number, encoder, tuple(f"{topic}/{behind}" for topic in named) if behind else named, owner.node)


def _extra(owner: Owner, streams: _Streams, tree: RobotTree) -> Iterator[tuple[str, Outlet]]:
    """What goes out beside the streams, by its topic: scalars with a stamp, the true pose alone, the odometry that `odom -> base`
    is, batteries."""
    assert owner.robot is not None
    for name, (number, layout) in streams.items():
        if layout.kind is Kind.SCALARS and layout.columns:
            own = name.removeprefix(owner.prefix)
            frame = layout.frame if own in owner.robot.twin.file.sensors else ""
            yield ros_name(own), Outlet(number, StampedScalars(layout, frame), (), owner.node)
    if TRUTH in streams:
        number, layout = streams[TRUTH]
        columns = _pose_columns(layout)
        kept, units = (tuple(which[i] for i in columns) for which in (layout.columns, layout.units))
        pose = StreamLayout("pose", Kind.POSE, kept, units, layout.frame)
        yield _POSE, Outlet(number, MessageEncoder(pose, columns), (), owner.node)
    if tree.odometry in streams and tree.odometry != ODOM:
        number, layout = streams[tree.odometry]
        odometry = replace(layout, frame=tree.odom, child_frame=tree.root)
        yield _ODOM, Outlet(number, MessageEncoder(odometry), (), owner.node)
    if "parts" in streams:
        number, layout = streams["parts"]
        found = batteries(layout.columns, owner.robot.twin.file.parts)
        for part, known in found.items():
            topic = "/battery_state" if len(found) == 1 else f"{ros_name(part)}/battery_state"
            yield topic, Outlet(number, BatteryStates(part, known), (), owner.node)


def _transforms(log: Log, owner: Owner, trees: Trees, topics: Mapping[str, str]) -> Iterator[Outlet]:
    """The moving transforms of a twin alone, or of all robots of a world, whose node sends them."""
    if owner.prefix:
        return
    topic = (topics.get("tf", "/tf"),)
    for name, tree in trees.items():
        streams = _streams_of(log, name)
        number, layout = streams["tf"]
        if tree.links:
            yield Outlet(number, LinkTransforms(layout.labels, tree.links, WORLD), topic, owner.node)
        if tree.odometry in streams:
            stream, about = streams[tree.odometry]
            yield Outlet(stream, PoseTransform(tree.odom, tree.root, _pose_columns(about)), topic, owner.node)
            if tree.map_frame:
                truth = (streams[TRUTH][0], _pose_columns(streams[TRUTH][1]))
                above = MapTransform(tree.map_frame, tree.odom, truth, _pose_columns(about))
                yield Outlet(stream, above, topic, owner.node)
        if tree.carrier is not None:
            carrier, link = tree.carrier
            above_number, above_layout = _streams_of(log, carrier)["tf"]
            held = (above_number, _pose_columns(above_layout, f"{carrier}/{link}."))
            mount = CarriedTransform(f"{carrier}/{link}", tree.root, held, _pose_columns(layout, f"{tree.root}."))
            yield Outlet(number, mount, topic, owner.node)


def _streams_of(log: Log, robot: str) -> _Streams:
    """The streams of a robot by the names that it has for them; its poses are among those of the world."""
    found = {}
    for i, layout in enumerate(log.layouts):
        if layout.kind is Kind.TF and layout.name == "tf":
            if not robot or all(label.startswith(f"{robot}/") for label in layout.labels):
                found["tf"] = (i, layout)
        elif layout.namespace == robot:
            found[layout.name.removeprefix(f"{robot}.") if robot else layout.name] = (i, layout)
    return found


def _pose_columns(layout: StreamLayout, prefix: str = "") -> tuple[int, ...]:
    """Where position and orientation, w first, stand in a stream."""
    return tuple(layout.columns.index(prefix + column) for column in _POSE_COLUMNS)


def _own(layout: StreamLayout, prefix: str) -> StreamLayout:
    """A stream of a world's log by the name that its robot has for it."""
    return replace(layout, name=layout.name.removeprefix(prefix), namespace="") if prefix else layout


def _apart(layouts: Iterable[StreamLayout]) -> dict[str, str]:
    """Topics of the truth, by stream: none of it stands among what a robot can know."""
    found = {}
    for layout in layouts:
        if layout.name == TRUTH:
            found[TRUTH] = _TRUE
        elif layout.name.startswith("objects."):
            found[layout.name] = GROUND_TRUTH + layout.topics[0]
    return found


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
