"""Dynamics of a free-flyer: accelerations, efforts and torques against the engine, and the impedance of the tool."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pytest
from numpy.typing import NDArray
from servicing_robot import OPTIONS, chaser, settings

from didymos.control.free_base import arm_accelerations, base_torque, efforts, respond
from didymos.control.servicing_options import add_load
from didymos.model.questions import ask_mass_matrix, ask_place
from didymos.rotations import Pose, rpy_to_matrix

Array = NDArray[np.float64]


@pytest.fixture(scope="module")
def flyer() -> Any:
    return chaser()


@pytest.fixture(scope="module")
def known(flyer: Any) -> Any:
    return settings(flyer.robot)


def _state(flyer: Any, seed: int, *, moving: bool = True) -> tuple[Any, mujoco.MjModel, mujoco.MjData]:
    """A random state, in the robot's own model and in the engine's."""
    rng = np.random.default_rng(seed)
    own, engine = flyer.robot.model, flyer.data.model
    q, v = own.reference, np.zeros(own.nv)
    q[:3] = rng.normal(size=3)
    q[3:7] = rng.normal(size=4)
    q[3:7] /= np.linalg.norm(q[3:7])
    q[10:] = rng.uniform(0.4, 1.2, 7) * rng.choice([-1.0, 1.0], 7)
    if moving:
        v[:] = 0.3 * rng.normal(size=own.nv)
        v[6:9] = 50.0 * rng.normal(size=3)
    data = mujoco.MjData(engine)
    data.qpos[:], data.qvel[:] = q, v
    return own.at(q, v), engine, data


def _needed(engine: mujoco.MjModel, data: mujoco.MjData, acceleration: Array) -> Array:
    """Generalized forces that give an acceleration, by the engine."""
    data.qacc[:] = acceleration
    mujoco.mj_inverse(engine, data)
    return np.array(data.qfrc_inverse)


@pytest.mark.parametrize("seed", range(5))
def test_a_base_and_wheels_that_nobody_leads_follow_the_forces_on_them(flyer: Any, known: Any, seed: int) -> None:
    """The engine's inverse dynamics of the found acceleration are those forces and the found efforts."""
    state, engine, data = _state(flyer, seed)
    rng, nv = np.random.default_rng(100 + seed), state.mass_matrix.shape[0]
    forces, y = np.zeros(nv), rng.normal(size=7)
    forces[:9] = rng.normal(size=9)
    start, per_joint, tau = np.zeros(nv), np.zeros((nv, 7)), np.zeros(7)
    respond(state.mass_matrix, state.bias, known["floating"], forces, np.zeros(nv), known["arm"], start, per_joint)
    efforts(state.mass_matrix, state.bias, known["arm"], start, per_joint, y, tau)
    found = _needed(engine, data, start + per_joint @ y)
    scale = np.abs(state.mass_matrix).max() * 10
    np.testing.assert_allclose(found[:9], forces[:9], atol=1e-12 * scale)
    np.testing.assert_allclose(found[9:], tau, atol=1e-12 * scale)


