"""The controller's own model of the planar free-flyer against two independent rigid-body libraries."""

from __future__ import annotations

import math
from typing import Any

import mujoco
import numpy as np
import pytest

import didymos
from didymos.control.free_flyer import FREE_FLYER, LOAD, Dynamics, carrying, free_flyer, inverse_dynamics

STATES = 100


def random_cases() -> list[tuple[Any, np.ndarray, np.ndarray]]:
    """Robots, z and z'."""
    random = np.random.default_rng(5)
    return [
        (random.uniform(0.05, 2.0, 16).view(FREE_FLYER)[0], random.uniform(-3, 3, 6), random.uniform(-2, 2, 6))
        for _ in range(STATES)
    ]


def test_mass_matrix_bias_forces_and_jacobians_are_those_of_pinocchio() -> None:
    pin = pytest.importorskip("pinocchio")
    for robot, z, zd in random_cases():
        model = pin.Model()
        base = model.addJoint(0, pin.JointModelPlanar(), pin.SE3.Identity(), "base")
        trunk = robot["base"]
        body = pin.Inertia(float(trunk["mass"]), np.zeros(3), np.diag([1, 1, trunk["inertia"]]))
        model.appendBodyToJoint(base, body, pin.SE3.Identity())
        parent, offset = base, np.array([trunk["shoulder_x"], trunk["shoulder_y"], 0.0])
        for i, link in enumerate(robot["links"]):
            joint = model.addJoint(parent, pin.JointModelRZ(), pin.SE3(np.eye(3), offset), f"q{i + 1}")
            body = pin.Inertia(float(link["mass"]), np.array([link["to_center"], 0.0, 0.0]), np.diag([1, 1, link["inertia"]]))
            model.appendBodyToJoint(joint, body, pin.SE3.Identity())
            parent, offset = joint, np.array([link["to_center"] + link["to_end"], 0.0, 0.0])
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
        ours = free_flyer(robot, z, zd)
        np.testing.assert_allclose(ours.mass_matrix, turn.T @ mass @ turn, atol=1e-9)
        np.testing.assert_allclose(ours.bias_force, turn.T @ pin.rnea(model, data, q, v, turn_rate @ zd), atol=1e-9)
        pin.forwardKinematics(model, data, q, v, turn_rate @ zd)
        pin.updateFramePlacements(model, data)
        jacobian = pin.computeFrameJacobian(model, data, q, tip, pin.LOCAL_WORLD_ALIGNED)[[0, 1, 5]] @ turn
        np.testing.assert_allclose(ours.jacobian, jacobian, atol=1e-9)
        np.testing.assert_allclose(ours.pose[:2], data.oMf[tip].translation[:2], atol=1e-9)
        drift = pin.getFrameClassicalAcceleration(model, data, tip, pin.LOCAL_WORLD_ALIGNED).vector[[0, 1, 5]]
        np.testing.assert_allclose(ours.drift, drift, atol=1e-9)


@pytest.mark.parametrize("variant", [None, "gazebo"])
def test_the_model_is_that_of_the_twin(variant: str | None) -> None:
    twin = didymos.load("cepheus", variant=variant)
    simulation = twin.simulate()
    robot = simulation.program.settings["robot"][()]  # type: ignore[union-attr]
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
        ours = free_flyer(robot, z, zd)
        expected = full[np.ix_(dofs, dofs)].copy()
        expected[2, 2] -= 0.001973  # the base alone feels the wheel's inertia only through the wheel's drive
        np.testing.assert_allclose(ours.mass_matrix, expected, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(ours.bias_force, data.qfrc_bias[dofs], rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(ours.pose[:2], data.site("tool").xpos[:2], atol=1e-12)
        position, rotation = np.zeros((3, model.nv)), np.zeros((3, model.nv))
        mujoco.mj_jacSite(model, data, position, rotation, model.site("tool").id)
        np.testing.assert_allclose(ours.jacobian, np.vstack([position[:2], rotation[2:]])[:, dofs], atol=1e-12)


def test_torques_give_the_demanded_accelerations() -> None:
    """Forward again: H z'' = B tau - c - Je^T f has to return what was asked for."""
    for robot, z, zd in random_cases()[:20]:
        model: Dynamics = free_flyer(robot, z, zd)
        rows, demanded, push, tau = np.zeros((4, 6)), np.array([0.1, -0.2, 0.3, 0.5]), np.array([0.4, -0.7, 0.2]), np.zeros(4)
        rows[0, 2] = 1.0
        rows[1:] = model.jacobian
        assert inverse_dynamics(model, rows, demanded, push, tau)
        force = np.concatenate([[0, 0], tau]) - model.bias_force - model.jacobian.T @ push
        np.testing.assert_allclose(rows @ np.linalg.solve(model.mass_matrix, force), demanded, atol=1e-7)


def test_a_carried_load_is_part_of_the_last_link() -> None:
    """Kinetic energy with the load is that of the bare robot plus that of the load."""
    robot, z, zd = random_cases()[0]
    mass, inertia, ahead = 3.0, 0.2, 0.4
    longer = robot.copy()
    longer["links"][-1]["to_end"] += ahead  # an end effector at the load's centre
    bare = free_flyer(longer, z, zd)
    twist = bare.jacobian @ zd
    energy = zd @ bare.mass_matrix @ zd + mass * twist[:2] @ twist[:2] + inertia * twist[2] ** 2
    loaded = free_flyer(carrying(robot, np.array((mass, inertia, ahead), dtype=LOAD)), z, zd)
    assert zd @ loaded.mass_matrix @ zd == pytest.approx(energy, rel=1e-12)
    np.testing.assert_allclose(loaded.pose, free_flyer(robot, z, zd).pose, rtol=1e-12)  # the end effector stays where it is
