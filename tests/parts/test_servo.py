"""The servo: its law by closed form, its limits, its damping that is solved implicitly, and where it stops being stable."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from laws import Law

from didymos.errors import RunError
from didymos.parts.servo import Servo, servo_is_stable

INERTIA = 0.2  # [kg m^2] about the hinge
STEP = 0.001  # [s]
HINGE = f"""<robot name="arm"><link name="base"/><link name="arm"><inertial><mass value="1"/>
  <inertia ixx="{INERTIA}" iyy="{INERTIA}" izz="{INERTIA}" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint></robot>"""
SLIDER = HINGE.replace("continuous", "prismatic").replace(
    '<axis xyz="0 0 1"/>', '<axis xyz="1 0 0"/><limit lower="-9" upper="9" effort="0" velocity="0"/>'
)
COMMAND = {"position": 0.0, "velocity": 0.0, "effort": 0.0, "stiffness_scale": 1.0, "damping_scale": 1.0}


def simulate(make_twin: Any, model: str = HINGE, integrator: str = "implicitfast", **servo: float) -> Any:
    return make_twin(
        model,
        world={"gravity": 0.0, "step": STEP, "integrator": integrator},
        parts={"motor": {"kind": "servo", "link": "arm", "joint": "hinge", **servo}},
    ).simulate()


def command(**values: float) -> dict[str, float]:
    return {f"motor.{name}": value for name, value in (COMMAND | values).items()}


def test_its_effort_is_the_sum_of_what_it_is_told_within_its_limits() -> None:
    law = Law(Servo, joint="j", kp=40.0, kd=3.0, effort_limit=25.0, velocity_limit=2.0)
    for q, v, target, speed, effort, s_p, s_d in np.random.default_rng(1).normal(size=(2000, 7)) * (1, 3, 1, 2, 9, 1, 1):
        s_p, s_d = abs(s_p), abs(s_d)
        told = {"position": target, "velocity": speed, "effort": effort, "stiffness_scale": s_p, "damping_scale": s_d}
        found = law(inputs=told, joint_position=q, joint_velocity=v, step=STEP, implicit=1.0)
        asked = s_p * 40.0 * (target - q) + s_d * 3.0 * speed
        asked = min(max(asked, -2.0 * 3.0 * s_d), 2.0 * 3.0 * s_d)
        wish = asked - s_d * 3.0 * v + effort
        assert found.readouts["effort"] == pytest.approx(min(max(wish, -25.0), 25.0), rel=1e-12, abs=1e-12)
        assert found.readouts["saturated"] == float(abs(wish) > 25.0)
        # the engine takes kd v away again: what is left at this instant is the effort
        assert found.joint_torque - 3.0 * v == pytest.approx(found.readouts["effort"], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("integrator", ["implicitfast", "rk4"])
@pytest.mark.parametrize("model", [HINGE, SLIDER], ids=["hinge", "slider"])
def test_a_step_is_that_of_the_damped_oscillator(make_twin: Any, model: str, integrator: str) -> None:
    """w = 20 / s and damping ratio 1/2, of an inertia, or a mass of 1 kg; an integrator of first order is off by about w h."""
    inertia = INERTIA if model is HINGE else 1.0
    w, zeta, t = 20.0, 0.5, 0.1
    simulation = simulate(make_twin, model, integrator, kp=w * w * inertia, kd=2.0 * zeta * w * inertia)
    simulation.step(command(position=0.3), seconds=t)
    wd = w * math.sqrt(1.0 - zeta * zeta)
    exact = 0.3 * (1.0 - math.exp(-zeta * w * t) * (math.cos(wd * t) + zeta * w / wd * math.sin(wd * t)))
    assert simulation.data.qpos[0] == pytest.approx(exact, abs=0.3 * (w * STEP if integrator == "implicitfast" else 1e-6))


@pytest.mark.parametrize("integrator", ["implicitfast", "rk4"])
def test_an_effort_moves_the_inertia_of_the_joint_and_nothing_else(make_twin: Any, integrator: str) -> None:
    """Damping that is lent to the engine and not asked for is given back: after a lag of h^2 kd / I = h / 4, v = tau t / I."""
    simulation = simulate(make_twin, integrator=integrator, kp=500.0, kd=0.25 * INERTIA / STEP)
    simulation.step(command(effort=2.0, stiffness_scale=0.0, damping_scale=0.0), seconds=0.4)
    assert simulation.data.qvel[0] == pytest.approx(2.0 * 0.4 / INERTIA, rel=0.001)
    before = float(simulation.data.qvel[0])
    simulation.step(command(effort=2.0, stiffness_scale=0.0, damping_scale=0.0), seconds=0.01)
    assert (simulation.data.qvel[0] - before) / 0.01 == pytest.approx(2.0 / INERTIA, rel=1e-9)


def test_half_of_its_damping_brakes_half_as_fast(make_twin: Any) -> None:
    kd = 2.0
    simulation = simulate(make_twin, kd=kd)
    simulation.step(command(velocity=1.0, stiffness_scale=0.0, damping_scale=0.5), seconds=0.2)
    assert simulation.data.qvel[0] == pytest.approx(1.0 - math.exp(-0.5 * kd * 0.2 / INERTIA), abs=0.5 * kd * STEP / INERTIA)


def test_it_reaches_the_velocity_that_it_is_told_and_no_more_than_its_limit(make_twin: Any) -> None:
    simulation = simulate(make_twin, kp=300.0, kd=20.0, velocity_limit=1.5)
    simulation.step(command(velocity=0.7, stiffness_scale=0.0), seconds=0.5)
    assert simulation.data.qvel[0] == pytest.approx(0.7, rel=1e-9)
    simulation.reset()
    simulation.step(command(position=100.0), seconds=0.5)
    assert simulation.data.qvel[0] == pytest.approx(1.5, rel=1e-9)


def test_a_load_is_held_where_the_stiffness_says_and_an_absurd_damping_does_no_harm(make_twin: Any) -> None:
    """kd h / I = 500, which no explicit law survives; the load sinks in with its time constant kd / kp = 2 ms."""
    simulation = simulate(make_twin, kp=5e7, kd=1e5)
    simulation.data.qfrc_applied[0] = 50.0
    simulation.step(command(position=0.2), seconds=0.05)
    assert simulation.data.qpos[0] == pytest.approx(0.2 + 50.0 / 5e7, abs=1e-9)


@pytest.mark.parametrize("integrator", ["implicitfast", "rk4"])
@pytest.mark.parametrize("damping", [0.0, 0.02, 0.5, 2.0])
def test_the_bound_of_stability_is_where_the_simulation_has_it(make_twin: Any, integrator: str, damping: float) -> None:
    """Two per cent on either side of the stiffness at which `servo_is_stable` changes its mind; `damping` is h kd / I."""
    kd = damping * INERTIA / STEP
    low, high = 0.0, 100.0 * INERTIA / STEP**2
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if servo_is_stable(middle, kd, INERTIA, STEP, integrator) else (low, middle)
    assert 0.5 < high * STEP**2 / INERTIA < 99.0
    for factor, stable in ((0.98, True), (1.02, False)):
        simulation = simulate(make_twin, integrator=integrator, kp=factor * high, kd=kd)
        simulation.reset(start={"joints.hinge": 1e-3})
        try:
            simulation.step(command(), seconds=1.0)
            grown = abs(simulation.data.qpos[0]) > 1.0
        except RunError:
            grown = True
        assert grown != stable


def test_a_joint_without_inertia_is_never_stable() -> None:
    assert not servo_is_stable(1.0, 1.0, 0.0, STEP)
