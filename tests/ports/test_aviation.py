"""Frames and units of aviation, against closed forms and against the reader of recordings, which turns the other way round."""

from __future__ import annotations

import math

import numpy as np
import pytest

from didymos.ports.aviation import attitude_ned, euler, frd, ned, place_1e7, rotate
from didymos.record.frames import body_to_flu, orientation_to_enu_flu, world_to_enu
from didymos.rotations import matrix_to_quaternion, quaternion_to_matrix, rpy_to_matrix

EQUATOR, SQUARE = 6_378_137.0, 0.00669437999014  # WGS 84: [m], e^2


@pytest.mark.parametrize(
    ("ours", "theirs"),  # roll, pitch, yaw of forward-left-up in east-north-up, and as an autopilot has them [deg]
    [
        ((0, 0, 90), (0, 0, 0)),  # nose to the north
        ((0, 0, 0), (0, 0, 90)),  # nose to the east
        ((0, 0, 180), (0, 0, -90)),
        ((20, 0, 90), (20, 0, 0)),  # left side up: rolled to the right
        ((0, -15, 90), (0, 15, 0)),  # nose up
        ((-30, 10, 60), (-30, -10, 30)),
    ],
)
def test_attitudes_that_can_be_told_by_heart(ours: tuple[float, ...], theirs: tuple[float, ...]) -> None:
    quaternion = matrix_to_quaternion(rpy_to_matrix(np.radians(ours)))
    assert np.degrees(euler(attitude_ned(quaternion))) == pytest.approx(theirs, abs=1e-9)


def test_whatever_is_turned_comes_back_from_the_reader_of_recordings() -> None:
    dice = np.random.default_rng(3)
    for _ in range(50):
        q = dice.normal(size=4)
        q /= np.linalg.norm(q)
        v = dice.normal(size=3)
        there = attitude_ned(q)
        assert there[0] >= 0.0
        back = orientation_to_enu_flu([there], "NED", "FRD")[0]
        assert abs(back @ q) == pytest.approx(1.0, abs=1e-12)
        assert world_to_enu([ned(v)], "NED")[0] == pytest.approx(v)
        assert body_to_flu([frd(v)], "FRD")[0] == pytest.approx(v)
        assert rotate(q, v) == pytest.approx(quaternion_to_matrix(q) @ v)
        # the world's vector is the same by both roads
        assert ned(rotate(q, v)) == pytest.approx(rotate(there, frd(v)))


def test_places_follow_the_radii_of_the_ellipsoid() -> None:
    latitude, longitude = math.radians(38.0), math.radians(23.7)
    sine = math.sin(latitude)
    meridian = EQUATOR * (1.0 - SQUARE) / (1.0 - SQUARE * sine**2) ** 1.5
    normal = EQUATOR / math.sqrt(1.0 - SQUARE * sine**2)
    east, north, up = 30.0, 40.0, 12.5
    found = place_1e7((latitude, longitude, 100.0), (east, north, up))
    exact = (
        math.degrees(latitude + north / (meridian + 100.0)),
        math.degrees(longitude + east / ((normal + 100.0) * math.cos(latitude))),
    )
    # one unit is 11 mm; the plane leaves the ellipsoid by d^2 / 2 R = 0.2 mm, the chord by up / R of the distance, 0.1 mm
    assert found[0] == pytest.approx(exact[0] * 1e7, abs=1.0)
    assert found[1] == pytest.approx(exact[1] * 1e7, abs=1.0)
    assert found[2] == pytest.approx(112_500, abs=1.0)
