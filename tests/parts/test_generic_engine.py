"""The generic engine: its closed form, the quadcopter's figures, its signs."""

from __future__ import annotations

import math
from typing import Any

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from laws import call

from didymos.parts.generic_engine import GenericEngine, thrust
from didymos.twin import load

QUAD = GenericEngine.spec(link="motor", direction=1, disc_area=0.017, efficiency=0.17, exit_speed=80.0).record()
RHO = 1.225


def test_full_static_thrust_of_the_quadcopters_engine() -> None:
    found = thrust(1.0, 0.0, RHO, QUAD)
    assert found == pytest.approx(0.5 * 1.225 * 0.017 * 0.17 * 80.0**2, rel=1e-15)
    assert found == pytest.approx(11.33, abs=0.005)  # as printed


def test_hover_input_of_the_quadcopter() -> None:
    """Four engines carry 1.0128 kg where u^2 = m g / (4 T(1))."""
    hover = np.sqrt(1.0128 * 9.81 / (4 * thrust(1.0, 0.0, RHO, QUAD)))
    assert hover == pytest.approx(0.468, abs=0.0005)
    assert 4 * thrust(hover, 0.0, RHO, QUAD) == pytest.approx(1.0128 * 9.81, rel=1e-14)
    assert 4 * thrust(1.0, 0.0, RHO, QUAD) / (1.0128 * 9.81) == pytest.approx(4.56, abs=0.005)


@given(throttle=st.floats(0, 1), speed=st.floats(0, 60), rho=st.floats(0.1, 1.5))
def test_thrust_is_what_the_thrown_air_gains(throttle: float, speed: float, rho: float) -> None:
    exact = 0.5 * rho * 0.017 * 0.17 * ((80.0 * throttle) ** 2 - speed**2)
    assert thrust(throttle, speed, rho, QUAD) == pytest.approx(exact, rel=1e-14, abs=1e-13)


@pytest.mark.parametrize("direction", [1.0, -1.0])
def test_a_closed_throttle_brakes_forward_and_backward(direction: float) -> None:
    brake = 0.5 * RHO * 0.017 * 0.17 * 400.0
    assert thrust(0.0, direction * 20.0, RHO, QUAD) == pytest.approx(-direction * brake, rel=1e-15)


def test_wind_across_the_axis_neither_pulls_nor_brakes() -> None:
    still, side = (
        call(GenericEngine, inputs={"throttle": 0.6}, air_velocity=v, direction=1, disc_area=0.02, exit_speed=30.0)
        for v in ((4.0, 0.0, 0.0), (4.0, 15.0, -8.0))
    )
    np.testing.assert_array_equal(side.force, still.force)


def test_a_dead_engine_that_moves_backward_comes_to_rest(make_twin: Any) -> None:
    """m dv/dt = -1/2 rho S |v| v from -5 m/s: v = v0 / (1 + |v0| t / l), l = 2 m / (rho S)."""
    twin = make_twin(
        BODY,
        world={"gravity": 0.0, "step": 0.001, "integrator": "rk4"},
        parts={"engine": {"kind": "generic_engine", "link": "body", "direction": 1, "disc_area": 1.0, "exit_speed": 30.0}},
        start={"velocity": [-5.0, 0.0, 0.0]},
    )
    log = twin.simulate().run(1.5)
    velocity = log["truth.velocity.x"]
    # RK4 at h |v0| / l = 0.003: (0.003)^4; the density is 1.22500 to 1.5e-8 of itself
    np.testing.assert_allclose(velocity.values, -5.0 / (1.0 + 5.0 * velocity.time * 1.225 / (2.0 * 1.01)), rtol=1e-6)


