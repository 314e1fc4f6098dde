"""Joint trajectories and controllers by themselves: splines, tolerances, what a joint can be commanded by, who has claimed it."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import didymos
from didymos.control.actuator import Actuator
from didymos.control.idle import Idle
from didymos.describe.ros2_file import ControllerSpec
from didymos.errors import InputError
from didymos.ports.ros2.control_types import ACTION, INTERFACES
from didymos.ports.ros2.controllers import BEST_EFFORT, FORCE_AUTO, STRICT, Controllers, plan_controllers
from didymos.ports.ros2.interfaces import register
from didymos.ports.ros2.joint_lines import JointGoal, JointLine, joint_lines, share_belts
from didymos.ports.ros2.spline import Point, Trajectory
from didymos.ports.ros2.tolerances import Tolerances, of_goal
from didymos.ports.ros2.trajectory_controller import TrajectoryController
from didymos.record.message_types import ros2_types

TRAJECTORY = "joint_trajectory_controller/JointTrajectoryController"
EFFORT = "effort_controllers/JointGroupEffortController"

HASHES = {  # of the headers that rosidl made of the public FollowJointTrajectory.action
    "Goal": "8a9060704b269608f5a340934cc26e66869dd14bdac29e2e7fd9ec8b9882d205",
    "Result": "8002e99ed2c14c6faa522f2a93c26d744c5982f254f9e98ff9c6f19789bdb220",
    "Feedback": "3fd0aaecf71725121ae1ff7f01098a5e0da581e672be18a6b2c286cb43d96b49",
    "SendGoal_Request": "179c93691f1f6d1d115881ff88c3917b7cc6eac2ba4bf56766cc7c4389e19ef1",
    "SendGoal_Response": "e6a48ba740ae254500129a877f0b071be8663a115da1a539b74599cc97921fbf",
    "GetResult_Request": "ecf7ea8463d3beec7084bca75216d0b01b87b6e1e4e09679bb26093041efcbe9",
    "GetResult_Response": "08eefbaa146ce02ba45898d5e99160afd6c4c54a30d159aee0f2ca6035b1580f",
}


def row(*numbers: float) -> Any:
    return np.array(numbers, dtype=float)


def point(time: float, positions: Any, velocities: Any = (), accelerations: Any = (), effort: Any = ()) -> Any:
    start = SimpleNamespace(sec=int(time), nanosec=round(1e9 * (time % 1.0)))
    return SimpleNamespace(
        positions=positions, velocities=velocities, accelerations=accelerations, effort=effort, time_from_start=start
    )


def message(names: Any, points: Any, stamp: float = 0.0) -> Any:
    header = SimpleNamespace(stamp=SimpleNamespace(sec=int(stamp), nanosec=round(1e9 * (stamp % 1.0))))
    return SimpleNamespace(joint_names=names, points=points, header=header)


@pytest.mark.parametrize("name", HASHES)
def test_the_types_of_the_action_have_the_hashes_that_ros_2_gives_them(name: str) -> None:
    register(INTERFACES)
    assert ros2_types().hash_rihs01(f"{ACTION}_{name}") == f"RIHS01_{HASHES[name]}"


def test_a_spline_is_the_polynomial_that_its_ends_determine() -> None:
    """Linear, cubic and quintic motions are reproduced wherever both ends know as many derivatives, to rounding."""
    for order, known in ((1, 0), (3, 1), (5, 2)):
        curve = np.polynomial.Polynomial([0.3, -1.2, 0.7, 0.4, -0.2, 0.05][: order + 1])
        told = [curve.deriv(k) if k else curve for k in range(3)]
        ends = [Point(t, *(row(told[k](t)) if k <= known else None for k in range(3))) for t in (1.0, 2.5)]
        path = Trajectory(ends[0], ends[1:])
        for t in (1.0, 1.3, 2.0, 2.499):
            moment = path.at(t)
            found = [moment.positions[0], moment.velocities[0], moment.accelerations[0]]
            assert found == pytest.approx([float(told[k](t)) for k in range(3)], abs=1e-9)
            assert not moment.over


def test_a_trajectory_begins_where_the_joints_are_and_stays_at_its_end() -> None:
    before = Point(2.0, row(1.0), row(0.0))
    path = Trajectory(before, [Point(4.0, row(3.0)), Point(5.0, row(3.0), row(0.5))])
    assert path.at(2.0).positions == row(1.0)
    assert path.at(3.0).positions == row(2.0)  # linear, for the first point has no velocity
    after = path.at(9.0)
    assert after.over
    assert after.positions == row(3.0)
    late = Trajectory(before, [Point(1.0, row(0.0)), Point(3.0, row(2.0))])  # its stamp lies in the past
    assert late.at(2.0).positions == row(1.0)


def test_endless_joints_take_the_nearest_turn_and_joints_that_are_left_out_stay() -> None:
    zero = Tolerances.of(("a", "b"), {}, {}, 0.0)
    controller = TrajectoryController(("a", "b"), (True, False), zero, partial=True)
    state = Point(0.0, row(6.5, 0.2), row(0.0, 0.0))
    controller.take(message(["a"], [point(1.0, [0.1])]), 0.0, state, row(6.5, 0.2))
    moment = controller.command(1.0)
    assert moment is not None
    assert moment.positions == pytest.approx([0.1 + 2 * math.pi, 0.2])


def test_tolerances_of_a_goal_go_before_the_controllers() -> None:
    def bounds(**told: float) -> Any:
        return [SimpleNamespace(name=name, position=value, velocity=0.0, acceleration=0.0) for name, value in told.items()]

    def goal(path: Any, end: Any, seconds: int = 0) -> Any:
        time = SimpleNamespace(sec=seconds, nanosec=0)
        return SimpleNamespace(path_tolerance=path, goal_tolerance=end, goal_time_tolerance=time)

    own = Tolerances.of(("a", "b"), {"a": 0.1, "b": 0.2}, {"a": 0.3}, 2.0)
    found, why = of_goal(own, goal(bounds(a=-1.0, b=0.0), bounds(b=0.05), 3), ("a", "b"))
    assert why == ""
    assert found.path[0].tolist() == [0.0, 0.2]
    assert found.goal[0].tolist() == [0.3, 0.05]
    assert found.goal_time == 3.0
    for told in (bounds(c=1.0), bounds(a=-0.5)):
        found, why = of_goal(own, goal(told, []), ("a", "b"))
        assert found is own
        assert "no path tolerance is used" in why


def test_a_goal_with_efforts_or_too_many_points_is_at_fault() -> None:
    controller = TrajectoryController(("a",), (False,), Tolerances.of(("a",), {}, {}, 0.0))
    assert "efforts" in controller.fault(message(["a"], [point(1.0, [0.0], effort=[1.0])]), 0.0)
    many = [point(0.001 * i + 1.0, [0.0]) for i in range(20_001)]
    assert "points" in controller.fault(message(["a"], many), 0.0)
    assert controller.fault(message(["a"], many[:5]), 0.0) == ""


def actuator(way: Any, **about: Any) -> Actuator:
    inputs = {name: f"m.{name}" for name in about.pop("fields", ("effort",))}
    return Actuator("hinge", "m", "servo", way, inputs, **about)


def line(one: Actuator, kinds: tuple[str, ...] = ("position",)) -> JointLine:
    return JointLine("hinge", kinds, one, {})


def test_an_affine_actuator_stands_where_it_is_told_to() -> None:
    """tau = gain u + offset + position_gain q + velocity_gain v is the effort asked for at q*, v*."""
    one = actuator("affine", gain=50.0, offset=2.0, position_gain=-40.0, velocity_gain=-3.0)
    ((handle, u),) = line(one).handles(JointGoal(0.7, 0.4, 1.5), 1.0)
    assert handle == "inputs.m.effort"
    assert 50.0 * u + 2.0 - 40.0 * 0.7 - 3.0 * 0.4 == pytest.approx(1.5)


def test_a_drive_counts_in_turns_of_its_motor_ahead_by_its_delay() -> None:
    fields = ("position", "velocity", "effort", "stiffness_scale", "damping_scale", "mode", "beat")
    one = actuator("drive", fields=fields, ratio=10.0, delay=0.005, kp=1.0, kd=1.0)
    told = dict(line(one).handles(JointGoal(math.pi, 2.0 * math.pi, 3.0), 7.0))
    wanted = {"position": 10.0 * (0.5 + 0.005), "velocity": 10.0, "effort": 0.3, "stiffness_scale": 1.0, "damping_scale": 1.0}
    assert told == pytest.approx({f"inputs.m.{name}": value for name, value in {**wanted, "mode": 10.0, "beat": 7.0}.items()})


def test_a_belt_turns_the_sum_of_two_joints_and_loads_both() -> None:
    hip = JointLine("hip", ("position",), Actuator("hip", "h", "drive", "drive"), {})
    knee = JointLine("knee", ("position",), Actuator("knee", "k", "drive", "drive", belt="hip"), {})
    lines = {"hip": hip, "knee": knee}
    both = share_belts(lines, {"hip": JointGoal(0.2, 1.0, 5.0), "knee": JointGoal(0.7, 2.0, 3.0)}, {})
    assert (both["knee"].position, both["knee"].velocity, both["knee"].effort) == pytest.approx((0.9, 3.0, 3.0))
    assert (both["hip"].position, both["hip"].effort) == (0.2, 2.0)
    alone = share_belts(lines, {"knee": JointGoal(0.7)}, {"hip": 0.4})
    assert alone["knee"].position == pytest.approx(1.1)


def test_what_joints_can_be_commanded_by_is_what_drives_them() -> None:
    def kinds(name: str, control: Any = None) -> dict[str, tuple[str, ...]]:
        simulation = didymos.load(name).simulate(control=control)
        return {joint: item.kinds for joint, item in joint_lines(simulation.only).items()}

    assert kinds("cepheus") == {}  # its program moves them, and has no set-points for joints
    assert set(kinds("cepheus", Idle()).values()) == {("effort",)}
    assert set(kinds("omni_base", Idle()).values()) == {("velocity",)}
    assert kinds("meldog") == {}
    legs = kinds("meldog", Idle())
    assert len(legs) == 12
    assert set(legs.values()) == {("position", "velocity", "effort")}


def spec(type_: Any, *joints: str, **more: Any) -> ControllerSpec:
    return ControllerSpec(type=type_, joints=joints, **more)


LINES = {joint: JointLine(joint, ("position", "effort"), Actuator(joint, joint, "servo", "impedance"), {}) for joint in "abc"}


def test_two_active_controllers_never_share_a_joint() -> None:
    named = {"arm": spec(TRAJECTORY, "a", "b"), "hand": spec(TRAJECTORY, "c"), "push": spec(EFFORT, "b", "c")}
    made = Controllers(plan_controllers(LINES, named, LINES), held=True)
    assert made.active == ["joint_state_broadcaster", "arm", "hand"]
    refused = made.switch(["push"], ["arm"], STRICT)
    assert not refused.ok
    assert "joint c: hand" in refused.message
    assert made.active == ["joint_state_broadcaster", "arm", "hand"]
    assert made.switch(["push"], ["arm", "hand"], STRICT).off == ("arm", "hand")
    assert made.claimed() == {"b/effort": "push", "c/effort": "push"}
    assert made.switch(["hand", "nowhere"], [], BEST_EFFORT).on == ()
    forced = made.switch(["hand"], [], FORCE_AUTO)
    assert (forced.off, forced.on) == (("push",), ("hand",))
    assert not made.switch([], ["joint_state_broadcaster"], STRICT).ok


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ({"arm": spec(TRAJECTORY, "a", "d")}, "nothing drives a joint 'd'"),
        ({"arm": spec(TRAJECTORY, "a", "a")}, "a joint twice"),
        ({"arm": spec(TRAJECTORY, "a", goal_tolerance={"b": 0.1})}, "found 'b'"),
    ],
)
def test_controllers_of_joints_that_are_not_there_are_refused(named: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        plan_controllers(LINES, named, LINES)


def test_a_controller_whose_joints_cannot_follow_is_left_out() -> None:
    named = {"spin": spec("velocity_controllers/JointGroupVelocityController", "a"), "arm": spec(TRAJECTORY, "a")}
    assert list(plan_controllers(LINES, named, LINES)) == ["joint_state_broadcaster", "arm"]