@pytest.mark.parametrize("seed", range(5))
def test_the_reaction_of_the_arm_is_the_torque_that_turns_the_base_as_demanded(flyer: Any, known: Any, seed: int) -> None:
    """Given as t by thrusters, or by wheels as minus t: the base turns by the same, and the arm moves by the same."""
    state, engine, data = _state(flyer, seed)
    rng, nv = np.random.default_rng(200 + seed), state.mass_matrix.shape[0]
    led, y, torque, tau = np.zeros(nv), rng.normal(size=7), np.zeros(3), np.zeros(7)
    led[3:6] = rng.normal(size=3)
    start, per_joint = np.zeros(nv), np.zeros((nv, 7))
    respond(state.mass_matrix, state.bias, known["sliding"], np.zeros(nv), led, known["arm"], start, per_joint)
    base_torque(state.mass_matrix, state.bias, 3, start, per_joint, y, torque)
    efforts(state.mass_matrix, state.bias, known["arm"], start, per_joint, y, tau)
    mujoco.mj_forward(engine, data)
    for wheels in (False, True):
        data.qfrc_applied[:] = 0.0
        data.qfrc_applied[9:] = tau
        if wheels:
            data.qfrc_applied[6:9] = -torque  # axes x, y, z of the base
        else:
            data.qfrc_applied[3:6] = torque
        mujoco.mj_forwardSkip(engine, data, mujoco.mjtStage.mjSTAGE_VEL, True)
        np.testing.assert_allclose(data.qacc[3:6], led[3:6], atol=1e-9)
        np.testing.assert_allclose(data.qacc[9:], y, atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_efforts_of_the_arm_alone_change_no_momentum(flyer: Any, known: Any, seed: int) -> None:
    """Momentum of everything, linear and angular about the centre of mass, by the robot's model half an instant before and after.

    A difference over 2e-5 s of some 10 N m s has rounding errors of 1e-15 * 10 / 2e-5 = 5e-10, and truncates at (2e-5)^2 times
    the third derivative, which the rates of some rad/s keep below 1e4.
    """
    state, _, _ = _state(flyer, seed)
    nv, y = state.mass_matrix.shape[0], np.random.default_rng(300 + seed).normal(size=7)
    start, per_joint = np.zeros(nv), np.zeros((nv, 7))
    respond(state.mass_matrix, state.bias, known["floating"], np.zeros(nv), np.zeros(nv), known["arm"], start, per_joint)
    step, engine = 2e-5, flyer.data.model
    changes = []
    for sign in (-1.0, 1.0):
        q = np.array(state.q)
        v = state.v + 0.5 * sign * step * (start + per_joint @ y)
        mujoco.mj_integratePos(engine, q, np.array(state.v), 0.5 * sign * step)
        changes.append(flyer.robot.model.at(q, v).momentum)
    rate = (changes[1] - changes[0]) / step
    assert np.abs(rate).max() < 1e-5
    assert np.abs(state.mass_matrix[:6, 9:] @ y).max() > 1.0  # what the arm does to the base, and the base to the arm


@pytest.mark.parametrize("seed", range(5))
def test_the_tool_accelerates_as_demanded_while_the_base_gives_way(flyer: Any, known: Any, seed: int) -> None:
    state, _, _ = _state(flyer, seed)
    rng, nv, y = np.random.default_rng(400 + seed), state.mass_matrix.shape[0], np.zeros(7)
    demanded = rng.normal(size=6)
    start, per_joint = np.zeros(nv), np.zeros((nv, 7))
    respond(state.mass_matrix, state.bias, known["floating"], np.zeros(nv), np.zeros(nv), known["arm"], start, per_joint)
    drift = state.drift("tool")
    arm_accelerations(state.jacobian("tool"), start, per_joint, demanded - drift, 0.0, rng.normal(size=7), y)
    found = state.jacobian("tool") @ (start + per_joint @ y) + drift
    np.testing.assert_allclose(found, demanded, atol=1e-8 * np.abs(y).max())


def test_a_wish_of_the_joints_moves_what_the_tool_leaves_free(flyer: Any, known: Any) -> None:
    """Two wishes differ in the null space only: the tool does not feel it, and the joints do."""
    state, _, _ = _state(flyer, 7)
    nv, found = state.mass_matrix.shape[0], []
    start, per_joint = np.zeros(nv), np.zeros((nv, 7))
    respond(state.mass_matrix, state.bias, known["floating"], np.zeros(nv), np.zeros(nv), known["arm"], start, per_joint)
    for wish in (np.zeros(7), np.arange(7.0)):
        y = np.zeros(7)
        arm_accelerations(state.jacobian("tool"), start, per_joint, np.ones(6), 0.0, wish, y)
        found.append(y)
    assert np.abs(found[1] - found[0]).max() > 0.1
    general = state.jacobian("tool") @ per_joint
    np.testing.assert_allclose(general @ (found[1] - found[0]), 0.0, atol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_a_push_at_the_tool_is_held_by_a_spring_of_its_own_inertia(flyer: Any, known: Any, seed: int) -> None:
    """Impedance: at rest, off by e, the tool stays where it is under f = -n^2 L e, L its inertia with the base afloat."""
    state, engine, data = _state(flyer, seed, moving=False)
    rng, nv, n = np.random.default_rng(500 + seed), state.mass_matrix.shape[0], 3.0
    error, y, tau = 0.01 * rng.normal(size=6), np.zeros(7), np.zeros(7)
    start, per_joint = np.zeros(nv), np.zeros((nv, 7))
    respond(state.mass_matrix, state.bias, known["floating"], np.zeros(nv), np.zeros(nv), known["arm"], start, per_joint)
    jacobian = state.jacobian("tool")
    arm_accelerations(jacobian, start, per_joint, n * n * error, 0.0, np.zeros(7), y)
    efforts(state.mass_matrix, state.bias, known["arm"], start, per_joint, y, tau)
    inertia = np.linalg.inv(jacobian @ np.linalg.solve(state.mass_matrix, jacobian.T))
    push = -n * n * inertia @ error
    mujoco.mj_forward(engine, data)
    data.qfrc_applied[:] = jacobian.T @ push
    data.qfrc_applied[9:] += tau
    mujoco.mj_forwardSkip(engine, data, mujoco.mjtStage.mjSTAGE_VEL, True)
    np.testing.assert_allclose(jacobian @ data.qacc, 0.0, atol=1e-9)
    data.qfrc_applied[:] = 0.0
    data.qfrc_applied[9:] = tau
    mujoco.mj_forwardSkip(engine, data, mujoco.mjtStage.mjSTAGE_VEL, True)
    np.testing.assert_allclose(jacobian @ data.qacc, n * n * error, atol=1e-9)  # and without the push it is not


def test_a_load_in_the_grip_weighs_what_a_body_fixed_there_does(flyer: Any) -> None:
    """Mass matrix of the model with a load, less that without: that of the load's own Jacobian, J^T (m, I) J."""
    state, _, _ = _state(flyer, 1)
    own, options = flyer.robot.model, OPTIONS["client"]
    grasp = Pose(np.array(options["grasp_position"]), rpy_to_matrix(np.array(options["grasp_orientation"])))
    inertia = np.diag(options["inertia"]) + np.array([[0, 0.3, 0.1], [0.3, 0, -0.2], [0.1, -0.2, 0]])
    record = own.record()
    add_load(record, own.frame("tool"), grasp, 80.0, inertia)
    loaded = np.array([record])
    ask_place(loaded, state.q, state.v)
    found = np.zeros((own.nv, own.nv))
    ask_mass_matrix(loaded, found)
    turn = state.rotation("tool") @ grasp.rotation.T
    arm = turn @ -grasp.position  # from the tool to the load's centre of mass
    jacobian = state.jacobian("tool")
    linear = jacobian[:3] + np.cross(jacobian[3:].T, arm).T
    expected = 80.0 * linear.T @ linear + jacobian[3:].T @ turn @ inertia @ turn.T @ jacobian[3:]
    np.testing.assert_allclose(found - state.mass_matrix, expected, atol=1e-10 * np.abs(expected).max())
