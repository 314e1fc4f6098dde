"""Drawn numbers of the engine's model: compiled code sets those that grow in a straight line, as Python sets them."""

from __future__ import annotations

from typing import Any

import pytest

import didymos
from didymos.learning.draws import Kind

PENDULUM = """<robot name="pendulum">
  <link name="stand"/>
  <link name="arm"><inertial><origin xyz="0 0 -0.3"/><mass value="0.5"/>
    <inertia ixx="0.02" iyy="0.02" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="swing" type="revolute"><parent link="stand"/><child link="arm"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="5" velocity="10"/></joint>
</robot>"""
MOTOR = {"kind": "servo", "link": "stand", "joint": "swing", "kp": 20.0, "kd": 1.0, "friction": 0.1}
ENCODER = {"encoder": {"kind": "joints", "rate": 100}}


def test_frictions_that_are_drawn_are_those_that_python_sets() -> None:
    """Drives and floors: numbers of the engine's model, set by compiled code when an episode begins (`model_numbers.py`)."""
    draws = {"world.friction_scale": [0.6, 1.0], "parts.???.coulomb": {"uniform": [0.5, 2.0], "scale": True}}
    envs = didymos.make_vec_env("meldog", 2, "trot", randomize=draws, seed=4)
    assert all(item.kind != Kind.PYTHON for item in envs.batch.bound.drawn)
    for _ in range(2):
        envs.reset()
        for i, simulation in enumerate(envs.batch.simulations):
            drawn = zip(envs.batch.bound.drawn, envs.batch.rows.drawn[i], strict=True)
            values = {item.path: float(value) for item, value in drawn if not item.path.startswith("start.")}
            other = didymos.load("meldog").simulate()
            other.set_all(values)
            for name in ("dof_frictionloss", "dof_damping", "dof_armature", "geom_friction"):
                assert getattr(simulation.model, name) == pytest.approx(getattr(other.model, name), rel=1e-12)
            numbers = simulation.built.assembly.numbers
            assert all(simulation.model.numeric_data[numbers[path]] == values[path] for path in values if path in numbers)
    envs.close()


@pytest.mark.parametrize(
    ("draws", "by_python"),
    [
        ({"parts.motor.friction": [0.1, 0.2]}, set()),
        ({"parts.motor.kd": [0.5, 2.0]}, set()),  # a number of the law, and a damping of the joint
        ({"parts.motor.armature": [0.01, 0.02]}, {"parts.motor.armature"}),  # constants of the engine hang on it
        ({"parts.motor.kd": [0.5, 2.0], "joints.swing.damping": [0.0, 0.1]}, {"parts.motor.kd", "joints.swing.damping"}),
        ({"joints.swing.damping": [0.1, 0.1]}, {"joints.swing.damping"}),  # no line through one point
        ({"links.arm.mass": [0.4, 0.6], "parts.motor.kp": [10.0, 30.0]}, {"links.arm.mass"}),
    ],
)
def test_what_is_no_line_of_its_own_is_left_to_python(draws: Any, by_python: set[str]) -> None:
    twin = didymos.Twin.from_urdf(PENDULUM, world={"step": 0.002}, parts={"motor": MOTOR}, sensors=ENCODER)
    envs = didymos.make_vec_env(twin, 1, randomize=draws)
    assert {item.path for item in envs.batch.bound.drawn if item.kind == Kind.PYTHON} == by_python
    envs.reset(seed=0)
    values = {item.path: float(value) for item, value in zip(envs.batch.bound.drawn, envs.batch.rows.drawn[0], strict=True)}
    other = twin.simulate()
    other.set_all(values)
    for name in ("dof_frictionloss", "dof_damping", "dof_armature", "body_mass"):
        assert getattr(envs.batch.simulations[0].model, name) == pytest.approx(getattr(other.model, name), rel=1e-12)
    envs.close()
