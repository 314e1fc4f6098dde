"""What viewers may ask of a running twin: parameters, services, commands; each counts at a tick, or is refused in words."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from foxglove_client import Viewer
from foxglove_server import Watched, served

from didymos import Log
from didymos.cli.main import main
from didymos.describe.twin import Twin
from didymos.engine.intervention import load_interventions

LAG, MASS = 0.05, 2.0  # [s], [kg]: a carriage of first order, its drive's gain is mass / lag
CARRIAGE = f"""<mujoco><worldbody><body name="base" pos="0 0 .1">
  <joint name="x" type="slide" axis="1 0 0"/><joint name="y" type="slide" axis="0 1 0"/>
  <geom type="box" size=".2 .2 .05" mass="{MASS}"/></body></worldbody>
  <actuator><velocity name="drive_x" joint="x" kv="{MASS / LAG}"/><velocity name="drive_y" joint="y" kv="{MASS / LAG}"/>
  </actuator></mujoco>"""
DRIVE = """
import didymos
from didymos.contract import setpoint

class Drive(didymos.Controller):
    scale = didymos.Gain(1.0, low=0.0, high=10.0)
    vx = setpoint(unit="m/s")
    vy = setpoint(unit="m/s")
    alive = setpoint()
    def update(self, t, measured, setpoints):
        return {"drive_x": self.scale * setpoints.vx, "drive_y": self.scale * setpoints.vy}
