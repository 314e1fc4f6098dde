"""A twist to wheel speeds and steering angles and back, against the textbook's formulas for each kind of base."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from didymos.control.wheel_finder import find_wheels
from didymos.control.wheel_kinematics import advance, steer, twist_of_wheels, wheel_rows, wheel_speed
from didymos.control.wheeled import tightest_turns
from didymos.control.wheels import Wheels
from didymos.describe.formats.importer import read_description
from didymos.describe.robot_model import robot_model
from wheeled_robots import ackermann, differential, mecanum, omni, skid, swerve

TWISTS = [(0.3, 0.0, 0.0), (0.0, 0.0, 0.5), (-0.2, 0.0, 0.7)]
ANYWHERE = [*TWISTS, (0.0, 0.25, 0.0), (0.1, -0.2, -0.4)]


def base_of(urdf: str, folder: Path) -> Wheels:
    (folder / "robot.urdf").write_text(urdf)
    found = find_wheels(robot_model(read_description(folder / "robot.urdf")))
    assert found is not None
    return found


def rows_of(base: Wheels, **options: Any) -> Any:
    joints = [wheel.joint for wheel in base.wheels]
    return wheel_rows(base, joints + [wheel.steering.joint for wheel in base.wheels if wheel.steering is not None], **options)


def fitted(rows: Any, speeds: list[float], angles: list[float] | None = None) -> tuple[np.ndarray, float]:
    twist = np.zeros(3)
    left_over = twist_of_wheels(rows, len(rows), np.array(speeds), np.array(angles or [0.0] * len(rows)), twist)
    return twist, left_over


def speeds_of(rows: Any, twist: tuple[float, ...], angles: list[float] | None = None) -> list[float]:
    return [wheel_speed(row, angle, *twist) for row, angle in zip(rows, angles or [0.0] * len(rows), strict=True)]


@pytest.mark.parametrize("twist", TWISTS)
def test_a_differential_base_turns_about_its_axle(tmp_path: Path, twist: tuple[float, float, float]) -> None:
    rows = rows_of(base_of(differential(), tmp_path))  # track 0.4 m, wheels 0.1 m, axle 0.1 m behind the root link
    vx, _, wz = twist
    speeds = speeds_of(rows, twist)
    assert speeds == pytest.approx([(vx - 0.2 * wz) / 0.1, (vx + 0.2 * wz) / 0.1])
    found, left_over = fitted(rows, speeds)
    np.testing.assert_allclose(found, [vx, 0.1 * wz, wz], atol=1e-12)  # the root link swings about the axle
    assert left_over < 1e-12


@pytest.mark.parametrize("twist", ANYWHERE)
@pytest.mark.parametrize("rollers", [0, 8])
def test_a_mecanum_base_has_the_well_known_matrix(tmp_path: Path, twist: tuple[float, float, float], rollers: int) -> None:
    base = base_of(mecanum(rollers), tmp_path)
    rows = rows_of(base)
    vx, vy, wz = twist
    lever, radius = 0.228 + 0.158, base.wheels[0].radius
    expected = np.array([vx - vy - lever * wz, vx + vy + lever * wz, vx + vy - lever * wz, vx - vy + lever * wz]) / radius
    np.testing.assert_allclose(speeds_of(rows, twist), expected, atol=1e-6)
    found, left_over = fitted(rows, list(expected))
    np.testing.assert_allclose(found, twist, atol=1e-6)  # the angle of a roller in a URDF is written with nine digits
    assert left_over < 1e-6


def test_what_four_wheels_have_among_themselves_is_slip(tmp_path: Path) -> None:
    rows = rows_of(base_of(mecanum(), tmp_path))
    twist, left_over = fitted(rows, [1.0, 1.0, -1.0, -1.0])  # no motion: (1, 1, -1, -1) is what the matrix cannot do
    np.testing.assert_allclose(twist, 0.0, atol=1e-12)
    assert left_over == pytest.approx(0.0475 / math.sqrt(2))  # along the rollers


@pytest.mark.parametrize("twist", ANYWHERE)
@pytest.mark.parametrize("count", [3, 4])
def test_an_omni_base_rolls_along_its_circle(tmp_path: Path, twist: tuple[float, float, float], count: int) -> None:
    rows = rows_of(base_of(omni(count), tmp_path))
    vx, vy, wz = twist
    for row, speed in zip(rows, speeds_of(rows, twist), strict=True):
        angle = math.atan2(row["y"], row["x"])
        assert 0.06 * speed == pytest.approx(-math.sin(angle) * vx + math.cos(angle) * vy + 0.2 * wz)
    found, _ = fitted(rows, speeds_of(rows, twist))
    np.testing.assert_allclose(found, twist, atol=1e-12)


def test_a_skid_steered_base_turns_less_than_its_wheels_say(tmp_path: Path) -> None:
    base = base_of(skid(), tmp_path)  # wheels at (+-0.15, +-0.2): chi = 1 + 0.15^2 / 0.2^2
    chi = 1.5625
    assert speeds_of(rows_of(base), (0.0, 0.0, 0.4)) == pytest.approx([-0.8 * chi, 0.8 * chi, -0.8 * chi, 0.8 * chi])
    found, left_over = fitted(rows_of(base), [-0.8, 0.8, -0.8, 0.8])
    np.testing.assert_allclose(found, [0, 0, 0.4 / chi], atol=1e-12)
    assert left_over > 0.01  # it slides
    measured, _ = fitted(rows_of(base, chi=1.2), [-0.8, 0.8, -0.8, 0.8])
    np.testing.assert_allclose(measured, [0, 0, 0.4 / 1.2], atol=1e-12)
    assert speeds_of(rows_of(base, chi=1.2), (0.3, 0.0, 0.4)) == pytest.approx([2.04, 3.96, 2.04, 3.96])


@pytest.mark.parametrize(("vx", "wz"), [(0.3, 0.2), (0.3, -0.2), (-0.3, 0.2)])
def test_the_wheels_of_a_car_turn_about_one_point(tmp_path: Path, vx: float, wz: float) -> None:
    base = base_of(ackermann(), tmp_path)
    rows, middle = rows_of(base), vx / wz  # [m] of the turn's middle, to the left on the line of the rear axle
    angles = [steer(row, 0.0, vx, 0.0, wz) if row["steered"] else 0.0 for row in rows]
    for row, angle in zip(rows, angles, strict=True):
        if row["steered"]:
            assert math.tan(angle) == pytest.approx(0.5 / (middle - row["y"]))
    speeds = speeds_of(rows, (vx, 0.0, wz), angles)
    for row, speed in zip(rows, speeds, strict=True):
        assert abs(speed) == pytest.approx(abs(wz) * math.hypot(row["x"], middle - row["y"]) / 0.08)
    found, left_over = fitted(rows, speeds, angles)
    np.testing.assert_allclose(found, [vx, 0.0, wz], atol=1e-12)
    assert left_over < 1e-12


def test_a_car_turns_no_tighter_than_its_inner_wheel_can(tmp_path: Path) -> None:
    right, left = tightest_turns(rows_of(base_of(ackermann(), tmp_path)))
    tightest = 1.0 / (0.5 / math.tan(0.6) + 0.2)  # the inner wheel at 0.6 rad
    assert left == pytest.approx(tightest, rel=2e-3)  # found on a grid of 0.5 mrad
    assert right == pytest.approx(-tightest, rel=2e-3)


@pytest.mark.parametrize("twist", ANYWHERE)
def test_a_swerve_base_steers_every_wheel_the_short_way(tmp_path: Path, twist: tuple[float, float, float]) -> None:
    rows = rows_of(base_of(swerve(), tmp_path))
    angles = [steer(row, 0.0, *twist) for row in rows]
    assert max(abs(angle) for angle in angles) <= 0.5 * math.pi + 1e-12
    found, left_over = fitted(rows, speeds_of(rows, twist, angles), angles)
    np.testing.assert_allclose(found, twist, atol=1e-12)
    assert left_over < 1e-12


def test_a_twist_moves_a_base_along_an_arc() -> None:
    x = y = yaw = 0.0
    for _ in range(7):
        x, y, yaw = advance(x, y, yaw, np.array([0.9 / 7, 0.0, 1.5 / 7]))
    # radius 0.6 m: exact, however few the steps
    assert (x, y, yaw) == pytest.approx((0.6 * math.sin(1.5), 0.6 * (1 - math.cos(1.5)), 1.5))
