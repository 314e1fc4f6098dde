"""The standard atmosphere against its printed table, and as a law."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from didymos.air.atmosphere import GAS_CONSTANT, GRAVITY, density, pressure, temperature

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
    # six printed digits: half a unit of the last of a number that begins with 1 is 5e-6 of it
    assert temperature(height, 288.15) == pytest.approx(kelvin, rel=5e-6)
    assert pressure(height, 288.15, 101_325.0) == pytest.approx(pascal, rel=5e-6)
    assert density(height, 288.15, 101_325.0) == pytest.approx(kilograms, rel=5e-6)


HEIGHTS = st.floats(-2000.0, 20_000.0)
GROUND = st.floats(200.0, 330.0)


@given(height=HEIGHTS, climb=st.floats(1.0, 5000.0), ground=GROUND, pascal=st.floats(50_000.0, 110_000.0))
def test_air_gets_thinner_with_height(height: float, climb: float, ground: float, pascal: float) -> None:
    assert density(height + climb, ground, pascal) < density(height, ground, pascal)
    assert pressure(height + climb, ground, pascal) < pressure(height, ground, pascal)


@given(height=HEIGHTS, ground=GROUND)
def test_the_air_carries_its_own_weight(height: float, ground: float) -> None:
    """dp/dh = -rho g: the central difference errs by (d/H)^2/6 with the scale height H, a few km."""
    step = 1.0
    if abs(height - 11_000.0) < 2.0:
        return  # the temperature has a kink there
    slope = (pressure(height + step, ground, 101_325.0) - pressure(height - step, ground, 101_325.0)) / (2 * step)
    assert slope == pytest.approx(-GRAVITY * density(height, ground, 101_325.0), rel=1e-6)


@given(height=HEIGHTS, ground=GROUND, pascal=st.floats(1.0, 110_000.0))
def test_air_is_an_ideal_gas(height: float, ground: float, pascal: float) -> None:
    expected = pressure(height, ground, pascal) / (GAS_CONSTANT * temperature(height, ground))
    assert density(height, ground, pascal) == pytest.approx(expected, rel=1e-14)


def test_a_vacuum_has_no_density() -> None:
    assert density(100.0, 288.15, 0.0) == 0.0
