"""Effort and velocity limits of a description bind what parts drive, in every stage of a step."""

from __future__ import annotations

from typing import Any

import pytest

import didymos

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
    for effort, torque in ((7.0, 7.0), (0.0, 100.0)):
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
