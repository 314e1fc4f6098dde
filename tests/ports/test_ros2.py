"""A twin on ROS 2's wire, as an independent process with types of its own sees and drives it."""

from __future__ import annotations

import math
import os
import random
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from didymos import Log
from didymos.cli.main import main
from didymos.control.policy import new_policy
from didymos.describe.twin import Twin

LAG, MASS = 0.05, 2.0  # [s], [kg]: a carriage of first order, its drive's gain is mass / lag
CARRIAGE = f"""<mujoco><worldbody><body name="base" pos="0 0 .1">
  <joint name="x" type="slide" axis="1 0 0"/><joint name="y" type="slide" axis="0 1 0"/><joint name="yaw" axis="0 0 1"/>
  <geom type="box" size=".2 .2 .05" mass="{MASS}"/><site name="mast" pos="0 0 .4"/></body></worldbody>
  <actuator><velocity name="drive_x" joint="x" kv="{MASS / LAG}"/><velocity name="drive_y" joint="y" kv="{MASS / LAG}"/>
  <velocity name="drive_yaw" joint="yaw" kv="1"/></actuator></mujoco>"""
DRIVE = """
import math
import didymos
from didymos.contract import setpoint

class Drive(didymos.Controller):
    vx = setpoint(unit="m/s")
    vy = setpoint(unit="m/s")
    wz = setpoint(unit="rad/s")
    alive = setpoint()
    def update(self, t, measured, setpoints):
        c, s = math.cos(measured.encoders.yaw.position), math.sin(measured.encoders.yaw.position)
        vx, vy = setpoints.vx, setpoints.vy
        return {"drive_x": c * vx - s * vy, "drive_y": s * vx + c * vy, "drive_yaw": setpoints.wz}
"""
SENSORS = {
    "encoders": {"kind": "joints", "rate": 100},
    "odom": {"kind": "odometry", "link": "base", "rate": 100},
    "imu": {"kind": "imu", "link": "base", "rate": 100},
}
METRONOME = """<mujoco><worldbody><body name="arm"><joint name="hinge" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -.3"
  size=".02" mass="1"/></body></worldbody></mujoco>"""
JOINT_STATE_HASH = "RIHS01_a13ee3a330e346c9d87b5aa18d24e11690752bd33a0350f11c5882bc9179260e"

