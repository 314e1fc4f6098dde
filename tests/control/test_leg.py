"""The program's own model of a leg: the same feet, Jacobians and weights as the robot's model, and an inverse that is one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from legged_robots import Walker, walker_twin

from didymos.control.leg import foot_force, inverse, pose_leg, torque_of, weigh_leg
from didymos.control.leg_finder import find_legs
from didymos.control.legged import Legged
from didymos.control.legged_memory import POSE
from didymos.control.stance import distribute, solve_symmetric
from didymos.model import RobotModel

WALKERS = {"dog": Walker(sign=-1.0, arm=True), "insect": Walker(rows=3, sprawl=True)}
Found = tuple[RobotModel, Any, list[tuple[str, ...]]]
RANDOM = np.random.default_rng(5)


@pytest.fixture(scope="module", params=WALKERS)
def robot(request: Any) -> Found:
    """A robot's model, the settings of its program and the joints of its legs."""
    twin = walker_twin(WALKERS[request.param])
    program = twin.simulate().program
    assert isinstance(program, Legged)
    return twin.model, program.settings, [leg.joints for leg in find_legs(twin.model)]


def _poses(limb: Any, many: int = 8) -> np.ndarray:
    """Angles inside the limits, away from them [many, joints]."""
    lower, upper = (np.array([joint[name] for joint in limb["joints"][: int(limb["count"])]]) for name in ("lower", "upper"))
    return RANDOM.uniform(0.9 * lower + 0.1 * upper, 0.1 * lower + 0.9 * upper, (many, len(lower)))


def _pose(limb: Any, q: np.ndarray) -> Any:
    pose = np.zeros(1, POSE)[0]
    pose_leg(limb, np.array(q), pose)
    return pose


def test_feet_jacobians_and_weights_are_those_of_the_model(robot: Found) -> None:
    model, settings, legs = robot
    middle = np.mean([find.chain.point[0] for find in find_legs(model)], axis=0)
    for number, (joints, leg) in enumerate(zip(legs, find_legs(model), strict=True)):
        limb = settings["limbs"][number]
        for angles in _poses(limb):
            q = model.reference
            at, ways = [model.position_index(name) for name in joints], [model.velocity_index(name) for name in joints]
            q[at] = angles
            state, pose = model.at(q), _pose(limb, angles)
            turn = state.rotation(leg.foot.link)
            foot = state.position(leg.foot.link) + turn @ leg.foot.centre
            assert pose["foot"] == pytest.approx(foot - state.position("a") - middle, abs=1e-12)
            jacobian = state.jacobian(leg.foot.link)[:, ways]
            arm = turn @ leg.foot.centre
            assert pose["jacobian"][:, :3] == pytest.approx(jacobian[:3] + np.cross(jacobian[3:].T, arm).T, abs=1e-12)
            weigh_leg(limb, model.gravity, np.array([0.0, 0.0, 1.0]), pose)
            assert pose["weight"][:3] == pytest.approx(state.gravity[ways], abs=1e-9)


def test_masses_of_trunk_and_legs_make_the_centre_of_mass(robot: Found) -> None:
    model, settings, legs = robot
    q, numbers = model.reference, settings["robot"]
    moment = numbers["trunk_mass"] * numbers["trunk_centre"]
    for joints, limb in zip(legs, settings["limbs"], strict=False):
        angles = _poses(limb, 1)[0]
        q[[model.position_index(name) for name in joints]] = angles
        pose = _pose(limb, angles)
        weigh_leg(limb, 9.8, np.array([0.0, 0.0, 1.0]), pose)
        moment = moment + pose["moment"]
    middle = np.mean([leg.chain.point[0] for leg in find_legs(model)], axis=0)
    assert moment / numbers["mass"] == pytest.approx(model.at(q).center_of_mass - middle, abs=1e-9)
    assert numbers["mass"] == pytest.approx(model.mass)


def test_the_inverse_brings_the_foot_there_from_nearby(robot: Found) -> None:
    _, settings, legs = robot
    scratch = np.zeros(1, POSE)[0]
    for limb in settings["limbs"][: len(legs)]:
        for angles in _poses(limb):
            goal = _pose(limb, angles)["foot"].copy()
            if np.linalg.norm(goal - limb["hip"]) > 0.98 * limb["reach"]:
                continue
            found = angles + RANDOM.uniform(-0.1, 0.1, 3)
            for _ in range(4):  # calls; a call takes three steps
                inverse(limb, *goal, found, scratch)
            assert _pose(limb, found)["foot"] == pytest.approx(goal, abs=1e-6)


