"""The standard atmosphere against its printed table, and as a law."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from didymos.air.atmosphere import (
    GAS_CONSTANT,
    GRAVITY,
    density,
    geometric,
    geopotential,
    height_of_pressure,
    pressure,
    temperature,
)

# ISO 2533:1975, table 5, by geopotential height [m]: temperature [K], pressure [Pa], density [kg/m^3]
TABLE = {
    0.0: (288.150, 1.01325e5, 1.22500),
    1000.0: (281.650, 8.98746e4, 1.11164),
    5000.0: (255.650, 5.40199e4, 0.736116),
    11_000.0: (216.650, 2.26321e4, 0.363918),
    15_000.0: (216.650, 1.20446e4, 0.193674),
    20_000.0: (216.650, 5.47489e3, 0.0880349),
}


@pytest.mark.parametrize("height", TABLE)
def test_the_standard_atmosphere_is_that_of_iso_2533(height: float) -> None:
    kelvin, pascal, kilograms = TABLE[height]
    height = geometric(height)
    # six printed digits: half a unit of the last of a number that begins with 1 is 5e-6 of it
    assert temperature(height, 288.15) == pytest.approx(kelvin, rel=5e-6)
    assert pressure(height, 288.15, 101_325.0) == pytest.approx(pascal, rel=5e-6)
    assert density(height, 288.15, 101_325.0) == pytest.approx(kilograms, rel=5e-6)


# U.S. Standard Atmosphere 1976, table I, by geometric height [m] (the same law up to 32 km): the same columns, five digits
GEOMETRIC = {
    1000.0: (281.651, 8.9876e4, 1.1117),
    5000.0: (255.676, 5.4048e4, 0.73643),
    10_000.0: (223.252, 2.6500e4, 0.41351),
    15_000.0: (216.650, 1.2112e4, 0.19476),
    20_000.0: (216.650, 5.5293e3, 0.088910),
}


@pytest.mark.parametrize("height", GEOMETRIC)
def test_the_height_of_the_world_is_geometric(height: float) -> None:
    """Five digits that begin with 1: half a unit of the last is 5e-5. Taken as geopotential, 20 km errs by 1 %."""
    kelvin, pascal, kilograms = GEOMETRIC[height]
    assert temperature(height, 288.15) == pytest.approx(kelvin, rel=3e-6)
    assert pressure(height, 288.15, 101_325.0) == pytest.approx(pascal, rel=5e-5)
    assert density(height, 288.15, 101_325.0) == pytest.approx(kilograms, rel=5e-5)


HEIGHTS = st.floats(-2000.0, 20_000.0)
GROUND = st.floats(200.0, 330.0)


@given(height=HEIGHTS, climb=st.floats(1.0, 5000.0), ground=GROUND, pascal=st.floats(50_000.0, 110_000.0))
def test_air_gets_thinner_with_height(height: float, climb: float, ground: float, pascal: float) -> None:
    assert density(height + climb, ground, pascal) < density(height, ground, pascal)
    assert pressure(height + climb, ground, pascal) < pressure(height, ground, pascal)


@given(height=HEIGHTS, ground=GROUND)
def test_the_air_carries_its_own_weight(height: float, ground: float) -> None:
    """dp/dz = -rho g (r / (r + z))^2: the central difference errs by (d/H)^2/6 with the scale height H, a few km."""
    step = 1.0
    weaker = (6_356_766.0 / (6_356_766.0 + height)) ** 2
    if abs(height - geometric(11_000.0)) < 2.0:
        return  # the temperature has a kink there
    slope = (pressure(height + step, ground, 101_325.0) - pressure(height - step, ground, 101_325.0)) / (2 * step)
    assert slope == pytest.approx(-GRAVITY * weaker * density(height, ground, 101_325.0), rel=1e-6)


@given(height=HEIGHTS, ground=GROUND, pascal=st.floats(1.0, 110_000.0))
def test_air_is_an_ideal_gas(height: float, ground: float, pascal: float) -> None:
    expected = pressure(height, ground, pascal) / (GAS_CONSTANT * temperature(height, ground))
    assert density(height, ground, pascal) == pytest.approx(expected, rel=1e-14)


@given(height=HEIGHTS, ground=GROUND, pascal=st.floats(50_000.0, 110_000.0))
def test_the_height_of_a_pressure_is_where_the_air_has_it(height: float, ground: float, pascal: float) -> None:
    """dz = (R T / g) dp/p: some rounding errors of the power, with R T / g at most 10 km, and those of the height itself."""
    found = height_of_pressure(pressure(height, ground, pascal), ground, pascal)
    assert found == pytest.approx(height, rel=1e-13, abs=1e-10)


@given(height=HEIGHTS)
def test_geometric_and_geopotential_height_are_inverse(height: float) -> None:
    assert geometric(geopotential(height)) == pytest.approx(height, rel=1e-14)
    # to second order in z/r: H = z - z^2 / r
    assert height - geopotential(height) == pytest.approx(height**2 / 6_356_766.0, rel=0.004, abs=1e-11)


def test_a_vacuum_has_no_density() -> None:
    assert density(100.0, 288.15, 0.0) == 0.0
