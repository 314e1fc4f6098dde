"""The tree of frames of a run (REP 105): one root, one parent per frame.

    a twin alone that moves          odom -> ROOT -> links, named frames;    odom -> world
    a robot of a world that moves    world -> R/odom -> R/ROOT -> links, named frames
    one that is held in the world    world -> ROOT -> links, named frames
    one that is mounted on another   CARRIER/LINK -> R/ROOT -> links, named frames

`odom -> ROOT` is the robot's own odometry: that of its program, else of a sensor of kind odometry on the root link; where it
has none, the truth. The program's begins where the robot starts, the others count from the origin of the world. `world` hangs
below `odom`, where the odometry began to count, so that what is given in the world has a place in the tree and whoever
localises the robot may still put `map` above `odom`. With `ros2.frames.map` of the twin file we do that ourselves: `map ->
odom`, fixed where the odometry began (`start`) or so that the base is where it truly is (`truth`); `world` then hangs below
`map`.

`base_link` is where a robot that moves has its root link, unless it has a frame of that name. Links that never move in their
parent are static; so are named frames, optical frames of cameras, and beams of range finders that look to the side.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np

from didymos.describe.description import JointKind
from didymos.describe.formats.urdf_writer import joint_frames, parents
from didymos.describe.names import cameras, readings
from didymos.engine.link_frames import WORLD, LinkFrame
from didymos.engine.sensor_sites import TRUTH, optical_frames
from didymos.rotations import Pose, quaternion_to_matrix, rpy_to_matrix
from didymos.sensors.camera import optical_frame
from didymos.sensors.motion import Odometry
from didymos.sensors.ranging import Rangefinder

if TYPE_CHECKING:
    from didymos.engine.robot_run import RobotRun
    from didymos.engine.simulation import Simulation

__all__ = ["BASE", "MAP", "ODOM", "WORLD", "Edge", "RobotTree", "beam_frame", "robot_tree", "tree_of"]

ODOM, MAP, BASE = "odom", "map", "base_link"
_PROGRAM = "odometry of the program"


@dataclass(frozen=True, eq=False)
class Edge:
    """A frame and its parent; the pose in it where it never changes, and where it comes from: `static`, or what it follows."""

    parent: str
    child: str
    source: str
    pose: Pose | None = None


@dataclass(frozen=True, eq=False)
class RobotTree:
    """The frames of one robot.

    Attributes:
        edges: all of them; names as on the wire.
        links: those that follow from the stream `tf`: child and parent by their names there, the parent empty for the world.
        root, odom: the root link and the frame of the odometry on the wire; the latter empty where the robot is held.
        odometry: stream from which `odom -> root` comes; empty where there is none on /tf.
        map_frame: the frame above `odom`, where that is the truth's; else empty.
        carrier: robot and link that hold the root by a joint; else empty.
    """

    edges: tuple[Edge, ...]
    links: tuple[tuple[str, str], ...]
    root: str
    odom: str = ""
    odometry: str = ""
    map_frame: str = ""
    carrier: tuple[str, str] | None = None


def beam_frame(sensor: str) -> str:
    """Name of the frame whose x axis a range finder measures along, where that is not its link's."""
    return f"{sensor}_frame"


def tree_of(simulation: Simulation) -> dict[str, RobotTree]:
    """The trees of all robots by name, empty for a twin alone; together they are one."""
    data = mujoco.MjData(simulation.model)
    data.qpos[:], data.mocap_pos[:], data.mocap_quat[:] = (
        simulation.data.qpos, simulation.data.mocap_pos, simulation.data.mocap_quat,
    )  # fmt: skip
    mujoco.mj_kinematics(simulation.model, data)
    return {name: robot_tree(simulation, robot, data) for name, robot in simulation.robots.items()}


def robot_tree(simulation: Simulation, robot: RobotRun, data: mujoco.MjData) -> RobotTree:
    """The tree of one robot; `data` holds where all bodies are when the run begins."""
    prefix = f"{robot.name}/" if robot.name else ""
    described, links = robot.twin.description, robot.built.assembly.links
    own = parents(described)
    edges: list[Edge] = []
    moving: list[tuple[str, str]] = []
    for link, parent in own.items():
        if parent is None and link == described.root:
            continue
        above = LinkFrame(WORLD, Pose()) if parent is None else links[parent]
        parent_frame = WORLD if parent is None else prefix + parent
        fixed = _fixed(above, links[link], data)
        if fixed is not None:
            edges.append(_static(parent_frame, prefix + link, fixed))
        else:
            edges.append(Edge(parent_frame, prefix + link, "joints" if parent is not None else "truth"))
            moving.append((prefix + link, "" if parent is None else parent_frame))
    edges += [_static(prefix + link, prefix + child, pose) for child, (link, pose) in _fixed_frames(robot).items()]
    root = links[described.root]
    if robot.mount is not None and robot.mount.carrier is not None:
        return _mounted(simulation, robot, prefix, edges, moving, data)
    if not _moves_freely(robot):
        if prefix + described.root != WORLD:
            fixed = _fixed(LinkFrame(WORLD, Pose()), root, data)
            if fixed is not None:
                edges.insert(0, _static(WORLD, prefix + described.root, fixed))
            else:
                edges.insert(0, Edge(WORLD, prefix + described.root, "joints"))
                moving.insert(0, (prefix + described.root, ""))
        return RobotTree(tuple(edges), tuple(moving), prefix + described.root)
    return _mobile(robot, prefix, edges, moving, _placed(root, data))


