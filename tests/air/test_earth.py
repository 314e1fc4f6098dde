"""Gravitation, turning and shape of the Earth against closed forms, definitions and published formulas."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from didymos.air.atmosphere import density
from didymos.air.earth import EARTH_RATE, J2, MU, EarthSpec, apparent, earth_record, gravitation, turning_torque, uniform_gravity
from didymos.air.geodesy import EQUATOR, FLATTENING, SPHERE, geodetic
from didymos.air.place import PLACE, height_at, look_at_place, to_world

G = 9.80665
LATITUDES = [-math.pi / 2, -0.7, 0.0, 0.3, math.pi / 4, 1.2, math.pi / 2]


def _earth(**keys: Any) -> Any:
    return earth_record(EarthSpec(**keys), G)[()]


@pytest.mark.parametrize("height", [0.0, 100.0, 9144.0, 400e3])
def test_attraction_falls_with_the_square_of_the_distance(height: float) -> None:
    earth = _earth(latitude=0.5, gravity="inverse_square", shape="round")
    x, y, z = gravitation(earth, 0.0, 0.0, height)
    assert (x, y) == pytest.approx((0.0, 0.0), abs=1e-14)
    assert z == pytest.approx(-G * (SPHERE / (SPHERE + height)) ** 2, rel=1e-14)


@pytest.mark.parametrize("height", [0.0, 9144.0, 400e3])
def test_the_second_harmonic_at_the_equator_and_at_the_pole(height: float) -> None:
    """mu / r^2 (1 + 3/2 J2 (A / r)^2) there, mu / r^2 (1 - 3 J2 (A / r)^2) here."""
    r = EQUATOR + height
    there = gravitation(_earth(latitude=0.0, gravity="j2"), 0.0, 0.0, height)
    assert there == pytest.approx((0.0, 0.0, -MU / r**2 * (1 + 1.5 * J2 * (EQUATOR / r) ** 2)), rel=1e-14, abs=1e-14)
    r = EQUATOR * (1 - FLATTENING) + height
    here = gravitation(_earth(latitude=math.pi / 2, gravity="j2"), 0.0, 0.0, height)
    assert here == pytest.approx((0.0, 0.0, -MU / r**2 * (1 - 3 * J2 * (EQUATOR / r) ** 2)), rel=1e-14, abs=1e-14)


def test_attraction_is_the_slope_of_the_potential() -> None:
    """U = mu / r (1 - J2 (A / r)^2 (3 sin^2 - 1) / 2); differences over 2 km err by (1 km / r)^2, 2.5e-8."""
    earth = _earth(latitude=0.7, gravity="j2")

    def potential(at: Any) -> float:
        r = at + earth["origin"]
        d, s = np.linalg.norm(r), r @ earth["axis"] / np.linalg.norm(r)
        return float(MU / d * (1 - J2 * (EQUATOR / d) ** 2 * (3 * s**2 - 1) / 2))

    for at in np.random.default_rng(3).uniform(-2e6, 2e6, (5, 3)):
        slope = [(potential(at + step) - potential(at - step)) / 2000.0 for step in 1000.0 * np.eye(3)]
        np.testing.assert_allclose(gravitation(earth, *at), slope, rtol=0, atol=4e-7)


@pytest.mark.parametrize("latitude", LATITUDES)
def test_gravity_on_the_ellipsoid_is_somiglianas_but_for_the_fourth_harmonic(latitude: float) -> None:
    """NGA.STND.0036: normal gravity; what J2 leaves out is 5 P4 J4 of gravity, J4 = -2.37091222e-6 (GRS 80), and what is left
    then is the sixth, 7 J6 = 4e-8, and the difference of geodetic and geocentric latitude."""
    sine = math.sin(latitude)
    normal = 9.7803253359 * (1 + 0.00193185265241 * sine**2) / math.sqrt(1 - FLATTENING * (2 - FLATTENING) * sine**2)
    x, y, z = uniform_gravity(EarthSpec(latitude=latitude, gravity="j2", rotation=True), G)
    assert -z == pytest.approx(normal, rel=2e-5)
    fourth = -5.0 * -2.37091222e-6 * (35 * sine**4 - 30 * sine**2 + 3) / 8 * 9.8
    assert -z + fourth == pytest.approx(normal, abs=2e-6)
    assert math.hypot(x, y) < 1e-4  # the plumb line is the ellipsoid's normal, but for the same


def test_a_weight_at_the_equator_is_less_by_what_turns_it() -> None:
    still = uniform_gravity(EarthSpec(latitude=0.0, gravity="inverse_square", shape="round"), G)
    turning = uniform_gravity(EarthSpec(latitude=0.0, gravity="inverse_square", shape="round", rotation=True), G)
    assert turning[2] - still[2] == pytest.approx(EARTH_RATE**2 * SPHERE, rel=1e-10)
    assert uniform_gravity(EarthSpec(rotation=True), G) == (0.0, 0.0, -G)  # what a scale shows


def test_forces_of_a_turning_frame_are_those_of_its_definition() -> None:
    random = np.random.default_rng(1)
    earth = _earth(latitude=0.4, gravity="inverse_square", shape="round", rotation=True)
    spin = EARTH_RATE * np.array([0.0, math.cos(0.4), math.sin(0.4)])
    for _ in range(5):
        at, v = random.normal(size=3) * 1e4, random.normal(size=3) * 300
        uniform = np.array([0.0, 0.0, -9.7])
        outward = np.cross(spin, np.cross(spin, at + earth["origin"]))
        expected = gravitation(earth, *at) - uniform - 2 * np.cross(spin, v) - outward
        np.testing.assert_allclose(apparent(earth, uniform, at, *v), expected, rtol=0, atol=1e-14)


def test_the_torque_on_a_turning_body_is_that_on_its_points() -> None:
    """The moment of -2 W x (w x p) - W x (W x p) over masses in pairs along the principal axes."""
    w, spin = np.array([0.3, -0.5, 0.9]), np.array([0.02, 0.07, -0.04])
    points = np.array([[0.6, 0, 0], [0, 0.4, 0], [0, 0, 0.9]])
    masses, torque = np.array([1.0, 2.0, 0.7]), np.zeros(3)
    for mass, point in zip(masses, points, strict=True):
        force = -mass * (2 * np.cross(spin, np.cross(w, point)) + np.cross(spin, np.cross(spin, point)))
        torque += 2 * np.cross(point, force)  # and its twin across
    squares = 2 * masses * (points**2).sum(axis=1)
    inertia = squares.sum() - squares
    np.testing.assert_allclose(turning_torque(inertia, *w, *spin), torque, atol=1e-15)


def _place(earth: Any, position: Any) -> Any:
    place = np.zeros(1, dtype=PLACE)[0]
    look_at_place(earth, np.asarray(position, dtype=np.float64), place)
    return place


@pytest.mark.parametrize("shape", ["round", "ellipsoid"])
@pytest.mark.parametrize("latitude", [-1.1, 0.0, 0.8])
def test_up_is_where_height_grows_and_north_where_latitude_does(latitude: float, shape: str) -> None:
    earth = _earth(latitude=latitude, longitude=0.3, height=50.0, shape=shape)
    position = np.array([80e3, -50e3, 3e3])
    place = _place(earth, position)
    axes = np.array([place["east"], place["north"], place["up"]])
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-14)
    assert np.linalg.det(axes) == pytest.approx(1.0)

    def where(at: Any) -> Any:
        return np.array(geodetic(latitude, 0.3, 50.0, *at, earth["equator"], earth["flattening"]))

    slopes = np.array([(where(position + step) - where(position - step)) / 200.0 for step in 100.0 * np.eye(3)])
    directions = slopes / np.linalg.norm(slopes, axis=0)
    np.testing.assert_allclose(directions.T[[1, 0, 2]], axes, atol=2e-9)
    np.testing.assert_allclose(to_world(place, 1.0, 2.0, 3.0), axes.T @ [1.0, 2.0, 3.0], atol=1e-14)
    for reach, error in ((10.0, 1e-7), (100.0, 1e-5)):
        for offset in reach / math.sqrt(3) * np.array([[1, 1, 1], [1, -1, 1], [-1, 1, -1]]):
            assert height_at(place, position + offset) == pytest.approx(where(position + offset)[2], abs=error)


def test_a_flat_earth_counts_heights_by_z() -> None:
    place = _place(_earth(latitude=0.5, height=20.0, rotation=True), [5e4, 0.0, 30.0])
    assert place["height"] == 50.0
    assert [*place["east"], *place["north"], *place["up"]] == [1, 0, 0, 0, 1, 0, 0, 0, 1]


# US Standard Atmosphere 1976, table I (NOAA-S/T 76-1562), geometric height [m]: density [kg/m^3], printed to five digits
TABLE = {-1000: 1.3470, 0: 1.2250, 3000: 9.0925e-1, 5000: 7.3643e-1, 9000: 4.6706e-1, 11000: 3.6480e-1, 15000: 1.9476e-1}


@pytest.mark.parametrize("height", TABLE)
def test_density_is_that_of_the_us_standard_atmosphere(height: int) -> None:
    """By its equations to 1e-6 (its gas constant is 7e-7 more than ours of ISO 2533), by its table to the last digit printed."""
    gas = 8314.32 / 28.9644
    lifted = 6356766.0 * height / (6356766.0 + height)
    temperature = 288.15 - 0.0065 * min(lifted, 11000.0)
    pressure = 101325.0 * (288.15 / temperature) ** (9.80665 / (gas * -0.0065))
    pressure *= math.exp(-9.80665 * max(lifted - 11000.0, 0.0) / (gas * temperature))
    assert density(float(height), 288.15, 101325.0) == pytest.approx(pressure / (gas * temperature), rel=1e-6)
    assert density(float(height), 288.15, 101325.0) == pytest.approx(TABLE[height], rel=6e-5)
