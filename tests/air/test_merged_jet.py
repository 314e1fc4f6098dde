"""From rotors to a jet: size, area and place, of quadrotors, pairs above one another, rotors that stop."""

from __future__ import annotations

import math

import numpy as np
import pytest
from blowing import DENSITY, WAKE, Air, circle

from didymos.air.merged_jet import merge_rotors


def _induced(thrust: float, area: float) -> float:
    return math.sqrt(thrust / (2 * DENSITY * area))


@pytest.mark.parametrize("count", [3, 4, 6, 8])
def test_the_size_of_a_multirotor_is_the_distance_of_opposite_motors(count: int) -> None:
    jet = Air().add(circle(count, 0.3, (1.0, 2.0, 3.0)), radius=0.08, thrust=2.0)
    assert jet["size"] == pytest.approx(0.6, rel=1e-12)
    assert jet["origin"] == pytest.approx([1.0, 2.0, 3.0], rel=1e-12)
    assert jet["direction"] == pytest.approx([0.0, 0.0, -1.0], abs=1e-15)


def test_one_rotor_is_as_wide_as_its_disc() -> None:
    jet = Air().add([1.0, 0.0, 0.0], radius=0.12, thrust=3.0)
    assert (jet["size"], jet["speed"]) == pytest.approx((0.24, _induced(3.0, math.pi * 0.12**2)), rel=1e-12)


def test_a_coaxial_pair_is_one_disc_with_both_thrusts() -> None:
    pair = Air().add([[0, 0, 0.03], [0, 0, -0.03]], radius=0.12, thrust=1.5)
    one = Air().add([0.0, 0.0, 0.0], radius=0.12, thrust=3.0)
    assert (pair["size"], pair["speed"]) == pytest.approx((float(one["size"]), float(one["speed"])), rel=1e-12)
    assert pair["reach_above"] == pytest.approx(0.03 + 4 * 0.12)


def test_two_coaxial_quadrotors_blow_as_four_rotors_of_twice_the_thrust() -> None:
    eight = Air().add(np.concatenate([circle(4, 0.24), circle(4, 0.24, (0, 0, 0.05))]), radius=0.12, thrust=1.0)
    four = Air().add(circle(4, 0.24), radius=0.12, thrust=2.0)
    assert (eight["size"], eight["speed"]) == pytest.approx((float(four["size"]), float(four["speed"])), rel=1e-12)


def test_as_a_rotor_stops_the_jet_moves_to_the_others_without_a_jump() -> None:
    places, found = circle(4, 0.24), []
    for last in (1e-6, 0.0, -1.0):
        air = Air()
        air.add(places, radius=0.12, thrust=[2.0, 2.0, 2.0, last])
        found.append(air.at([[0.05, 0.1, -0.4], [0.0, 0.0, -2.0], places[3] + (0, 0, -0.1)]))
    np.testing.assert_allclose(found[0], found[1], atol=2e-3)  # near the stopped one sqrt(1e-6 / 2 rho A) = 3e-3 m/s at most
    np.testing.assert_array_equal(found[1], found[2])  # one that brakes does not blow


def test_rotors_that_stand_still_or_blow_against_each_other_make_no_jet() -> None:
    assert Air().add(circle(4, 0.2), radius=0.1, thrust=0.0)["speed"] == 0.0
    opposed = Air()
    opposed.add([[0, 0, 0], [0.5, 0, 0]], radius=0.1, thrust=1.0, directions=[(0, 0, -1), (0, 0, 1)])
    assert opposed.jets[0]["speed"] == 0.0
    assert not opposed.at([[0, 0, -0.2]]).any()


def test_air_twice_as_thin_is_thrown_faster_by_the_root_of_two() -> None:
    air = Air()
    jet = air.add(circle(4, 0.2), radius=0.1, thrust=2.0)
    before = float(jet["speed"]), air.rotors["speed"].copy()
    merge_rotors(air.rotors, jet, DENSITY / 2, 0.0, 0.0, 0.0, WAKE)
    assert jet["speed"] == pytest.approx(math.sqrt(2.0) * before[0], rel=1e-12)
    np.testing.assert_allclose(air.rotors["speed"], math.sqrt(2.0) * before[1], rtol=1e-12)
