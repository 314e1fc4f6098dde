"""What a viewer written from Foxglove's protocol sees of a twin: the log's own messages, the scene, pictures."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from foxglove_client import Viewer, entities
from foxglove_server import served
from mcap.reader import make_reader
from PIL import Image
from scipy.spatial.transform import Rotation

from didymos.describe.twin import Twin

ARM = """<mujoco><worldbody><body name="base" pos="1 2 .3" euler="0 0 30">
  <geom name="plate" type="box" size=".2 .1 .05" pos=".1 0 0" euler="0 0 90" rgba="1 0 0 1" mass="1"/>
  <body name="arm" pos="0 0 .2"><joint name="hinge" axis="0 1 0" damping=".01"/>
    <geom name="rod" type="capsule" fromto="0 0 0 .4 0 0" size=".02" mass=".3"/>
    <geom type="sphere" size=".05" pos=".4 0 0" rgba="0 0 1 .5" mass=".2"/>
    <geom name="hub" type="cylinder" size=".04 .06" mass=".1"/>
    <body name="tip" pos=".5 0 0" euler="90 0 0"><geom name="egg" type="ellipsoid" size=".03 .02 .01" mass=".1"/>
      <site name="probe" pos="0 0 .1"/></body></body></body></worldbody>
  <actuator><motor name="motor" joint="hinge"/></actuator></mujoco>"""
SENSORS = {
    "encoders": {"kind": "joints", "rate": 100},
    "imu": {"kind": "imu", "link": "arm", "rate": 200, "gyro": {"noise": 0.01}},
    "scan": {"kind": "lidar", "link": "base", "rate": 10, "rays": 5, "field_of_view": 1.0, "farthest": 9.0},
}
WORLD = {
    "ground": {"height": 0.0},
    "objects": {
        "wall": {"shape": "box", "position": [4, 0, 0.5], "size": [0.1, 2, 1]},
        "ball": {"shape": "sphere", "position": [0, 0, 1.5], "size": [0.2, 0.2, 0.2], "mass": 0.5},
    },
}
TICKS = 60


@pytest.fixture(scope="module")
def arm(make_twin: Any) -> Twin:
    """An arm on a base that stands, a wall, a ball that falls; ticks of 5 ms."""
    found: Twin = make_twin(ARM, sensors=SENSORS, world=WORLD | {"step": 0.005}, record={"tf_rate": 50})
    return found


@pytest.fixture(scope="module")
def seen(arm: Twin, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Viewer, Path]]:
    """A viewer who has seen the first ticks of the arm, on all topics, and the log of the same ticks."""
    file = tmp_path_factory.mktemp("log") / "arm.mcap"
    with served(arm.folder, "--step-locked", "--record", str(file)) as twin, twin.view() as viewer:
        viewer.subscribe(*viewer.channels)
        assert viewer.call("/step", ticks=TICKS)["tick"] == TICKS
        facts = twin.stop()
        viewer.wait(lambda: sum(map(len, viewer.messages.values())) >= facts["sent"] + 2)  # the scene, and fixed frames
        assert facts["lost"] == facts["refused"] == 0
        yield viewer, file


def recorded(file: Path) -> dict[str, list[tuple[int, bytes]]]:
    """Times [ns] and bytes of all messages of a log, by topic."""
    found: dict[str, list[tuple[int, bytes]]] = {}
    with file.open("rb") as stream:
        for _, channel, message in make_reader(stream).iter_messages():
            found.setdefault(channel.topic, []).append((message.log_time, message.data))
    return found


def test_topics_types_and_schemas_are_those_of_the_log(seen: tuple[Viewer, Path]) -> None:
    viewer, file = seen
    with file.open("rb") as stream:
        summary = make_reader(stream).get_summary()
    assert summary is not None
    schemas = {number: (item.name, item.encoding, item.data.decode()) for number, item in summary.schemas.items()}
    logged = {channel.topic: (channel.message_encoding, *schemas[channel.schema_id]) for channel in summary.channels.values()}
    live = {
        topic: (item["encoding"], item["schemaName"], item["schemaEncoding"], item["schema"])
        for topic, item in viewer.channels.items()
    }
    assert {topic: live[topic] for topic in logged} == logged
    assert set(live) - set(logged) == {"/scene", "/tf_static"}
    assert live["/scene"][:3] == ("protobuf", "foxglove.SceneUpdate", "protobuf")


def test_every_message_of_the_log_came_bit_for_bit(seen: tuple[Viewer, Path]) -> None:
    viewer, file = seen
    logged = recorded(file)
    assert len(logged) == 9
    assert sum(map(len, logged.values())) > 200
    objects = {"/tf"}  # beside the log's own, /tf has where the ball is, below
    assert {topic: viewer.messages[topic] for topic in logged if topic not in objects} == {
        topic: messages for topic, messages in logged.items() if topic not in objects
    }
    assert [message for message in viewer.messages["/tf"] if message in logged["/tf"]] == logged["/tf"]


def test_the_server_has_the_time_of_the_twin(seen: tuple[Viewer, Path]) -> None:
    viewer, file = seen
    assert "time" in viewer.info["capabilities"]
    assert viewer.times == sorted(viewer.times)
    assert viewer.times[-1] == max(time for messages in recorded(file).values() for time, _ in messages)


def transforms(viewer: Viewer) -> dict[str, tuple[str, Any, Any]]:
    """Parent, position and rotation of each frame, as last heard of."""
    found = {}
    for topic in ("/tf", "/tf_static"):
        for _, payload in viewer.messages[topic]:
            for item in viewer.read(topic, payload).transforms:
                p, q = item.transform.translation, item.transform.rotation
                turn = Rotation.from_quat([q.x, q.y, q.z, q.w])
                found[item.child_frame_id] = (item.header.frame_id, np.array([p.x, p.y, p.z]), turn)
    return found


def in_world(frames: dict[str, tuple[str, Any, Any]], frame: str, point: Any) -> Any:
    """A point of a frame [m], seen from the world."""
    while frame != "world":
        frame, position, turn = frames[frame]
        point = position + turn.apply(point)
    return point


def test_the_scene_stands_where_the_robot_is(seen: tuple[Viewer, Path]) -> None:
    viewer, _ = seen
    (_, data) = viewer.messages["/scene"][-1]
    shapes, frames = entities(data), transforms(viewer)
    assert set(shapes) == {"world", "base", "arm", "tip", "ball"}
    (plate,) = shapes["base"]
    assert (plate.kind, plate.colour) == ("cube", (1.0, 0.0, 0.0, 1.0))
    np.testing.assert_allclose(plate.size, [0.4, 0.2, 0.1], atol=1e-12)
    # a corner of the plate, by the description: turned by 90 degrees, moved by 0.1 m, then the base turned by 30 and moved
    corner = np.array([0.2, 0.1, 0.05])
    by_hand = np.array([1, 2, 0.3]) + Rotation.from_euler("z", 30, degrees=True).apply(
        np.array([0.1, 0, 0]) + Rotation.from_euler("z", 90, degrees=True).apply(corner)
    )
    found = np.array(plate.position) + Rotation.from_quat(plate.quaternion).apply(corner)
    np.testing.assert_allclose(in_world(frames, "base", found), by_hand, atol=1e-9)

    kinds = {shape.kind: shape for shape in shapes["arm"]}
    assert set(kinds) == {"triangles", "sphere", "cylinder"}  # the capsule is one of triangles
    np.testing.assert_allclose(kinds["sphere"].size, [0.1] * 3)
    assert kinds["sphere"].colour == (0.0, 0.0, 1.0, 0.5)
    np.testing.assert_allclose(kinds["cylinder"].size, [0.08, 0.08, 0.12])
    rod = kinds["triangles"]
    points = np.array(rod.position) + Rotation.from_quat(rod.quaternion).apply(np.array(rod.points))
    np.testing.assert_allclose(points.min(axis=0), [-0.02, -0.02, -0.02], atol=1e-3)  # a polygon lies inside its circle
    np.testing.assert_allclose(points.max(axis=0), [0.42, 0.02, 0.02], atol=1e-3)
    assert len(rod.indices) % 3 == 0
    assert max(rod.indices) == len(points) - 1

    (egg,) = shapes["tip"]
    assert egg.kind == "sphere"
    np.testing.assert_allclose(egg.size, [0.06, 0.04, 0.02])
    np.testing.assert_allclose(egg.position, [0, 0, 0], atol=1e-12)  # in the frame of its link, though that has no body
    # the sphere at the end of the arm, by the angle of the joint in the log's own message of the same time
    states = [viewer.read("/joint_states", payload) for _, payload in viewer.messages["/joint_states"]]
    moved = [(time, viewer.read("/tf", payload).transforms) for time, payload in viewer.messages["/tf"]]
    last = max(time for time, found in moved if "arm" in {item.child_frame_id for item in found})
    stamps = [10**9 * state.header.stamp.sec + state.header.stamp.nanosec for state in states]
    angle = states[stamps.index(last)].position[0]
    assert angle > 0.01  # it falls
    end = np.array([1, 2, 0.3]) + Rotation.from_euler("z", 30, degrees=True).apply(
        np.array([0, 0, 0.2]) + Rotation.from_euler("y", angle).apply([0.4, 0, 0])
    )
    np.testing.assert_allclose(in_world(frames, "arm", np.array(kinds["sphere"].position)), end, atol=1e-9)
    np.testing.assert_allclose(in_world(frames, "probe", np.zeros(3)), in_world(frames, "tip", np.array([0, 0, 0.1])), atol=1e-9)


def test_the_surroundings_stand_in_the_world_and_objects_move(seen: tuple[Viewer, Path]) -> None:
    viewer, _ = seen
    shapes, frames = entities(viewer.messages["/scene"][-1][1]), transforms(viewer)
    ground, wall = sorted(shapes["world"], key=lambda shape: -shape.size[0])
    assert -0.01 < ground.position[2] + 0.5 * ground.size[2] < 0.0  # right below its surface, so that a grid is seen
    np.testing.assert_allclose(wall.position, [4, 0, 0.5])
    np.testing.assert_allclose(wall.size, [0.1, 2, 1])
    (ball,) = shapes["ball"]
    assert ball.kind == "sphere"
    odometry = viewer.last("/objects/ball").pose.pose.position
    assert odometry.z < 1.49  # it falls
    place = in_world(frames, "ball", np.zeros(3))
    np.testing.assert_array_equal(place, [odometry.x, odometry.y, odometry.z])


def test_who_comes_later_gets_the_scene_and_the_topics_in_use(arm: Twin) -> None:
    with served(arm.folder, "--step-locked") as twin, twin.view() as first:
        first.call("/step", ticks=3)
        with twin.view() as second:
            second.subscribe("/scene", "/tf_static")
            second.wait(lambda: len(second.messages) == 2)
            assert set(entities(second.messages["/scene"][0][1])) == {"world", "base", "arm", "tip", "ball"}
            second.say("subscribeConnectionGraph")
            second.wait(lambda: second.graph)
            names = {item["name"] for item in second.graph["publishedTopics"]}
            assert names == set(second.channels)
            assert "/set/inputs/motor" in {item["name"] for item in second.graph["subscribedTopics"]}
            assert "/pause" in {item["name"] for item in second.graph["advertisedServices"]}


def test_pictures_are_those_of_the_log(make_twin: Any, tmp_path: Path) -> None:
    eye = """<mujoco><worldbody><body name="eye" pos="0 0 1"><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>
      </worldbody></mujoco>"""
    size = {"field_of_view": 1.2, "width": 64, "height": 48}
    camera = {"kind": "camera", "link": "eye", "rate": 20, "enabled": 1, "depth": True} | size
    box = {"box": {"position": [3, 0, 1], "size": [1, 1, 1], "colour": [1, 0, 0]}}
    twin = make_twin(eye, sensors={"camera": camera}, world={"step": 0.01, "gravity": 0.0, "objects": box})
    file = tmp_path / "eye.mcap"
    topics = {"/camera/camera_info", "/camera/image/compressed", "/camera/depth/image"}
    with served(twin.folder, "--step-locked", "--record", str(file)) as shown, shown.view() as viewer:
        viewer.subscribe(*topics)
        viewer.call("/step", ticks=20)
        viewer.wait(lambda: all(len(viewer.messages.get(topic, ())) == 4 for topic in topics))
        shown.stop()
    logged = recorded(file)
    assert {topic: viewer.messages[topic] for topic in topics} == {topic: logged[topic] for topic in topics}
    picture = np.asarray(Image.open(io.BytesIO(bytes(viewer.last("/camera/image/compressed").data))))
    assert picture.shape == (48, 64, 3)
    red, green, _ = picture[24, 32].astype(int)
    assert red > 3 * green + 30
    depth = viewer.last("/camera/depth/image")
    metres = np.frombuffer(bytes(depth.data), "<f4").reshape(depth.height, depth.width)
    assert metres[24, 32] == pytest.approx(2.5, abs=0.01)  # to the front face; the buffer of the depth has 24 bits


def test_robots_of_a_world_share_one_tree_of_frames(make_twin: Any, tmp_path: Path) -> None:
    folder = make_twin(ARM, sensors={"encoders": SENSORS["encoders"]}).folder
    robots = {name: {"twin": str(folder), "start": {"position": [0, y, 0]}} for name, y in (("left", 2.0), ("right", -2.0))}
    (tmp_path / "pair").mkdir()
    (tmp_path / "pair" / "world.yaml").write_text(json.dumps({"robots": robots}))
    with served(tmp_path / "pair", "--step-locked") as twin, twin.view() as viewer:
        assert {"/left/joint_states", "/right/encoders", "/left/inputs/motor", "/tf", "/clock"} <= set(viewer.channels)
        viewer.subscribe("/scene", "/tf", "/tf_static")
        viewer.publish("/right/set/inputs/motor", {"data": 2.0})
        viewer.call("/step", ticks=10)  # of 10 ms, as the rate of its program; poses come every 40 ms
        viewer.wait(lambda: len(viewer.messages.get("/tf", ())) == 2 * 3)
        shapes, frames = entities(viewer.messages["/scene"][-1][1]), transforms(viewer)
        assert {f"{robot}/{link}" for robot in ("left", "right") for link in ("base", "arm", "tip")} <= set(shapes)
        for robot, y in (("left", 2.0), ("right", -2.0)):
            np.testing.assert_allclose(in_world(frames, f"{robot}/base", np.zeros(3)), [1, 2 + y, 0.3], atol=1e-9)
        heights = {robot: in_world(frames, f"{robot}/tip", np.zeros(3))[2] for robot in ("left", "right")}
        assert heights["left"] > heights["right"] + 0.01  # the command was for one of them
        value = viewer.get("right.joints.hinge.damping")
        assert value == {"right.joints.hinge.damping": 0.01}


def test_a_layout_shows_topics_that_there_are(arm: Twin, tmp_path: Path) -> None:
    file = tmp_path / "arm.json"
    with served(arm.folder, "--step-locked", "--layout", str(file)) as twin, twin.view() as viewer:
        layout = json.loads(file.read_text())
        panels = layout["configById"]
        assert panels["3D!scene"]["topics"] == {"/scene": {"visible": True}, "/scan": {"visible": True}}
        paths = [line["value"] for name, panel in panels.items() if name.startswith("Plot!") for line in panel["paths"]]
        assert {"/truth.pose.pose.position.z", "/joint_states.position[0]", "/inputs/motor.data"} <= set(paths)
        viewer.subscribe(*{path.partition(".")[0] for path in paths})  # a topic that is not there is a KeyError
        viewer.call("/step", ticks=3)
        for path in paths:
            topic, _, fields = path.partition(".")
            viewer.wait(lambda: topic in viewer.messages)  # noqa: B023
            value = viewer.last(topic)
            for name in fields.replace("[", ".").replace("]", "").split("."):
                value = value[int(name)] if name.isdigit() else getattr(value, name)
            assert np.isfinite(value)
        for name, panel in panels.items():
            if name.startswith("CallService!"):
                assert viewer.services[panel["serviceName"]]
        assert leaves(layout["layout"]) == list(panels)


def leaves(node: Any) -> list[str]:
    """The panels of a layout, in order."""
    return [node] if isinstance(node, str) else leaves(node["first"]) + leaves(node["second"])
