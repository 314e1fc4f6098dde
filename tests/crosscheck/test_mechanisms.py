"""Mechanisms against pinocchio on Drake's reading of the same file; a wrong model and a wrong engine are told apart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import mujoco
import numpy as np
import pytest

import didymos
from didymos.crosscheck.findings import ENGINE, MODEL, TRAJECTORY
from didymos.crosscheck.libraries import require_engines
from didymos.crosscheck.mechanism_check import check_mechanism
from didymos.crosscheck.our_mechanism import OurMechanism, our_mechanism
from didymos.describe.bundled import bundled

require_engines()

BRIEF = 0.1  # [s] of motion where a test is about something else

# every kind of joint that is compared, with anchors, a reference, a spring, inertias off their axes
CHAIN = """<mujoco model="chain"><compiler angle="radian"/><worldbody>
  <body name="trunk" pos="0 0 1"><freejoint name="float"/><inertial pos="0.02 0.01 0" mass="2" diaginertia="0.02 0.03 0.04"/>
    <body name="arm" pos="0.1 0 0.2" euler="0.3 0.2 0.1"><joint name="shoulder" type="ball" pos="0.01 0.02 0.03" damping="0.01"/>
      <inertial pos="0 0.1 0" mass="0.5" fullinertia="0.003 0.002 0.004 0.0001 0.0002 0.0003"/>
      <body name="hand" pos="0 0.2 0">
        <joint name="wrist" axis="1 1 0" pos="0 0.05 0" ref="0.3" damping="0.02" armature="0.001" stiffness="0.2"
               springref="0.1"/>
        <inertial pos="0 0.03 0.01" mass="0.2" diaginertia="0.001 0.0012 0.0014" quat="0.9 0.1 0.2 0"/>
        <body name="finger" pos="0.02 0 0"><joint name="slider" type="slide" axis="0 0 1" damping="0.3"/>
          <inertial pos="0 0.03 0.01" mass="0.1" diaginertia="0.001 0.001 0.001"/></body>
      </body></body></body></worldbody></mujoco>"""


@pytest.mark.parametrize("name", bundled())
def test_a_bundled_mechanism_moves_as_in_pinocchio(name: str) -> None:
    found = check_mechanism(didymos.load(name))
    assert found.verdict == "agree"
    assert found.model_error <= MODEL
    assert found.engine is not None
    assert found.engine.largest <= ENGINE
    assert found.trajectory is not None
    assert found.trajectory.time[-1] == pytest.approx(5.0)
    assert found.trajectory.difference <= TRAJECTORY
    assert np.ptp(found.trajectory.theirs, axis=0).min() > 0.01  # everything moved


@pytest.mark.parametrize(("name", "order"), [("cepheus", 4), ("power_unit", 1)])
def test_half_the_step_costs_as_much_less_as_the_integrator_promises(name: str, order: int) -> None:
    motion = check_mechanism(didymos.load(name)).trajectory
    assert motion is not None
    assert np.log2(motion.own_step / motion.half_step) == pytest.approx(order, abs=0.2)


def test_balls_sliders_anchors_references_and_springs_agree() -> None:
    found = check_mechanism(didymos.Twin.from_urdf(CHAIN))
    assert found.verdict == "agree"
    assert found.freedoms == 6 + 3 + 1 + 1


@pytest.mark.parametrize("variant", ["belt", "hung"])
def test_what_parts_lend_to_joints_is_told_to_the_second_engine(variant: str) -> None:
    found = check_mechanism(didymos.load("meldog", variant=variant), seconds=BRIEF)
    assert found.verdict == "agree"
    assert "dry friction" in found.left_out


def test_a_number_set_by_hand_is_told_to_the_second_engine() -> None:
    twin = didymos.load("quadcopter")
    twin.set_all({"links.body_FLU.mass": 0.9, "joints.motor1_to_axle1.damping": 1e-6, "world.gravity": 3.7})
    assert check_mechanism(twin, seconds=BRIEF).verdict == "agree"


def _body_mass(ours: OurMechanism) -> None:
    ours.model.body_mass[ours.model.body("body_FLU").id] *= 1.0 + 1e-6


def _body_inertia(ours: OurMechanism) -> None:
    ours.model.body_inertia[ours.model.body("axle1").id] *= 1.0 + 1e-6


def _body_place(ours: OurMechanism) -> None:
    ours.model.body_pos[ours.model.body("axle1").id, 2] += 1e-6


def _axis(ours: OurMechanism) -> None:
    ours.model.jnt_axis[ours.model.joint("motor1_to_axle1").id] = 1.0, 1e-6, 0.0


def _gravity(ours: OurMechanism) -> None:
    ours.model.opt.gravity[2] *= 1.0 + 1e-6


def _damping(ours: OurMechanism) -> None:
    np.reshape(ours.model.dof_damping, (ours.model.nv, -1))[6, 0] += 1e-9


def _armature(ours: OurMechanism) -> None:
    ours.model.dof_armature[6] += 1e-12


@pytest.mark.parametrize(
    ("change", "verdict"),
    [
        (_body_mass, "model differs: link body_FLU mass"),
        (_body_inertia, "model differs: link axle1 inertia"),
        (_body_place, "model differs: link axle1 place in motor1"),
        (_axis, "model differs: joint motor1_to_axle1 axis"),
        (_gravity, "engine differs: gravity forces"),
        (_damping, "engine differs: damping and springs"),
        (_armature, "engine differs: mass matrix"),
    ],
)
def test_an_error_of_the_model_is_told_from_one_of_the_engine(change: Callable[[OurMechanism], None], verdict: str) -> None:
    twin = didymos.load("quadcopter")
    ours = our_mechanism(twin)
    change(ours)
    mujoco.mj_setConst(ours.model, mujoco.MjData(ours.model))
    found = check_mechanism(twin, ours=ours, seconds=BRIEF)
    assert found.verdict.startswith(verdict)
    assert found.agrees is False


def test_a_link_that_was_read_wrongly_is_named() -> None:
    twin = didymos.load("quadcopter")
    arm = twin.description.links["arm2"]
    twin.description.links["arm2"] = replace(arm, com=arm.com + np.array([0.0, 1e-6, 0.0]))
    found = check_mechanism(twin, seconds=BRIEF)
    assert found.verdict.startswith("model differs: link arm2 centre of mass")
    assert len(found.differences) == 1


@pytest.mark.parametrize(("name", "scenario"), [("meldog", "stand"), ("quadcopter", "climb")])
def test_forces_along_a_run_are_what_its_accelerations_take(name: str, scenario: str) -> None:
    found = check_mechanism(didymos.load(name), scenario=scenario, seconds=BRIEF)
    assert found.verdict == "agree"
    assert found.replay is not None
    assert found.replay.residual <= ENGINE
    assert found.replay.states >= 400


def test_a_run_in_another_gravity_is_found_out() -> None:
    from didymos.crosscheck.replay import compare_replay
    from didymos.crosscheck.rigid_bodies import RigidBodies
    from didymos.crosscheck.source_reading import read_source

    twin = didymos.load("quadcopter")
    other = didymos.load("quadcopter")
    other.set("world.gravity", 9.81 * (1.0 + 1e-6))
    theirs = RigidBodies(other, read_source(other.description_file), our_mechanism(other))
    found = compare_replay(twin, theirs, "climb", seed=0)
    assert not found.agrees
    most, least = 4.6, 1.0  # thrust to weight of the twin, and what it takes to climb
    assert 1e-6 * 9.81 / (10.0 + most * 9.81) < found.residual < 1e-6 * 9.81 / (10.0 + least * 9.81)


def test_a_scenario_that_changes_masses_is_refused() -> None:
    with pytest.raises(didymos.InputError, match="changes masses, joints or gravity"):
        check_mechanism(didymos.load("omni_base"), scenario="changes", seconds=BRIEF)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('<joint name="j" type="planar"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>', "joint 'j' is planar"),
        ('<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>', "nothing in it moves"),
    ],
)
def test_what_cannot_be_compared_says_why(text: str, reason: str) -> None:
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    links = f'<link name="a">{inertial}</link><link name="b">{inertial}</link>'
    found = check_mechanism(didymos.Twin.from_urdf(f'<robot name="r">{links}{text}</robot>'))
    assert found.agrees is None
    assert found.verdict.startswith(f"not comparable: {reason}")
