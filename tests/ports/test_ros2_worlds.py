"""A world on ROS 2's wire: each robot in its namespace, driven by a process of its own that hears and moves it alone."""

from __future__ import annotations

import json
import math
import random
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_ros2 import SERVICES as NODE_SERVICES

from didymos import Log
from didymos.cli.main import main
from didymos.describe.trust import remember
from didymos.engine.intervention import load_interventions

PEER = Path(__file__).with_name("world_peer.py")
LAG, MASS, GAIN = 0.05, 2.0, 2.0  # [s], [kg]: a carriage of first order; [1/s] of its driver
CARRIAGE = f"""<mujoco><worldbody><body name="base" pos="0 0 .1">
  <joint name="x" type="slide" axis="1 0 0"/><joint name="y" type="slide" axis="0 1 0"/><joint name="yaw" axis="0 0 1"/>
  <geom type="box" size=".2 .2 .05" mass="{MASS}"/><site name="mast" pos="0 0 .4"/></body></worldbody>
  <actuator><velocity name="drive_x" joint="x" kv="{MASS / LAG}"/><velocity name="drive_y" joint="y" kv="{MASS / LAG}"/>
  </actuator></mujoco>"""
KEYS: dict[str, Any] = {
    "control": {"program": "idle", "rate": 100},
    "sensors": {
        "encoders": {"kind": "joints", "rate": 100},
        "odom": {"kind": "odometry", "link": "base", "rate": 100},
        "imu": {"kind": "imu", "link": "base", "rate": 100, "accel": {"noise": 0.1}},
    },
    "record": {"tf_rate": 100},
    "ros2": {
        "topics": {"encoders": "/joint_states", "joints": "/ground_truth/joint_states"},
        "commands": {"/wheels": {"sets": ["inputs.drive_x", "inputs.drive_y"]}},
    },
}
ROUNDS, TICKS = 100, 5  # of 10 ms
TARGETS = {"left": [1.0, -0.5], "right": [-0.7, 0.3]}  # [m]
NEAR = math.exp(-GAIN * ROUNDS * TICKS * 0.01)  # of the way is left: the slowest pole of the loop is beyond the gain
FLOAT, ARRAY, COUNT = (f"std_msgs::msg::dds_::{name}_" for name in ("Float64", "Float64MultiArray", "UInt64"))
PUBLISHED = {  # of a robot, behind its namespace
    "joint_states": "sensor_msgs::msg::dds_::JointState_",
    "ground_truth/joint_states": "sensor_msgs::msg::dds_::JointState_",
    "odom": "nav_msgs::msg::dds_::Odometry_",
    "ground_truth/odom": "nav_msgs::msg::dds_::Odometry_",
    "ground_truth/pose": "geometry_msgs::msg::dds_::PoseStamped_",
    "robot_description": "std_msgs::msg::dds_::String_",
    "imu": "sensor_msgs::msg::dds_::Imu_",
    "inputs/drive_x": FLOAT,
    "inputs/drive_y": FLOAT,
    "inputs": "control_msgs::msg::dds_::DynamicJointState_",
    "stepped": COUNT,
}
SUBSCRIBED = {
    "set/inputs": ARRAY, "set/inputs/drive_x": FLOAT, "set/inputs/drive_y": FLOAT, "wheels": ARRAY, "step": COUNT,
    "forward_velocity_controller/commands": ARRAY,
}  # fmt: skip
MANAGER = {  # of a robot whose joints can be commanded, behind its namespace
    name: f"controller_manager_msgs::srv::dds_::{kind}"
    for name, kind in {
        "list_controllers": "ListControllers", "list_controller_types": "ListControllerTypes",
        "list_hardware_interfaces": "ListHardwareInterfaces", "list_hardware_components": "ListHardwareComponents",
        "load_controller": "LoadController", "configure_controller": "ConfigureController",
        "cleanup_controller": "CleanupController", "unload_controller": "UnloadController",
        "switch_controller": "SwitchController", "set_hardware_component_state": "SetHardwareComponentState",
    }.items()
}  # fmt: skip
COMMON = {
    "clock": "rosgraph_msgs::msg::dds_::Clock_",
    "tf": "tf2_msgs::msg::dds_::TFMessage_",
    "tf_static": "tf2_msgs::msg::dds_::TFMessage_",
    "stepped": COUNT,
    **{f"world/momentum/{way}/{axis}": FLOAT for way in ("linear", "angular") for axis in "xyz"},
    "world/momentum/energy": FLOAT,
}
PARAMETERS = [name for name, kind in NODE_SERVICES.items() if kind.startswith("rcl_interfaces")]
EVERYBODY = {"rosout": "rcl_interfaces::msg::dds_::Log_", "parameter_events": "rcl_interfaces::msg::dds_::ParameterEvent_"}
STEPS = {  # the action of the world
    "yard/simulate_steps/_action/feedback": "simulation_interfaces::action::dds_::SimulateSteps_FeedbackMessage_",
    "yard/simulate_steps/_action/status": "action_msgs::msg::dds_::GoalStatusArray_",
}


