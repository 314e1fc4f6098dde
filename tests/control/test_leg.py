"""The program's own model of a leg: the same feet, Jacobians and forces as the engine's, and an inverse that is one."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import didymos
from didymos.control import legged_memory as at
from didymos.control.leg import LEGS, foot, foot_force, inverse, torques
from didymos.control.stance import distribute, solve_symmetric

GEOMETRY = np.array([0.15, 0.175, 0.174, 0.0925, 0.25])
SIGNS = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)]
POSES = np.random.default_rng(5).uniform([-0.7, -1.2, 0.4], [0.7, 0.2, 2.2], (20, 3))


def _foot(leg: int, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    p, jacobian = np.zeros(3), np.zeros(9)
    foot(GEOMETRY, *SIGNS[leg], q, p, jacobian)
    return p, jacobian.reshape(3, 3)


def test_feet_and_jacobians_are_those_of_the_engine() -> None:
    simulation = didymos.load("meldog", variant="hung").simulate()
    model, data = simulation.model, simulation.data
    for q in POSES:
        for leg in LEGS:
            for joint, angle in zip("THK", q, strict=True):
                data.qpos[model.joint(f"{leg}{joint}_joint").qposadr[0]] = angle
        mujoco.mj_forward(model, data)
        for number, leg in enumerate(LEGS):
            p, jacobian = _foot(number, q)
            body = model.body(f"{leg}F_link").id
            full = np.zeros((3, model.nv))
            mujoco.mj_jacBody(model, data, full, None, body)
            dofs = [int(model.joint(f"{leg}{joint}_joint").dofadr[0]) for joint in "THK"]
            assert p == pytest.approx(data.xpos[body] - data.body("trunk_link").xpos, abs=1e-12)
            assert jacobian == pytest.approx(full[:, dofs], abs=1e-12)


@pytest.mark.parametrize("leg", range(4))
def test_the_inverse_brings_the_foot_back(leg: int) -> None:
    for q in POSES:
        found = np.zeros(3)
        inverse(GEOMETRY, *SIGNS[leg], *_foot(leg, q)[0], found)
        assert found == pytest.approx(q, abs=1e-9)


@pytest.mark.parametrize("leg", range(4))
def test_a_load_is_felt_as_it_was_asked_for(leg: int) -> None:
    up, force, tau = np.array([0.1, -0.2, 0.97]), np.array([7.0, -11.0, 60.0]), np.zeros(3)
    for q in POSES:
        jacobian = _foot(leg, q)[1]
        torques(jacobian.ravel(), *force, tau)
        assert tau == pytest.approx(-jacobian.T @ force)
        assert foot_force(jacobian.ravel(), *tau, up) == pytest.approx(force @ up)


def test_the_solver_solves() -> None:
    rng = np.random.default_rng(1)
    half = rng.standard_normal((6, 6))
    matrix, right = half @ half.T + 0.1 * np.eye(6), rng.standard_normal(6)
    found = right.copy()
    solve_symmetric(matrix.ravel().copy(), found)
    assert matrix @ found == pytest.approx(right)


def _stand(wrench: list[float], friction: float, slope: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Forces [4, 3] and feet [4, 3] of a robot that stands on a plane and is asked for a wrench."""
    m = np.zeros(at.MEMORY)
    feet = np.array([[0.32, 0.27, -0.4], [0.32, -0.27, -0.4], [-0.32, 0.27, -0.4], [-0.32, -0.27, -0.4]])
    feet[:, 2] += slope * feet[:, 0]
    m[at.LEVEL : at.LEVEL + 12] = feet.ravel()
    m[at.SHARE : at.SHARE + 4] = 1.0
    m[at.SLOPE] = slope
    m[at.ROTATION : at.ROTATION + 9] = np.eye(3).ravel()
    m[at.WRENCH : at.WRENCH + 6] = wrench
    distribute(friction, 500.0, 0.0, 0.0, m)
    return m[at.FORCE : at.FORCE + 12].reshape(4, 3), feet


def test_four_feet_give_the_wanted_wrench() -> None:
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
