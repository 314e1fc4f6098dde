"""The air of a tick: what the root flies through is its velocity relative to the mean air of its height."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from didymos.air.air_state import AIR_STATE, advance_air
from didymos.air.dryden import DRAWS, advance_gust
from didymos.air.gusts import GustSpec
from didymos.air.wind import WindSpec
from didymos.noise import normal
from didymos.spec import record_type

WIND = {"speed": 8.0, "direction": 0.6, "exponent": 0.3, "reference_height": 10.0, "up": -1.5}
HEIGHT, PERIOD = 700.0, 0.02  # above 2000 ft, so that climbing and upward wind count for the path
MEAN = np.array([8.0 * 70.0**0.3 * math.cos(0.6), 8.0 * 70.0**0.3 * math.sin(0.6), -1.5])


def _record(spec: Any) -> Any:
    made = np.zeros(1, record_type(type(spec)))
    for name in made.dtype.names:
        made[name] = getattr(spec, name)
    return made[0]


def _air() -> Any:
    air = np.zeros(1, AIR_STATE)
    rng = np.random.default_rng(4)
    air["key"] = 17.0, 23.0
    for name in "abc":
        air[name] = rng.standard_normal(3)
    air["p"] = 0.4
    return air


@pytest.mark.parametrize("span", [0.0, 1.7])
@pytest.mark.parametrize("tick", [0, 5])
def test_the_turbulence_is_that_of_the_path_through_the_mean_air(span: float, tick: int) -> None:
    wind, gusts = _record(WindSpec(**WIND)), _record(GustSpec(intensity="severe", span=span, x=1.0, y=-2.0, z=0.5))
    velocity = np.array([12.0, -5.0, 3.0])
    air, alone = _air(), _air()
    advance_air(air[0], wind, gusts, HEIGHT, *velocity, tick, PERIOD)
    alone["draws"] = [normal(17.0, 23.0, DRAWS * tick + i) for i in range(DRAWS)]
    alone["gust"] = 1.0, -2.0, 0.5  # the discrete one comes on top
    advance_gust(alone[0], gusts, wind, HEIGHT, *(velocity - MEAN), PERIOD, tick == 0)
    for name in ("a", "b", "gust", "gust_rate"):
        np.testing.assert_allclose(air[name], alone[name], rtol=1e-12)
    np.testing.assert_allclose(air["wind_at_root"][0], MEAN + alone["gust"][0], rtol=1e-12)
    assert air["speed_at_root"][0] == pytest.approx(np.linalg.norm(velocity - MEAN - alone["gust"][0]), rel=1e-12)
    assert air["turning"][0] == (span > 0.0)


def test_a_discrete_gust_needs_no_turbulence_and_leaves_none_behind() -> None:
    wind, air = _record(WindSpec(**WIND)), _air()
    advance_air(air[0], wind, _record(GustSpec(intensity="severe", span=1.7)), HEIGHT, 1.0, 2.0, 3.0, 5, PERIOD)
    advance_air(air[0], wind, _record(GustSpec(x=1.0, y=-2.0, z=0.5, span=1.7)), HEIGHT, 1.0, 2.0, 3.0, 6, PERIOD)
    np.testing.assert_array_equal(air["gust"][0], [1.0, -2.0, 0.5])
    assert not air["gust_rate"].any()
    assert air["turning"][0] == 0.0