def services_of(owner: str) -> dict[str, str]:
    """The services of a node; those of the simulation are the world's."""
    return {name: kind for name, kind in NODE_SERVICES.items() if owner == "yard" or name in PARAMETERS}


MakeWorld = Callable[..., Path]


@pytest.fixture(scope="module")
def carriages(make_twin: Any, tmp_path_factory: pytest.TempPathFactory) -> MakeWorld:
    """carriages(name, *robots, **keys): the folder of a world of carriages that stand 3 m apart."""
    carriage = make_twin(CARRIAGE, **KEYS).folder

    def make(name: str, *robots: str, **keys: Any) -> Path:
        folder = tmp_path_factory.mktemp("worlds") / name
        folder.mkdir()
        (folder / "carriage").symlink_to(carriage)
        places = {robot: [0.0, 3.0 * i, 0.0] for i, robot in enumerate(robots)}
        found = {robot: {"twin": "./carriage", "start": {"position": place}} for robot, place in places.items()}
        (folder / "world.yaml").write_text(json.dumps({"robots": found} | keys))
        remember(folder)
        return folder

    return make


@pytest.fixture(scope="module")
def yard(carriages: MakeWorld) -> Path:
    """Two carriages that are the same twin, which nobody drives."""
    return carriages("yard", "left", "right", record={"momentum": True})


