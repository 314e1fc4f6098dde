"""The wake below rotors: the published jet, its momentum, the disc's own field, what wind and flight do to it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from blowing import DENSITY, DOWN, WAKE, Air, circle, wake_record
from scipy.integrate import quad

from didymos.air.rotor_wake import jet_speed

# mass [kg], radius of a rotor [m], distance of opposite motors [m]: a Crazyflie, a racer of 5 inches, a large quadrotor
QUADROTORS = {"crazyflie": (0.034, 0.0231, 0.092), "racer": (0.75, 0.0648, 0.25), "large": (3.0, 0.19, 0.65)}
PROFILE = math.sqrt(2.0) - 1.0


def _published(mass: float, radius: float, distance: float, s: float, r: float) -> float:
    """Bauersfeld et al. 2024, equations 1, 2, 3, 6 and 9; lengths are counted in motor distances there."""
    induced = math.sqrt(mass * 9.81 / (2 * DENSITY * 4 * math.pi * radius**2))
    half_width = 0.07668 * (s / distance + 5.817)
    return induced * 10.11 / (s / distance + 5.817) / (1 + PROFILE * (r / distance / half_width) ** 2) ** 2


@pytest.mark.parametrize("name", QUADROTORS)
def test_from_two_and_a_half_motor_distances_the_jet_is_the_published_one(name: str) -> None:
    mass, radius, distance = QUADROTORS[name]
    air = Air()
    air.add(circle(4, distance / 2), radius=radius, thrust=mass * 9.81 / 4)
    for s in (2.5 * distance, 1.0 + 2.5 * distance, 6.0):
        for r in (0.0, 0.1 * s, 0.3 * s):
            found = air.at([[r * 0.6, -r * 0.8, -s]])[0]
            assert found[:2] == pytest.approx([0.0, 0.0], abs=1e-12)
            assert -found[2] == pytest.approx(_published(mass, radius, distance, s, r), rel=1e-12)


def test_a_crazyflie_a_metre_above_another_blows_at_it_with_2_7_metres_per_second() -> None:
    air = Air()
    air.add(circle(4, 0.046), radius=0.0231, thrust=0.034 * 9.81 / 4)
    assert air.at([[0, 0, -1.0]])[0, 2] == pytest.approx(-2.73, abs=0.005)


def test_the_momentum_flux_of_the_jet_is_the_same_at_every_depth_and_never_more_than_the_thrust() -> None:
    """rho int u^2 dA by quadrature; of rotors a diameter from the middle 0.967 of the thrust, of ones further out all of it."""
    radius, thrust = 0.1, 8.0
    for arm, share in ((0.15, 0.544), (0.2, 0.967), (0.4, 1.0)):
        jet = Air().add(circle(4, arm), radius=radius, thrust=thrust / 4)
        for depth in (0.0, 1.0, 10.0):
            flux = quad(
                lambda r, s=depth, of=jet: 2 * math.pi * r * jet_speed(s, r * r, of["size"], of["speed"], WAKE) ** 2, 0, np.inf
            )[0]
            assert DENSITY * flux == pytest.approx(share * thrust, rel=1e-3)  # shares are written to three digits


@pytest.mark.parametrize("depth", [0.3, 0.6, 1.2])
def test_momentum_is_kept_while_the_jets_of_rotors_become_one(depth: float) -> None:
    """(1 - w) g^2 + w of what the far field has: g < 1 is what pressure still holds near the discs."""
    radius, arm, thrust = 0.1, 0.2, 8.0
    air = Air()
    jet = air.add(circle(4, arm), radius=radius, thrust=thrust / 4)
    size, step = float(jet["size"]), 0.04
    edge = 5.0 * WAKE["spread"] * (depth + WAKE["origin"] * size) + size / 2  # where jets are cut off
    line = np.arange(-edge, edge, step) + step / 2
    x, y = np.meshgrid(line, line)
    speeds = air.at(np.stack([x.ravel(), y.ravel(), np.full(x.size, -depth)], axis=1))[:, 2]
    x = min(depth / (2.5 * size), 1.0)
    merged = x * x * (3 - 2 * x)
    developed = 0.5 + 0.5 * depth / math.hypot(depth, radius)
    share = (1 - merged) * developed**2 + merged
    beyond = (1 + PROFILE * 5.0**2) ** -3  # of the flux of a jet that is cut off at 5 half-widths: 7e-4
    found = DENSITY * np.sum(speeds**2) * step**2
    assert found == pytest.approx(0.9673 * thrust * share, rel=beyond + 1e-4)  # the sum on a grid converges beyond that


def test_in_its_disc_a_rotor_has_its_induced_velocity_and_nowhere_twice_that() -> None:
    """Momentum theory: v in the disc, 2 v far behind; the jet spreads before it has got there."""
    radius, thrust = 0.12, 5.0
    induced = math.sqrt(thrust / (2 * DENSITY * math.pi * radius**2))
    air = Air()
    air.add([0, 0, 0], radius=radius, thrust=thrust)
    depths = np.linspace(-0.5, 3.0, 400)
    speeds = -air.at(np.stack([0 * depths, 0 * depths, -depths], axis=1))[:, 2] / induced
    assert np.interp(0.0, depths, speeds) == pytest.approx(10.11 / 5.817 / 2, abs=2e-3)  # 0.869: the profile is not flat
    assert 1.0 < speeds.max() < 2.0


def test_the_field_does_not_jump_from_above_the_rotors_to_below() -> None:
    radius, thrust = 0.12, 5.0
    air = Air()
    air.add(circle(4, 0.24), radius=radius, thrust=thrust / 4)
    induced = math.sqrt(thrust / (2 * DENSITY * 4 * math.pi * radius**2))
    heights = np.linspace(-1.0, 1.0, 4001)
    for x, y in ((0.0, 0.0), (0.17, 0.17), (0.24, 0.1)):
        speeds = air.at(np.stack([np.full(4001, x), np.full(4001, y), heights], axis=1))[:, 2]
        assert np.abs(np.diff(speeds)).max() < 0.03 * induced  # 1.5 % of twice it, where it is cut off above
        assert (speeds[heights > 4 * radius] == 0.0).all()
        assert speeds[heights < 0.0].max() < 0.0


def test_a_robot_in_flight_leaves_its_jet_behind_and_wind_blows_it_away() -> None:
    """By the way that air takes: the centreline lies where the integral of ds / c U_c says."""
    mass, radius, distance = QUADROTORS["racer"]
    wind, depth = np.array([1.5, -0.5, 0.0]), 2.0
    induced = math.sqrt(mass * 9.81 / (2 * DENSITY * 4 * math.pi * radius**2))
    late = quad(lambda s: (s / distance + 5.817) / (0.6 * 10.11 * induced), 0, depth)[0]
    air, still = Air(), Air()
    air.add(circle(4, distance / 2), radius=radius, thrust=mass * 9.81 / 4, air=wind)
    still.add(circle(4, distance / 2), radius=radius, thrust=mass * 9.81 / 4)
    for aside in ((0.0, 0.0), (0.2, 0.0), (0.0, -0.3)):
        there = np.array([*aside, -depth])
        np.testing.assert_allclose(air.at(there + late * wind), still.at(there), rtol=1e-12)
    near = circle(4, distance / 2)[0] + (0, 0, -0.05)
    assert -air.at(near)[0, 2] == pytest.approx(-still.at(near)[0, 2], rel=0.03)  # close to the disc it has not got far
    straight = Air(wake_record(convection=0.0))
    straight.add(circle(4, distance / 2), radius=radius, thrust=mass * 9.81 / 4, air=wind)
    np.testing.assert_array_equal(straight.at([[0.1, 0, -depth]]), still.at([[0.1, 0, -depth]]))


def test_a_climb_along_the_axis_does_not_bend_the_jet() -> None:
    air, still = Air(), Air()
    air.add(circle(4, 0.2), radius=0.1, thrust=2.0, air=(0.0, 0.0, -2.0))
    still.add(circle(4, 0.2), radius=0.1, thrust=2.0)
    np.testing.assert_array_equal(air.at([[0.1, 0, -1.0]]), still.at([[0.1, 0, -1.0]]))


def test_a_robot_does_not_feel_its_own_jet_but_that_of_others_and_their_momenta_add_up() -> None:
    air, one, two = Air(), Air(), Air()
    left, right = circle(4, 0.2, (-0.3, 0, 0)), circle(4, 0.2, (0.3, 0, 0.5))
    for together, alone, places, robot in ((air, one, left, 0), (air, two, right, 1)):
        together.add(places, radius=0.1, thrust=2.0, robot=robot)
        alone.add(places, radius=0.1, thrust=2.0, robot=robot)
    point = [[0.05, 0.1, -1.2]]
    first, second = one.at(point)[0, 2], two.at(point)[0, 2]
    assert min(-first, -second) > 0.5
    assert air.at(point)[0, 2] == pytest.approx(-math.hypot(first, second), rel=1e-12)
    np.testing.assert_allclose(air.at(point, own=0)[0, 2], second, rtol=1e-12)
    np.testing.assert_allclose(air.at(point, own=1)[0, 2], first, rtol=1e-12)


def test_jets_blow_along_the_thrusts_reaction_whichever_way_that_is() -> None:
    """The same robot on its side: the field turns with it."""
    upright, turned = Air(), Air()
    turn = np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]])  # z to x, x to -z
    upright.add(circle(4, 0.2), radius=0.1, thrust=2.0)
    turned.add(circle(4, 0.2) @ turn.T, radius=0.1, thrust=2.0, directions=turn @ np.array(DOWN))
    for point in ([0.05, 0.1, -0.2], [0.1, -0.2, -0.7], [0.2, 0.0, -4.0], [0.1, 0.1, 0.05]):
        expected = turn @ upright.at([point])[0]
        np.testing.assert_allclose(turned.at([turn @ point])[0], expected, rtol=1e-9, atol=1e-12)


def test_far_aside_and_above_there_is_nothing() -> None:
    air = Air()
    air.add(circle(4, 0.2), radius=0.1, thrust=2.0)
    assert not air.at([[0, 0, 0.5], [3.0, 0, -1.0], [0, 9.0, -8.0]]).any()
