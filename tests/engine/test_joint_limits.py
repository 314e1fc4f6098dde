"""Effort and velocity limits of a description bind what parts drive, in every stage of a step."""

from __future__ import annotations

from typing import Any

import pytest

import didymos
from didymos.cli.main import main

INERTIA = 0.2  # [kg m^2] about the hinge
ARM = f"""<robot name="arm"><link name="base"/><link name="arm"><inertial><mass value="1"/>
  <inertia ixx="{INERTIA}" iyy="{INERTIA}" izz="{INERTIA}" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
  <limit effort="5" velocity="%s"/></joint></robot>"""


def _arm(make_twin: Any, velocity: float = 0.0, parts: int = 1, integrator: str = "rk4") -> Any:
    drive = {"kind": "joint_drive", "link": "arm", "joint": "hinge"}
    return make_twin(
        ARM % velocity,
        world={"gravity": 0.0, "step": 0.001, "integrator": integrator},
        parts={f"drive{i}": drive for i in range(parts)},
    )


@pytest.mark.parametrize("integrator", ["rk4", "implicitfast"])
def test_a_hundred_newton_metres_through_a_joint_for_five_are_five(make_twin: Any, integrator: str) -> None:
    """w = 5 t / I: with RK4 only where every stage is limited."""
    simulation = _arm(make_twin, integrator=integrator).simulate()
    for sign in (1.0, -1.0):
        simulation.reset()
        simulation.step({"drive0": 100.0 * sign}, seconds=0.4)
        assert simulation.data.qvel[0] == pytest.approx(sign * 5.0 * 0.4 / INERTIA, rel=1e-9)
    simulation.reset()
    simulation.step({"drive0": 3.0}, seconds=0.4)
    assert simulation.data.qvel[0] == pytest.approx(3.0 * 0.4 / INERTIA, rel=1e-9)


def test_the_sum_of_all_parts_is_limited_whatever_their_order(make_twin: Any) -> None:
    simulation = _arm(make_twin, parts=3).simulate()
    for torques, total in (((100.0, -98.0, 0.0), 2.0), ((-98.0, 0.0, 100.0), 2.0), ((4.0, 4.0, -1.0), 5.0)):
        simulation.reset()
        simulation.step({f"drive{i}": torque for i, torque in enumerate(torques)}, seconds=0.1)
        assert simulation.data.qvel[0] == pytest.approx(total * 0.1 / INERTIA, rel=1e-9)


def test_a_joint_is_not_driven_beyond_its_velocity_and_can_always_be_braked(make_twin: Any) -> None:
    """Constant torque within the fold-back: I dw/dt = 5 (1.05 v - w) / (0.05 v), so w nears 1.05 v and never passes it."""
    simulation = _arm(make_twin, velocity=2.0).simulate()
    simulation.step({"drive0": 100.0}, seconds=0.08)
    assert simulation.data.qvel[0] == pytest.approx(2.0, rel=1e-6)  # all of the torque until there
    simulation.step({"drive0": 100.0}, seconds=1.0)
    assert 2.0 < simulation.data.qvel[0] <= 2.1 * (1.0 + 1e-12)
    before = float(simulation.data.qvel[0])
    simulation.step({"drive0": -100.0}, seconds=0.01)
    assert simulation.data.qvel[0] == pytest.approx(before - 5.0 * 0.01 / INERTIA, rel=1e-9)


def test_limits_are_parameters_that_can_be_set_live_and_zero_takes_them_away(make_twin: Any) -> None:
    twin = _arm(make_twin)
    assert (twin.get("joints.hinge.effort"), twin.get("joints.hinge.velocity")) == (5.0, 0.0)
    simulation = twin.simulate()
    for effort, torque in ((7.0, 7.0), (0.0, 100.0), (6.0, 6.0)):
        simulation.reset()
        simulation.set("joints.hinge.effort", effort)
        simulation.step({"drive0": 100.0}, seconds=0.1)
        assert simulation.data.qvel[0] == pytest.approx(torque * 0.1 / INERTIA, rel=1e-9)


def test_what_is_not_driven_is_not_limited(make_twin: Any) -> None:
    simulation = _arm(make_twin).simulate()
    simulation.data.qfrc_applied[0] = 50.0  # somebody else's
    simulation.step({"drive0": 100.0}, seconds=0.1)
    assert simulation.data.qvel[0] == pytest.approx(55.0 * 0.1 / INERTIA, rel=1e-9)


def test_many_at_once_give_the_bits_of_one_alone(make_twin: Any) -> None:
    twin = _arm(make_twin, velocity=2.0)
    twin.file.scenarios.clear()
    runs = didymos.run_many(twin, seeds=[1, 2], values=[{"joints.hinge.effort": 5.0}, {"joints.hinge.effort": 2.0}], seconds=0.2)
    for run, effort in zip(runs, (5.0, 2.0), strict=True):
        alone = twin.copy()
        alone.set("joints.hinge.effort", effort)
        assert run.log.sha256 == alone.simulate(seed=run.seed).run(0.2).sha256


