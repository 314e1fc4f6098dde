"""Models of mechanisms whose kinematics and dynamics are known in closed form."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from described import model_of

G = 9.80665
EPS = np.finfo(float).eps
ROUNDING = 64 * EPS  # some tens of operations on numbers around one

MASS, LENGTH, INERTIA = 0.7, 0.3, 0.002  # [kg], [m] to the centre of mass, [kg m^2] about it

PENDULUM = f"""<robot name="pendulum">
  <link name="stand"/>
  <link name="rod"><inertial><origin xyz="0 0 {-LENGTH}"/><mass value="{MASS}"/>
    <inertia ixx="{INERTIA}" iyy="{INERTIA}" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="tip"/>
  <joint name="hinge" type="continuous"><parent link="stand"/><child link="rod"/><axis xyz="0 1 0"/></joint>
  <joint name="end" type="fixed"><parent link="rod"/><child link="tip"/><origin xyz="0 0 -0.5"/></joint>
</robot>"""

L1, L2 = 0.4, 0.3  # [m] of both limbs
C1, C2 = 0.15, 0.1  # [m] to their centres of mass
M1, M2 = 1.5, 0.8  # [kg]
I1, I2 = 0.02, 0.006  # [kg m^2] about z, through the centres of mass

# x-y is the plane; gravity is along -y, for which the whole stands on its edge
TWO_LIMBS = f"""<mujoco><worldbody><body name="wall" euler="90 0 0">
  <body name="upper"><joint name="first" axis="0 0 1"/>
    <inertial pos="{C1} 0 0" mass="{M1}" diaginertia=".011 .012 {I1}"/>
    <body name="lower" pos="{L1} 0 0"><joint name="second" axis="0 0 1" armature="0.003"/>
      <inertial pos="{C2} 0 0" mass="{M2}" diaginertia=".004 .005 {I2}"/>
      <site name="tool" pos="{L2} 0 0"/>
    </body></body></body></worldbody></mujoco>"""


@pytest.mark.parametrize("angle", [0.0, 0.3, -2.0])
def test_a_pendulum(tmp_path: Path, angle: float) -> None:
    state = model_of(PENDULUM, tmp_path).at([angle], [1.7])
    sine, cosine = np.sin(angle), np.cos(angle)
    np.testing.assert_allclose(state.mass_matrix, [[INERTIA + MASS * LENGTH**2]], rtol=ROUNDING)
    np.testing.assert_allclose(state.gravity, [MASS * G * LENGTH * sine], atol=ROUNDING * G)
    np.testing.assert_allclose(state.bias, state.gravity, atol=ROUNDING * G)  # one freedom: no force of Coriolis
    np.testing.assert_allclose(state.position("tip"), [-0.5 * sine, 0.0, -0.5 * cosine], atol=ROUNDING)
    np.testing.assert_allclose(state.velocity("tip"), [-0.85 * cosine, 0, 0.85 * sine, 0, 1.7, 0], atol=ROUNDING)
    np.testing.assert_allclose(state.drift("tip"), [0.5 * 1.7**2 * sine, 0, 0.5 * 1.7**2 * cosine, 0, 0, 0], atol=ROUNDING)
    np.testing.assert_allclose(state.center_of_mass, [-LENGTH * sine, 0.0, -LENGTH * cosine], atol=ROUNDING)


def test_an_arm_of_two_limbs(tmp_path: Path) -> None:
    """Craig, Introduction to Robotics, 3rd edition, 6.7, with limbs that have an extent."""
    model = model_of(TWO_LIMBS, tmp_path)
    a, b, u, v = 0.4, 1.1, -0.9, 2.3
    state = model.at([a, b], [u, v])
    coupling = M2 * L1 * C2
    mass = np.array(
        [
            [I1 + I2 + M1 * C1**2 + M2 * (L1**2 + C2**2) + 2 * coupling * np.cos(b), I2 + M2 * C2**2 + coupling * np.cos(b)],
            [I2 + M2 * C2**2 + coupling * np.cos(b), I2 + M2 * C2**2 + 0.003],
        ]
    )
    coriolis = np.array([-coupling * np.sin(b) * (2 * u * v + v * v), coupling * np.sin(b) * u * u])
    weight = G * np.array([(M1 * C1 + M2 * L1) * np.cos(a) + M2 * C2 * np.cos(a + b), M2 * C2 * np.cos(a + b)])
    np.testing.assert_allclose(state.mass_matrix, mass, rtol=ROUNDING)
    np.testing.assert_allclose(state.mass_matrix - np.diag(model.armature), mass - np.diag([0.0, 0.003]), rtol=ROUNDING)
    np.testing.assert_allclose(state.gravity, weight, rtol=ROUNDING)
    np.testing.assert_allclose(state.bias, coriolis + weight, rtol=ROUNDING)
    along = np.array([-L1 * np.sin(a) - L2 * np.sin(a + b), -L2 * np.sin(a + b)])
    up = np.array([L1 * np.cos(a) + L2 * np.cos(a + b), L2 * np.cos(a + b)])
    jacobian = [along, [0, 0], up, [0, 0], [-1, -1], [0, 0]]  # the plane stands upright: its y is the world's z
    np.testing.assert_allclose(state.jacobian("tool"), jacobian, atol=ROUNDING)


def test_a_body_that_floats(tmp_path: Path) -> None:
    """Its own linear velocity along the world's axes, its rates along its own: Euler's equations stand there as they are."""
    text = """<mujoco><worldbody><body name="box"><freejoint/>
      <inertial pos="0 0 0" mass="2" diaginertia=".1 .2 .25"/></body></worldbody></mujoco>"""
    model = model_of(text, tmp_path)
    rates, inertia = np.array([0.7, -1.1, 0.4]), np.array([0.1, 0.2, 0.25])
    turn = np.array([0.5, 0.5, 0.5, 0.5])  # x to y, y to z, z to x
    state = model.at([1.0, 2.0, 3.0, *turn], [0.3, -0.2, 0.1, *rates])
    np.testing.assert_allclose(state.mass_matrix, np.diag([2, 2, 2, *inertia]), atol=ROUNDING)
    np.testing.assert_allclose(state.bias, [0, 0, 2 * G, *np.cross(rates, inertia * rates)], atol=ROUNDING * G)
    spin = (inertia * rates)[[2, 0, 1]]
    np.testing.assert_allclose(state.momentum, [0.6, -0.4, 0.2, *spin], atol=ROUNDING)
    np.testing.assert_allclose(state.velocity("box"), [0.3, -0.2, 0.1, *rates[[2, 0, 1]]], atol=ROUNDING)


def test_far_from_the_origin_no_digits_are_lost(tmp_path: Path) -> None:
    """Sums are about each body's own origin: a hundred kilometres away forces and Jacobians are the same to the bit."""
    text = """<mujoco><worldbody><body name="box"><freejoint/><geom type="box" size=".1 .1 .1" mass="2"/>
      <body name="arm" pos=".1 0 0"><joint name="elbow" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 .3 0 0" size=".02" mass="1"/>
      </body></body></worldbody></mujoco>"""
    model = model_of(text, tmp_path)
    v = np.linspace(-1.0, 1.0, model.nv)
    near = model.at([0, 0, 0, 1, 0, 0, 0, 0.5], v)
    far = model.at([131072.0, -131072.0, 0, 1, 0, 0, 0, 0.5], v)
    np.testing.assert_array_equal(far.bias, near.bias)
    np.testing.assert_array_equal(far.mass_matrix, near.mass_matrix)
    np.testing.assert_array_equal(far.jacobian("arm"), near.jacobian("arm"))
    np.testing.assert_array_equal(far.position("arm") - near.position("arm"), [131072.0, -131072.0, 0.0])
