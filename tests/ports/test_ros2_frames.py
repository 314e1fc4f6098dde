"""The tree of frames on ROS 2's wire, as somebody sees it who comes late, with types of its own and no code of ours."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import didymos
from didymos import Log
from didymos.cli.main import main
from didymos.rotations import Pose, quaternion_to_matrix

PEER = Path(__file__).with_name("frames_peer.py")
# A transform is a difference and a product of float64 numbers below 10 (m, and rotations): its error is a few times
# 10 eps = 2e-15; a chain has fewer than 10 of them. 1e-12 leaves room for the largest, and a wrong parent or sign is off
# by centimetres.
ROUNDING = 1e-12
POSE = (*(f"position.{axis}" for axis in "xyz"), *(f"orientation.{axis}" for axis in "wxyz"))


def look(server: Any, *arguments: Any) -> dict[str, Any]:
    """What the late one saw."""
    words = [sys.executable, str(PEER), str(server.domain), "look", *map(json.dumps, arguments)]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def pose(row: list[float]) -> Pose:
    return Pose(np.array(row[:3]), quaternion_to_matrix(np.array(row[3:])))


class Seen:
    """The tree as it was at the last stamp."""

    def __init__(self, found: dict[str, Any]) -> None:
        assert len(found["statics"]) == 1  # all in one message, so a reader that keeps one has all
        self.parents: dict[str, str] = {}
        self.poses: dict[str, Pose] = {}
        statics = [(parent, child) for _, parent, child, _ in found["statics"][0]]
        for parent, child in [*statics, *map(tuple, found["parents"])]:
            assert child not in self.parents, f"{child} has two parents: {self.parents[child]} and {parent}"
            self.parents[child] = parent
        for _, _, child, row in [*found["statics"][0], *found["last"]]:
            self.poses[child] = pose(row)
        self.stamp = found["last"][0][0] * 1e-9
        self.roots = set(self.parents.values()) - set(self.parents)

    def place(self, frame: str) -> Pose:
        """Where a frame is in the root."""
        if frame in self.roots:
            return Pose()
        return self.place(self.parents[frame]) @ self.poses[frame]

    def within(self, outer: str, inner: str) -> Pose:
        return self.place(outer).inverse() @ self.place(inner)


def logged(log: Log, frame: str, time: float) -> Pose:
    """Where the log has a link in the world at a time."""
    signals = [log[f"tf.{frame}.{number}"] for number in POSE]
    row = int(np.argmin(np.abs(signals[0].time - time)))
    assert signals[0].time[row] == pytest.approx(time, abs=1e-9)
    return pose([signal.values[row] for signal in signals])


def near(a: Pose, b: Pose) -> bool:
    return bool(np.abs(a.position - b.position).max() < ROUNDING and np.abs(a.rotation - b.rotation).max() < ROUNDING)


@pytest.mark.parametrize(
    ("twin", "root", "options"),
    [
        ("omni_base", "odom", ["--scenario", "forward"]),
        ("quadcopter", "odom", ["--scenario", "hover"]),
        ("meldog", "odom", []),
        ("cepheus", "odom", []),
        ("power_unit", "world", []),
    ],
)
def test_one_root_one_parent_each_and_every_link_where_it_is(
    serve: Any, tmp_path: Path, twin: str, root: str, options: list[str]
) -> None:
    described = didymos.load(twin).description
    record = tmp_path / "log.mcap"
    fast = ["--set", "record.tf_rate=100", "--set", "record.rate=100"]
    with serve(twin, "--step-locked", "--record", str(record), *fast, *options) as server:
        found = look(server, 50, 200, ["/robot_description"], {})
        server.stop()
    seen, log = Seen(found), Log.load(record)
    assert seen.roots == {root}
    for link in described.links:
        true = logged(log, described.root, seen.stamp).inverse() @ logged(log, link, seen.stamp)
        assert near(seen.within(described.root, link), true), link
    for frame in described.frames.values():
        true = logged(log, frame.link, seen.stamp) @ pose([*frame.position, *frame.quaternion])
        assert near(seen.within(described.root, frame.name), logged(log, described.root, seen.stamp).inverse() @ true), frame.name
    if root == "odom":
        assert near(seen.within(described.root, "base_link"), Pose())
        source = "odom" if "odom.position.x" in log else "state" if "state.position.x" in log else "truth"
        signals = [log[f"{source}.{number}"] for number in POSE]
        row = int(np.argmin(np.abs(signals[0].time - seen.stamp)))
        assert near(seen.within("odom", described.root), pose([signal.values[row] for signal in signals]))
    assert f'<robot name="{described.name}"' in found["descriptions"]["/robot_description"]


def test_the_world_of_a_twin_hangs_where_its_odometry_began_and_the_map_where_it_truly_is(serve: Any, tmp_path: Path) -> None:
    folder = tmp_path / "base"
    root = didymos.load("omni_base").description.root
    shutil.copytree(didymos.load("omni_base").folder, folder)
    with (folder / "twin.yaml").open("a") as file:
        file.write("\nros2: {frames: {map: truth}}\n")
    options = ["--step-locked", "--scenario", "forward", "--set", "record.tf_rate=100"]
    for which, top in (("omni_base", "odom"), (str(folder), "map")):
        record = tmp_path / f"{top}.mcap"
        with serve(which, *options, "--record", str(record)) as server:
            seen = Seen(look(server, 10, 300, [], {}))
            server.stop()
        log = Log.load(record)
        assert seen.roots == {top}
        true, begin = logged(log, root, seen.stamp), logged(log, root, 0.0)
        if top == "odom":
            assert near(seen.within("world", "odom"), begin)
            away = seen.within("world", root).position - true.position
            assert 1e-5 < np.abs(away).max() < 0.1  # it believes its wheels, and they slip
        else:
            assert near(seen.within("map", root), true)
            assert near(seen.within("map", "world"), Pose())


def test_robots_of_a_world_hang_in_one_tree_and_one_that_is_mounted_on_what_carries_it(serve: Any, tmp_path: Path) -> None:
    record = tmp_path / "log.mcap"
    with serve("landing", "--step-locked", "--record", str(record)) as server:
        found = look(server, 20, 200, ["/drone/robot_description", "/base/robot_description"], {"/drone/odom": "Odometry"})
        server.stop()
    seen, log = Seen(found), Log.load(record)
    assert seen.roots == {"world"}
    world = didymos.load_world("landing")
    for robot, about in world.robots.items():
        described = about.twin.description
        top = f"{robot}/{described.root}"
        for link in described.links:
            true = logged(log, top, seen.stamp).inverse() @ logged(log, f"{robot}/{link}", seen.stamp)
            assert near(seen.within(top, f"{robot}/{link}"), true), (robot, link)
    base, deck = (f"{robot}/{world.robots[robot].twin.description.root}" for robot in ("base", "deck"))
    true = logged(log, base, seen.stamp).inverse() @ logged(log, deck, seen.stamp)
    assert near(seen.within(base, deck), true)
    assert found["topics"]["/drone/odom"]["header"]["frame_id"] == "drone/odom"
    assert found["topics"]["/drone/odom"]["child_frame_id"] in seen.parents


def test_the_log_of_a_run_is_the_same_with_somebody_who_looks_at_all_frames(serve: Any, tmp_path: Path) -> None:
    served, alone = tmp_path / "served.mcap", tmp_path / "alone.mcap"
    with serve("omni_base", "--step-locked", "--scenario", "forward", "--record", str(served)) as server:
        ticks = look(server, 50, 150, ["/robot_description"], {"/scan": "LaserScan", "/scan/points": "PointCloud2"})["tick"]
        server.stop()
    words = ["run", "omni_base", "--scenario", "forward", "--seconds", repr(ticks * 0.01), "--record", str(alone), "--quiet"]
    assert main(words) in (0, 1)  # a scenario cut short may fall short of what it expects
    assert Log.load(served).sha256 == Log.load(alone).sha256


def test_scans_say_their_times_and_have_their_points_beside_them(serve: Any) -> None:
    with serve("omni_base", "--variant", "walled", "--step-locked") as server:
        found = look(server, 10, 30, [], {"/scan": "LaserScan", "/scan/points": "PointCloud2", "/joint_states": "JointState"})
        server.stop()
    scan, cloud = found["topics"]["/scan"], found["topics"]["/scan/points"]
    assert scan["header"] == cloud["header"]
    assert scan["header"]["frame_id"] in Seen(found).parents
    assert scan["scan_time"] == pytest.approx(1 / 50)
    assert scan["time_increment"] == 0.0  # all rays at once
    count = len(scan["ranges"])
    assert scan["angle_increment"] == pytest.approx((scan["angle_max"] - scan["angle_min"]) / (count - 1), rel=1e-6)
    assert (cloud["height"], cloud["width"], cloud["point_step"], cloud["row_step"]) == (1, count, 12, 12 * count)
    assert [(field["name"], field["offset"], field["datatype"], field["count"]) for field in cloud["fields"]] == [
        ("x", 0, 7, 1), ("y", 4, 7, 1), ("z", 8, 7, 1),
    ]  # fmt: skip
    points = np.array(cloud["data"], np.uint8).view("<f4").reshape(count, 3)
    ranges = np.array(scan["ranges"], dtype=float)
    hit = np.isfinite(ranges)
    assert hit.any()
    assert not hit.all()  # a wall, and nothing elsewhere
    angles = scan["angle_min"] + scan["angle_increment"] * np.arange(count)
    drawn = np.column_stack([np.cos(angles), np.sin(angles), 0.0 * angles]) * np.where(hit, ranges, np.nan)[:, None]
    # angle_increment is a float32: after 540 steps the angle is off by 540 times its rounding, 5e-10 rad, at up to 20 m
    np.testing.assert_allclose(points, drawn, atol=20 * (540 * 5e-10 + 2 * 2**-24 * math.pi) + 20 * 2**-23)


RANGER = """<mujoco><worldbody><body name="mast" pos="0 0 2"><joint name="turn" axis="0 0 1"/>
  <geom type="sphere" size=".1" mass="1"/></body></worldbody></mujoco>"""


def test_a_range_finder_measures_along_x_of_its_frame_and_is_infinite_where_there_is_nothing(serve: Any, make_twin: Any) -> None:
    sensors = {
        "down": {"kind": "rangefinder", "link": "mast", "rate": 100, "pitch": math.pi / 2, "reach": 5, "range": {"noise": 0.02}},
        "ahead": {"kind": "rangefinder", "link": "mast", "rate": 100, "reach": 5},
    }
    twin = make_twin(RANGER, sensors=sensors, world={"ground": {}}, record={"tf_rate": 100})
    with serve(twin.folder, "--step-locked") as server:
        found = look(server, 10, 20, [], {"/down": "Range", "/ahead": "Range"})
        server.stop()
    down, ahead = found["topics"]["/down"], found["topics"]["/ahead"]
    seen = Seen(found)
    assert (down["header"]["frame_id"], ahead["header"]["frame_id"]) == ("down_frame", "mast")
    assert near(seen.within("mast", "down_frame"), Pose(rotation=np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]])))
    assert down["range"] == pytest.approx(2.0, abs=0.02 * 6)
    assert down["variance"] == pytest.approx(0.02**2)
    assert (down["min_range"], down["max_range"], down["radiation_type"]) == (0.0, 5.0, 1)
    assert ahead["range"] == "inf"


def test_a_battery_tells_its_voltage_and_what_is_not_known_is_nan(serve: Any) -> None:
    with serve("crazyflie", "--step-locked") as server:
        state = look(server, 10, 50, [], {"/battery_state": "BatteryState"})["topics"]["/battery_state"]
        server.stop()
    assert state["voltage"] == pytest.approx(3.5, abs=0.1)
    assert state["percentage"] == state["charge"] == "nan"  # it has no capacity
    drawn = didymos.load("crazyflie").simulate().run(0.5)["parts.battery.current"].values
    assert np.isclose(-drawn, state["current"], rtol=1e-6).any()  # what is drawn is negative in the message, of single precision
    assert (state["present"], state["power_supply_status"], state["location"]) == (True, 2, "battery")