PUBLISHED = {  # what ROS 2 calls them on DDS
    "rt/clock": "rosgraph_msgs::msg::dds_::Clock_",
    "rt/tf": "tf2_msgs::msg::dds_::TFMessage_",
    "rt/tf_static": "tf2_msgs::msg::dds_::TFMessage_",
    "rt/joint_states": "sensor_msgs::msg::dds_::JointState_",
    "rt/encoders": "sensor_msgs::msg::dds_::JointState_",
    "rt/odom": "nav_msgs::msg::dds_::Odometry_",
    "rt/ground_truth/odom": "nav_msgs::msg::dds_::Odometry_",
    "rt/ground_truth/pose": "geometry_msgs::msg::dds_::PoseStamped_",
    "rt/robot_description": "std_msgs::msg::dds_::String_",
    "rt/imu": "sensor_msgs::msg::dds_::Imu_",
    "rt/setpoints/vx": "std_msgs::msg::dds_::Float64_",
    "rt/setpoints/vy": "std_msgs::msg::dds_::Float64_",
    "rt/setpoints/wz": "std_msgs::msg::dds_::Float64_",
    "rt/setpoints/alive": "std_msgs::msg::dds_::Float64_",
    "rt/inputs/drive_x": "std_msgs::msg::dds_::Float64_",
    "rt/inputs/drive_y": "std_msgs::msg::dds_::Float64_",
    "rt/inputs/drive_yaw": "std_msgs::msg::dds_::Float64_",
    "rt/setpoints": "control_msgs::msg::dds_::DynamicJointState_",
    "rt/inputs": "control_msgs::msg::dds_::DynamicJointState_",
    "rt/stepped": "std_msgs::msg::dds_::UInt64_",
    "rt/rosout": "rcl_interfaces::msg::dds_::Log_",
    "rt/parameter_events": "rcl_interfaces::msg::dds_::ParameterEvent_",
    "rt/{node}/simulate_steps/_action/feedback": "simulation_interfaces::action::dds_::SimulateSteps_FeedbackMessage_",
    "rt/{node}/simulate_steps/_action/status": "action_msgs::msg::dds_::GoalStatusArray_",
}
SUBSCRIBED = {
    "rt/cmd_vel": "geometry_msgs::msg::dds_::TwistStamped_ geometry_msgs::msg::dds_::Twist_",
    "rt/set/setpoints": "std_msgs::msg::dds_::Float64MultiArray_",
    "rt/set/setpoints/vx": "std_msgs::msg::dds_::Float64_",
    "rt/set/setpoints/vy": "std_msgs::msg::dds_::Float64_",
    "rt/set/setpoints/wz": "std_msgs::msg::dds_::Float64_",
    "rt/set/setpoints/alive": "std_msgs::msg::dds_::Float64_",
    "rt/set/inputs": "std_msgs::msg::dds_::Float64MultiArray_",
    "rt/set/inputs/drive_x": "std_msgs::msg::dds_::Float64_",
    "rt/set/inputs/drive_y": "std_msgs::msg::dds_::Float64_",
    "rt/set/inputs/drive_yaw": "std_msgs::msg::dds_::Float64_",
    "rt/step": "std_msgs::msg::dds_::UInt64_",
}
SERVICES = {
    "set_parameters": "rcl_interfaces::srv::dds_::SetParameters",
    "set_parameters_atomically": "rcl_interfaces::srv::dds_::SetParametersAtomically",
    "get_parameters": "rcl_interfaces::srv::dds_::GetParameters",
    "get_parameter_types": "rcl_interfaces::srv::dds_::GetParameterTypes",
    "list_parameters": "rcl_interfaces::srv::dds_::ListParameters",
    "describe_parameters": "rcl_interfaces::srv::dds_::DescribeParameters",
    "simulate_steps/_action/send_goal": "simulation_interfaces::action::dds_::SimulateSteps_SendGoal",
    "simulate_steps/_action/get_result": "simulation_interfaces::action::dds_::SimulateSteps_GetResult",
    "simulate_steps/_action/cancel_goal": "action_msgs::srv::dds_::CancelGoal",
} | {
    "_".join(words).lower(): f"simulation_interfaces::srv::dds_::{''.join(words)}"
    for words in (
        ("Get", "Simulator", "Features"), ("Get", "Simulation", "State"), ("Set", "Simulation", "State"), ("Step", "Simulation"),
        ("Reset", "Simulation"), ("Get", "Entities"), ("Get", "Entities", "States"), ("Get", "Entity", "State"),
        ("Set", "Entity", "State"), ("Get", "Entity", "Info"), ("Set", "Entity", "Info"), ("Get", "Entity", "Bounds"),
        ("Get", "Current", "World"), ("Spawn", "Entity"), ("Spawn", "Entities"), ("Delete", "Entity"), ("Get", "Spawnables"),
        ("Get", "Named", "Poses"), ("Get", "Named", "Pose", "Bounds"), ("Get", "Available", "Worlds"), ("Load", "World"),
        ("Unload", "World"),
    )
}  # fmt: skip
PUBLISHED |= {f"rr/{{node}}/{name}Reply": f"{kind}_Response_" for name, kind in SERVICES.items()}
SUBSCRIBED |= {f"rq/{{node}}/{name}Request": f"{kind}_Request_" for name, kind in SERVICES.items()}


@pytest.fixture(scope="module")
def carriage(make_twin: Any) -> Twin:
    """A base that moves in the plane, driven by a program with set-points vx, vy, wz; ticks of 10 ms."""
    control = {"program": "drive.py:Drive", "rate": 100}
    found: Twin = make_twin(CARRIAGE, files={"drive.py": DRIVE}, control=control, sensors=SENSORS, record={"tf_rate": 100})
    return found


@pytest.fixture(scope="module")
def stepped(serve: Any, carriage: Twin) -> Iterator[Any]:
    """The carriage on the wire, step-locked."""
    with serve(carriage.folder, "--step-locked") as server:
        yield server


@pytest.fixture(scope="module")
def metronome(serve: Any, make_twin: Any) -> Iterator[Any]:
    """A pendulum on the wire in real time, whose joint states come at 1 kHz."""
    sensors = {"encoders": {"kind": "joints", "rate": 1000}}
    twin = make_twin(METRONOME, sensors=sensors, record={"rate": 1000}, start={"joints": {"hinge": 1.0}})
    with serve(twin.folder, "--real-time") as server:
        yield server
        assert server.stop()["lost"] == 0  # whatever its readers went through


