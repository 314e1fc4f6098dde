"""The tables of a model, its shapes, what it refuses, and that nothing which a run sets changes it."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from described import EVERY_JOINT, model_of, urdf_tree

import didymos
from didymos.control import Robot, Values
from didymos.errors import InputError
from didymos.twin import Twin

ARM = """<robot name="arm">
  <link name="stand"/>
  <link name="limb"><inertial><origin xyz=".2 0 0"/><mass value="1.5"/>
    <inertia ixx=".01" iyy=".02" izz=".02" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz=".2 0 0" rpy="0 1.5707963267948966 0"/>
      <geometry><cylinder radius=".05" length=".4"/></geometry></collision>
    <collision><origin xyz=".4 0 0"/><geometry><sphere radius=".06"/></geometry></collision>
    <visual><geometry><box size="1 1 1"/></geometry></visual>
  </link>
  <link name="tool"/>
  <link name="finger"><inertial><mass value=".1"/>
    <inertia ixx=".001" iyy=".001" izz=".001" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="pivot" type="revolute"><parent link="stand"/><child link="limb"/><axis xyz="0 2 0"/>
    <limit lower="-1.5" upper="2" effort="30" velocity="4"/></joint>
  <joint name="flange" type="fixed"><parent link="limb"/><child link="tool"/><origin xyz=".4 0 0"/></joint>
  <joint name="grip" type="prismatic"><parent link="tool"/><child link="finger"/><axis xyz="0 0 1"/>
    <mimic joint="pivot" multiplier="0.1"/><limit lower="0" upper="0.04" effort="9" velocity="1"/></joint>
