"""Markers that sit askew: a column says by which rotation, and its attitude is read as the robot's."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from carts import write_csv

from didymos import Twin
from didymos.fitting import read_recording
from didymos.rotations import axis_angle_to_matrix, matrix_to_quaternion, quaternion_to_matrix, rotation_vector_to_quaternion

PUCK = '<mujoco><worldbody><body name="puck"><freejoint/><geom type="box" size=".1 .1 .02" mass="1"/></body></worldbody></mujoco>'
ASKEW = np.array([0.05, -0.2, 0.1])  # [rad]


def _turned(vector: np.ndarray) -> np.ndarray:
    return axis_angle_to_matrix(vector / np.linalg.norm(vector), float(np.linalg.norm(vector)))


def test_a_rotation_vector_becomes_the_quaternion_of_its_matrix() -> None:
    found = rotation_vector_to_quaternion(np.array([ASKEW, np.zeros(3)]))
    np.testing.assert_allclose(found[0], matrix_to_quaternion(_turned(ASKEW)), atol=1e-14)
    np.testing.assert_array_equal(found[1], [1.0, 0.0, 0.0, 0.0])


@pytest.mark.parametrize("order", ["wxyz", "xyzw"])
def test_the_attitude_of_askew_markers_is_read_as_the_robots(tmp_path: Path, order: str) -> None:
    """q_robot = q_measured q(alignment), so markers at R turn(a)^T say R."""
    names = [f"q{axis}" for axis in order]
    column = {"columns": names, "order": order, "signal": "truth.orientation", "alignment": ASKEW.tolist()}
    twin = Twin.from_urdf(PUCK, recordings={"columns": {"q": column}}, scenarios={"still": {"seconds": 1.0}})
    robot = _turned(np.array([0.3, 0.1, -0.4]))
    measured = dict(zip("wxyz", matrix_to_quaternion(robot @ _turned(ASKEW).T), strict=True))
    table = {"t": 0.01 * np.arange(50)} | {f"q{axis}": np.full(50, measured[axis]) for axis in order}
    read = read_recording(twin, write_csv(tmp_path / "still.csv", table)).channels[0].rows
    np.testing.assert_allclose(quaternion_to_matrix(read[7]), robot, atol=1e-6)  # digits of the file
