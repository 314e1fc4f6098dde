"""The bundled quadcopter against the figures of its original."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest


def test_mass_centre_and_inertia_are_the_originals(quadcopter: Any) -> None:
    """Figures evaluated from MiliStefanos/last_letter_2 at 4b38993.

    Its rotor axes lean outward by pi/2 - 1.57 = 8e-4 rad, ours stand upright. So motor, axle and propeller sit further
    out there by that angle times their height above the motor's foot, which moves Izz by 3.04e-7 kg m^2 and Ixx by half
    of it. Ours also writes the axles' inertia along the axis that they have: 1e-9 kg m^2.
    """
    summary = quadcopter.summary()
    assert summary.mass == pytest.approx(0.6 + 4 * (0.072 + 0.03 + 0.0006 + 0.0006), rel=1e-14)
    np.testing.assert_allclose(summary.com, [0, 0, 0.00188270122], atol=1e-9)
    lean = np.pi / 2 - 1.57
    moved = 4 * 2 * 0.29 * lean * (0.03 * 0.005 + 0.0006 * 0.0115 + 0.0006 * 0.013)
    ours = np.array([0.010135459, 0.010135459, 0.0201581335]) - moved * np.array([0.5, 0.5, 1.0])
    np.testing.assert_allclose(np.diag(summary.inertia), ours, atol=2e-9)
    np.testing.assert_allclose(summary.inertia - np.diag(np.diag(summary.inertia)), 0.0, atol=1e-15)
    # and as printed: 1.0128 kg, 0.0019 m, 0.010136 and 0.020158 kg m^2 (rounded twice: one unit of the last digit)
    assert summary.mass == pytest.approx(1.0128, abs=5e-5)
    assert summary.com[2] == pytest.approx(0.0019, abs=5e-5)
    np.testing.assert_allclose(np.diag(summary.inertia), [0.010136, 0.010136, 0.020158], atol=1e-6)


def test_every_scenario_meets_its_expectations(quadcopter: Any) -> None:
    assert set(quadcopter.scenarios) >= {"hover", "climb", "attitude_steps", "side_wind"}
    for scenario in quadcopter.scenarios:
        simulation = quadcopter.simulate(scenario=scenario)
        verdicts = simulation.judge(simulation.run())
        assert verdicts
        assert all(verdict.ok for verdict in verdicts), (scenario, verdicts)


def test_without_feed_forward_the_height_sags_by_hover_over_kp(quadcopter: Any) -> None:
    """In equilibrium the input is hover = sqrt(m g / (4 T1)) = kp (z* - z): a sag of 0.4683 / 0.3 = 1.56 m.

    At 8 m the air is thinner by 8e-4, so the input is larger by half of that.
    """
    twin = quadcopter.copy()
    twin.set("control.gains.height.hover", 0.0)
    twin.set("world.wind.speed", 0.0)
    log = twin.simulate(scenario="climb").run(40.0)  # to 10 m
    sag = 10.0 - log["truth.position.z"].values[-1]
    hover = np.sqrt(1.0128 * 9.81 / (4 * 0.5 * 1.225 * 0.017 * 0.17 * 80.0**2))
    print(f"sag {sag:.4f} m, derived {hover / 0.3:.4f} m")
    assert hover / 0.3 == pytest.approx(1.56, abs=0.005)
    assert sag == pytest.approx(hover / 0.3 * (1 + 4e-4), rel=1e-4)


def test_it_still_hovers_on_noisy_sensors(quadcopter: Any) -> None:
    """Deviations of height and tilt from the closed loops' response to white noise: S / (2 * 2 zeta w * w^2).

    Height: the noise of the input is sqrt((kp 0.01)^2 + (kd 0.02)^2) = 0.0060; an input moves the acceleration by
    k = 2 g / 0.468 = 41.9 m/s^2; held for 2.5 ms, S = (0.25 m/s^2)^2 2.5 ms; 2 zeta w = k kd = 10.9 1/s and
    w^2 = k kp = 12.6 1/s^2: 0.75 mm. Roll likewise: k = 4 * 0.2051 m * 2 * 11.33 N * 0.468 / Ixx = 858 rad/s^2, so
    0.41 mrad.
    """
    twin = quadcopter.copy()
    noise = {"position": 0.01, "orientation": 0.005, "velocity": 0.02, "angular_velocity": 0.01}
    for quantity, deviation in noise.items():
        twin.set(f"sensors.state.{quantity}.noise", deviation)
    simulation = twin.simulate(scenario="hover", seed=4)
    log = simulation.run(110.0)
    assert all(verdict.ok for verdict in simulation.judge(log))
    late = slice(1000, None)
    height = log["truth.position.z"].values[late]
    roll = 2 * log["truth.orientation.x"].values[late]
    print(f"deviation of height {height.std() * 1e3:.3f} mm, of roll {roll.std() * 1e3:.3f} mrad")
    # The slow pole of the height is 1.32 1/s: 100 s hold n = 100 * 1.32 / 2 independent values, and five standard
    # errors of the deviation are 5 sqrt(1 / 2 n) = 43 %. The roll forgets faster.
    assert height.std() == pytest.approx(0.75e-3, rel=0.43)
    assert roll.std() == pytest.approx(0.41e-3, rel=0.43)


def test_the_body_turns_the_way_it_is_told(quadcopter: Any) -> None:
    """Signs end to end, forward-left-up: positive roll leans right, so it slides to -y; pitch nose down, to +x."""
    for angle, axis, sign in (("roll", "y", -1), ("pitch", "x", 1)):
        twin = quadcopter.copy()
        twin.set("world.wind.speed", 0.0)
        scenario = twin.simulate(scenario="attitude_steps")
        log = scenario.run(3.9 if angle == "roll" else 5.4)
        velocity = log[f"truth.velocity.{axis}"].values
        assert sign * velocity[-1] > 0.3, angle