</robot>"""


def test_tables_by_name(tmp_path: Path) -> None:
    model = model_of(ARM, tmp_path)
    assert (model.root, model.floating, model.nq, model.nv) == ("stand", False, 2, 2)
    assert model.joints == ("pivot", "grip")
    assert model.frames == ("stand", "limb", "tool", "finger")
    assert model.mass == pytest.approx(1.6)
    pivot = model.joint("pivot")
    assert (pivot.kind, pivot.parent, pivot.child, pivot.position_index, pivot.nv) == ("revolute", "stand", "limb", 0, 1)
    np.testing.assert_array_equal(pivot.axis, [0.0, 1.0, 0.0])
    np.testing.assert_array_equal([model.lower, model.upper], [[-1.5, 0.0], [2.0, 0.04]])
    np.testing.assert_array_equal([model.effort, model.velocity], [[30.0, 9.0], [4.0, 1.0]])
    assert {name: (link.parent, link.joints) for name, link in model.links.items()} == {
        "stand": (None, ()), "limb": ("stand", ("pivot",)), "tool": ("limb", ()), "finger": ("tool", ("grip",)),
    }  # fmt: skip
    assert (model.position_index("grip"), model.velocity_index("grip"), model.frame("tool")) == (1, 1, 2)
    assert model.left_out == ("a coupling of joints between 'grip' and 'pivot'",)


def test_tables_of_a_robot_with_every_joint(tmp_path: Path) -> None:
    model = model_of(EVERY_JOINT, tmp_path)
    assert model.floating
    assert model.base_joint is not None
    assert (model.base_joint.name, model.base_joint.position_index) == ("root", 0)
    assert model.joints == ("lift", "pan", "tilt", "swivel", "wag", "loose")
    assert model.link("shoulder").joints == ("lift", "pan", "tilt")
    kinds = {name: model.joint(name).kind for name in ("lift", "pan", "swivel", "loose")}
    assert kinds == {"lift": "prismatic", "pan": "continuous", "swivel": "ball", "loose": "floating"}
    assert (model.position_index("swivel"), model.joint("swivel").nq, model.position_index("wag")) == (10, 4, 14)
    assert (model.velocity_index("swivel"), model.joint("swivel").nv, model.velocity_index("wag")) == (9, 3, 12)
    np.testing.assert_array_equal(model.armature[model.velocity_index("pan")], 0.02)
    np.testing.assert_array_equal(model.at(model.reference).position("corner"), [1.0, 2.0, 3.0])


def test_shapes_are_those_that_touch(tmp_path: Path) -> None:
    cylinder, sphere = model_of(ARM, tmp_path).shapes
    assert (cylinder.link, cylinder.kind, sphere.link, sphere.kind) == ("limb", "cylinder", "limb", "sphere")
    np.testing.assert_allclose(cylinder.size, [0.05, 0.2])
    np.testing.assert_allclose(sphere.support(np.array([0.0, 0.0, -2.0])), [0.4, 0.0, -0.06], atol=1e-15)
    np.testing.assert_allclose(cylinder.support(np.array([0.1, 0.0, -1.0])), [0.4, 0.0, -0.05], atol=1e-15)
    np.testing.assert_allclose(cylinder.support(np.array([-0.1, 0.0, 1.0])), [0.0, 0.0, 0.05], atol=1e-15)


@pytest.mark.parametrize(
    ("geom", "furthest"),
    [
        ('type="box" size=".1 .2 .3"', [0.1, -0.2, 0.3]),
        ('type="ellipsoid" size=".3 .4 .5"', np.array([0.09, -0.32, 1.0]) / np.sqrt(0.09 + 4 * 0.16 + 16 * 0.25)),
        ('type="capsule" size=".1 .2"', np.array([0.1, -0.2, 0.4]) / np.sqrt(21) + [0.0, 0.0, 0.2]),
    ],
)
def test_the_furthest_point_of_a_shape(geom: str, furthest: Any, tmp_path: Path) -> None:
    """Along (1, -2, 4); of an ellipsoid with half axes s that is s^2 n / |s n|."""
    if "ellipsoid" in geom:
        s, n = np.array([0.3, 0.4, 0.5]), np.array([1.0, -2.0, 4.0])
        furthest = s**2 * n / np.linalg.norm(s * n)
    text = f'<mujoco><worldbody><body name="b"><geom {geom} mass="1"/></body></worldbody></mujoco>'
    (shape,) = model_of(text, tmp_path).shapes
    np.testing.assert_allclose(shape.support(np.array([1.0, -2.0, 4.0])), furthest, atol=1e-15)


def test_a_mesh_has_the_corners_of_its_hull(tmp_path: Path) -> None:
    """A cube with a ninth point inside, away from the origin of its link; the engine keeps points as 32-bit numbers."""
    points = [f"{x} {y} {z}" for x in (0, 1) for y in (0, 1) for z in (0, 1)] + ["0.4 0.5 0.6"]
    text = f"""<mujoco><asset><mesh name="cube" vertex="{' '.join(points)}"/></asset><worldbody>
      <body name="b"><geom type="mesh" mesh="cube" mass="1" pos="0 0 .5" euler="0 0 90"/></body></worldbody></mujoco>"""
    (shape,) = model_of(text, tmp_path).shapes
    expected = [[-y, x, z + 0.5] for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    np.testing.assert_allclose(sorted(np.round(shape.vertices, 6).tolist()), sorted(expected), atol=1e-6)
    np.testing.assert_allclose(shape.support(np.array([1.0, 2.0, 3.0])), [0.0, 1.0, 1.5], atol=1e-6)


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda model: model.frame("tol"), "the model has no link or frame 'tol', did you mean 'tool'?"),
        (lambda model: model.at([0.0, 0.0]).jacobian("limb2"), "the model has no link or frame 'limb2', did you mean 'limb'?"),
        (lambda model: model.joint("gripp"), "the model has no movable joint 'gripp', did you mean 'grip'?"),
        (lambda model: model.joint("flange"), "the model has no movable joint 'flange'"),
        (lambda model: model.at([0.0]), r"q has the shape [1], this model takes [2]"),
        (lambda model: model.at([0.0, 0.0], np.zeros(3)), r"v has the shape [3], this model takes [2]"),
    ],
)
def test_what_it_does_not_know_it_says(ask: Any, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        ask(model_of(ARM, tmp_path))
    assert sentence in str(refused.value)


def test_a_robot_too_large_is_refused_in_a_sentence(tmp_path: Path) -> None:
    inside = '<body><joint axis="1 0 0"/><geom size=".01" mass="1"/></body>' * 257
    with pytest.raises(InputError, match="257 moving bodies, and can have at most 256"):
        model_of(f"<mujoco><worldbody>{inside}</worldbody></mujoco>", tmp_path)


def test_a_robot_made_by_hand_has_none() -> None:
    with pytest.raises(InputError, match="no description to make a model of"):
        _ = Robot(inputs=(), measured=(), setpoints=()).model


class Hold(didymos.Controller):
    """Keeps the model that it was given, and a state of it."""

    rate = 1000

    def start(self, robot: Robot) -> None:
        self.model = robot.model
        self.state = self.model.at(self.model.reference)

    def update(self, t: float, measured: Values, setpoints: Values) -> dict[str, float]:
        self.state = self.model.at(*self.model.read(measured))
        return {}


def arm_twin() -> Twin:
    sensors = {"encoders": {"kind": "joints", "rate": 1000}}
    scenario = {"seconds": 0.01, "set": {"links.finger.mass": 5.0}}
    return Twin.from_urdf(ARM, sensors=sensors, scenarios={"loaded": scenario})


def test_nothing_that_is_set_changes_what_a_program_believes() -> None:
    """Not the mass of a link, not gravity, not a scenario's plant; of a twin, of its copies and of those sent elsewhere."""
    twin, changed = arm_twin(), arm_twin()
    changed.set_all({"links.limb.mass": 2.5, "world.gravity": 1.6, "joints.pivot.armature": 0.5})
    expected = twin.model.at([0.3, 0.01], [1.0, 2.0])
    simulation = changed.simulate(scenario="loaded", control=Hold())
    for model in (changed.model, changed.copy().model, pickle.loads(pickle.dumps(changed)).model, simulation.robot.model):
        state = model.at([0.3, 0.01], [1.0, 2.0])
        np.testing.assert_array_equal(state.mass_matrix, expected.mass_matrix)
        np.testing.assert_array_equal(state.bias, expected.bias)
    assert simulation.model.opt.gravity[2] == -1.6
    assert changed.model is changed.copy().model


