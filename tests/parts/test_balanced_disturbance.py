"""What pushed a robot that its controller held: minus the moments that its rotors settle at, and how rates fade."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from laws import Answer, Law, call

from didymos.parts.balanced_disturbance import BalancedDisturbance
from didymos.parts.rotor import Rotor

ROTOR: dict[str, Any] = {
    "thrust_coefficient": 2.2e-8, "torque_coefficient": 1.3e-10, "speed_per_input": 1200.0, "speed_at_zero": 700.0,
    "rated_voltage": 3.5, "voltage_exponent": 0.7,
}  # fmt: skip
HELD: dict[str, Any] = ROTOR | {
    "arm_x": 0.03, "arm_y": 0.04, "direction": 1, "time_constant": 0.04, "input_from": "battery",
}  # fmt: skip
PLACES = ((0.03, -0.04), (-0.03, -0.04), (-0.03, 0.04), (0.03, 0.04))  # [m] of rotors 1 to 4: x forward, y left
COMMANDS = (0.81, 0.86, 0.9, 0.88)
MOMENTS = ("roll_moment", "pitch_moment", "yaw_moment")
INPUTS = {f"motor{i + 1}": u for i, u in enumerate(COMMANDS)} | {"voltage": 3.3}


def _held(inputs: dict[str, float] = INPUTS, *, behind: np.ndarray | None = None, density: float = 1.225, **here: Any) -> Answer:
    parameters = {key: here.pop(key) for key in list(here) if key in BalancedDisturbance.spec.model_fields}
    state = dict(zip(MOMENTS, np.zeros(3) if behind is None else behind, strict=True))
    return Law(BalancedDisturbance, **(HELD | parameters))(inputs=inputs, state=state, density=density, **here)


def _moment_of_the_rotors(direction: float, density: float) -> np.ndarray:
    """Sum of r x F + M of four rotors at rest under the same commands, thrust up."""
    moment = np.zeros(3)
    for i, ((x, y), command) in enumerate(zip(PLACES, COMMANDS, strict=True)):
        turning = direction * (1 if i % 2 == 0 else -1)
        numbers = ROTOR | {"direction": turning, "input_from": "battery"}
        answer = call(Rotor, inputs={"command": command, "voltage": 3.3}, density=density, **numbers)
        moment += [y * answer.force[0], -x * answer.force[0], answer.torque[0]]
    return moment


@pytest.mark.parametrize("direction", [1, -1])
@pytest.mark.parametrize("density", [1.225, 1.0])
def test_it_balances_the_rotors_at_their_commands(direction: int, density: float) -> None:
    moment = _moment_of_the_rotors(direction, density)
    answer = _held(direction=direction, density=density)
    np.testing.assert_allclose(answer.torque, -moment, rtol=1e-9)
    np.testing.assert_allclose([answer.rate[name] for name in MOMENTS], moment / 0.04, rtol=1e-9)
    assert not answer.force.any()


def test_commands_that_come_late_are_led() -> None:
    """-(M_c + T_l dM_c/dt), the derivative behind a lag of 0.04 s; about the heading by another time than about the others."""
    moment = _moment_of_the_rotors(1, 1.225)
    leads = np.array([0.02, 0.02, 0.2])
    answer = _held(tilt_lead=0.02, yaw_lead=0.2, behind=0.25 * moment)
    np.testing.assert_allclose(answer.torque, -moment * (1.0 + leads * 0.75 / 0.04), rtol=1e-9)


def test_what_rotors_lose_in_climb_comes_back() -> None:
    np.testing.assert_allclose(_held(climb_lift=0.02, air_velocity=(1.0, -2.0, 0.5)).force, [0.0, 0.0, 0.01], rtol=1e-9)


def test_rates_fade_and_the_moment_of_the_drag_is_taken_away() -> None:
    still = _held().torque.copy()
    damped = _held(tilt_damping=1e-4, yaw_damping=3e-4, rate=(0.5, -0.4, 0.2)).torque - still
    np.testing.assert_allclose(damped, [-0.5e-4, 0.4e-4, -0.6e-4], rtol=1e-9)
    moved = _held(drag_moment=2e-4, air_velocity=(1.5, -0.5, 0.3)).torque - still
    np.testing.assert_allclose(moved, [1.0e-4, 3.0e-4, 0.0], rtol=1e-9, atol=1e-18)  # -k v x z


def test_without_commands_it_does_nothing() -> None:
    answer = _held({"voltage": 3.3}, rate=(1.0, 1.0, 1.0), air_velocity=(2.0, 1.0, 0.5), tilt_damping=1e-4, climb_lift=0.02)
    assert not answer.torque.any()
    assert not answer.force.any()
    assert not any(answer.rate[name] for name in MOMENTS)