"""
RATE = 100  # [1/s] of ticks
HEADER = b"\x00\x01\x00\x00"  # of CDR, little endian


@pytest.fixture(scope="module")
def carriage(make_twin: Any) -> Twin:
    """A base that a program moves in the plane; ticks of 10 ms."""
    stimuli = [{"kind": "step", "target": "links.base.mass", "from": MASS, "at": 0.5, "to": 3.0}]
    found: Twin = make_twin(
        CARRIAGE,
        files={"drive.py": DRIVE},
        control={"program": "drive.py:Drive", "rate": RATE},
        sensors={"encoders": {"kind": "joints", "rate": RATE}},
        scenarios={"loaded": {"seconds": 5, "stimuli": stimuli}},
    )
    return found


@pytest.fixture(scope="module")
def stepped(carriage: Twin) -> Iterator[Watched]:
    """The carriage, step-locked; tests bring it back to its start."""
    with served(carriage.folder, "--step-locked") as twin:
        yield twin


@pytest.fixture
def viewer(stepped: Watched) -> Iterator[Viewer]:
    """A viewer of the carriage at its start."""
    with stepped.view() as found:
        assert found.call("/reset") == {"tick": 0, "time": 0.0}
        yield found


def position(viewer: Viewer, ticks: int, axis: int = 0) -> float:
    """Where the carriage is after so many ticks, by the message that came last [m]."""
    if "/encoders" not in viewer.messages:
        viewer.subscribe("/encoders")
    end = viewer.call("/step", ticks=ticks)["tick"]
    last = round(1e9 * (end - 1) / RATE)
    viewer.wait(lambda: viewer.messages.get("/encoders", [(0, b"")])[-1][0] == last)
    return float(viewer.last("/encoders").position[axis])


def driven(speed: float, seconds: float) -> float:
    """Way [m] of a first order after a step of its speed: v (t - T (1 - exp(-t / T)))."""
    return speed * (seconds - LAG * (1.0 - math.exp(-seconds / LAG)))


def test_a_twist_drives_in_json_and_in_cdr(viewer: Viewer) -> None:
    viewer.publish("/cmd_vel", {"linear": {"x": 0.4, "y": 0, "z": 0}, "angular": {"x": 0, "y": 0, "z": 0}})
    # the command counts from tick 0 on, the position is that of the beginning of the last tick; the way is exact but for the
    # engine's step of 10 ms, whose first order error is below half a step of the speed
    assert position(viewer, 101) == pytest.approx(driven(0.4, 1.0), abs=0.4 * 0.005)
    twist = HEADER + struct.pack("<6d", -0.4, 0.2, 0.0, 0.0, 0.0, 0.0)
    viewer.publish("/cmd_vel", twist, "cdr", "geometry_msgs/msg/Twist")
    before = position(viewer, 1, axis=1)
    assert position(viewer, 100, axis=1) - before == pytest.approx(driven(0.2, 1.0), abs=0.2 * 0.015)
    assert position(viewer, 1) < driven(0.4, 1.0)  # and back along x


def test_a_twist_with_a_header_is_followed_in_the_frame_of_the_base_and_while_it_is_fresh(viewer: Viewer) -> None:
    def send(frame: str, seconds: int, speed: float) -> None:
        message = {"header": {"frame_id": frame, "stamp": {"sec": seconds}}, "twist": {"linear": {"x": speed}}}
        viewer.publish("/cmd_vel", message, schema="geometry_msgs/msg/TwistStamped")

    send("base", 0, 0.4)
    there = position(viewer, 201)
    assert there == pytest.approx(driven(0.4, 2.0), abs=0.4 * 0.005)
    send("elsewhere", 0, 9.0)
    viewer.wait(lambda: any("elsewhere" in status["message"] for status in viewer.statuses))
    send("base", 1, 9.0)
    viewer.wait(lambda: any("before the twin's clock" in status["message"] for status in viewer.statuses))
    assert position(viewer, 100) - there == pytest.approx(0.4, abs=1e-6)  # its speed; e^-40 is left of the lag


def test_a_set_point_and_a_sign_of_life(viewer: Viewer) -> None:
    viewer.subscribe("/setpoints/vx", "/setpoints/alive")
    viewer.publish("/set/setpoints/vx", {"data": 0.25})
    for _ in range(3):
        viewer.publish("cmd_vel", {})  # a name without its slash is meant as well; what is left out is zero
    viewer.publish("/set/setpoints", {"data": [0.5, 0.0, 7.0]})
    viewer.call("/step", ticks=1)
    viewer.wait(lambda: {"/setpoints/vx", "/setpoints/alive"} <= set(viewer.messages))
    assert viewer.last("/setpoints/vx").data == 0.5
    assert viewer.last("/setpoints/alive").data == 7.0
    viewer.publish("cmd_vel", {})
    viewer.call("/step", ticks=1)
    viewer.wait(lambda: viewer.last("/setpoints/alive").data == 8.0)


@pytest.mark.parametrize(
    ("topic", "message", "why"),
    [
        ("/set/setpoints/vx", {"data": "fast"}, "expected a number"),
        ("/set/setpoints/vx", {"data": True}, "expected a number"),
        ("/set/setpoints/vx", {"dta": 1.0}, "did you mean 'data'"),
        ("/set/setpoints/vx", [1.0], "expected the fields of a std_msgs/msg/Float64"),
        ("/set/setpoints/vx", b'{"data": 1e999}', "finite"),
        ("/set/setpoints/vx", b"{", "no JSON"),
        ("/set/setpoints/vy", b"[" * 100_000, "no JSON"),
        ("/set/setpoints", {"data": [1.0]}, "expected 3"),
        ("/cmd_vel", {"linear": 1.0}, "linear: found 1.0, expected the fields"),
        ("/cmd_vle", {"linear": {"x": 1.0}}, "did you mean '/cmd_vel'"),
    ],
)
def test_a_message_that_does_not_fit_changes_nothing_and_is_told(viewer: Viewer, topic: str, message: Any, why: str) -> None:
    viewer.publish(topic, message)
    viewer.wait(lambda: any(why in status["message"] for status in viewer.statuses))
    assert topic in viewer.statuses[-1]["message"]
    assert position(viewer, 10) == 0.0


@pytest.mark.parametrize("data", [b"", HEADER, HEADER + b"\xff" * 8, b"\xff" * 12, HEADER + bytes(7)])
def test_bytes_that_are_no_cdr_change_nothing_and_are_told(viewer: Viewer, data: bytes) -> None:
    viewer.publish("/set/setpoints/vx", data, "cdr")
    viewer.wait(lambda: viewer.statuses)
    assert viewer.statuses[0]["level"] == 1
    assert position(viewer, 10) == 0.0


def test_parameters_that_can_change_are_listed_with_their_values(viewer: Viewer, carriage: Twin) -> None:
    live = {path: item.value for path, item in carriage.parameters.items() if item.live}
    assert {"links.base.mass", "control.gains.scale", "world.gravity"} <= set(live)
    assert viewer.get_all() == live
    assert viewer.get("links.base.mass", "nothing.of.the.kind") == {"links.base.mass": MASS}
    assert viewer.get("control.rate") == {"control.rate": RATE}  # may be read, though it cannot change


def test_a_parameter_that_is_set_changes_what_the_twin_does(viewer: Viewer) -> None:
    viewer.publish("/set/setpoints/vx", {"data": 0.1})
    assert viewer.set_all({"control.gains.scale": 3}) == {"control.gains.scale": 3.0}
    assert position(viewer, 101) == pytest.approx(driven(0.3, 1.0), abs=0.3 * 0.005)
    assert viewer.set_all({"control.gains.scale": 1.0}) == {"control.gains.scale": 1.0}


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("control.gains.scale", 11.0, "10"),
        ("control.gains.scale", "much", "expected a number"),
        ("control.gains.scale", True, "expected a number"),
        ("control.gains.scale", None, "expected a number"),
        ("control.gains.scale", [1.0], "expected a number"),
        ("control.gains.scale", {"value": 1.0}, "expected a number"),
        ("control.gains.scael", 2.0, "did you mean 'control.gains.scale'"),
        ("control.rate", 50.0, "cannot change during a run"),
        ("links.base.mass", -1.0, "links.base.mass"),
        ("links.*.mass", 5.0, "there is no such parameter"),
    ],
)
def test_a_value_that_is_refused_changes_nothing_and_is_told(viewer: Viewer, name: str, value: Any, why: str) -> None:
    before = viewer.get_all()
    answer = viewer.set_all({name: value})
    viewer.wait(lambda: viewer.statuses)
    (status,) = viewer.statuses
    assert status["level"] == 1
    assert name in status["message"]
    assert why in status["message"]
    assert viewer.get_all() == before
    assert answer == {path: before.get(path, RATE) for path in answer}  # the value that holds, where there is such a parameter
    if name in before:  # set rightly, the complaint is taken back
        viewer.set_all({name: before[name]})
        viewer.wait(lambda: status["id"] in viewer.removed)


def test_all_viewers_hear_what_one_of_them_sets(stepped: Watched, viewer: Viewer) -> None:
    with stepped.view() as other:
        other.say("subscribeParameterUpdates", parameterNames=["control.gains.scale", "links.base.mass"])
        other.get("control.gains.scale")
        viewer.set_all({"control.gains.scale": 2.0, "links.base.mass": 2.5})
        other.wait(lambda: other.parameters.get("control.gains.scale") == 2.0 and other.parameters.get("links.base.mass") == 2.5)
        viewer.set_all({"control.gains.scale": 1.0, "links.base.mass": MASS})
        other.wait(lambda: other.parameters == {"control.gains.scale": 1.0, "links.base.mass": MASS})


def test_viewers_hear_what_the_scenario_changes(carriage: Twin) -> None:
    with served(carriage.folder, "--step-locked", "--scenario", "loaded") as twin, twin.view() as viewer:
        viewer.get("links.base.mass")
        viewer.say("subscribeParameterUpdates", parameterNames=["links.base.mass"])
        viewer.call("/step", ticks=40)
        assert viewer.get("links.base.mass") == {"links.base.mass": MASS}
        viewer.call("/step", ticks=20)
        viewer.wait(lambda: viewer.parameters["links.base.mass"] == 3.0)


def test_services_stop_step_and_take_back_the_run(viewer: Viewer) -> None:
    assert set(viewer.services) == {"/pause", "/resume", "/step", "/reset", "/save_state", "/restore_state", "/push"}
    viewer.publish("/set/setpoints/vx", {"data": 0.5})
    assert viewer.call("/step") == {"tick": 1, "time": 0.01}
    there = position(viewer, 49)
    assert viewer.call("/save_state", name="there") == {"tick": 50, "time": 0.5}
    further = position(viewer, 50)
    assert further > there > 0.0
    viewer.times.clear()
    assert viewer.call("/restore_state", name="there") == {"tick": 50, "time": 0.5}
    viewer.wait(lambda: 500_000_000 in viewer.times)  # the clock goes back, which clears a viewer's plots
    assert position(viewer, 50) == further  # to the bit
    assert "no state 'nowhere' is held" in viewer.call("/restore_state", name="nowhere")
    assert viewer.call("/reset") == {"tick": 0, "time": 0.0}
    assert position(viewer, 50) == 0.0  # nothing is asked for any more
    assert "step-locked" in viewer.call("/resume")


def test_a_reset_sends_the_scene_again(viewer: Viewer) -> None:
    viewer.call("/step", ticks=5)
    viewer.wait(lambda: viewer.times[-1:] == [40_000_000])  # by now the scene of the reset before has gone out
    viewer.subscribe("/scene")
    viewer.wait(lambda: len(viewer.messages.get("/scene", ())) == 1)
    viewer.call("/reset")
    viewer.wait(lambda: [time for time, _ in viewer.messages["/scene"]] == [50_000_000, 0])


def test_a_push_is_a_force_on_a_link(viewer: Viewer) -> None:
    force = 4.0
    viewer.call("/push", link="base", force=[force, 0, 0])
    # the drives hold with F = kv v: at rest of the force, v = F / kv
    assert position(viewer, 101) == pytest.approx(driven(force * LAG / MASS, 1.0), abs=0.1 * 0.005)
    assert "did you mean 'base'" in viewer.call("/push", link="bas", force=[1, 0, 0])


@pytest.mark.parametrize(
    ("service", "payload"),
    [
        ("/step", b'{"ticks": 0}'), ("/step", b'{"ticks": 1.5}'), ("/step", b'{"ticks": true}'), ("/step", b'{"ticks": 1e30}'),
        ("/step", b'{"tick": 5}'), ("/step", b"[1]"), ("/step", b"\xff\xfe"), ("/step", b"{" * 60_000), ("/step", b"NaN"),
        ("/push", b"{}"), ("/push", b'{"link": "base", "force": [1, 2]}'), ("/push", b'{"link": "base", "force": [1, 2, NaN]}'),
        ("/push", b'{"link": 3, "force": [1, 2, 3]}'), ("/save_state", b'{"name": 3}'), ("/reset", b'{"seed": 3}'),
    ],
)  # fmt: skip
def test_a_call_that_does_not_fit_is_refused_and_changes_nothing(viewer: Viewer, service: str, payload: bytes) -> None:
    assert isinstance(viewer.call_raw(service, payload), str)
    assert viewer.call("/step") == {"tick": 1, "time": 0.01}
    assert position(viewer, 10) == 0.0


def test_in_real_time_a_run_stands_and_goes_on_when_told(carriage: Twin) -> None:
    with served(carriage.folder) as twin, twin.view() as viewer:
        viewer.subscribe("/clock")
        viewer.wait(lambda: viewer.messages.get("/clock"))
        stands = viewer.call("/pause")
        assert viewer.call("/pause") == stands
        assert viewer.call("/step", ticks=7)["tick"] == stands["tick"] + 7
        assert viewer.call("/resume")["tick"] == stands["tick"] + 7
        later = 1e9 * (stands["time"] + 0.2)
        viewer.wait(lambda: viewer.messages["/clock"][-1][0] > later)


def test_what_was_asked_for_is_recorded_and_repeats_to_the_byte(carriage: Twin, tmp_path: Path) -> None:
    file, again = tmp_path / "live.mcap", tmp_path / "again.mcap"
    with served(carriage.folder, "--step-locked", "--record", str(file)) as twin, twin.view() as viewer:
        viewer.call("/step", ticks=20)
        viewer.publish("/cmd_vel", {"linear": {"x": 0.3}})
        viewer.publish("/cmd_vel", {"linear": {"x": 0.3}})  # repeated at a rate, it is one intervention but for the sign of life
        viewer.call("/step", ticks=20)
        viewer.set_all({"control.gains.scale": 2.0})
        viewer.set_all({"control.gains.scale": 99.0})
        viewer.call("/push", link="base", force=[0, 3, 0])
        assert "cannot go back" in viewer.call("/reset")  # the log has one clock
        viewer.call("/save_state")
        assert "cannot go back" in viewer.call("/restore_state")
        viewer.call("/step", ticks=20)
        facts = twin.stop()
    assert facts["refused"] == 3
    done = [(item.tick, item.kind, item.path, item.value) for item in load_interventions(file).interventions]
    assert [item for item in done if item[2] != "setpoints.alive"] == [
        (20, "steer", "setpoints.vx", (0.3,)),
        (40, "set", "control.gains.scale", (2.0,)),
        (40, "push", "base", (0.0, 3.0, 0.0)),
    ]
    assert main(["run", str(carriage.folder), "--interventions", str(file), "--record", str(again), "--quiet"]) == 0
    assert Log.load(again).sha256 == Log.load(file).sha256
