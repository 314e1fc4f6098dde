"""ros2_control's surface of a twin, as a client in another process with types of its own finds it."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from didymos import Log
from didymos.cli.main import main
from didymos.describe.twin import Twin

PEER = Path(__file__).with_name("control_peer.py")
JOINTS = ["shoulder", "elbow", "wrist"]
STEP, EVERY = 0.001, 2  # [s], ticks of the program: 500 Hz
CYCLE = EVERY * STEP
SUCCEEDED, CANCELED, ABORTED = 4, 5, 6

_LINK = """<link name="{name}"><inertial><origin xyz="0 0 0.15"/><mass value="{mass}"/>
  <inertia ixx="0.01" iyy="0.01" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
_JOINT = """<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/><origin xyz="0 0 {z}"/>
  <axis xyz="{axis}"/><limit {limits}effort="60" velocity="4"/></joint>"""
ARM = "\n".join(
    [
        '<robot name="arm"><link name="base"/>',
        *(_LINK.format(name=name, mass=mass) for name, mass in (("upper", 2.0), ("fore", 1.0), ("hand", 0.3))),
        _JOINT.format(
            name="shoulder", kind="revolute", parent="base", child="upper", z=0.5, axis="0 1 0", limits='lower="-2" upper="2" '
        ),
        _JOINT.format(
            name="elbow", kind="revolute", parent="upper", child="fore", z=0.3, axis="0 1 0", limits='lower="-2.5" upper="2.5" '
        ),
        _JOINT.format(name="wrist", kind="continuous", parent="fore", child="hand", z=0.3, axis="0 0 1", limits=""),
        "</robot>",
    ]
)
LINKS = dict(zip(JOINTS, ("upper", "fore", "hand"), strict=True))
PARTS = {
    joint: {"kind": "servo", "link": LINKS[joint], "joint": joint, "kp": kp, "kd": kd, "effort_limit": 60}
    for joint, kp, kd in (("shoulder", 2000, 80), ("elbow", 1000, 30), ("wrist", 100, 2))
}
KEYS: dict[str, Any] = {
    "world": {"step": STEP},
    "parts": PARTS,
    "sensors": {"encoders": {"kind": "joints", "rate": 1000}},
    "control": {"program": "joints", "rate": 500},
    "start": {"joints": {"shoulder": 0.3, "elbow": 0.6}},
    "record": {"rate": 1000},
}
# A quintic through these points keeps within the limits of the program, 4 rad/s and some 10 rad/s^2.
POINTS = [
    [0.8, [0.6, 0.2, 0.3], [0.3, -0.5, 0.2], [0.0, 0.0, 0.0]],
    [1.6, [0.8, -0.2, 0.5], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]],
]


@pytest.fixture(scope="module")
def arm(make_twin: Any) -> Twin:
    """An arm of three joints without noise, whose program holds them; its last joint turns without end."""
    found: Twin = make_twin(ARM, **KEYS)
    return found


@pytest.fixture(scope="module")
def served(serve: Any, arm: Twin) -> Iterator[Any]:
    """The arm on the wire, step-locked."""
    with serve(arm.folder, "--step-locked") as server:
        yield server


