"""Rigid bodies against closed forms, conservation laws and the order of the integrator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

# NASA's tumbling brick (check case 2 of NESC-RP-12-00770): moments of inertia in slug ft^2, and one of those in kg m^2
SLUG_FT2 = 1.3558179483314004
MOMENTS = np.array([0.002568, 0.008421, 0.009755]) * SLUG_FT2
RATES = np.deg2rad([10.0, 20.0, 30.0])

BRICK = f"""<mujoco><worldbody><body name="brick"><freejoint name="free"/>
  <inertial pos="0 0 0" mass="2.267962" diaginertia="{MOMENTS[0]:.17g} {MOMENTS[1]:.17g} {MOMENTS[2]:.17g}"/>
  <geom type="box" size=".05 .1 .02" contype="0" conaffinity="0" mass="0"/></body></worldbody></mujoco>"""


def _rotation(quaternions: np.ndarray) -> np.ndarray:
    """Rotation matrices [n, 3, 3] of unit quaternions [n, 4], w first."""
    w, x, y, z = quaternions.T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


def _columns(log: Any, name: str, axes: str) -> np.ndarray:
    return np.column_stack([log[f"{name}.{axis}"].values for axis in axes])


def test_a_torque_free_tumbling_brick_keeps_its_energy_and_angular_momentum(make_twin: Any) -> None:
    twin = make_twin(
        BRICK,
        world={"step": 0.002, "integrator": "rk4", "gravity": 0.0},
        start={"angular_velocity": RATES.tolist()},
    )
    log = twin.simulate().run(30.0)
    rates = _columns(log, "truth.angular_velocity", "xyz")
    turned = _rotation(_columns(log, "truth.orientation", "wxyz"))
    energy = 0.5 * np.sum(MOMENTS * rates**2, axis=1)
    momentum = np.einsum("nij,nj->ni", turned, MOMENTS * rates)
    energy_drift = np.abs(energy / energy[0] - 1.0).max()
    momentum_drift = np.linalg.norm(momentum - momentum[0], axis=1).max() / np.linalg.norm(momentum[0])
    print(f"energy {energy_drift:.2e}, angular momentum {momentum_drift:.2e}")
    # RK4 at h = 2 ms and 0.65 rad/s: (w h)^4 w T / 120 = 5e-13; rounding of 15,000 steps at worst 3e-12. Both lie
    # under the 1e-10 asked for, and the middle axis is not spared: the brick tumbles (its rates change sign).
    assert energy_drift < 1e-10
    assert momentum_drift < 1e-10
    assert np.ptp(rates, axis=0).min() > 0.1


def _observed_orders(final: Callable[[float], np.ndarray], step: float) -> np.ndarray:
    """Orders of convergence between four steps, each half of the one before, against a Richardson reference."""
    fine, finest = final(step / 32), final(step / 64)
    reference = finest + (finest - fine) / 15.0  # removes the fourth-order error of the finest
    errors = [np.abs(final(step / 2**n) - reference).max() for n in range(4)]
    return np.log2(np.divide(errors[:-1], errors[1:]))


def test_the_attitude_of_a_free_body_converges_with_fourth_order(make_twin: Any) -> None:
    def final(step: float) -> np.ndarray:
        twin = make_twin(
            BRICK,
            world={"step": step, "integrator": "rk4", "gravity": 0.0},
            start={"angular_velocity": [3.0, 6.0, -4.0]},
        )
        simulation = twin.simulate()
        simulation.run(1.28)
        return np.concatenate([simulation.data.qpos[3:7], simulation.data.qvel[3:6]])

    orders = _observed_orders(final, 0.02)
    print("orders of the attitude", orders)
    np.testing.assert_allclose(orders, 4.0, atol=0.3)


FLYER = """<mujoco><worldbody><body name="body"><freejoint name="free"/>
  <inertial pos="0 0 0" mass="0.8" diaginertia="0.004 0.006 0.008"/>
  <geom type="box" size=".1 .1 .02" mass="0"/><site name="hub" pos=".01 .02 .05" euler="0 -90 0"/></body>
  </worldbody></mujoco>"""


def test_forces_that_depend_on_the_state_converge_with_fourth_order(make_twin: Any) -> None:
    """Drag in a wind that grows with height, and a rotor with lag: only a law asked in every stage gives order 4.

    The rotor has no inflow: that has bends, at stall and at the vortex ring, and no fourth order across them.
    """

    def final(step: float) -> np.ndarray:
        twin = make_twin(
            FLYER,
            world={
                "step": step, "integrator": "rk4",
                "wind": {"speed": 5.0, "direction": 0.7, "exponent": 0.28, "up": 0.3},
            },
            parts={
                "rotor": {
                    "kind": "rotor", "link": "hub", "direction": 1, "thrust_coefficient": 2e-5,
                    "flapping_moment": 2e-6, "speed_per_input": 900.0, "time_constant": 0.1,
                },
                "drag": {"kind": "body_drag", "link": "hub", "area_x": 0.05, "area_y": 0.02, "area_z": 0.1},
            },
            start={"position": [0, 0, 20], "velocity": [3, 1, -2], "angular_velocity": [1, 2, -1]},
            scenarios={"fly": {"stimuli": [{"target": "inputs.rotor", "kind": "constant", "value": 0.7}]}},
        )  # fmt: skip
        simulation = twin.simulate(scenario="fly")
        simulation.run(0.64)
        return np.concatenate([simulation.data.qpos, simulation.data.qvel, simulation.data.act / 600.0])

    orders = _observed_orders(final, 0.02)
    print("orders with state-dependent forces", orders)
    np.testing.assert_allclose(orders, 4.0, atol=0.3)


def test_a_heavy_top_precesses_steadily_at_the_closed_form_rate(make_twin: Any) -> None:
    """Steady precession W of a symmetric top at tilt a: I1 W^2 cos a - I3 w3 W + m g l = 0 (slow root)."""
    mass, length, gravity, tilt, spin, seconds, step = 0.5, 0.06, 9.81, 0.6, 100.0, 2.0, 0.0002
    axial, across = 5e-4, 3e-4  # [kg m^2] about the centre of mass
    about_pivot = across + mass * length**2
    twin = make_twin(
        f"""<mujoco><worldbody><body name="top"><joint name="tip" type="ball"/>
          <inertial pos="0 0 {length}" mass="{mass}" diaginertia="{across} {across} {axial}"/></body>
          </worldbody></mujoco>""",
        world={"step": step, "integrator": "rk4", "gravity": gravity},
    )
    b = axial * spin
    precession = (b - np.sqrt(b**2 - 4 * about_pivot * mass * gravity * length * np.cos(tilt))) / (
        2 * about_pivot * np.cos(tilt)
    )
    simulation = twin.simulate()
    simulation.data.qpos[:] = [np.cos(tilt / 2), np.sin(tilt / 2), 0, 0]
    # rate in the body's frame: precession about the world's vertical and the rest of the spin about its own axis
    simulation.data.qvel[:] = [0, precession * np.sin(tilt), spin]
    log = simulation.run(seconds)
    axis = _rotation(_columns(log, "truth.orientation", "wxyz"))[:, :, 2]
    turned = np.unwrap(np.arctan2(axis[:, 1], axis[:, 0]))
    expected = -np.pi / 2 + precession * log["truth.orientation.w"].time
    print("precession", precession, "rad/s; worst error", np.abs(turned - expected).max(), "rad")
    # RK4 turns a vector that rotates at w by (w h)^5 / 120 too little per step: (w h)^4 w T / 120 = 2.7e-7 rad
    bound = (spin * step) ** 4 * spin * seconds / 120
    assert precession * seconds > 1.0  # a good part of a turn
    np.testing.assert_allclose(turned, expected, atol=bound)
    np.testing.assert_allclose(np.arccos(axis[:, 2]), tilt, atol=bound)


def test_a_reaction_wheel_turns_a_free_body_the_other_way(make_twin: Any) -> None:
    """Angular momentum of body and wheel together stays zero: J_wheel (w_body + w_wheel) + J_body w_body = 0."""
    twin = make_twin(
        """<mujoco><worldbody><body name="body"><freejoint name="free"/>
          <inertial pos="0 0 0" mass="2" diaginertia=".1 .1 .2"/>
          <body name="wheel"><joint name="axle" axis="0 0 1"/>
          <inertial pos="0 0 0" mass=".1" diaginertia=".001 .001 .002"/></body></body></worldbody>
          <actuator><motor name="motor" joint="axle"/></actuator></mujoco>""",
        world={"step": 0.001, "integrator": "rk4", "gravity": 0.0},
        scenarios={"spin": {"stimuli": [{"target": "inputs.motor", "kind": "constant", "value": 0.05}]}},
    )
    simulation = twin.simulate(scenario="spin")
    simulation.run(1.0)
    body, wheel = simulation.data.qvel[5], simulation.data.qvel[6]
    # constant torque: d(w_wheel)/dt = torque (1/J_wheel + 1/J_body); RK4 is exact for it, 1000 roundings at worst
    assert wheel == pytest.approx(0.05 * (1 / 0.002 + 1 / 0.2), rel=1e-12)
    assert 0.002 * (body + wheel) + 0.2 * body == pytest.approx(0.0, abs=1e-12 * 0.002 * wheel)


def test_a_pendulum_of_large_amplitude_swings_with_the_elliptic_period(make_twin: Any) -> None:
    length, gravity, start, step = 0.6, 9.81, 2.5, 0.001
    twin = make_twin(
        f"""<mujoco><worldbody><body name="bob"><joint name="hinge" axis="0 1 0"/>
          <inertial pos="0 0 -{length}" mass="1.3" diaginertia="1e-9 1e-9 1e-9"/></body></worldbody></mujoco>""",
        world={"step": step, "integrator": "rk4", "gravity": gravity},
        start={"joints": {"hinge": start}},
    )
    natural = np.sqrt(1.3 * gravity * length / (1.3 * length**2 + 1e-9))
    parameter = np.sin(start / 2) ** 2
    period = 4 * ellipk(parameter) / natural
    seconds = round(2 * period, 2)
    angle = twin.simulate().run(seconds)["joints.hinge.position"]
    sine = ellipj(ellipk(parameter) - natural * angle.time, parameter)[0]
    expected = 2 * np.arcsin(np.sin(start / 2) * sine)
    print(f"period {period:.6f} s; worst error {np.abs(angle.values - expected).max():.2e} rad")
    # local error of RK4 h^5 |theta^(5)| / 120 with |theta^(5)| <= 16 w^5 here (w = 4.04, amplitude 2.5 rad), summed
    # over the run and carried on as an error of speed: (w h)^4 w T 16 / 120 (1 + w T) = 1.2e-8 rad
    travelled = natural * seconds
    np.testing.assert_allclose(
        angle.values, expected, atol=(natural * step) ** 4 * travelled * 16 / 120 * (1 + travelled)
    )
    crossings = np.flatnonzero(np.diff(np.sign(angle.values)))
    assert len(crossings) == 4  # two whole swings


def test_a_mass_on_a_spring_is_a_cosine(make_twin: Any) -> None:
    mass, stiffness, start, step, seconds = 0.4, 250.0, 0.05, 0.001, 5.0
    twin = make_twin(
        f"""<mujoco><worldbody><body name="cart"><joint name="slide" type="slide" axis="1 0 0" stiffness="{stiffness}"/>
          <inertial pos="0 0 0" mass="{mass}" diaginertia="1 1 1"/></body></worldbody></mujoco>""",
        world={"step": step, "integrator": "rk4"},
        start={"joints": {"slide": start}},
    )
    place = twin.simulate().run(seconds)["joints.slide.position"]
    w = np.sqrt(stiffness / mass)
    # RK4 on x'' = -w^2 x lags by (w h)^5/120 rad and shrinks by (w h)^6/144 a step: the lag is all, 4e-7 rad in 5 s
    lag = (w * step) ** 4 * w * seconds / 120
    error = np.abs(place.values - start * np.cos(w * place.time)).max()
    print(f"spring: error {error / start:.2e} of the amplitude, predicted lag {lag:.2e} rad")
    assert error <= 1.01 * lag * start
    assert error >= 0.5 * lag * start  # the error is the integrator's, not a rounding that hides a wrong frequency