def _mobile(
    robot: RobotRun, prefix: str, edges: list[Edge], moving: list[tuple[str, str]], start: Pose
) -> RobotTree:
    """A robot that moves in the world: odom, and what is above and beside it."""
    asked, root, odom = robot.twin.file.ros2.frames, prefix + robot.twin.description.root, prefix + ODOM
    source, about = _odometry(robot)
    own = about == _PROGRAM
    began = start if own else Pose()  # where the odometry counts from; that of a program begins where the robot is
    where = asked.map if asked.map != "auto" else "start" if prefix else "none"
    above = WORLD if prefix else MAP
    top = []
    if where == "none" and not prefix:
        top.append(_static(odom, WORLD, began.inverse()))
    elif where == "start":
        top.append(_static(above, odom, began))
    elif where == "truth":
        top.append(Edge(above, odom, "truth") if own else _static(above, odom, Pose()))
    if where != "none" and not prefix:
        top.append(_static(MAP, WORLD, Pose()))
    published = asked.odom != "none"
    if published:
        top.append(Edge(odom, root, about))
    names = {edge.child for edge in edges} | {root}
    alias = [] if prefix + BASE in names else [_static(root, prefix + BASE, Pose())]
    truth = above if where == "truth" and own and published else ""
    if where == "truth" and not published:  # without an odometry of ours nothing says how far it is off
        top = [edge for edge in top if edge.child != odom]
    return RobotTree((*top, *alias, *edges), tuple(moving), root, odom, source if published else "", truth)


def _mounted(
    simulation: Simulation, robot: RobotRun, prefix: str, edges: list[Edge], moving: list[tuple[str, str]], data: mujoco.MjData
) -> RobotTree:
    """A robot on a link of another one, fixed to it or by a joint of its own."""
    assert robot.mount is not None
    assert robot.mount.carrier is not None
    carrier = list(simulation.robots)[robot.mount.carrier]
    root = prefix + robot.twin.description.root
    parent = f"{carrier}/{robot.mount.link}"
    held = simulation.robots[carrier].built.assembly.links[robot.mount.link]
    own = robot.built.assembly.links[robot.twin.description.root]
    fixed = _fixed(held, own, data)
    if fixed is not None:
        edges.insert(0, _static(parent, root, fixed))
        return RobotTree(tuple(edges), tuple(moving), root)
    edges.insert(0, Edge(parent, root, "joints"))
    return RobotTree(tuple(edges), tuple(moving), root, carrier=(carrier, robot.mount.link))


def _odometry(robot: RobotRun) -> tuple[str, str]:
    """The stream that says where the base is in `odom`, and what that is in words."""
    if robot.twin.file.ros2.frames.odom == "truth":
        return TRUTH, "truth"
    if any(stream.layout.name == ODOM and stream.sensor < 0 for stream in robot.built.streams):
        return ODOM, _PROGRAM
    for name, sensor in readings(robot.twin).items() if robot.twin.file.ros2.frames.map != "truth" else ():
        about: Any = sensor
        if issubclass(about.contract, Odometry) and about.link == robot.twin.description.root:
            return name, f"sensor {name}"
    return TRUTH, "truth"


def _moves_freely(robot: RobotRun) -> bool:
    """Whether the root link goes about in the world: by a free joint, or in a plane."""
    described = robot.twin.description
    if described.floating:
        return True
    own = [joint for joint in described.joints.values() if joint.child == described.root and not joint.welded]
    if any(joint.kind in (JointKind.FLOATING, JointKind.PLANAR) for joint in own):
        return True
    return len(own) >= 3 and sum(joint.kind is JointKind.PRISMATIC for joint in own) >= 2


def _fixed_frames(robot: RobotRun) -> dict[str, tuple[str, Pose]]:
    """Frames that never move in their link, by name: the link, and the pose in it."""
    described, links = robot.twin.description, robot.built.assembly.links
    found: dict[str, tuple[str, Pose]] = {}
    for frame in described.frames.values():
        found[frame.name] = (frame.link, Pose(np.asarray(frame.position), quaternion_to_matrix(frame.quaternion)))
    for name, (link, anchor) in joint_frames(described).items():
        found[name] = (link, Pose(np.asarray(anchor)))
    for frame_name, optical in optical_frames(robot.twin, links).items():
        link = next(camera.link for name, camera in cameras(robot.twin).items() if optical_frame(name) == frame_name)
        found[frame_name] = (link, links[link].pose.inverse() @ optical.pose)
    for name, sensor in readings(robot.twin).items():
        about: Any = sensor
        if issubclass(about.contract, Rangefinder) and about.pitch != 0.0:
            found[beam_frame(name)] = (about.link, Pose(rotation=rpy_to_matrix(np.array([0.0, about.pitch, 0.0]))))
    return found


def _static(parent: str, child: str, pose: Pose) -> Edge:
    return Edge(parent, child, "static", pose)


def _fixed(parent: LinkFrame, child: LinkFrame, data: mujoco.MjData) -> Pose | None:
    """Where a frame stands in another one that it never moves in; None where it may."""
    if parent.body == child.body:
        return parent.pose.inverse() @ child.pose
    welds = data.model.body_weldid
    if welds[data.body(parent.body).id] == welds[data.body(child.body).id]:
        return _placed(parent, data).inverse() @ _placed(child, data)
    return None


def _placed(frame: LinkFrame, data: mujoco.MjData) -> Pose:
    body = data.body(frame.body)
    return Pose(body.xpos.copy(), quaternion_to_matrix(body.xquat)) @ frame.pose
