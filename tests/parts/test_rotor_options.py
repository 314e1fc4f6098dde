"""What a rotor can do besides thrusting by the square of its speed; each against its formula."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from laws import Answer, call

from didymos.parts.rotor import Rotor

PLAIN: dict[str, Any] = {
    "direction": -1, "thrust_coefficient": 2e-5, "torque_coefficient": 3e-7, "speed_per_input": 800.0, "radius": 0.12,
}  # fmt: skip
SPEED = 600.0
THRUST = 2e-5 * SPEED**2


def _spin(**changes: Any) -> Answer:
    return call(Rotor, inputs={"command": SPEED / 800.0}, **(PLAIN | changes))


def test_climbing_costs_thrust() -> None:
    assert _spin(inflow_coefficient=1e-4, air_velocity=(3.0, 0, 0)).force[0] == pytest.approx(THRUST - 1e-4 * SPEED * 3.0)


def test_forward_flight_lifts_up_to_an_advance_ratio_of_0_3() -> None:
    for across, ratio in ((8.0, 8.0 / (SPEED * 0.12)), (60.0, 0.3)):
        answer = _spin(translational_lift=1.0, air_velocity=(0, across, 0))
        assert answer.force[0] == pytest.approx(THRUST * (1.0 + 1.5 * ratio**2))


@pytest.mark.parametrize(("height", "factor"), [(0.12, 16 / 15), (0.24, 64 / 63), (0.01, 4 / 3), (50.0, 1.0)])
def test_the_ground_helps_by_cheeseman_and_bennett(height: float, factor: float) -> None:
    assert _spin(ground_effect=1.0, height=height, x_up=True).force[0] == pytest.approx(THRUST * factor, rel=1e-5)


def test_flapping_drags_across_the_axis() -> None:
    answer = _spin(flapping_drag=8e-5, flapping_moment=1e-6, air_velocity=(0.0, 4.0, -2.0))
    np.testing.assert_allclose(answer.force, [THRUST, -8e-5 * SPEED * 4.0, 8e-5 * SPEED * 2.0])
    np.testing.assert_allclose(answer.torque[1:], [-1e-6 * SPEED * 4.0, 1e-6 * SPEED * 2.0])


def test_a_spinning_mass_resists_being_turned() -> None:
    """The airframe feels -d/dt of the rotor's momentum h = d I w x: minus omega x h."""
    answer = _spin(inertia=3e-5, rate=(0.4, 0.5, -0.7))
    momentum = np.array([-1 * 3e-5 * SPEED, 0.0, 0.0])
    expected = -np.cross([0.4, 0.5, -0.7], momentum)
    np.testing.assert_allclose(answer.torque[1:], expected[1:], rtol=1e-12)


def test_speed_and_acceleration_keep_their_limits() -> None:
    assert _spin(speed_limit=500.0).readouts["speed"] == -500.0
    limited = PLAIN | {"time_constant": 0.02, "acceleration_limit": 9000.0}
    answer = call(Rotor, inputs={"command": 1.0}, state={"speed": 100.0}, **limited)
    assert answer.rate["speed"] == 9000.0


def test_a_rotor_without_health_stops() -> None:
    assert _spin(health=0.0).force[0] == 0.0
    answer = call(Rotor, inputs={"command": 1.0}, state={"speed": 600.0}, **(PLAIN | {"time_constant": 0.05, "health": 0.0}))
    assert answer.rate["speed"] == -12000.0