def test_topics_types_and_qualities_are_those_of_ros_2(stepped: Any, carriage: Twin) -> None:
    found = stepped.ask("graph", len(PUBLISHED) + len(SUBSCRIBED) + 1)
    for way, expected in (("published", PUBLISHED), ("subscribed", SUBSCRIBED)):
        assert {name: " ".join(item["types"]) for name, item in found[way].items()} == {
            name.format(node=carriage.name): kind for name, kind in expected.items()
        }
    published = found["published"]
    assert [name for name, item in published.items() if not item["reliable"]] == ["rt/clock"]
    lasting = {name for name, item in published.items() if item["lasting"]}
    status = f"rt/{carriage.name}/simulate_steps/_action/status"
    assert lasting == {"rt/robot_description", "rt/tf_static", "rt/rosout", status}
    # from the interface definitions of ROS 2 Jazzy; `ros2 topic info -v` prints it
    assert published["rt/joint_states"]["about"] == f"typehash={JOINT_STATE_HASH};"


def test_the_twin_is_a_node_that_owns_its_topics(stepped: Any, carriage: Twin) -> None:
    found = stepped.ask("nodes")
    assert found["name"] == f"/{carriage.name}"
    assert found["enclave"] == "enclave=/;"
    assert found["writers"] == sorted(name.format(node=carriage.name) for name in PUBLISHED)
    assert found["readers"] == sorted(name.format(node=carriage.name) for name in (*SUBSCRIBED, "rt/cmd_vel"))  # of two types


def test_a_peer_with_types_of_its_own_drives_a_square_and_hears_what_the_log_keeps(
    serve: Any, carriage: Twin, tmp_path: Path
) -> None:
    speed, leg, pause = 0.5, 200, 100  # [m/s], ticks of 10 ms
    with serve(carriage.folder, "--step-locked", "--record", str(tmp_path / "square.mcap")) as server:
        seen = server.ask("square", speed, leg, pause)
        facts = server.stop()  # Ctrl-C: exit status 0, and the recording is complete
    # A drive of first order that starts and ends at rest covers the distance of its command, but for what the pause leaves.
    rest = 2 * speed * LAG * math.exp(-(pause - 1) * 0.01 / LAG)
    assert rest < 1e-9
    np.testing.assert_allclose(seen["corners"], [(1, 0), (1, 1), (0, 1), (0, 0)], atol=1e-6)
    assert seen["frames"] == ["odom", "base"]
    assert seen["static"] == [["odom", "world", 0.0], ["base", "base_link", 0.0], ["base", "mast", pytest.approx(0.4)]]
    assert seen["gravity"] == pytest.approx(9.80665)
    assert facts["seconds"] == pytest.approx(seen["tick"] * 0.01)
    assert (facts["lost"], facts["refused"]) == (0, 0)
    log = Log.load(tmp_path / "square.mcap")
    assert seen["joints"] == ["x", "y", "yaw"]
    for i, joint in enumerate(seen["joints"]):
        kept = log[f"joints.{joint}.position"]
        assert np.rint(kept.time * 1e9).astype(int).tolist() == seen["stamps"]
        assert kept.values.tolist() == [row[i] for row in seen["positions"]]
    assert [row[0] for row in seen["odometry"]] == log["odom.position.x"].values.tolist()
    assert log["setpoints.alive"].values[-1] == 8.0  # one sign of life per message on /cmd_vel
    topics = {name for name in seen["counts"] if name not in ("rt/clock", "rt/tf_static")}
    assert {name: seen["counts"][name] for name in topics} == dict.fromkeys(topics, seen["tick"])
    assert seen["counts"]["rt/clock"] > 0
    again = tmp_path / "again.mcap"
    repeat = ["run", str(carriage.folder), "--interventions", str(tmp_path / "square.mcap"), "--record", str(again), "--quiet"]
    assert main(repeat) == 0
    assert Log.load(again).sha256 == log.sha256