def test_the_quadcopter_with_dead_motors_falls_slower_than_in_a_vacuum() -> None:
    """Four discs of S C = 0.00289 m^2 brake 1.0128 kg: v = v_t tanh(g t / v_t), v_t = sqrt(2 m g / (4 rho S C))."""
    twin = load("quadcopter")
    twin.set_all({f"parts.motor{i}.health": 0.0 for i in range(1, 5)} | {f"parts.drag.area_{axis}": 0.0 for axis in "xyz"})
    twin.set("world.wind.speed", 0.0)
    simulation = twin.simulate(control=None)
    simulation.data.qpos[2] = 200.0
    log = simulation.run(5.0)
    rho = 1.207  # at 155 m, the mean height weighted with the squared speed; 1.5 % thinner above, denser below
    terminal = math.sqrt(2.0 * 1.0128 * 9.81 / (4.0 * rho * 0.017 * 0.17))
    fallen = -log["truth.velocity.z"].values[-1]
    assert fallen == pytest.approx(terminal * math.tanh(9.81 * 5.0 / terminal), rel=0.01)
    assert fallen < 9.81 * 5.0


BODY = """<mujoco><worldbody><body name="body"><freejoint name="free"/>
  <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
  <body name="axle"><joint name="shaft" axis="1 0 0"/><inertial pos="0 0 0" mass=".01" diaginertia="1e-5 1e-5 1e-5"/>
  </body></body></worldbody></mujoco>"""


@pytest.mark.parametrize("direction", [1, -1])
@pytest.mark.parametrize(("command", "throttle"), [(0.6, 0.6), (7.0, 1.0), (-2.0, 0.0)])
def test_the_airframe_feels_the_reaction_of_the_air_and_of_the_axle(
    make_twin: Any, direction: int, command: float, throttle: float
) -> None:
    engine = {
        "kind": "generic_engine", "link": "body", "joint": "shaft", "direction": direction, "disc_area": 0.02,
        "exit_speed": 30.0, "torque_coefficient": 2e-5, "spin_speed": 200.0, "axle_gain": 1e-3,
    }  # fmt: skip
    twin = make_twin(
        BODY,
        world={"gravity": 0.0, "step": 0.001, "integrator": "rk4"},
        parts={"engine": engine},
        scenarios={"go": {"stimuli": [{"target": "inputs.engine", "kind": "constant", "value": command}]}},
    )
    simulation = twin.simulate(scenario="go")
    log = simulation.run(0.01)
    air_torque = -direction * 2e-5 * (200.0 * throttle) ** 2
    axle_torque = 1e-3 * direction * 200.0 * throttle  # the axle stands still at first
    assert log["inputs.engine"].values[0] == throttle
    assert log["parts.engine.speed"].values[0] == direction * 200.0 * throttle
    expected_thrust = 0.5 * 1.225 * 0.02 * (30.0 * throttle) ** 2
    assert log["parts.engine.thrust"].values[0] == pytest.approx(expected_thrust, rel=1e-5)  # rho 1.22500 at height 0
    simulation.data.qpos[:] = simulation.model.qpos0
    simulation.data.qvel[:] = 0.0
    mujoco.mj_forward(simulation.model, simulation.data)  # the inputs are still those of the last tick
    rho = 1.225 * (1 + 1.5e-8)  # the atmosphere's own rounding of 1.225
    np.testing.assert_allclose(
        simulation.data.qfrc_applied,
        [0.5 * rho * 0.02 * (30.0 * throttle) ** 2, 0, 0, air_torque, 0, 0, axle_torque],
        rtol=1e-9,
        atol=1e-15,
    )


def test_the_torque_between_motor_and_axle_changes_no_total_momentum(make_twin: Any) -> None:
    engine = {
        "kind": "generic_engine", "link": "body", "joint": "shaft", "direction": 1, "disc_area": 0.02,
        "exit_speed": 30.0, "torque_coefficient": 0.0, "spin_speed": 200.0, "axle_gain": 1e-4,
    }  # fmt: skip
    twin = make_twin(
        BODY,
        world={"gravity": 0.0, "step": 0.001, "integrator": "rk4"},
        parts={"engine": engine},
        scenarios={"go": {"stimuli": [{"target": "inputs.engine", "kind": "constant", "value": 1.0}]}},
    )
    simulation = twin.simulate(scenario="go")
    simulation.run(2.0)
    body, axle = simulation.data.qvel[3], simulation.data.qvel[6]
    assert axle == pytest.approx(200.0, rel=1e-6)  # twenty time constants of J / gain = 0.1 s: e^-20 = 2e-9
    assert 1.0 * body + 1e-5 * (body + axle) == pytest.approx(0.0, abs=1e-12)