def test_a_point_out_of_reach_is_pulled_in_and_joints_keep_their_limits(robot: Found) -> None:
    _, settings, _ = robot
    limb, scratch = settings["limbs"][0], np.zeros(1, POSE)[0]
    found = _poses(limb, 1)[0]
    for _ in range(50):
        inverse(limb, limb["hip"][0], limb["hip"][1], limb["hip"][2] - 9.0, found, scratch)
    for angle, joint in zip(found, limb["joints"], strict=False):
        assert joint["lower"] <= angle <= joint["upper"]
    assert np.linalg.norm(_pose(limb, found)["foot"] - limb["hip"]) < 1.02 * limb["reach"]


def test_a_load_is_felt_as_it_was_asked_for(robot: Found) -> None:
    """Within the damping: (0.02 reach)^2 beside the least eigenvalue of J J^T."""
    _, settings, _ = robot
    limb, up, force = settings["limbs"][0], np.array([0.1, -0.2, 0.97]), np.array([7.0, -11.0, 60.0])
    for angles in _poses(limb):
        pose = _pose(limb, angles)
        jacobian = pose["jacobian"][:, :3]
        tau = np.array([torque_of(pose, i, *force) for i in range(3)])
        assert tau == pytest.approx(-jacobian.T @ force)
        soft = (0.02 * limb["reach"]) ** 2
        exact = force @ jacobian @ jacobian.T @ np.linalg.solve(jacobian @ jacobian.T + soft * np.eye(3), up)
        assert foot_force(limb, pose, tau, up) == pytest.approx(exact)
        assert exact == pytest.approx(force @ up, rel=soft / np.linalg.eigvalsh(jacobian @ jacobian.T).min() * 10.0)


def test_the_solver_solves() -> None:
    rng = np.random.default_rng(1)
    half = rng.standard_normal((6, 6))
    matrix, right = half @ half.T + 0.1 * np.eye(6), rng.standard_normal(6)
    solution = right.copy()
    solve_symmetric(matrix.copy(), solution)
    assert matrix @ solution == pytest.approx(right)


def _stand(wrench: list[float], friction: float, slope: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Forces [4, 3] and feet [4, 3] of a robot that stands on a plane and is asked for a wrench."""
    memory, gains = np.zeros(1, Legged.memory_layout)[0], np.zeros(1, Legged.gain_layout)[0]
    robot = np.zeros(1, Legged.setting_layout)[0]["robot"]
    robot["legs"], robot["mass"], robot["gravity"], robot["length"] = 4, 19.5, 9.8, 0.42
    feet = np.array([[0.32, 0.27, -0.4], [0.32, -0.27, -0.4], [-0.32, 0.27, -0.4], [-0.32, -0.27, -0.4]])
    feet[:, 2] += slope * feet[:, 0]
    memory["legs"]["foot_level"][:4], memory["legs"]["share"] = feet, 1.0
    memory["slope"][0] = slope
    memory["balance"]["wrench"] = wrench
    gains["friction"], gains["most_force"] = friction, 3.0
    distribute(robot, gains, memory)
    return memory["legs"]["force"][:4], feet


def test_four_feet_give_the_wrench_that_is_asked_for() -> None:
    """Within what the softness leaves: 0.02 beside four feet, 0.001 m^2 beside the least sum of their levers, 4 x 0.27^2."""
    force, feet = _stand([10.0, -8.0, 190.0, 4.0, -6.0, 3.0], 10.0)
    assert force.sum(axis=0) == pytest.approx([10.0, -8.0, 190.0], rel=0.005, abs=0.4)
    assert np.cross(feet, force).sum(axis=0) == pytest.approx([4.0, -6.0, 3.0], rel=0.005, abs=0.1)


@pytest.mark.parametrize("slope", [0.0, 0.3])
def test_no_foot_is_asked_for_more_than_its_friction(slope: float) -> None:
    force, _ = _stand([150.0, 0.0, 190.0, 0.0, 0.0, 0.0], 0.4, slope)
    normal = np.array([-slope, 0.0, 1.0]) / np.hypot(slope, 1.0)
    along = force - np.outer(force @ normal, normal)
    part = np.linalg.norm(along, axis=1) / (force @ normal)
    assert part.max() == pytest.approx(0.4)  # asked for more, a foot gets all of it
    assert (part < 0.4 + 1e-9).all()