def test_a_peer_drives_the_mecanum_base_along_a_square_by_velocity_and_by_wheel_speeds(serve: Any, tmp_path: Path) -> None:
    speed, leg, pause = 0.2, 500, 100  # [m/s], ticks of 10 ms: sides of 1 m
    rates = {"rt/scan": 50, "rt/scan_left": 50, "rt/tf": 125}  # [Hz], of a tick of 100 Hz; poses of links, and the odometry's
    with serve("omni_base", "--step-locked", "--record", str(tmp_path / "roll.mcap")) as server:
        seen = server.ask("roll", speed, leg, pause, rates)
        facts = server.stop()
    # Its wheels are 1.6 % larger than its program believes; sideways, rollers cost a few per cent of the way and some heading.
    np.testing.assert_allclose(seen["corners"], [(1, 0), (1, 1), (0, 1), (0, 0)], atol=0.1)
    assert (facts["lost"], facts["refused"]) == (0, 0)
    log = Log.load(tmp_path / "roll.mcap")
    assert seen["corners"][-1] == [log["truth.position.x"].values[-1], log["truth.position.y"].values[-1]]
    for i in range(4):
        assert [row[i] for row in seen["encoders"]] == log[f"encoders.drive_{i + 1}.position"].values.tolist()
    assert seen["ranges"] == [log[f"scan.ranges.{i}"].values[-1] for i in range(540)]
    assert seen["scan"][0] == "lidar_right"
    assert seen["scan"][1:] == pytest.approx([-0.75 * math.pi, 0.75 * math.pi, 0.06, 20.0, 540], rel=1e-6)
    assert seen["odometry"] == ["odom", "base_link"]
    assert seen["place"] == [log["odom.position.x"].values[-1], log["control.y"].values[-1]]
    assert seen["gravity"] == pytest.approx(9.81, abs=0.044 * 6 + 0.1)  # noise, and biases of up to 0.091
    # what never moves is on /tf_static
    assert seen["frames"] == ["base_link", "front", "wheel_1", "wheel_2", "wheel_3", "wheel_4"]
    counts = {name: count for name, count in seen["counts"].items() if name != "rt/clock"}
    assert counts == {name: seen["tick"] * rates.get(name, 100) // 100 for name in counts}


def test_a_peer_drives_a_base_whose_program_is_a_policy(serve: Any, tmp_path: Path) -> None:
    """Weights that are the inverse kinematics of its wheels: of 0.1 m, with v_x + v_y + l w_z and so on over their radius."""
    asked = ("setpoints.vx", "setpoints.vy", "setpoints.wz")
    most = 20.0  # [rad/s] that an output of 1 stands for
    plain = new_policy(asked, {f"inputs.drive_{i}": (-most, most) for i in range(1, 5)}, 100.0)
    lever = 0.74  # [m]
    rows = np.array([(1.0, 1.0, lever), (1.0, -1.0, -lever), (1.0, 1.0, -lever), (1.0, -1.0, lever)]) / (0.1 * most)
    policy = plain.with_numbers(np.concatenate([rows.ravel(), np.zeros(4)])).save(tmp_path / "wheels.npz")
    speed, ticks = (0.2, 0.1, 0.0), 500  # [m/s] of ticks of 10 ms
    with serve("omni_base", "--step-locked", "--control", str(policy), "--record", str(tmp_path / "policy.mcap")) as server:
        seen = server.ask("drive", speed, ticks)
        facts = server.stop()
    assert (facts["lost"], facts["refused"]) == (0, 0)
    np.testing.assert_allclose(seen["wheels"], [3.0, 1.0, 3.0, 1.0], rtol=2.0**-22)  # it observes and answers in single precision
    np.testing.assert_allclose(seen["place"], [1.0, 0.5], atol=0.1)  # as of its own program above
    assert Log.load(tmp_path / "policy.mcap")["truth.position.x"].values[-1] == seen["place"][0]


def test_set_points_come_singly_or_as_a_group_and_nonsense_is_refused(stepped: Any) -> None:
    nonsense = [[], [1.0, 2.0], [1.0, 2.0, 3.0, 4.0, 5.0]]
    found = stepped.ask("set_points", ["setpoints/vy", 0.25], ["setpoints", [0.1, 0.2, 0.3, 0.0]], nonsense)["setpoints"]
    assert found[0][1] == 0.25
    assert found[1:] == [[0.1, 0.2, 0.3]] * (2 + len(nonsense))


def test_parameters_are_set_got_and_listed_by_their_paths(stepped: Any, carriage: Twin) -> None:
    asked = {"world.gravity": 9.0, "world.step": 0.002, "links.base.mass": -1.0, "links.bas.mass": 1.0}
    found = stepped.ask("parameters", carriage.name, asked)
    assert [ok for ok, _ in found["set"]] == [True, False, False, False]
    reasons = ("cannot change during a run", "expected a number from 0", "did you mean 'links.base.mass'")
    for (_, said), reason in zip(found["set"][1:], reasons, strict=True):
        assert reason in said
    assert found["get"] == [[3, 9.0], [3, 0.001], [3, MASS], [0, 0.0]]
    assert found["list"] == ["world.air.temperature", "world.air.pressure"]


def test_a_thousand_joint_states_per_second_arrive_without_loss(metronome: Any) -> None:
    stamps = metronome.ask("listen", 2000)["stamps"]
    assert set(np.diff(stamps)) == {1_000_000}


def test_a_reader_that_is_killed_does_no_harm_to_the_next_one(metronome: Any) -> None:
    victim = metronome.peer("listen", 10**9)
    assert victim.stdout is not None
    assert victim.stdout.readline() == "listening\n"
    victim.kill()
    victim.communicate()
    stamps = metronome.ask("listen", 1000)["stamps"]
    assert set(np.diff(stamps)) == {1_000_000}


def test_a_reader_that_stands_still_holds_up_nobody(metronome: Any) -> None:
    sleeper = metronome.peer("listen", 10**9)
    assert sleeper.stdout is not None
    assert sleeper.stdout.readline() == "listening\n"
    sleeper.send_signal(signal.SIGSTOP)
    try:
        stamps = metronome.ask("listen", 3000)["stamps"]
    finally:
        sleeper.kill()
        sleeper.communicate()
    assert set(np.diff(stamps)) == {1_000_000}


def test_garbage_on_the_ports_does_no_harm(metronome: Any) -> None:
    listener = metronome.peer("listen", 2000)
    assert listener.stdout is not None
    assert listener.stdout.readline() == "listening\n"
    dice = random.Random(6)
    ports = [7400 + 250 * metronome.domain + offset for offset in range(16)]  # DDS's own, of the first participants
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as wire:
        for i in range(3000):
            junk = dice.randbytes(dice.choice((0, 1, 20, 200, 1400)))
            submessage = bytes([dice.choice((0x06, 0x07, 0x09, 0x15)), 1])  # acknowledgement, heartbeat, time, data
            head = (b"", b"RTPS", b"RTPS\x02\x01\x01\x10" + dice.randbytes(12) + submessage)[i % 3]
            wire.sendto(head + junk, ("127.0.0.1", dice.choice(ports)))
    out, err = listener.communicate()
    assert listener.returncode == 0, err
    assert '"stamps"' in out
    assert metronome.process.poll() is None
    stamps = metronome.ask("listen", 500)["stamps"]
    assert set(np.diff(stamps)) == {1_000_000}


def test_a_run_that_fails_says_so_and_keeps_its_log(
    make_twin: Any, tmp_path: Path, domain: int, capsys: pytest.CaptureFixture[str]
) -> None:
    twin = make_twin(world={"boundary": 0.05})  # falls 5 cm within sqrt(2 * 0.05 / 9.81) = 0.1 s
    log = tmp_path / "fall.mcap"
    words = ["serve", str(twin.folder), "--port", "ros2", "--domain", str(domain), "--seconds", "60", "--record", str(log)]
    assert main(words) == 1
    said = capsys.readouterr().err
    assert "body left the world" in said
    assert str(log) in said
    assert Log.load(log)["truth.position.z"].values[-1] < -0.03


def test_without_the_library_one_command_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = "import sys; sys.modules['cyclonedds'] = None; from didymos.cli.main import main; sys.exit(main(sys.argv[1:]))"
    words = [sys.executable, "-c", code, "serve", "quadcopter", "--port", "ros2"]
    source = str(Path(main.__code__.co_filename).parents[2])
    done = subprocess.run(words, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": source})
    assert done.returncode == 2
    assert "pip install 'didymos[ros2]'" in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--port", "ros1"], "there is no port 'ros1', did you mean 'ros2'?"),
        (["--port", "ros2", "--domain", "233"], "expected a whole number from 0 to 232"),
        (["--port", "ros2", "--seconds", "-1"], "expected a positive number of seconds"),
        (["--port", "ros2", "--record", "log.csv"], "expected a file that ends in .mcap"),
        (["--port", "ros2", "--scenario", "hovr"], "did you mean 'hover'"),
    ],
)
def test_what_cannot_be_served_is_refused(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "quadcopter", *words]) == 2
    assert said in capsys.readouterr().err


