"""Message types of a robot's own, in and out, from text in the twin's folder."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import didymos
from didymos.cli.main import main
from didymos.control.idle import Idle
from didymos.describe.twin import Twin
from didymos.ports.ros2.control_surface import control_surface, why_no_control
from didymos.ports.ros2.message_fields import fit_number

PEER = Path(__file__).with_name("own_peer.py")
STEP = 0.001
GROUP = "effort_controllers/JointGroupEffortController"
CARRIAGE = """<mujoco><option gravity="0 0 0"/><worldbody><body name="base">
  <joint name="x" type="slide" axis="1 0 0" damping="10"/><geom type="box" size=".1 .1 .1" mass="1"/></body></worldbody>
  <actuator><motor name="push" joint="x"/><motor name="heat" joint="x" gear="1e-9"/></actuator></mujoco>"""
PROGRAM = """
import didymos
from didymos.contract import setpoint

class Hold(didymos.Controller):
    rate = 1000.0
    force = setpoint(unit="N")
    gait = setpoint()
    scale = setpoint()
    def update(self, t, measured, setpoints):
        return {"push": setpoints.force, "heat": 0.0}
"""
MESSAGES = {
    "Motor.msg": "uint8 id\nfloat32 current  # A\nstring label\n",
    "Orders.msg": "builtin_interfaces/Time stamp\nstring gait\nfloat64[3] target\nMotor[] motors\n",
    "Status.msg": "std_msgs/Header header\nstring[] name\nfloat64[] position\nMotor[2] motors\nint16 ticks\nbool on\n",
}
ROS2 = {
    "commands": {
        "/my/orders": {
            "type": "my_msgs/msg/Orders",
            "fields": {
                "setpoints.force": {"field": "target.1", "scale": 2.0},
                "setpoints.gait": {"field": "gait", "words": {"walk": 1, "trot": 2}},
                "setpoints.scale": 7,
                "inputs.heat": "motors.0.current",
            },
        }
    },
    "messages": {
        "/my/status": {
            "type": "my_msgs/msg/Status",
            "rate": 100,
            "fields": {
                "header.frame_id": "base",
                "name": ["x", "force"],
                "position": ["joints.x.position", "setpoints.force"],
                "motors.0.id": 3,
                "motors.0.label": "push",
                "motors.1.current": "inputs.heat",
                "ticks": "setpoints.scale",
                "on": "setpoints.gait",
            },
        }
    },
}


@pytest.fixture(scope="module")
def make_robot(make_twin: Any) -> Any:
    """make_robot(ros2, **messages): the carriage with this section and these files of messages."""

    def make(ros2: Any, **changed: str) -> Twin:
        keys = {"control": {"program": "hold.py:Hold"}, "world": {"step": STEP}, "record": {"rate": 1000}}
        twin: Twin = make_twin(CARRIAGE, files={"hold.py": PROGRAM}, **keys)
        (twin.folder / "msg").mkdir()
        for name, text in (MESSAGES | {f"{key}.msg": text for key, text in changed.items()}).items():
            (twin.folder / "msg" / name).write_text(text)
        file = twin.folder / "twin.yaml"
        file.write_text(json.dumps({**json.loads(file.read_text()), "ros2": ros2}, indent=1))
        return didymos.load(twin.folder, trust=True)

    return make


def ask(server: Any, what: str, *arguments: Any) -> dict[str, Any]:
    words = [sys.executable, str(PEER), str(server.domain), what, *(json.dumps(argument) for argument in arguments)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_own_messages_set_handles_and_carry_signals_nested_and_in_rows(serve: Any, make_robot: Any) -> None:
    """A mass of 1 kg with 10 N s/m has a time constant of 0.1 s: after 1.5 s it moves at F / d, to exp(-15)."""
    twin = make_robot(ROS2)
    orders = [
        ["walk", [9, 1.0, 9], [[1, 0.5, "a"], [2, 0.7, "b"]]],
        ["trot", [0, 1.0, 0], [[1, 0.25, "a"]]],
        ["fly", [0, 5.0, 0], [[1, 0.9, "a"]]],  # no such word: nothing of the message counts
        ["walk", [0, 5.0, 0], []],  # nor of one whose row is too short
    ]
    with serve(twin.folder, "--step-locked") as server:
        seen = ask(server, "both_ways", orders, 1500)
        facts = server.stop()
    first, second, third, fourth = seen["found"]
    assert first["frame"] == "base"
    assert first["name"] == ["x", "force"]
    assert first["position"][1] == 2.0
    assert first["motors"] == [[3, 0.0, "push"], [0, 0.5, ""]]
    assert (first["ticks"], first["on"]) == (7, True)
    assert second["motors"][1][1] == 0.25
    passed = (second["stamp"] - first["stamp"]) * 1e-9  # the last status may be that of 10 ms before
    assert passed == pytest.approx(1.5, abs=0.011)
    assert second["position"][0] - first["position"][0] == pytest.approx(2.0 / 10.0 * passed, rel=1e-5)
    assert third["position"][1] == fourth["position"][1] == 2.0
    assert third["motors"] == fourth["motors"] == second["motors"]
    assert facts["refused"] == 2
    gaps = {later - earlier for earlier, later in zip(seen["stamps"], seen["stamps"][1:], strict=False)}
    assert gaps == {10_000_000}  # 100 Hz


def test_meldog_stands_by_the_messages_of_its_own_joint_controller(serve: Any) -> None:
    """By its drives' own stiffness; with a stiffness of zero it sinks, as it does when nobody commands it."""
    twin = didymos.load("meldog")
    posture = {name: float(value) for name, value in twin.file.start.joints.items()}
    heights = {}
    for name, scales in (("stiff", [1.0, 1.0]), ("limp", [0.0, 0.0])):
        with serve("meldog", "--step-locked", "--control", "idle") as server:
            heights[name] = ask(server, "stand", posture, 100, 10, scales)["heights"][-1]
            assert server.stop()["refused"] == 300
    # A drive of 70 N m/rad under a quarter of some 120 N on a lever of 0.15 m gives way by 0.06 rad: 2 cm of 0.42 m.
    assert heights["stiff"] - heights["limp"] > 0.1


