"""The program's own model of a leg: the same feet, Jacobians and forces as the engine's, and an inverse that is one."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import didymos
from didymos.control.leg import JOINTS, LEGS, foot, foot_force, inverse, torques
from didymos.control.legged_memory import ROBOT
from didymos.control.quadruped import Quadruped
from didymos.control.stance import distribute, solve_symmetric
from didymos.engine.simulation import Simulation

BODY = np.zeros(1, ROBOT)[0]
for name, length in {"t_x": 0.15, "t_y": 0.175, "h_x": 0.174, "h_y": 0.0925, "limb": 0.25}.items():
    BODY[name] = length
POSES = np.random.default_rng(5).uniform([-0.7, -1.2, 0.4], [0.7, 0.2, 2.2], (20, 3))


def _foot(leg: int, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    p, jacobian = np.zeros(3), np.zeros((3, 3))
    foot(BODY, leg, q, p, jacobian)
    return p, jacobian


def _in_world(simulation: Simulation, link: str) -> tuple[np.ndarray, int]:
    """Where a link is [m], and the body that carries it."""
    body = simulation.links.body(simulation.model, link)
    turn = simulation.data.xmat[body].reshape(3, 3)
    return simulation.data.xpos[body] + turn @ simulation.links[link].pose.position, body


def test_feet_and_jacobians_are_those_of_the_engine() -> None:
    simulation = didymos.load("meldog", variant="hung").simulate()
    model, data = simulation.model, simulation.data
    for q in POSES:
        for leg in LEGS:
            for joint, angle in zip(JOINTS, q, strict=True):
                data.qpos[model.joint(f"{leg}{joint}_joint").qposadr[0]] = angle
        mujoco.mj_forward(model, data)
        trunk, _ = _in_world(simulation, "trunk_link")
        for number, leg in enumerate(LEGS):
            p, jacobian = _foot(number, q)
            point, body = _in_world(simulation, f"{leg}F_link")
            full = np.zeros((3, model.nv))
            mujoco.mj_jac(model, data, full, None, point, body)
            dofs = [int(model.joint(f"{leg}{joint}_joint").dofadr[0]) for joint in JOINTS]
            assert p == pytest.approx(point - trunk, abs=1e-12)
            assert jacobian == pytest.approx(full[:, dofs], abs=1e-12)


@pytest.mark.parametrize("leg", range(4))
def test_the_inverse_brings_the_foot_back(leg: int) -> None:
    for q in POSES:
        assert inverse(BODY, leg, *_foot(leg, q)[0]) == pytest.approx(q, abs=1e-9)


@pytest.mark.parametrize("leg", range(4))
def test_a_load_is_felt_as_it_was_asked_for(leg: int) -> None:
    up, force = np.array([0.1, -0.2, 0.97]), np.array([7.0, -11.0, 60.0])
    for q in POSES:
        _, jacobian = _foot(leg, q)
        tau = torques(jacobian, *force)
        assert tau == pytest.approx(-jacobian.T @ force)
        assert foot_force(jacobian, np.array(tau), up) == pytest.approx(force @ up)


def test_the_solver_solves() -> None:
    rng = np.random.default_rng(1)
    half = rng.standard_normal((6, 6))
    matrix, right = half @ half.T + 0.1 * np.eye(6), rng.standard_normal(6)
    solution = right.copy()
    solve_symmetric(matrix.copy(), solution)
    assert matrix @ solution == pytest.approx(right)


def _stand(wrench: list[float], friction: float, slope: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Forces [4, 3] and feet [4, 3] of a robot that stands on a plane and is asked for a wrench."""
    memory, gains = np.zeros(1, Quadruped.memory_layout)[0], np.zeros(1, Quadruped.gain_layout)[0]
    feet = np.array([[0.32, 0.27, -0.4], [0.32, -0.27, -0.4], [-0.32, 0.27, -0.4], [-0.32, -0.27, -0.4]])
    feet[:, 2] += slope * feet[:, 0]
    memory["legs"]["foot_level"], memory["legs"]["share"] = feet, 1.0
    memory["slope"][0] = slope
    memory["body"]["rotation"] = np.eye(3)
    memory["balance"]["wrench"] = wrench
    gains["friction"], gains["most_force"] = friction, 500.0
    distribute(BODY, gains, memory)
    return memory["legs"]["force"], feet


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
