"""The mixer from the rotors' geometry."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from didymos.control import Rotor
from didymos.control.mixer import effect_matrix, mixer
from didymos.errors import InputError

UP = (0.0, 0.0, 1.0)


def _ring(angles: list[float], radius: float = 0.29, first: int = -1) -> list[Rotor]:
    """Rotors at angles [deg] from forward to left, turning by turns."""
    found = []
    for i, angle in enumerate(np.deg2rad(angles)):
        place = (radius * np.cos(angle), radius * np.sin(angle), 0.01)
        found.append(Rotor(f"motor{i + 1}", place, UP, first * (-1.0) ** i))
    return found


def test_the_quadcopters_mixer_is_the_corrected_inverse_of_the_original(quadcopter: Any) -> None:
    """The original (MiliStefanos/last_letter_2), forward-right-down: u = A M, rows thrust, roll, pitch, yaw.

    Its rows of pitch and yaw change sign in forward-left-up. It prints an inverse with two wrong entries of yaw (+1 for
    motor 1, 0 for motor 3); the right one has -1 in both.
    """
    printed = np.array([[1, 1, 1, 1], [-1, -1, 1, 1], [1, -1, -1, 1], [-1, 1, -1, 1]]) / 4
    corrected = np.array([[1, -1, 1, -1], [1, -1, -1, 1], [1, 1, -1, -1], [1, 1, 1, 1]])
    np.testing.assert_array_equal(printed @ corrected, np.eye(4))
    flipped = np.array([1, 1, -1, -1])
    rotors = quadcopter.simulate().robot.rotors
    # positions through two rotations: some roundings
    np.testing.assert_allclose(effect_matrix(rotors), flipped[:, None] * printed, atol=1e-14)
    np.testing.assert_allclose(mixer(rotors), corrected * flipped, atol=1e-13)


def test_where_the_quadcopters_rotors_are(quadcopter: Any) -> None:
    rotors = quadcopter.simulate().robot.rotors
    assert [rotor.input for rotor in rotors] == ["motor1", "motor2", "motor3", "motor4"]
    side = 0.29 / np.sqrt(2)  # 0.2051 as printed
    # front right, rear right, rear left, front left
    expected = [(side, -side), (-side, -side), (-side, side), (side, side)]
    for rotor, (x, y) in zip(rotors, expected, strict=True):
        np.testing.assert_allclose(rotor.position, (x, y, 0.01), atol=1e-15)
        np.testing.assert_allclose(rotor.axis, UP, atol=1e-15)
    assert [rotor.direction for rotor in rotors] == [-1, 1, -1, 1]


@pytest.mark.parametrize(
    "angles", [[45, 135, 225, 315], [0, 60, 120, 180, 240, 300], [10, 80, 170, 200, 260, 290, 330, 350]]
)
def test_commands_come_out_as_asked(angles: list[float]) -> None:
    rotors = _ring(angles)
    np.testing.assert_allclose(effect_matrix(rotors) @ mixer(rotors), np.eye(4), atol=1e-13)


def test_rotors_that_cannot_do_it_are_refused() -> None:
    with pytest.raises(InputError, match="found 3 rotors, expected at least 4"):
        mixer(_ring([0, 120, 240]))
    same_way = [Rotor(r.input, r.position, r.axis, 1.0) for r in _ring([45, 135, 225, 315])]
    with pytest.raises(InputError, match="cannot command"):
        mixer(same_way)
