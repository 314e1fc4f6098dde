"""The quadrocopter of DaedalusSim: its figures, its scenarios by backstepping, gusts from noisy sensors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from ruamel.yaml import YAML

from didymos import CompiledController
from didymos.twin import Twin, load

REVOLUTION = 2.0 * np.pi


@pytest.fixture(scope="module")
def daedalus() -> Twin:
    return load("daedalus")


def test_the_rotors_numbers_are_the_sources(daedalus: Twin) -> None:
    """6.0934e-4 N per (rev/s)^2; 0.378634 rev/s per step of 255, 15.1056 rev/s at zero; 7.6 N each at full command."""
    rotor = {key: daedalus.get(f"parts.motor1.{key}") for key in ("thrust_coefficient", "speed_per_input", "speed_at_zero")}
    assert rotor["thrust_coefficient"] == pytest.approx(6.0934e-4 / REVOLUTION**2, rel=1e-4)
    assert rotor["speed_per_input"] == pytest.approx(0.378634164294 * 255 * REVOLUTION, rel=1e-5)
    assert rotor["speed_at_zero"] == pytest.approx(15.1056160953 * REVOLUTION, rel=1e-5)
    full = rotor["thrust_coefficient"] * (rotor["speed_per_input"] + rotor["speed_at_zero"]) ** 2
    assert full == pytest.approx(7.6, abs=0.05)


def test_what_is_taken_from_hector_is_hectors(daedalus: Twin, shared_data: Path) -> None:
    file = shared_data / "hector_quadrotor" / "robbe_2827-34_epp1045.yaml"
    hector = YAML(typ="safe").load(file)["quadrotor_propulsion"]
    coefficient = daedalus.get("parts.motor1.thrust_coefficient")
    assert coefficient == pytest.approx(hector["CT0s"], rel=0.005)  # the same motor and rotor, measured by others
    assert daedalus.get("parts.motor1.torque_coefficient") / coefficient == pytest.approx(hector["k_t"], rel=1e-3)
    assert daedalus.get("parts.motor1.inertia") == pytest.approx(hector["J_M"], rel=1e-3)


def test_the_rotors_sit_on_a_ring_of_440_mm(daedalus: Twin) -> None:
    """Front, right, rear, left; 1 and 3 turn clockwise seen from above, which is negative about the upward axis."""
    rotors = daedalus.simulate().robot.rotors
    places = np.array([rotor.position for rotor in rotors])
    np.testing.assert_allclose(places[:, :2], 0.22 * np.array([[1, 0], [0, -1], [-1, 0], [0, 1]]), atol=1e-12)
    assert [rotor.direction for rotor in rotors] == [-1, 1, -1, 1]


@pytest.mark.parametrize("scenario", ["hover", "attitude_steps", "level_and_roll"])
def test_backstepping_does_what_the_scenario_asks(daedalus: Twin, scenario: str) -> None:
    simulation = daedalus.simulate(scenario=scenario)
    verdicts = simulation.judge(simulation.run())
    assert all(verdict.ok for verdict in verdicts), verdicts


@pytest.mark.parametrize("seed", [0, 5])  # of 100 seeds, 5 has the hardest gust: 3.1 m with gains made for rotors without drag
def test_it_holds_a_place_in_gusts_from_noisy_sensors(daedalus: Twin, seed: int) -> None:
    simulation = daedalus.simulate(seed=seed, scenario="gusts")
    assert isinstance(simulation.program, CompiledController)
    assert not any(name.startswith("state") for name, _ in simulation.program.read_offsets)
    verdicts = simulation.judge(simulation.run(30.0))
    assert all(verdict.ok for verdict in verdicts), verdicts


def test_the_first_order_motor_follows_its_equation(daedalus: Twin) -> None:
    """K u + C = T dw/dt + w: after one time constant from rest the speed is (1 - 1/e)(K u + C)."""
    from didymos.engine.intervention import Intervention

    twin = daedalus.copy()
    simulation = twin.simulate(scenario="hover")
    simulation.intervene(Intervention(0, "steer", "setpoints.z", (100.0,)))  # far above: full input at once
    log = simulation.run(0.5)
    speed, command = log["parts.motor1.speed"], log["inputs.motor1"]
    settled = -(606.652 * command.values + 94.911)
    change = np.gradient(speed.values, speed.time)[1:20]
    # the command moves as the robot rises: central differences over 20 ms smear it
    np.testing.assert_allclose(change, (settled - speed.values)[1:20] / 0.06, rtol=0.03, atol=0.005 * np.abs(change).max())