def test_what_a_twin_offers_is_known_without_dds(make_robot: Any) -> None:
    meldog = didymos.load("meldog")
    driven = meldog.simulate().only
    assert control_surface(driven) == []
    assert "the program joints or idle leaves them to others" in why_no_control(driven)
    idle = meldog.simulate(control=Idle()).only
    found = {entry.name: entry for entry in control_surface(idle)}
    assert found["/joint_trajectory_controller/follow_joint_trajectory"].kind == "action"
    assert found["/joint_controller/commands"].type_name == "joint_controller_msgs/msg/JointCommand"
    assert found["/controller_manager/switch_controller"].type_name == "controller_manager_msgs/srv/SwitchController"
    assert "/forward_effort_controller/commands" in found
    own = {entry.name: entry.kind for entry in control_surface(make_robot(ROS2).simulate().only)}
    assert own == {"/my/orders": "listens", "/my/status": "publishes"}


def changed(where: str, key: str, value: Any) -> dict[str, Any]:
    section: dict[str, Any] = json.loads(json.dumps(ROS2))
    topic = section["commands"]["/my/orders"] if where == "commands" else section["messages"]["/my/status"]
    if key == "type":
        topic["type"] = value
    else:
        topic["fields"][key] = value
    return section


@pytest.mark.parametrize(
    ("ros2", "said"),
    [
        (changed("commands", "type", "my_msgs/msg/Order"), "did you mean 'my_msgs/msg/Orders'"),
        (changed("commands", "type", "Orders"), "expected the name of a message"),
        (changed("commands", "setpoints.force", "target.3"), "expected a number below 3"),
        (changed("commands", "setpoints.force", "targt.1"), "has no field 'targt', did you mean 'target'"),
        (changed("commands", "setpoints.force", "target"), "is a row, expected a place in it such as target.0"),
        (changed("commands", "setpoints.force", "motors.0"), "holds my_msgs/msg/Motor"),
        (changed("commands", "setpoints.force", "gait"), "holds text, expected words"),
        (changed("commands", "setpoints.forse", "target.0"), "did you mean 'setpoints.force'"),
        (changed("commands", "setpoints.*", "target"), "expected a key 'names'"),
        (changed("messages", "position", ["joints.y.position"]), "no signal 'joints.y.position', did you mean 'joints.x."),
        (changed("messages", "position", "joints.x.position"), "is a row, expected a list"),
        (changed("messages", "motors.2.id", 1), "expected a number below 2"),
        (changed("messages", "name", [3]), "expected a text"),
        ({"commands": {"/a": {"type": "std_msgs/msg/Bool"}}}, "expected one of sets and fields"),
        ({"controllers": {"arm": {"type": GROUP, "joints": ["z"]}}}, "nothing drives a joint 'z'"),
    ],
)
def test_check_says_where_a_message_does_not_fit(
    ros2: Any, said: str, make_robot: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    with_code = pytest.raises(didymos.InputError) if "expected one of" in said else None
    if with_code is not None:
        with with_code as caught:
            make_robot(ros2)
        assert said in str(caught.value)
        return
    twin = make_robot(ros2)
    assert main(["check", str(twin.folder)]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert "twin.yaml:" in error


def test_definitions_that_are_none_are_refused(make_robot: Any) -> None:
    looped = {"commands": {"/a": {"type": "loop_msgs/msg/Ring", "fields": {"setpoints.force": "a"}}}}
    twin = make_robot(looped, Ring="float64 a\nRing again\n")
    (mistake,) = twin.ros2_mistakes()
    assert "within itself" in str(mistake)
    garbled = {"commands": {"/a": {"type": "bad_msgs/msg/Bad", "fields": {"setpoints.force": "a"}}}}
    (mistake,) = make_robot(garbled, Bad="float64 = = a\n\0").ros2_mistakes()
    assert "no definition of a message" in str(mistake)


@pytest.mark.parametrize(
    ("base", "value", "held"),
    [("uint8", 300.0, 255), ("int16", -1e9, -32768), ("int32", 2.6, 3), ("uint64", float("nan"), 0), ("bool", 2.0, True),
     ("float32", 0.5, 0.5), ("int64", float("inf"), 2**63 - 1)],
)  # fmt: skip
def test_numbers_stay_in_the_range_of_their_field(base: str, value: float, held: Any) -> None:
    assert fit_number(base, value) == held
