"""`didymos check --ros2`: topics, types, qualities and frames as they are served, and what programs of ROS 2 would miss."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from didymos.cli.main import main

ARM = """<mujoco><worldbody><body name="foot"><geom size=".1" mass="1"/><body name="upper" pos="0 0 .1">
  <joint name="shoulder" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 .3" size=".02" mass="1"/></body></body></worldbody>
  <actuator><motor name="motor" joint="shoulder"/></actuator></mujoco>"""


def facts(capsys: pytest.CaptureFixture[str], what: str | Path) -> dict[str, Any]:
    assert main(["check", str(what), "--ros2", "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)["ros2"]
    return found


def one_tree(found: dict[str, Any]) -> str:
    """The root of a tree in which every frame has one parent."""
    parents = {edge["child"]: edge["parent"] for edge in found["frames"]}
    assert len(parents) == len(found["frames"])
    roots = set(parents.values()) - set(parents)
    assert len(roots) == 1
    return roots.pop()


def test_a_base_on_wheels_lacks_only_what_other_nodes_give(capsys: pytest.CaptureFixture[str]) -> None:
    found = facts(capsys, "omni_base")
    out = {topic["name"]: topic for topic in found["published"]}
    assert out["/scan"]["type"] == "sensor_msgs/msg/LaserScan"
    assert out["/robot_description"]["qos"] == out["/tf_static"]["qos"] == "reliable, transient local"
    assert out["/clock"]["qos"] == "best effort, volatile"
    assert "/cmd_vel" in {topic["name"] for topic in found["subscribed"]}
    assert one_tree(found) == "odom"
    odometry = next(edge for edge in found["frames"] if edge["parent"] == "odom" and edge["child"] != "world")
    assert odometry["source"] == "odometry of the program"
    missing = found["missing"][""]
    assert missing["rviz2"] == []
    assert [line.split(":")[0] for line in missing["nav2"]] == ["no map frame"]


def test_a_robot_that_flies_by_the_truth_is_told_so_and_one_that_is_held_does_not_drive(
    capsys: pytest.CaptureFixture[str], make_twin: Any
) -> None:
    hexacopter = facts(capsys, "hexacopter")
    assert any("odom" in line and "are the truth" in line for line in hexacopter["missing"][""]["nav2"])
    assert any("LaserScan" in line for line in hexacopter["missing"][""]["slam_toolbox"])
    arm = facts(capsys, make_twin(ARM).folder)
    assert one_tree(arm) == "world"
    assert "held in place" in arm["missing"][""]["nav2"][0]
    said = "\n".join(arm["missing"][""]["MoveIt 2"])
    assert "SRDF" in said
    assert "velocity limit" in said
    assert "shoulder" in said


def test_a_scan_under_another_name_and_a_leaning_one_are_told(capsys: pytest.CaptureFixture[str], make_twin: Any) -> None:
    rover = """<mujoco><worldbody><body name="rover" pos="0 0 1"><freejoint/><geom size=".1" mass="1"/>
      <site name="eye" euler="0 20 0"/></body></worldbody></mujoco>"""
    lidar = {"kind": "lidar", "link": "eye", "rate": 10, "rays": 8, "field_of_view": 3, "farthest": 5}
    twin = make_twin(rover, sensors={"laser": lidar}, ros2={"frames": {"odom": "none"}})
    found = facts(capsys, twin.folder)
    said = "\n".join(found["missing"][""]["slam_toolbox"])
    assert "no /scan: set its scan_topic to /laser" in said
    assert "leans by 0.35 rad" in said
    assert any("left to another node" in line for line in found["missing"][""]["nav2"])
    assert not any(edge["child"] == "rover" for edge in found["frames"])


def test_a_world_shows_all_its_robots_in_one_tree(capsys: pytest.CaptureFixture[str]) -> None:
    found = facts(capsys, "mobile_arm")
    assert found["nodes"][0] == "/mobile_arm"
    assert one_tree(found) == "world"
    assert set(found["missing"]) == {"base", "arm", "crate"}
    assert any("TF Prefix" in line for line in found["missing"]["arm"]["rviz2"])
    names = [topic["name"] for topic in found["published"]]
    assert len(names) == len(set(names))
    assert {"/tf", "/tf_static", "/clock", "/base/scan", "/arm/robot_description"} <= set(names)


def test_people_read_the_tree_and_need_no_library_of_the_wire(run_python: Callable[..., Any]) -> None:
    code = """
import sys
sys.modules["cyclonedds"] = None  # as if it were not installed
from didymos.cli.main import main
assert main(["check", "power_unit", "--ros2"]) == 0
"""
    lines = run_python(code).stdout.splitlines()
    first = lines.index("frames")
    assert lines[first + 1 : first + 4] == ["  world", "    stator_link  (static)", "      driven_link  (joints)"]
    assert "topics out" in lines
    assert any(line.startswith("nav2 would miss") for line in lines)


def test_what_is_wrong_with_a_twin_comes_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "no_such_twin", "--ros2"]) == 2
    assert "topics" not in capsys.readouterr().out
