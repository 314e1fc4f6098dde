"""Arguments of a xacro file are parameters of the tree: setting one reads the description anew."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import pytest

from didymos.describe.twin import Twin
from didymos.errors import InputError
from didymos.studies.sweep import sweep

ARM = """<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="length" default="0.5"/><xacro:arg name="bob" default="${1 + 1}"/><xacro:arg name="tip" default="false"/>
  <link name="base"/>
  <link name="rod"><inertial><origin xyz="0 0 -$(arg length)"/><mass value="$(arg bob)"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/></joint>
  <xacro:if value="${$(arg length) &lt; 2}"><link name="cap"/>
    <joint name="glue" type="fixed"><parent link="rod"/><child link="cap"/></joint></xacro:if></robot>"""
LENGTH, BOB = "description.arguments.length", "description.arguments.bob"


@pytest.fixture(scope="module")
def arm(make_twin: Callable[..., Twin]) -> Twin:
    return make_twin(
        description={"file": "arm.urdf.xacro", "arguments": {"length": 0.4}},
        files={"arm.urdf.xacro": ARM},
        scenarios={"long": {"seconds": 0.1, "set": {LENGTH: 0.7}}, "plain": {"seconds": 0.1}},
    )


def test_numbers_are_parameters_given_or_by_default_and_other_arguments_are_not(arm: Twin) -> None:
    assert {path: arm.get(path) for path in arm.argument_paths} == {BOB: 2.0, LENGTH: 0.4}
    assert not arm.parameters[LENGTH].live


def test_an_argument_that_is_set_reaches_the_description_and_what_was_set_by_hand_stays(arm: Twin) -> None:
    twin = arm.copy()
    twin.set("links.rod.inertia.zz", 0.005)
    twin.set_all({LENGTH: 0.9, "links.rod.mass": 3.0})
    assert twin.get("links.rod.com.z") == -0.9
    assert twin.get("links.rod.mass") == 3.0
    twin.set(BOB, 7.0)
    assert (twin.get("links.rod.mass"), twin.get("links.rod.inertia.zz")) == (3.0, 0.005)
    assert (twin.description.links["rod"].mass, twin.get(LENGTH)) == (7.0, 0.9)
    assert twin.simulate(scenario="plain").model.body("rod").ipos[2] == pytest.approx(-0.9)
    assert arm.get("links.rod.com.z") == -0.4
    assert pickle.loads(pickle.dumps(twin)).get("links.rod.com.z") == -0.9


def test_a_description_that_cannot_be_read_leaves_the_twin_as_it_was(arm: Twin) -> None:
    twin = arm.copy()
    with pytest.raises(InputError):
        twin.set(BOB, -1.0)
    twin.set("links.cap.com.x", 0.1)
    with pytest.raises(InputError, match=r"links\.cap\.com\.x: was set, and with these arguments"):
        twin.set(LENGTH, 3.0)
    assert (twin.get(BOB), twin.get(LENGTH), twin.get("links.rod.com.z")) == (2.0, 0.4, -0.4)


def test_scenarios_and_sweeps_set_arguments_and_runs_do_not(arm: Twin) -> None:
    simulation = arm.simulate(scenario="long")
    assert simulation.model.body("rod").ipos[2] == pytest.approx(-0.7)
    with pytest.raises(InputError, match="cannot change during a run"):
        simulation.set(LENGTH, 0.5)
    by_hand = arm.copy()
    by_hand.set(LENGTH, 0.3)
    assert by_hand.simulate(scenario="long").model.body("rod").ipos[2] == pytest.approx(-0.3)
    trials = sweep(arm, {LENGTH: (0.2, 0.6)}, runs=2, scenario="plain", threads=1)
    assert sorted(trial.values[LENGTH] < 0.4 for trial in trials) == [False, True]


def test_what_a_program_believes_of_the_robot_is_as_the_files_have_it(arm: Twin) -> None:
    twin = arm.copy()
    before = twin.model
    twin.set(LENGTH, 0.9)
    assert twin.model is before
