"""The Earth's field against another package's numbers, as a law, and that the bundled twins know its declination."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import didymos
from didymos.air.earth import EarthSpec
from didymos.air.magnetic import MagneticSpec, declination, earth_field

# ppigrf 2.1.0 (Laundal, 2025; it is tested against NOAA's calculator) with IGRF-14: degrees, degrees, m, year -> east, north,
# up [nT]. It counts days between two epochs where we count years: up to 0.15 nT between them, none at an epoch.
PUBLISHED = {
    (37.89, 23.73, 0.0, 2025.0): (2352.53, 26654.93, -37908.23),
    (80.0, 0.0, 0.0, 2025.0): (141.60, 6527.40, -54782.53),
    (-80.0, 240.0, 100e3, 2027.5): (14755.72, 5978.64, 49321.95),
    (48.2, 16.37, 200.0, 2022.5): (1786.16, 20852.60, -44272.63),
    (-33.9, 151.2, 5000.0, 2026.5): (5442.40, 23937.38, 51261.78),
    (65.0, -20.0, 0.0, 2024.0): (-2491.55, 12592.17, -51022.61),
    (89.99, 30.0, 0.0, 2025.0): (1248.96, 1282.84, -56850.42),
}


@pytest.mark.parametrize("place", PUBLISHED)
def test_the_field_is_the_reference_field(place: tuple[float, float, float, float]) -> None:
    latitude, longitude, height, date = place
    found = np.array(earth_field(math.radians(latitude), math.radians(longitude), height, date)) * 1e9
    np.testing.assert_allclose(found, PUBLISHED[place], atol=0.006 if date == 2025.0 else 0.15)


def test_at_a_pole_the_field_is_that_beside_it() -> None:
    """East and north turn with the meridian, the vector does not; a microradian away it is the same to 1e-4."""
    at_pole, near = earth_field(math.pi / 2, 0.4), earth_field(math.pi / 2 - 1e-6, 0.4)
    np.testing.assert_allclose(at_pole, near, rtol=1e-4)
    turned = earth_field(math.pi / 2, 0.4 + math.pi)
    np.testing.assert_allclose(turned, [-at_pole[0], -at_pole[1], at_pole[2]], atol=1e-12)


def test_the_field_has_no_sources() -> None:
    """Its flux through a sphere is none: means over a grid of 3 degrees, by the sine of the colatitude; by the geodetic vertical,
    which is not quite a sphere's, it is below one part in 300 of the field's strength."""
    total = weight = strength = 0.0
    for latitude in np.radians(np.arange(-88.5, 90.0, 3.0)):
        for longitude in np.radians(np.arange(-180.0, 180.0, 12.0)):
            field = earth_field(float(latitude), float(longitude))
            total += field[2] * math.cos(latitude)
            strength += float(np.linalg.norm(field)) * math.cos(latitude)
            weight += math.cos(latitude)
    assert 25e-6 < strength / weight < 65e-6  # between the least and the greatest on Earth
    assert abs(total) < strength / 300.0


def test_a_measured_field_is_taken_as_it_is() -> None:
    athens = EarthSpec()
    assert MagneticSpec(north=2e-5, up=-4e-5).field(athens) == (0.0, 2e-5, -4e-5)
    assert declination((1e-5, 1e-5, 0.0)) == pytest.approx(math.pi / 4)
    later, higher = MagneticSpec(date=2030.0).field(athens), MagneticSpec().field(EarthSpec(height=10_000.0))
    assert declination(later) > declination(MagneticSpec().field(athens))  # in Athens it drifts east
    ratio = np.linalg.norm(higher) / np.linalg.norm(MagneticSpec().field(athens))
    assert ratio == pytest.approx((6371.0 / 6381.0) ** 3, abs=5e-4)  # mostly a dipole


def test_twins_with_an_estimator_know_the_declination_of_their_world() -> None:
    """In their own program or a scenario's, to the four digits that they are written with."""
    known = []
    for name in ("quadcopter", "hexacopter", "daedalus", "skywalker_2013", "plane_1wing_sensors", "flying_wing", "vtol"):
        file = didymos.load(name).file
        for control in (file.control, *(scenario.control for scenario in file.scenarios.values())):
            estimator = {} if control is None else control.options.get("estimator", {})
            if estimator:
                known.append(name)
                here = declination(file.world.magnetic.field(file.world.earth))
                assert estimator["declination"] == pytest.approx(here, abs=5e-5), name
    assert set(known) == {"quadcopter", "hexacopter", "daedalus", "skywalker_2013", "plane_1wing_sensors", "flying_wing", "vtol"}


@pytest.mark.parametrize("key", ["latitude", "longitude", "height"])
def test_a_place_in_its_old_home_is_refused_with_the_new_one(make_twin: Any, key: str) -> None:
    with pytest.raises(didymos.InputError, match=f"found '{key}', which stands in world.earth now"):
        make_twin(world={"magnetic": {key: 0.5}})
