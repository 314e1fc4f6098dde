"""The program `cartesian` on small arms: it holds a pose against a push, follows one, presses with a force, gives way as told."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from arms import SEVEN, SIX, SLIDING, arm, make_arm, name, posture

from didymos.control.chain import chain_joints, end_effector
from didymos.control.pose_goal import difference, quaternion_of, turned
from didymos.control.small_linear import eigen, factor, solve
from didymos.errors import InputError
from didymos.rotations import quaternion_to_matrix, rpy_to_matrix

EXACT = {"encoders": {"kind": "joints", "rate": 1000}}


def driven(make_twin: Any, axes: tuple[str, ...] = SIX, options: Any = None, **keys: Any) -> Any:
    return make_arm(make_twin, axes, control={"program": "cartesian", "rate": 1000, "options": options or {}}, **keys)


def tool(simulation: Any, frame: str = "tool0") -> Any:
    model = simulation.robot.model
    return model.at(np.array(simulation.data.qpos[: model.nq])).position(frame)


def settings(simulation: Any) -> Any:
    return simulation.program.settings["task"]


@pytest.mark.parametrize("motors", [False, True], ids=["servos", "motors"])
@pytest.mark.parametrize("axes", [SIX, SEVEN, SLIDING], ids=["six", "seven", "slide"])
def test_a_push_of_ten_newtons_leaves_less_than_a_millimetre(make_twin: Any, axes: tuple[str, ...], motors: bool) -> None:
    """With noise; one second after a push of one second."""
    pulse = {"target": f"push.link{len(axes) - 1}.y", "kind": "pulse", "value": 10.0, "start": 0.2, "end": 1.2}
    twin = driven(make_twin, axes, motors=motors, scenarios={"push": {"seconds": 3.0, "stimuli": [pulse]}})
    simulation = twin.simulate(scenario="push", seed=2)
    home, pushed = tool(simulation), 0.0
    while simulation.time < 2.2:
        simulation.step(seconds=0.02)
        pushed = max(pushed, float(np.linalg.norm(tool(simulation) - home)))
    assert pushed > 0.002
    for _ in range(10):
        simulation.step(seconds=0.02)
        assert np.linalg.norm(tool(simulation) - home) < 0.001


def test_the_pose_at_the_start_is_what_set_points_are_before_anybody_sets_them(make_twin: Any) -> None:
    simulation = driven(make_twin).simulate()
    state = simulation.robot.model.at(np.array(list(posture(SIX).values())))
    assert [simulation.setpoints[axis] for axis in "xyz"] == pytest.approx(list(state.position("tool0")))
    angles = np.array([simulation.setpoints[axis] for axis in ("roll", "pitch", "yaw")])
    assert rpy_to_matrix(angles) == pytest.approx(state.rotation("tool0"))


@pytest.mark.parametrize("axes", [SIX, SEVEN], ids=["six", "seven"])
def test_a_pose_is_reached_within_its_limits(make_twin: Any, axes: tuple[str, ...]) -> None:
    simulation = driven(make_twin, axes, sensors=EXACT).simulate()
    home = tool(simulation)
    angles = [simulation.setpoints[axis] for axis in ("roll", "pitch", "yaw")]
    wish = {"x": home[0] - 0.05, "y": home[1] + 0.08, "z": home[2] + 0.03, "yaw": angles[2] + 0.3}
    twin = driven(make_twin, axes, sensors=EXACT, scenarios={
        "go": {"seconds": 3.0, "setpoints": {"roll": angles[0], "pitch": angles[1], **wish}}
    })  # fmt: skip
    simulation = twin.simulate(scenario="go")
    speed, before = 0.0, tool(simulation)
    while simulation.time < 2.99:
        simulation.step(seconds=0.02)
        speed, before = max(speed, float(np.abs(tool(simulation) - before).max()) / 0.02), tool(simulation)
    assert before == pytest.approx([wish[axis] for axis in "xyz"], abs=1e-3)
    assert speed < 0.25 * 1.1
    state = simulation.robot.model.at(np.array(simulation.data.qpos))
    goal = rpy_to_matrix(np.array([angles[0], angles[1], wish["yaw"]]))
    assert state.rotation("tool0") == pytest.approx(goal, abs=2e-3)


def test_way_points_are_followed(make_twin: Any) -> None:
    home = tool(driven(make_twin).simulate())
    points = [{"x": float(home[0]) - 0.06}, {"time": 3.0, "x": float(home[0]), "z": float(home[2]) + 0.05}]
    simulation = driven(make_twin, options={"waypoints": points}).simulate(seed=1)
    simulation.step(seconds=3.5)
    assert tool(simulation) == pytest.approx(home + np.array([0.0, 0.0, 0.05]), abs=1e-3)


def test_an_impedance_gives_way_by_force_over_stiffness(make_twin: Any) -> None:
    pulse = {"target": "push.link5.y", "kind": "constant", "value": 6.0}
    options = {"stiffness": {"x": 300.0, "y": 300.0, "z": 300.0}}
    twin = driven(make_twin, options=options, sensors=EXACT, scenarios={"push": {"seconds": 5.0, "stimuli": [pulse]}})
    simulation = twin.simulate(scenario="push")
    home = tool(simulation)
    simulation.step(seconds=3.0)
    moved = tool(simulation) - home
    assert moved == pytest.approx((0.0, 6.0 / 300.0, 0.0), abs=0.05 * 6.0 / 300.0)


@pytest.mark.parametrize(("friction", "sensed", "within"), [(0.0, True, 0.05), (0.0, False, 0.05), (0.3, True, 0.05)])
def test_ten_newtons_are_held_within_five_per_cent(make_twin: Any, friction: float, sensed: bool, within: float) -> None:
    """Against a wall 10 mm away along x, by a sensor with noise, or by the model alone where joints have no friction."""
    home = tool(driven(make_twin).simulate())
    wall = {"size": {"x": 0.1, "y": 2.0, "z": 2.0}, "position": {"x": float(home[0]) + 0.03 + 0.01 + 0.05, "z": 1.0}}
    sensors: dict[str, Any] = {"touch": {"kind": "contact_force", "link": "link5", "rate": 1000}}
    if sensed:
        sensors["wrist"] = {"kind": "force_torque", "link": "link5", "rate": 1000, "force": {"noise": 0.2}}
    twin = driven(
        make_twin, options={"force_axes": ["x"]}, world={"objects": {"wall": wall}}, sensors=sensors,
        model=arm(friction=friction),
        scenarios={"press": {"seconds": 5.0, "setpoints": {"force_x": 10.0}}},
    )  # fmt: skip
    log = twin.simulate(scenario="press", seed=1).run()
    force = -log["touch.force.x"].values[-1000:]
    assert force.mean() == pytest.approx(10.0, rel=within)
    assert math.sqrt(np.mean((force - 10.0) ** 2)) < 10.0 * within * 2.0


def test_a_redundant_arm_keeps_its_posture_where_the_task_leaves_it_free(make_twin: Any) -> None:
    """Joint effort that the task does not see turns the elbow; when it has ended, all joints return."""
    simulation = driven(make_twin, SEVEN, sensors=EXACT).simulate()
    home = tool(simulation)
    simulation.data.qfrc_applied[2] = 3.0
    simulation.step(seconds=1.0)
    moved = np.array(simulation.data.qpos) - list(posture(SEVEN).values())
    assert np.abs(moved).max() > 0.01
    simulation.data.qfrc_applied[:] = 0.0
    simulation.step(seconds=3.0)
    assert np.array(simulation.data.qpos) == pytest.approx(list(posture(SEVEN).values()), abs=2e-3)
    assert tool(simulation) == pytest.approx(home, abs=1e-3)


def test_a_stretched_arm_asked_to_reach_beyond_itself_stays_where_it_can(make_twin: Any) -> None:
    """Elbow and wrist singular at once, and a goal metres away: it trembles by millimetres, and goes nowhere else."""
    begin = {name(i): value for i, value in enumerate((0.0, 0.8, 0.1, 0.0, 0.05, 0.0))}
    twin = driven(make_twin, start=begin, scenarios={"reach": {"seconds": 6.0, "setpoints": {
        "x": 3.0, "y": 0.0, "z": 0.6, "roll": 0.0, "pitch": 0.95, "yaw": 0.0,
    }}})  # fmt: skip
    simulation = twin.simulate(scenario="reach", seed=1)
    simulation.step(seconds=3.0)
    places = []
    for _ in range(150):
        simulation.step(seconds=0.02)
        places.append(tool(simulation))
        assert np.abs(simulation.data.qvel).max() < 10.0
    assert np.std(places, axis=0).max() < 0.03
    assert np.min(places, axis=0)[0] > 0.7  # of the 0.74 m that it is long


def test_a_joint_is_turned_back_before_its_limit(make_twin: Any) -> None:
    begin = posture(SEVEN) | {name(0): 2.7}
    twin = driven(make_twin, SEVEN, start=begin, sensors=EXACT)
    home = tool(twin.simulate())
    turned_home = [math.cos(0.4) * home[0] - math.sin(0.4) * home[1], math.sin(0.4) * home[0] + math.cos(0.4) * home[1]]
    wish = {"x": turned_home[0], "y": turned_home[1], "z": float(home[2])}
    twin = driven(make_twin, SEVEN, {"axes": ["x", "y", "z"]}, start=begin, sensors=EXACT,
                  scenarios={"on": {"seconds": 4.0, "setpoints": wish}})  # fmt: skip
    log = twin.simulate(scenario="on").run()
    assert log[f"joints.{name(0)}.position"].values.max() < 2.9


def test_the_end_effector_is_found_at_the_wrist_behind_which_only_fingers_move(make_twin: Any) -> None:
    model = make_twin(arm(SEVEN, fingers=True)).model
    assert end_effector(model) == "tool0"
    assert chain_joints(model, "tool0") == tuple(name(i) for i in range(7))
    assert chain_joints(model, "left") == (*(name(i) for i in range(7)), "left_finger")
    assert end_effector(make_twin(arm(SIX).replace("tool0", "gadget")).model) == "link5"


def test_fingers_hold_while_the_arm_moves(make_twin: Any) -> None:
    start = posture(SIX) | {"left_finger": 0.02, "right_finger": 0.01}
    simulation = driven(make_twin, model=arm(fingers=True), start=start, sensors=EXACT).simulate()
    simulation.step(seconds=1.0)
    model = simulation.robot.model
    for finger, at in (("left_finger", 0.02), ("right_finger", 0.01)):
        assert simulation.data.qpos[model.joint(finger).position_index] == pytest.approx(at, abs=1e-4)


def test_orientations_turn_as_matrices_do() -> None:
    random = np.random.default_rng(3)
    for angles in random.uniform(-1.5, 1.5, (50, 3)):
        q = quaternion_of(*angles)
        assert quaternion_to_matrix(np.array(q)) == pytest.approx(rpy_to_matrix(angles))
        vector = random.uniform(-1.0, 1.0, 3)
        assert difference(turned(q, *vector), q) == pytest.approx(vector, abs=1e-12)


def test_small_systems_are_solved_as_numpy_solves_them() -> None:
    random = np.random.default_rng(5)
    for size in (1, 3, 6, 7):
        root = random.normal(size=(size, size))
        matrix, right = root @ root.T + 0.1 * np.eye(size), random.normal(size=size)
        lower, found = matrix.copy(), np.zeros(size)
        factor(lower, size)
        solve(lower, size, right, found)
        assert found == pytest.approx(np.linalg.solve(matrix, right), rel=1e-9)
        values, vectors = matrix.copy(), np.zeros((size, size))
        eigen(values, size, vectors)
        assert np.sort(np.diag(values)) == pytest.approx(np.linalg.eigvalsh(matrix), rel=1e-9)
        assert vectors @ np.diag(np.diag(values)) @ vectors.T == pytest.approx(matrix, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"end_effector": "tol0"}, "there is no link or frame 'tol0', did you mean 'tool0'"),
        ({"end_effector": "base"}, "no joint that is driven moves 'base'"),
        ({"axes": ["x", "w"]}, "found 'w', expected some of x, y, z, roll"),
        ({"force_axes": ["z"], "force_sensor": "wrist"}, "found 'wrist'"),
        ({"waypoints": [{"X": 1.0}]}, "found 'X'"),
        ({"waypoints": [{"x": "far"}]}, "found 'far', expected a number"),
    ],
)
def test_mistakes_in_options_are_said(make_twin: Any, options: dict[str, Any], what: str) -> None:
    with pytest.raises(InputError, match=what):
        driven(make_twin, options=options).simulate()
