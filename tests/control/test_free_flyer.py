"""The controller's own model of the planar free-flyer against two independent rigid-body libraries."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest

import didymos
from didymos.control.free_flyer import FREE_FLYER, carry, free_flyer, inverse_dynamics

STATES = 100


def evaluate(par: np.ndarray, z: np.ndarray, zd: np.ndarray) -> tuple[np.ndarray, ...]:
    h, c, je, bias, xe = np.zeros((6, 6)), np.zeros(6), np.zeros((3, 6)), np.zeros(3), np.zeros(3)
    free_flyer(par, z, zd, h, c, je, bias, xe)
    return h, c, je, bias, xe


def random_cases() -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    random = np.random.default_rng(5)
    return [
        (random.uniform(0.05, 2.0, 16), random.uniform(-3, 3, 6), random.uniform(-2, 2, 6)) for _ in range(STATES)
    ]  # fmt: skip


def test_mass_matrix_bias_forces_and_jacobians_are_those_of_pinocchio() -> None:
    pin = pytest.importorskip("pinocchio")
    for par, z, zd in random_cases():
        model = pin.Model()
        base = model.addJoint(0, pin.JointModelPlanar(), pin.SE3.Identity(), "base")
        model.appendBodyToJoint(base, pin.Inertia(par[0], np.zeros(3), np.diag([1, 1, par[1]])), pin.SE3.Identity())
        parent, offset = base, np.array([par[2], par[3], 0.0])
        for i in range(1, 4):
            joint = model.addJoint(parent, pin.JointModelRZ(), pin.SE3(np.eye(3), offset), f"q{i}")
            m, inertia, near, far = par[4 * i : 4 * i + 4]
            body = pin.Inertia(m, np.array([near, 0.0, 0.0]), np.diag([1, 1, inertia]))
            model.appendBodyToJoint(joint, body, pin.SE3.Identity())
            parent, offset = joint, np.array([near + far, 0.0, 0.0])
        model.gravity = pin.Motion.Zero()
        tip = model.addFrame(pin.Frame("tip", parent, 0, pin.SE3(np.eye(3), offset), pin.FrameType.OP_FRAME))
        data = model.createData()
        q = np.array([z[0], z[1], math.cos(z[2]), math.sin(z[2]), *z[3:]])
        # its planar joint has the velocity in the base's own frame: v = T z', v' = T z'' + T' z'
        cos, sin, w = math.cos(z[2]), math.sin(z[2]), zd[2]
        turn, turn_rate = np.eye(6), np.zeros((6, 6))
        turn[:2, :2] = [[cos, sin], [-sin, cos]]
        turn_rate[:2, :2] = w * np.array([[-sin, cos], [-cos, -sin]])
        v = turn @ zd
        mass = np.asarray(pin.crba(model, data, q))
        mass = np.triu(mass) + np.triu(mass, 1).T
        h, c, je, bias, xe = evaluate(par, z, zd)
        np.testing.assert_allclose(h, turn.T @ mass @ turn, atol=1e-9)
        np.testing.assert_allclose(c, turn.T @ pin.rnea(model, data, q, v, turn_rate @ zd), atol=1e-9)
        pin.forwardKinematics(model, data, q, v, turn_rate @ zd)
        pin.updateFramePlacements(model, data)
        jacobian = pin.computeFrameJacobian(model, data, q, tip, pin.LOCAL_WORLD_ALIGNED)[[0, 1, 5]] @ turn
        np.testing.assert_allclose(je, jacobian, atol=1e-9)
        np.testing.assert_allclose(xe[:2], data.oMf[tip].translation[:2], atol=1e-9)
        drift = pin.getFrameClassicalAcceleration(model, data, tip, pin.LOCAL_WORLD_ALIGNED).vector[[0, 1, 5]]
        np.testing.assert_allclose(bias, drift, atol=1e-9)


@pytest.mark.parametrize("variant", [None, "gazebo"])
def test_the_model_is_that_of_the_twin(variant: str | None) -> None:
    twin = didymos.load("cepheus", variant=variant)
    simulation = twin.simulate()
    par = simulation.program.settings[: len(FREE_FLYER)]  # type: ignore[union-attr]
    model, data = simulation.model, mujoco.MjData(simulation.model)
    model.numeric_data[model.numeric_adr[model.nnumeric - 1]] = 0.0  # the bare engine, without parts
    names = ("base_x", "base_y", "base_yaw", "shoulder", "elbow", "wrist")
    dofs = [int(model.joint(name).dofadr[0]) for name in names]
    wheel = int(model.joint("wheel").dofadr[0])
    random = np.random.default_rng(2)
    for _ in range(20):
        z, zd = random.uniform(-2, 2, 6), random.uniform(-1, 1, 6)
        data.qpos[dofs], data.qvel[dofs] = z, zd
        data.qvel[wheel] = -zd[2]  # the wheel does not turn in the world, so that it is a point mass to the base
        mujoco.mj_forward(model, data)
        full = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, full)
        h, c, je, _, xe = evaluate(par, z, zd)
        expected = full[np.ix_(dofs, dofs)].copy()
        expected[2, 2] -= 0.001973  # the base alone feels the wheel's inertia only through the wheel's drive
        np.testing.assert_allclose(h, expected, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(c, data.qfrc_bias[dofs], rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(xe[:2], data.site("tool").xpos[:2], atol=1e-12)
        position, rotation = np.zeros((3, model.nv)), np.zeros((3, model.nv))
        mujoco.mj_jacSite(model, data, position, rotation, model.site("tool").id)
        np.testing.assert_allclose(je, np.vstack([position[:2], rotation[2:]])[:, dofs], atol=1e-12)


def test_torques_give_the_wanted_accelerations() -> None:
    """Forward again: H z'' = B tau - c - Je^T f has to return what was asked for."""
    for par, z, zd in random_cases()[:20]:
        h, c, je, _, _ = evaluate(par, z, zd)
        rows, desired, push, tau = np.zeros((4, 6)), np.array([0.1, -0.2, 0.3, 0.5]), np.array([0.4, -0.7, 0.2]), np.zeros(4)
        rows[0, 2] = 1.0
        rows[1:] = je
        assert inverse_dynamics(h, c, rows, desired, je, push, tau)
        answer = np.linalg.solve(h, np.concatenate([[0, 0], tau]) - c - je.T @ push)
        np.testing.assert_allclose(rows @ answer, desired, atol=1e-7)


def test_a_carried_load_is_part_of_the_last_link() -> None:
    """Kinetic energy with the load is that of the bare robot plus that of the load."""
    par, z, zd = random_cases()[0]
    mass, inertia, ahead = 3.0, 0.2, 0.4
    loaded = np.zeros(16)
    carry(par, mass, inertia, ahead, loaded)
    longer = par.copy()
    longer[15] += ahead  # an end effector at the load's centre
    h, _, je, _, _ = evaluate(longer, z, zd)
    twist = je @ zd
    energy = zd @ h @ zd + mass * twist[:2] @ twist[:2] + inertia * twist[2] ** 2
    h_loaded, *_ = evaluate(loaded, z, zd)
    assert zd @ h_loaded @ zd == pytest.approx(energy, rel=1e-12)
