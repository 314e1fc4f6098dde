"""Rotations: closed forms, and every way round."""

from __future__ import annotations

import numpy as np
import pytest

from didymos.rotations import ANGLES, Pose, angle, axis_angle_to_matrix, matrix_to_quaternion, quaternion_to_matrix, rpy_to_matrix

EXACT = 1e-14  # a few roundings of numbers of the size of one


def test_roll_pitch_yaw_are_turns_about_the_fixed_axes_x_y_z() -> None:
    roll, pitch, yaw = 0.3, -0.7, 2.1
    x, y, z = np.eye(3)
    expected = axis_angle_to_matrix(z, yaw) @ axis_angle_to_matrix(y, pitch) @ axis_angle_to_matrix(x, roll)
    np.testing.assert_allclose(rpy_to_matrix(np.array([roll, pitch, yaw])), expected, atol=EXACT)


def test_a_quarter_turn_about_z_leads_x_to_y() -> None:
    np.testing.assert_allclose(rpy_to_matrix(np.array([0.0, 0.0, np.pi / 2])) @ [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], atol=EXACT)


@pytest.mark.parametrize("seed", range(5))
def test_a_matrix_comes_back_from_its_quaternion(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for turn in (rng.uniform(-np.pi, np.pi), np.pi, 1e-9):
        axis = rng.standard_normal(3)
        matrix = axis_angle_to_matrix(axis / np.linalg.norm(axis), turn)
        quaternion = matrix_to_quaternion(matrix)
        assert quaternion[0] >= 0.0
        np.testing.assert_allclose(quaternion_to_matrix(quaternion), matrix, atol=EXACT)


def test_angles_come_back_from_a_quaternion() -> None:
    given = {"roll": 0.4, "pitch": -1.2, "yaw": -2.5}
    quaternion = matrix_to_quaternion(rpy_to_matrix(np.array(list(given.values()))))
    for name, value in given.items():
        assert angle(name, quaternion[None, :])[0] == pytest.approx(value, abs=1e-13)
    upright = quaternion_to_matrix(quaternion)[2, 2]
    assert angle("tilt", quaternion[None, :])[0] == pytest.approx(np.arccos(upright), abs=1e-13)
    assert set(ANGLES) == {*given, "tilt"}


def test_a_pose_and_its_inverse_are_nothing() -> None:
    pose = Pose(np.array([1.0, -2.0, 0.5]), rpy_to_matrix(np.array([0.1, 0.2, 0.3])))
    nothing = pose @ pose.inverse()
    np.testing.assert_allclose(nothing.position, np.zeros(3), atol=EXACT)
    np.testing.assert_allclose(nothing.rotation, np.eye(3), atol=EXACT)
