"""Frames that people log in: closed forms, and the same rotation whichever way it was written down."""

from __future__ import annotations

import numpy as np
import pytest

from didymos.errors import InputError
from didymos.record.frames import (
    body_to_flu,
    euler_to_quaternion,
    orientation_to_enu_flu,
    quaternion_to_wxyz,
    without_sign_flips,
    world_to_enu,
)
from didymos.rotations import angle, quaternion_to_matrix, rpy_to_matrix

EXACT = 1e-14


def test_north_east_down_becomes_east_north_up() -> None:
    np.testing.assert_array_equal(world_to_enu([[1.0, 2.0, 3.0]], "NED"), [[2.0, 1.0, -3.0]])
    np.testing.assert_array_equal(world_to_enu([[1.0, 2.0, 3.0]], "nwu"), [[-2.0, 1.0, 3.0]])
    np.testing.assert_array_equal(world_to_enu([[1.0, 2.0, 3.0]], "ENU"), [[1.0, 2.0, 3.0]])


def test_forward_right_down_becomes_forward_left_up() -> None:
    np.testing.assert_array_equal(body_to_flu([[1.0, 2.0, 3.0]], "FRD"), [[1.0, -2.0, -3.0]])
    np.testing.assert_array_equal(body_to_flu([[1.0, 2.0, 3.0]], "RFU"), [[2.0, -1.0, 3.0]])


def test_the_scalar_part_comes_first() -> None:
    np.testing.assert_array_equal(quaternion_to_wxyz([[1.0, 2.0, 3.0, 4.0]], "xyzw"), [[4.0, 1.0, 2.0, 3.0]])
    np.testing.assert_array_equal(quaternion_to_wxyz([[1.0, 2.0, 3.0, 4.0]], "wxyz"), [[1.0, 2.0, 3.0, 4.0]])


def test_euler_angles_are_turns_about_the_fixed_axes() -> None:
    rng = np.random.default_rng(1)
    angles = rng.uniform(-3.0, 3.0, (20, 3))
    for quaternion, rpy in zip(euler_to_quaternion(angles), angles, strict=True):
        np.testing.assert_allclose(quaternion_to_matrix(quaternion), rpy_to_matrix(rpy), atol=EXACT)


def test_a_vector_is_carried_the_same_way_in_either_convention() -> None:
    rng = np.random.default_rng(2)
    given = euler_to_quaternion(rng.uniform(-3.0, 3.0, (20, 3)))  # of FRD in NED
    vectors = rng.standard_normal((20, 3))  # in FRD
    in_ned = np.stack([quaternion_to_matrix(q) @ v for q, v in zip(given, vectors, strict=True)])
    ours = orientation_to_enu_flu(given, "NED", "FRD")
    in_enu = np.stack([quaternion_to_matrix(q) @ v for q, v in zip(ours, body_to_flu(vectors, "FRD"), strict=True)])
    np.testing.assert_allclose(in_enu, world_to_enu(in_ned, "NED"), atol=EXACT)
    np.testing.assert_allclose(np.linalg.norm(ours, axis=1), 1.0, atol=EXACT)


def test_level_and_heading_north_is_a_quarter_turn_from_east() -> None:
    ours = orientation_to_enu_flu([[1.0, 0.0, 0.0, 0.0]], "NED", "FRD")
    assert angle("yaw", ours)[0] == pytest.approx(np.pi / 2, abs=EXACT)
    assert angle("tilt", ours)[0] == pytest.approx(0.0, abs=EXACT)


def test_nose_up_in_ned_is_nose_up_in_enu() -> None:
    rising = euler_to_quaternion([[0.0, 0.2, 0.0], [0.1, 0.0, 0.0]])  # pitch up; right side down
    ours = orientation_to_enu_flu(rising, "NED", "FRD")
    assert angle("pitch", ours)[0] == pytest.approx(-0.2, abs=EXACT)  # REP 103: nose down is positive
    assert angle("roll", ours)[1] == pytest.approx(0.1, abs=EXACT)


def test_orientations_in_our_frames_stay_as_they_are() -> None:
    given = euler_to_quaternion([[0.3, -0.2, 2.0], [0.3, -0.2, 2.1]])
    np.testing.assert_allclose(orientation_to_enu_flu(given), given, atol=EXACT)


def test_flipped_signs_are_mended_across_samples_that_are_missing() -> None:
    true = euler_to_quaternion(np.column_stack([np.linspace(0.0, 6.0, 50), np.zeros(50), np.zeros(50)]))
    given = true * np.where(np.arange(50) % 7 < 3, 1.0, -1.0)[:, None]
    given[20] = np.nan
    mended = without_sign_flips(given)
    whole = np.arange(50) != 20
    np.testing.assert_allclose(mended[whole], true[whole], atol=EXACT)
    assert np.isnan(mended[20]).all()
    assert len(without_sign_flips(np.empty((0, 4)))) == 0


def test_the_length_of_a_quaternion_stays_to_be_seen() -> None:
    ours = orientation_to_enu_flu([[0.5, 0.0, 0.0, 0.0]], "NED", "FRD")
    assert np.linalg.norm(ours) == pytest.approx(0.5, abs=EXACT)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: world_to_enu([[0.0] * 3], "NEDD"), "'NEDD' is no world frame, expected three letters of E W N S U D such"),
        (lambda: world_to_enu([[0.0] * 3], "FRD"), "'FRD' is no world frame"),
        (lambda: body_to_flu([[0.0] * 3], "FRU"), "the axes of the body frame 'FRU' are not right-handed"),
        (lambda: body_to_flu([[0.0] * 3], "FFU"), "not right-handed"),
        (lambda: quaternion_to_wxyz([[0.0] * 4], "xyz"), "'xyz' is no order of a quaternion, expected wxyz or xyzw"),
        (lambda: body_to_flu([0.0] * 3, "FRD"), "found an array of shape (3,), expected [n, 3]"),
    ],
)
def test_what_is_no_frame_is_refused_in_one_sentence(call, said: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InputError) as caught:
        call()
    assert said in str(caught.value)
