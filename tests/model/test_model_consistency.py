"""What a model says fits together, and fits the engine, on robots with every kind of joint at random states."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest
from described import EVERY_JOINT, assert_agree, described, model_of, moved, random_states, urdf_tree

from didymos.describe.robot_model import robot_model

PLANAR = """<robot name="planar">
  <link name="floor"/>
  <link name="puck"><inertial><origin xyz="0.1 0 0"/><mass value="1"/>
    <inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="slide" type="planar"><parent link="floor"/><child link="puck"/><axis xyz="0 0 1"/></joint>
</robot>"""
FLOATING = {"every joint": (EVERY_JOINT, False), "floating tree": (urdf_tree(2), True)}
ROBOTS = FLOATING | {"tree": (urdf_tree(1), False), "planar": (PLANAR, False)}
ALL = pytest.mark.parametrize(("text", "floating"), ROBOTS.values(), ids=list(ROBOTS))
STEP = 1e-5  # [s] of central differences: rounding 1e-16 / 1e-5, the rest of the series 1e-10



@ALL
def test_the_engine_says_the_same(text: str, floating: bool, tmp_path: Path) -> None:
    """Poses, Jacobians, mass matrix and forces of the engine's own algorithms, which work in other coordinates."""
    description = described(text, tmp_path, floating=floating)
    model, engine = robot_model(description, gravity=3.7), description.spec.copy().compile()
    engine.opt.gravity = [0.0, 0.0, -3.7]
    data = mujoco.MjData(engine)
    mass, bias, jacobian = np.zeros((engine.nv, engine.nv)), np.zeros(engine.nv), np.zeros((6, engine.nv))
    for q, v in random_states(model, 10):
        data.qpos[:], data.qvel[:] = q, v
        mujoco.mj_forward(engine, data)
        state = model.at(q, v)
        mujoco.mj_fullM(engine, data, mass)
        mujoco.mj_rne(engine, data, 0, bias)
        assert_agree(state.mass_matrix, mass, 1e-13)
        assert_agree(state.bias, bias, 1e-13)
        assert_agree(state.center_of_mass, data.subtree_com[0], 1e-13)
        for name, link in description.links.items():
            body = engine.body(link.body).id
            assert_agree(state.position(name), data.xpos[body], 1e-13)
            assert_agree(state.rotation(name), data.xmat[body].reshape(3, 3), 1e-13)
            mujoco.mj_jacBody(engine, data, jacobian[:3], jacobian[3:], body)
            assert np.abs(state.jacobian(name) - jacobian).max() < 1e-13 * (1.0 + np.abs(jacobian).max())
        for name, frame in description.frames.items():
            site = engine.site(frame.site).id
            assert_agree(state.position(name), data.site_xpos[site], 1e-13)
            assert_agree(state.rotation(name), data.site_xmat[site].reshape(3, 3), 1e-13)


@ALL
def test_the_jacobian_is_the_derivative_of_the_pose(text: str, floating: bool, tmp_path: Path) -> None:
    model = model_of(text, tmp_path, floating=floating)
    for q, v in random_states(model, 3):
        before, after = (model.at(moved(model, q, v, side * STEP), v) for side in (-1, 1))
        state = model.at(q, v)
        for frame in model.frames:
            velocity = state.jacobian(frame) @ v
            np.testing.assert_allclose(state.velocity(frame), velocity, atol=1e-13 * (1 + np.abs(velocity).max()))
            linear = (after.position(frame) - before.position(frame)) / (2 * STEP)
            np.testing.assert_allclose(velocity[:3], linear, atol=1e-8)
            spin = (after.rotation(frame) - before.rotation(frame)) / (2 * STEP) @ state.rotation(frame).T
            np.testing.assert_allclose(velocity[3:], [spin[2, 1], spin[0, 2], spin[1, 0]], atol=1e-8)
            drift = (after.velocity(frame) - before.velocity(frame)) / (2 * STEP)
            np.testing.assert_allclose(state.drift(frame), drift, atol=1e-7)


@ALL
def test_the_mass_matrix_is_that_of_the_kinetic_energy(text: str, floating: bool, tmp_path: Path) -> None:
    """T = 1/2 v' M v is the energy of all links, each by itself, and of the rotors."""
    model = model_of(text, tmp_path, floating=floating)
    for q, v in random_states(model, 5):
        state = model.at(q, v)
        matrix = state.mass_matrix
        np.testing.assert_array_equal(matrix, matrix.T)
        assert np.linalg.eigvalsh(matrix).min() > 0.0
        energy = 0.5 * float(model.armature @ v**2)
        momentum = np.zeros(3)
        for name, link in model.links.items():
            turn, twist = state.rotation(name), state.velocity(name)
            speed = twist[:3] + np.cross(twist[3:], turn @ link.com)
            energy += 0.5 * link.mass * speed @ speed + 0.5 * twist[3:] @ turn @ link.inertia @ turn.T @ twist[3:]
            momentum += link.mass * speed
        assert 0.5 * v @ matrix @ v == pytest.approx(energy, rel=1e-12)
        np.testing.assert_allclose(state.momentum[:3], momentum, atol=1e-12 * np.abs(momentum).max() + 1e-13)


@ALL
def test_bias_forces_keep_the_energy(text: str, floating: bool, tmp_path: Path) -> None:
    """Held at a steady v by f = h, a robot gains per second what f does to it: d/dt (T + V) = v . h."""
    model = model_of(text, tmp_path, floating=floating)

    def energy(q: np.ndarray, v: np.ndarray) -> float:
        state = model.at(q, v)
        return 0.5 * v @ state.mass_matrix @ v + model.mass * model.gravity * state.center_of_mass[2]

    for q, v in random_states(model, 3):
        before, after = (energy(moved(model, q, v, side * STEP), v) for side in (-1, 1))
        power = v @ model.at(q, v).bias
        assert (after - before) / (2 * STEP) == pytest.approx(power, rel=1e-6, abs=1e-6)


@ALL
def test_gravity_is_the_bias_at_rest(text: str, floating: bool, tmp_path: Path) -> None:
    model = model_of(text, tmp_path, floating=floating)
    for q, v in random_states(model, 3):
        np.testing.assert_allclose(model.at(q, v).gravity, model.at(q).bias, atol=1e-13 * model.mass * model.gravity)


@pytest.mark.parametrize(("text", "floating"), FLOATING.values(), ids=list(FLOATING))
def test_momentum_changes_by_outer_forces_only(text: str, floating: bool, tmp_path: Path) -> None:
    """A floating robot without gravity: whatever its joints do, M v' = f - h leaves both momenta as they are."""
    model = model_of(text, tmp_path, floating=floating, gravity=0.0)
    assert model.base_joint is not None
    base = model.base_joint.velocity_index
    random = np.random.default_rng(3)
    for q, v in random_states(model, 3):
        state, forces = model.at(q, v), random.normal(size=model.nv)
        forces[base : base + 6] = 0.0
        for name in model.joints:
            if model.joint(name).kind == "floating":  # of another tree
                forces[model.velocity_index(name) :][:6] = 0.0
        matrix = state.mass_matrix - np.diag(model.armature)  # the spin of rotors is no momentum of links
        change = np.linalg.solve(matrix, forces - state.bias)
        before, after = (model.at(moved(model, q, v, side * STEP), v + side * STEP * change).momentum for side in (-1, 1))
        np.testing.assert_allclose((after - before) / (2 * STEP), 0.0, atol=1e-6 * (1.0 + np.abs(change).max()))