def drive(domain: int, what: str, *arguments: Any) -> subprocess.Popen[str]:
    """A driver, or somebody who looks, in a process of its own."""
    words = [sys.executable, str(PEER), str(domain), what, *map(json.dumps, arguments)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ended(process: subprocess.Popen[str]) -> dict[str, Any]:
    """What it found."""
    out, err = process.communicate()
    assert process.returncode == 0, err
    found: dict[str, Any] = json.loads(out.splitlines()[-1])
    return found


def name_of(folder: Path) -> str:
    """What the node of the twin is called."""
    return (folder / "carriage").resolve().name.replace("-", "_")


def test_names_and_types_are_those_of_a_twin_alone_behind_the_namespace_of_each_robot(serve: Any, yard: Path) -> None:
    node, robots = name_of(yard), ("left", "right")
    published = {f"rt/{name}": kind for name, kind in (COMMON | EVERYBODY | STEPS).items()}
    subscribed = {"rt/step": COUNT}
    for robot in robots:
        published |= {f"rt/{robot}/{name}": kind for name, kind in PUBLISHED.items()}
        subscribed |= {f"rt/{robot}/{name}": kind for name, kind in SUBSCRIBED.items()}
    for owner in ("yard", *(f"{robot}/{node}" for robot in robots)):
        published |= {f"rr/{owner}/{name}Reply": f"{kind}_Response_" for name, kind in services_of(owner).items()}
        subscribed |= {f"rq/{owner}/{name}Request": f"{kind}_Request_" for name, kind in services_of(owner).items()}
    for owner in (f"{robot}/controller_manager" for robot in robots):
        published |= {f"rr/{owner}/{name}Reply": f"{kind}_Response_" for name, kind in MANAGER.items()}
        subscribed |= {f"rq/{owner}/{name}Request": f"{kind}_Request_" for name, kind in MANAGER.items()}
    with serve(yard, "--step-locked") as server:
        found = server.ask("graph", len(published) + len(subscribed))
        nodes = ended(drive(server.domain, "nodes"))["nodes"]
    assert {name: " ".join(item["types"]) for name, item in found["published"].items()} == published
    assert {name: " ".join(item["types"]) for name, item in found["subscribed"].items()} == subscribed
    assert [name for name, item in found["published"].items() if not item["reliable"]] == ["rt/clock"]
    descriptions = {f"rt/{robot}/robot_description" for robot in robots}
    lasting = {name for name, item in found["published"].items() if item["lasting"]}
    assert lasting == {*descriptions, "rt/tf_static", "rt/rosout", "rt/yard/simulate_steps/_action/status"}
    assert [item[:2] for item in nodes] == [["/", "yard"], ["/left", node], ["/right", node]]
    for namespace, name, ends in nodes:
        own = f"{namespace.rstrip('/')}/{name}/"
        services = [f"rr{own}{service}Reply" for service in services_of(own.strip("/"))]
        services += [f"rt/{topic}" for topic in EVERYBODY]
        if namespace == "/":
            assert ends["writers"] == sorted([*services, *(f"rt/{topic}" for topic in (*COMMON, *STEPS))])
        else:
            topics = [f"rt{namespace}/{topic}" for topic in PUBLISHED]
            manager = [f"{namespace}/controller_manager/{service}" for service in MANAGER]
            assert ends["writers"] == sorted([*services, *(f"rr{name}Reply" for name in manager), *topics])
            requests = [f"rq{own}{service}Request" for service in services_of(own.strip("/"))]
            requests += [f"rq{name}Request" for name in manager]
            assert ends["readers"] == sorted([*requests, *(f"rt{namespace}/{topic}" for topic in SUBSCRIBED)])


def test_two_processes_drive_a_robot_each_in_lock_step_and_the_bytes_do_not_hang_on_who_is_faster(
    serve: Any, yard: Path, tmp_path: Path
) -> None:
    logs = []
    for which, late in enumerate(({"left": 0.0, "right": 1.0}, {"left": 1.0, "right": 0.0})):
        record = tmp_path / f"run{which}.mcap"
        with serve(yard, "--step-locked", "--seconds", "5.01", "--record", str(record)) as server:
            drivers = {
                robot: drive(server.domain, "stepped", robot, target, ROUNDS, TICKS, late[robot])
                for robot, target in TARGETS.items()
            }
            found = {robot: ended(process) for robot, process in drivers.items()}
            facts = json.loads(server.process.communicate()[0])  # its time is over
        assert (facts["lost"], facts["refused"]) == (0, 0)
        logs.append(Log.load(record))
    assert logs[0].sha256 == logs[1].sha256
    log, done = logs[1], load_interventions(record)
    for robot, seen in found.items():
        assert seen["tick"] == ROUNDS * TICKS + 1
        np.testing.assert_allclose(seen["place"], TARGETS[robot], atol=NEAR)
        # It heard its own robot, every reading once, to the bit.
        assert seen["joints"] == ["x", "y", "yaw"]
        for i, joint in enumerate(seen["joints"]):
            kept = log[f"{robot}.encoders.{joint}.position"]
            assert np.rint(kept.time * 1e9).astype(int).tolist() == seen["stamps"]
            assert kept.values.tolist() == [row[i] for row in seen["positions"]]
        assert seen["imu"] == [f"{robot}/base"]
        assert seen["odom"] == [f"{robot}/odom {robot}/base"]
        assert seen["covariance"] == pytest.approx(0.01)
        assert seen["tf"] == ["left/odom left/base", "right/odom right/base"]
        fixed = [(f"{one}/base {one}/base_link", f"{one}/base {one}/mast", f"world {one}/odom") for one in ("left", "right")]
        assert seen["static"] == sorted(edge for edges in fixed for edge in edges)
        # It moved its own robot, by everything that it sent, in order.
        for i, joint in enumerate("xy"):
            told = [item.value[0] for item in done.interventions if item.path == f"{robot}.inputs.drive_{joint}"]
            assert told == [row[i] for row in seen["sent"]]
    assert len(done.interventions) == 2 * 2 * ROUNDS
    again = tmp_path / "again.mcap"
    assert main(["run", str(yard), "--interventions", str(record), "--record", str(again), "--quiet"]) == 0
    assert Log.load(again).sha256 == log.sha256


def test_a_driver_that_comes_late_is_waited_for_and_one_that_leaves_is_not(serve: Any, yard: Path) -> None:
    with serve(yard, "--step-locked") as server:
        left = drive(server.domain, "stepped", "left", TARGETS["left"], 4, TICKS, 0.0, True)
        right = drive(server.domain, "stepped", "right", TARGETS["right"], 10, TICKS, 0.5)
        assert [ended(process)["tick"] for process in (left, right)] == [4 * TICKS + 1, 10 * TICKS + 1]
        assert server.stop()["seconds"] == pytest.approx((10 * TICKS + 1) * 0.01)


def test_two_processes_drive_in_real_time_whatever_bytes_arrive_beside_them(serve: Any, yard: Path, tmp_path: Path) -> None:
    record, near = tmp_path / "run.mcap", 0.01
    with serve(yard, "--real-time", "--record", str(record)) as server:
        drivers = {robot: drive(server.domain, "real_time", robot, target, near) for robot, target in TARGETS.items()}
        for process in drivers.values():
            assert process.stdout is not None
            assert process.stdout.readline() == "driving\n"
        dice = random.Random(7)
        ports = [7400 + 250 * server.domain + offset for offset in range(16)]
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as wire:
            for i in range(2000):
                head = (b"", b"RTPS", b"RTPS\x02\x01\x01\x10" + dice.randbytes(12) + bytes([dice.choice((6, 7, 9, 0x15)), 1]))
                wire.sendto(head[i % 3] + dice.randbytes(dice.choice((0, 20, 400))), ("127.0.0.1", dice.choice(ports)))
        found = {robot: ended(process) for robot, process in drivers.items()}
        facts = server.stop()
    assert (facts["lost"], facts["refused"]) == (0, 0)
    log, done = Log.load(record), load_interventions(record)
    for robot, seen in found.items():
        kept = log[f"{robot}.encoders.x.position"]
        rows = dict(zip(np.rint(kept.time * 1e9).astype(int).tolist(), kept.values.tolist(), strict=True))
        assert [rows[time] for time in seen["stamps"]] == [row[0] for row in seen["positions"]]
        told = [item.value[0] for item in done.interventions if item.path == f"{robot}.inputs.drive_x"]
        assert told == [row[0] for row, before in zip(seen["sent"], [[0.0], *seen["sent"]], strict=False) if row[0] != before[0]]
        assert seen["clocks"] > 0


def test_what_cannot_be_followed_is_refused_for_its_robot_alone(serve: Any, carriages: MakeWorld) -> None:
    world = carriages("alone", "only")  # a world of one has the names of a world
    with serve(world, "--step-locked") as server:
        found = ended(drive(server.domain, "nonsense", "only", [[1.0], [1.0, 2.0, 3.0], [1.0, math.nan], []]))
        facts = server.stop()
    assert found["place"] == [0.0, 0.0]
    assert found["heard"] == [False, False]
    assert facts["refused"] == 4
    assert "/only/wheels: found 1 numbers, expected 2" in server.said


def test_parameters_are_a_robots_by_its_node_and_everybodys_by_the_worlds(serve: Any, yard: Path) -> None:
    node = name_of(yard)
    with serve(yard, "--step-locked") as server:
        asked = {"links.base.mass": 3.0, "links.bas.mass": 1.0, "right.links.base.mass": 1.0, "world.gravity": 9.0}
        found = server.ask("parameters", f"left/{node}", asked)
        assert [ok for ok, _ in found["set"]] == [True, False, False, False]
        reasons = [said for _, said in found["set"]]
        assert reasons[1] == "links.bas.mass: there is no such parameter, did you mean 'links.base.mass'?"
        assert reasons[2].startswith("right.links.base.mass: there is no such parameter")
        assert reasons[3] == "world.gravity: is of the world; set it through the world's node"
        assert found["get"] == [[3, 3.0], [0, 0.0], [0, 0.0], [0, 0.0]]
        assert found["list"] == []
        negative = server.ask("parameters", f"right/{node}", {"links.base.mass": -1.0})
        assert negative["set"][0][1].startswith("links.base.mass: found -1")
        assert negative["get"] == [[3, MASS]]
        asked = {"world.gravity": 9.0, "right.links.base.mass": 4.0, "middle.links.base.mass": 1.0}
        whole = server.ask("parameters", "yard", asked)
        assert [ok for ok, _ in whole["set"]] == [True, True, False]
        assert whole["get"] == [[3, 9.0], [3, 4.0], [0, 0.0]]
        assert whole["list"] == ["world.air.temperature", "world.air.pressure"]
        assert server.ask("parameters", f"left/{node}", {})["get"] == []
        assert server.ask("parameters", "yard", {"left.links.base.mass": 3.5})["set"] == [[True, ""]]
        assert server.ask("parameters", f"left/{node}", {"links.base.com.x": 0.0})["set"] == [[True, ""]]


def test_two_worlds_in_one_domain_keep_to_themselves(serve: Any, yard: Path, carriages: MakeWorld) -> None:
    other = carriages("other", "third")
    with serve(yard, "--step-locked") as first, serve(other, "--step-locked", "--domain", str(first.domain)) as second:
        targets = {**TARGETS, "third": [0.2, 0.1]}
        drivers = {robot: drive(first.domain, "stepped", robot, target, 20, TICKS) for robot, target in targets.items()}
        found = {robot: ended(process) for robot, process in drivers.items()}
        assert second.stop()["received"] >= 20  # commands of its own robot
    for robot, seen in found.items():
        # 1 s of a loop whose slowest pole lies between the gain and twice the gain
        left = [(goal - here) / goal for goal, here in zip(targets[robot], seen["place"], strict=True)]
        assert all(math.exp(-2 * GAIN) < part < math.exp(-0.8 * GAIN) for part in left), (robot, left)
        assert seen["imu"] == [f"{robot}/base"]


@pytest.mark.parametrize(
    ("robots", "words", "said"),
    [
        (("a-b", "a_b"), [], "'a-b' and 'a_b' would both be the topic /a_b; rename one"),
        (("a", "b"), ["--control", "c=idle"], "there is no robot 'c'"),
        (("a", "b"), ["--control", "idle"], "expected ROBOT=MODULE:CLASS"),
        (("a", "b"), ["--scenario", "rise"], "has no scenario 'rise'"),
        (("a", "b"), ["--set", "c.links.base.mass=1"], "there is no such parameter"),
        (("a", "b"), ["--variant", "fast"], "goes with a twin"),
        (("a", "b"), ["--port", "moteus"], "has a part of kind drive"),
    ],
)
def test_what_cannot_be_served_is_refused(
    carriages: MakeWorld, robots: Any, words: list[str], said: str, domain: int, capsys: pytest.CaptureFixture[str]
) -> None:
    world = carriages("wrong", *robots)
    assert main(["serve", str(world), "--port", "ros2", "--domain", str(domain), "--seconds", "0.1", *words]) == 2
    assert said in capsys.readouterr().err


def test_an_error_in_the_names_of_a_twin_says_whose_they_are(
    carriages: MakeWorld, make_twin: Any, domain: int, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = make_twin(CARRIAGE, **KEYS | {"ros2": {"topics": {"encodrs": "/e", "tf": "/my_tf"}}})
    world = carriages("wrong", "a", "b")
    text = (world / "world.yaml").read_text()
    (world / "world.yaml").write_text(text.replace("./carriage", str(wrong.folder), 1))
    assert main(["serve", str(world), "--port", "ros2", "--domain", str(domain), "--seconds", "0.1"]) == 2
    said = capsys.readouterr().err
    assert "a: ros2.topics.tf of its twin file is not used, /tf is the world's" in said
    assert "a.ros2.topics.encodrs: nothing of this name is recorded, did you mean 'encoders'?" in said