def test_a_program_that_keeps_its_model_is_saved_reset_and_sent_elsewhere() -> None:
    simulation = arm_twin().simulate(control=Hold(), seed=3)
    simulation.run(0.005)
    saved = simulation.save()
    first = simulation.run(0.005).sha256
    simulation.restore(saved)
    assert simulation.run(0.005).sha256 == first
    elsewhere = pickle.loads(pickle.dumps(simulation))
    assert elsewhere.program.model.frames == simulation.robot.model.frames
    np.testing.assert_array_equal(elsewhere.program.state.mass_matrix, simulation.program.state.mass_matrix)  # type: ignore[union-attr]


def test_states_of_one_model_stand_side_by_side(tmp_path: Path) -> None:
    model = model_of(urdf_tree(4), tmp_path)
    one, other = model.at(model.reference), model.at(model.reference + 0.5)
    first = one.mass_matrix
    assert np.abs(other.mass_matrix - first).max() > 1e-3
    np.testing.assert_array_equal(one.mass_matrix, first)
    with pytest.raises(ValueError, match="read-only"):
        one.q[0] = 1.0
    assert copy.deepcopy(model) is model


def test_a_run_that_does_not_ask_makes_no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("somebody made a model")

    monkeypatch.setattr("didymos.describe.robot_model.robot_model", refuse)
    twin = arm_twin()
    twin.simulate().run(0.002)
    with pytest.raises(AssertionError, match="somebody made a model"):
        _ = twin.model