def ask(server: Any, what: str, *arguments: Any) -> dict[str, Any]:
    """What a client found."""
    words = [sys.executable, str(PEER), str(server.domain), what, *(json.dumps(argument) for argument in arguments)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def quintics(start: list[float], points: list[Any]) -> Any:
    """The spline by its conditions, solved as a linear system: a cubic to the first point, whose begin has no acceleration that
    anybody measures, quintics behind it. A function of time that gives positions, and the largest speed and acceleration."""
    ends = [(0.0, start, [0.0] * len(start), None), *((t, q, v, a) for t, q, v, a in points)]
    pieces = []
    for (ta, qa, va, aa), (tb, qb, vb, ab) in itertools.pairwise(ends):
        rows, values = [], []
        for t, told in ((0.0, (qa, va, aa)), (tb - ta, (qb, vb, ab))):
            for order, value in enumerate(told):
                if value is None or (order == 2 and aa is None):
                    continue
                count = 4 if aa is None else 6
                unit = np.eye(count)
                rows.append([np.polynomial.Polynomial(unit[k]).deriv(order)(t) if order else t**k for k in range(count)])
                values.append(value)
        pieces.append((ta, tb, np.linalg.solve(np.array(rows, dtype=float), np.array(values, dtype=float))))

    def at(time: float) -> Any:
        for ta, tb, c in pieces:
            if time < tb or tb == pieces[-1][1]:
                s = min(time, tb) - ta
                return np.array([np.polynomial.Polynomial(column)(s) for column in c.T])
        raise AssertionError

    return at


def test_a_trajectory_is_followed_with_feedback_and_the_run_can_be_repeated(
    serve: Any, arm: Twin, tmp_path: Path
) -> None:
    """Asked for and true positions agree within what a cycle moves the joints, v T + a T^2, v and a the largest of the path."""
    with serve(arm.folder, "--step-locked", "--record", str(tmp_path / "arm.mcap")) as server:
        found = ask(server, "follow", JOINTS, POINTS, 4000, {})
        server.stop()
    assert found["accepted"]
    assert found["ended"][:2] == [SUCCEEDED, 0]
    assert found["ended"][3] * STEP == pytest.approx(1.6, abs=0.05)
    begin = found["begin"] * STEP
    path = quintics([found["start"][joint] for joint in JOINTS], POINTS)
    times = np.arange(0.0, 1.6, STEP)
    wanted = np.array([path(t) for t in times])
    speed, acceleration = (np.abs(np.diff(wanted, order, axis=0)).max() / STEP**order for order in (1, 2))
    assert 0.5 < speed < 2.0
    bound = speed * CYCLE + acceleration * CYCLE**2
    log = Log.load(tmp_path / "arm.mcap")
    for i, joint in enumerate(JOINTS):
        signal = log[f"joints.{joint}.position"]
        true = np.interp(begin + times, signal.time, signal.values)
        assert np.abs(true - wanted[:, i]).max() < bound
        assert found["end"][joint] == pytest.approx(POINTS[-1][1][i], abs=acceleration * CYCLE**2)
    stamps = np.array([item[0] for item in found["fed"]])
    assert 25 < len(stamps) <= 33
    assert np.diff(stamps) == pytest.approx(0.05, abs=CYCLE)
    for stamp, desired, actual, error in found["fed"]:
        assert desired == pytest.approx(path(stamp - begin).tolist(), abs=1e-9)
        assert np.abs(error).max() < bound + 2 * STEP * speed  # a reading is up to two ticks old
        assert error == pytest.approx((np.array(desired) - actual).tolist(), abs=1e-12)
    assert [2] in found["statuses"]
    assert found["statuses"][-1] == [SUCCEEDED]
    again = tmp_path / "again.mcap"
    repeat = ["run", str(arm.folder), "--interventions", str(tmp_path / "arm.mcap"), "--record", str(again), "--quiet"]
    assert main(repeat) == 0
    assert Log.load(again).sha256 == log.sha256


def test_goals_that_break_the_rules_are_refused(served: Any) -> None:
    end = [[1.0, [0.3, 0.6, 0.0]]]
    swapped = ["wrist", "shoulder", "elbow"]
    cases: list[tuple[bool, list[str], list[Any], dict[str, Any]]] = [
        (True, JOINTS, end, {}),
        (True, swapped, [[1.0, [0.0, 0.3, 0.6]]], {}),
        (False, ["shoulder", "elbow", "nose"], end, {}),
        (False, ["shoulder", "elbow", "elbow"], end, {}),
        (False, JOINTS[:2], [[1.0, [0.3, 0.6]]], {}),  # all or none
        (False, [], [], {}),
        (False, JOINTS, [], {}),
        (False, JOINTS, [[1.0, [0.3, 0.6]]], {}),
        (False, JOINTS, [[1.0, [0.3, 0.6, 0.0], [0.0]]], {}),
        (False, JOINTS, [[1.0, [0.3, 0.6, float("nan")]]], {}),
        (False, JOINTS, [*end, *end], {}),  # times have to increase
        (False, JOINTS, [[1.0, [0.3, 0.6, 0.0], [0.1, 0.0, 0.0]]], {}),  # and the last velocity has to be zero
        (True, JOINTS, end, {"begin": 1000.0}),
        (False, JOINTS, [[0.1, [0.3, 0.6, 0.0]]], {"begin": 0.05}),  # over since 0.15 s
    ]
    found = ask(served, "refusals", JOINTS, [case[1:] for case in cases])
    assert found["accepted"] == [case[0] for case in cases]


def test_a_goal_that_is_cancelled_stops_and_holds(served: Any) -> None:
    found = ask(served, "cancel", JOINTS, [[0.5, [0.3, 0.6, 0.0]], [2.5, [1.3, 0.6, 1.0]]], 1500, 600)
    assert found["codes"] == [2, 0, 3]
    assert found["canceling"] == 1
    assert found["result"] == [CANCELED, 0]
    assert found["after"] == CANCELED
    assert found["nobody"] == 0
    assert found["statuses"][-1][-1] == CANCELED
    # It moved at 0.5 rad/s; the program stops within its limits, some 10 rad/s^2, and comes back to where it was told to hold.
    assert 0.6 < found["moving"]["shoulder"] < 1.1
    assert found["held"]["shoulder"] == pytest.approx(found["moving"]["shoulder"], abs=0.5 * 3 * CYCLE)
    assert found["later"] == pytest.approx(found["held"], abs=1e-4)


def test_a_new_trajectory_takes_the_place_of_the_old_one(served: Any) -> None:
    first, second = [[2.0, [1.0, 1.0, 1.0]]], [[0.6, [0.3, 0.6, 0.0]]]
    found = ask(served, "preempt", JOINTS, first, second, 300, 1500)
    assert found["preempted"][:2] == [CANCELED, -1]
    assert "new incoming action" in found["preempted"][2]
    assert found["finished"] == [SUCCEEDED, 0]
    assert found["reached"] == pytest.approx(dict(zip(JOINTS, second[0][1], strict=True)), abs=0.01)
    assert found["replaced"][0] == CANCELED
    assert "new incoming trajectory" in found["replaced"][1]
    assert found["back"] == pytest.approx(dict(zip(JOINTS, second[0][1], strict=True)), abs=0.001)
    ((joints, reference, feedback, scaling),) = found["told"]
    assert joints == JOINTS
    assert reference == second[0][1]
    assert feedback == pytest.approx(reference, abs=0.001)
    assert scaling == 1.0
    assert found["count"] > 50  # 50 Hz
    assert found["accepted"]
    assert found["all"] == [0, 1]


def test_goals_out_of_tolerance_are_aborted_and_their_joints_hold(served: Any) -> None:
    """4 rad/s and some 10 rad/s^2 are what the program allows: a jump of 1 rad in 50 ms is off by nearly all of it."""
    jump = [[0.05, [1.3, 0.6, 0.0]]]
    slow = [[0.5, [0.3, 0.6, 0.0]]]
    cases = [
        [jump, {"path": {"shoulder": 0.2}}],
        [slow, {}],
        [jump, {"end": {"shoulder": 0.01}, "patience": 0.1}],
        [slow, {}],
        [jump, {"end": {"shoulder": 0.01}, "patience": 5.0}],
        [slow, {"path": {"nose": 0.1}}],
    ]
    found = ask(served, "broken", JOINTS, cases, 8000)["ended"]
    statuses = [item[0][:2] for item in found]
    assert statuses == [[ABORTED, -4], [SUCCEEDED, 0], [ABORTED, -5], [SUCCEEDED, 0], [SUCCEEDED, 0], [SUCCEEDED, 0]]
    assert "position of shoulder is off by" in found[0][0][2]
    assert "goal_time_tolerance" in found[2][0][2]
    assert "no joint 'nose'" in found[5][0][2]
    for ended, _, later in (found[0], found[2]):
        assert ended[3] * STEP < 0.3
        assert 0.25 < later["shoulder"] < 1.2  # it holds on the way
    assert found[4][0][3] * STEP > 0.05
    assert found[4][2]["shoulder"] == pytest.approx(1.3, abs=0.01)


def test_controllers_are_listed_loaded_and_switched_as_ros2_control_does(served: Any, arm: Twin) -> None:
    found = ask(served, "manage", arm.name)
    waiting = {"joint_state_broadcaster": "active"}
    waiting |= dict.fromkeys(("joint_trajectory_controller", "forward_position_controller"), "inactive")
    assert found["states"] == waiting | {"joint_trajectory_controller": "active"}
    assert found["claimed"] == [f"{joint}/position" for joint in JOINTS]
    assert found["rate"] == 500
    assert found["commands"] == {f"{joint}/position": True for joint in JOINTS}  # what the program cannot do is not there
    assert found["reads"] == [f"{joint}/{what}" for joint in JOINTS for what in ("position", "velocity")]
    assert found["component"] == [arm.name, "system", "active", 3]
    assert "joint_trajectory_controller/JointTrajectoryController" in found["types"]
    assert not found["unload active"]
    assert not found["load again"]
    assert not found["load unknown"]
    assert not found["clash"][0]
    assert "joint_trajectory_controller has claimed it" in found["clash"][1]
    assert not found["unknown"][0]
    assert not found["not active"][0]
    assert found["active already"][0]
    assert found["strict leaves all"] == found["states"]
    assert found["best effort"][0]
    assert "nowhere" in found["best effort"][1]
    assert found["off"] == waiting
    assert found["rejected"]
    assert found["unload"]
    assert "joint_trajectory_controller" not in found["gone"]
    assert found["load"]
    assert not found["unconfigured"][0]
    assert found["configure"]
    assert found["on"][0]
    assert found["forced"][0]
    assert found["after"] == waiting | {"forward_position_controller": "active"}
    assert found["both"][0]
    assert found["last"] == waiting | {"joint_trajectory_controller": "active"}
    assert found["hardware"]
    assert not found["hardware off"]


def test_without_a_program_actuators_take_positions_velocities_and_efforts(serve: Any, make_twin: Any) -> None:
    """Without gravity a servo reaches a position and a velocity exactly, and the wrist, whose axis is a principal one, turns by
    an effort as a free body does: dv = tau t / I. The servos settle within 0.1 s or so, so 1 s is enough."""
    twin = make_twin(ARM, **KEYS | {"world": {"step": STEP, "gravity": 0.0}, "start": {}})
    hold, torque, ticks = [0.4, -0.3, 0.2], 0.001, 1000
    steps = [["position", [0.1, 0.1, 0.1], hold], ["velocity", [0.0, 0.0, 0.5], [0.0, 0.0, 0.0]], ["effort", [0.0, 0.0, torque]]]
    with serve(twin.folder, "--step-locked", "--control", "idle") as server:
        before = ask(server, "manage_idle")
        found = ask(server, "groups", steps, ticks)
        path = ask(server, "follow", JOINTS, [[0.5, [0.5, 0.0, 0.0], [0.0] * 3]], 3000, {"end": dict.fromkeys(JOINTS, 0.002)})
        facts = server.stop()
    assert before["states"]["joint_trajectory_controller"] == "inactive"  # one that is active holds, and nobody asked for that
    assert before["accepted"] is False
    assert before["commands"] == [f"{joint}/{kind}" for joint in JOINTS for kind in ("position", "velocity", "effort")]
    first, second, turning, stopped, pushed = found["found"]
    assert all(item[0] for item in found["found"])
    assert first[1] == pytest.approx([0.1] * 3, abs=1e-6)
    assert second[1] == pytest.approx(hold, abs=1e-6)
    assert turning[2] == pytest.approx([0.0, 0.0, 0.5], abs=1e-6)
    assert stopped[2] == pytest.approx([0.0, 0.0, 0.0], abs=1e-6)
    assert pushed[2][2] == pytest.approx(torque * ticks * STEP / 0.002, rel=2e-3)  # a tick more or less
    assert found["states"]["joint_trajectory_controller"] == "active"
    assert path["ended"][:2] == [SUCCEEDED, 0]
    assert facts["refused"] == 0


def test_position_servos_of_an_mjcf_follow_a_trajectory_by_themselves(serve: Any, make_twin: Any) -> None:
    """A servo of stiffness k and damping d gets u = q* + (d / k) v*: what is left is the inertia, I a / k, and half a cycle."""
    inertia, stiffness, damping = 0.1, 400.0, 8.0
    model = f"""<mujoco><option gravity="0 0 0" timestep="{STEP}"/><worldbody><body name="arm"><joint name="hinge" axis="0 0 1"/>
      <inertial pos="0 0 0" mass="1" diaginertia=".1 .1 {inertia}"/></body></worldbody>
      <actuator><general name="servo" joint="hinge" biastype="affine" gainprm="{stiffness}" biasprm="0 -{stiffness} -{damping}"/>
      </actuator></mujoco>"""
    twin = make_twin(model, world={"step": STEP}, record={"rate": 1000})
    points = [[0.5, [0.5], [1.0]], [1.0, [0.6], [0.0]]]
    with serve(twin.folder, "--step-locked") as server:
        found = ask(server, "follow_idle", ["hinge"], points, 3000)
    assert found["ended"][:2] == [SUCCEEDED, 0]
    speed, acceleration = 1.3, 14.0  # the most of the two cubics, rounded up
    bound = inertia * acceleration / stiffness + speed * (0.5 * CYCLE + STEP)
    assert max(abs(item[3][0]) for item in found["fed"]) < bound
    assert found["end"]["hinge"] == pytest.approx(0.6, abs=1e-3)


def test_in_a_world_every_robot_has_controllers_of_its_own(serve: Any, arm: Twin, tmp_path: Path) -> None:
    world = tmp_path / "pair"
    world.mkdir()
    robots = {name: {"twin": str(arm.folder), "start": {"position": [x, 0, 0]}} for name, x in (("left", 0), ("right", 2))}
    (world / "world.yaml").write_text(json.dumps({"robots": robots, "world": {"step": STEP}}))
    with serve(world, "--step-locked") as server:
        found = ask(server, "in_namespace", "/left", JOINTS, [[0.5, [0.5, 0.5, 0.5]]], 2000, "/right")
    assert found["ended"][:2] == [SUCCEEDED, 0]
    assert found["own"] == pytest.approx(dict.fromkeys(JOINTS, 0.5), abs=0.01)
    assert found["other"] == pytest.approx({"shoulder": 0.3, "elbow": 0.6, "wrist": 0.0}, abs=1e-3)


def test_in_real_time_a_goal_is_followed_and_answered(serve: Any, arm: Twin) -> None:
    """As above, v T + a T^2 and a reading that is two ticks old; 0.2 rad in 0.5 s is at most 0.6 rad/s and 4.8 rad/s^2."""
    with serve(arm.folder) as server:
        found = ask(server, "follow_now", 0.2, 0.5, False)
        facts = server.stop()
    assert found["names"] == JOINTS
    bound = 0.6 * (CYCLE + 2 * STEP) + 4.8 * CYCLE**2
    for status, code, off in found["ended"]:
        assert (status, code) == (SUCCEEDED, 0)
        assert np.abs(off).max() < bound
    assert max(np.abs(item[3]).max() for item in found["fed"]) < bound
    assert facts["refused"] == facts["lost"] == 0


def test_nobody_commands_and_the_log_is_that_of_a_run_without_the_port(serve: Any, arm: Twin, tmp_path: Path) -> None:
    """Also where a client looks at everything that there is."""
    with serve(arm.folder, "--step-locked", "--record", str(tmp_path / "served.mcap")) as server:
        assert ask(server, "refusals", JOINTS, [[["nose"], [], {}]] * 3)["accepted"] == [False] * 3
        facts = server.stop()
    plain = tmp_path / "plain.mcap"
    assert main(["run", str(arm.folder), "--seconds", str(facts["seconds"]), "--record", str(plain), "--quiet"]) == 0
    assert Log.load(plain).sha256 == Log.load(tmp_path / "served.mcap").sha256