def test_a_joint_without_limits_gets_one_before_a_run_and_not_within(make_twin: Any) -> None:
    free = ARM.replace('<limit effort="5" velocity="%s"/>', "")
    drive = {"kind": "joint_drive", "link": "arm", "joint": "hinge"}
    twin = make_twin(free, world={"gravity": 0.0, "step": 0.001}, parts={"drive0": drive})
    simulation = twin.simulate()
    with pytest.raises(didymos.InputError, match="set it on the twin before"):
        simulation.set("joints.hinge.effort", 4.0)
    simulation.step({"drive0": 100.0}, seconds=0.1)
    assert simulation.data.qvel[0] == pytest.approx(100.0 * 0.1 / INERTIA, rel=1e-9)
    twin.set("joints.hinge.effort", 4.0)
    limited = twin.simulate()
    limited.step({"drive0": 100.0}, seconds=0.1)
    assert limited.data.qvel[0] == pytest.approx(4.0 * 0.1 / INERTIA, rel=1e-9)


def test_parts_of_one_joint_lose_in_proportion_each_on_its_own_belt(make_twin: Any) -> None:
    """30 N m over the belt and 10 N m without: the joint bears 8, of which 6 come over the belt and act on that joint as well."""
    inertia = '<mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    link = f'<link name="{{}}"><inertial>{inertia}</inertial></link>'
    joint = '<joint name="{}" type="continuous"><parent link="{}"/><child link="{}"/><axis xyz="0 0 1"/>{}</joint>'
    limit = '<limit effort="8" velocity="0"/>'
    robot = f"""<robot name="leg"><link name="base"/>{link.format("thigh")}{link.format("shank")}
      {joint.format("hip", "base", "thigh", "")}{joint.format("knee", "thigh", "shank", limit)}</robot>"""
    drive = {"kind": "joint_drive", "link": "shank", "joint": "knee"}
    twin = make_twin(robot, world={"gravity": 0.0}, parts={"over": {**drive, "belt": "hip"}, "direct": drive})
    simulation = twin.simulate()
    simulation.step({"over": 30.0, "direct": 10.0}, seconds=simulation.twin.get("world.step"))
    forces = {name: float(simulation.data.joint(name).qfrc_applied[0]) for name in ("hip", "knee")}
    assert forces == {"hip": pytest.approx(6.0, rel=1e-12), "knee": pytest.approx(8.0, rel=1e-12)}


@pytest.mark.parametrize("gear", [{}, {"gear_stiffness": 200.0, "gear_damping": 1.0}])
def test_friction_and_gear_of_a_drive_are_not_limited_its_motor_is(make_twin: Any, gear: dict[str, float]) -> None:
    """A motor of 1 N m behind 1:10 gives 10 N m. A limit of 10 takes nothing, not of the friction that is given back either; one
    of 5 leaves 5, less the Coulomb friction of 0.1 N m, once the spring has ceased to swing.
    """
    drive = {"kind": "drive", "link": "arm", "joint": "hinge", "ratio": 10.0, "kp": 1000.0, "peak_torque": 1.0}
    drive |= {"rotor_inertia": 1e-4, "coulomb": 0.01, "stribeck": 0.02, "stribeck_speed": 0.05, **gear}
    twin = make_twin(ARM % 0.0, world={"gravity": 0.0, "step": 0.0005, "integrator": "rk4"}, parts={"drive": drive})

    def gained(effort: float) -> float:
        twin.set("joints.hinge.effort", effort)
        simulation = twin.simulate()
        command = {"drive.position": 1000.0, "drive.kp_scale": 1.0, "drive.mode": 10.0, "drive.beat": 1.0}
        simulation.step(command, seconds=0.5)
        before = float(simulation.data.qvel[0])
        simulation.step(command, seconds=0.5)
        return float(simulation.data.qvel[0]) - before

    assert gained(10.0) == pytest.approx(gained(0.0), rel=1e-12)
    inertia = INERTIA if gear else INERTIA + 10.0**2 * 1e-4  # the joint's torque turns the rotor behind a rigid gear too
    assert gained(5.0) == pytest.approx((5.0 - 10.0 * 0.01) * 0.5 / inertia, rel=1e-6)


def test_a_part_that_asks_for_more_than_its_joint_bears_is_noted(make_twin: Any, capsys: pytest.CaptureFixture[str]) -> None:
    motor = {"kind": "joint_drive", "link": "arm", "joint": "hinge", "torque_constant": 0.5, "gear": 6.0}
    motor |= {"current_limit": 4.0, "speed_limit": 9.0}
    twin = make_twin(ARM % 3.0, parts={"drive0": motor})
    effort, velocity = (note.what for note in twin.notes if "asks for" in note.what)
    asks = "part 'drive0' asks for up to 12 N m (current_limit)"
    assert effort == f"{asks}, joint 'hinge' bears 5 (effort of its limits): the joint's limit holds"
    assert "9 rad/s (speed_limit), joint 'hinge' bears 3 (velocity of its limits)" in velocity
    assert main(["run", str(twin.folder), "--seconds", "0.01"]) == 0
    assert asks in capsys.readouterr().err
    twin.set_all({"joints.hinge.effort": 12.0, "joints.hinge.velocity": 0.0})
    assert not [note for note in twin.notes if "asks for" in note.what]
