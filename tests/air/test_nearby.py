"""The air near a height that has been looked at is the air."""

from __future__ import annotations

import numpy as np
import pytest

from didymos.air.atmosphere import AirSpec, density, geometric
from didymos.air.nearby import NEARBY, density_nearby, look_around, wind_nearby
from didymos.air.wind import WindSpec, wind_speed
from didymos.spec import record_type

_EPSILON = float(np.finfo(np.float64).eps)


@pytest.mark.parametrize(
    "wind",
    [
        {},
        {"speed": 7.0},
        {"speed": 7.0, "exponent": 0.28},
        {"speed": 7.0, "exponent": 1.0},
        {"speed": 7.0, "roughness": 0.03},
        {"speed": 7.0, "shear": 0.01},
        {"shear": -0.02},
    ],
)
@pytest.mark.parametrize("ground", [0.0, -100.0, 62.5])
@pytest.mark.parametrize("height", [-3.0, 0.0, 0.02, 1.5, 80.0, geometric(11_000.0) - 0.1, geometric(11_000.0) + 0.1, 15_000.0])
def test_the_air_nearby_is_the_air_to_rounding(wind: dict[str, float], height: float, ground: float) -> None:
    air, flow, nearby = AirSpec(), WindSpec(**wind), np.zeros(1, NEARBY)[0]
    air_record, wind_record = np.zeros(1, record_type(AirSpec))[0], np.zeros(1, record_type(WindSpec))[0]
    for spec, record in ((air, air_record), (flow, wind_record)):
        for name in record.dtype.names:
            record[name] = getattr(spec, name)
    look_around(height + ground, height, air_record, wind_record, nearby)
    away = [0.0, *(sign * 10.0**power for power in range(-6, 5) for sign in (-1.0, 1.0))]
    for other in (height + step for step in away):
        exact = density(other + ground, air.temperature, air.pressure)
        # the powers themselves err by a few rounding errors of their bases, five times as large
        assert density_nearby(other + ground, air_record, nearby) == pytest.approx(exact, rel=16 * _EPSILON)
        assert wind_nearby(other, wind_record, nearby) == pytest.approx(wind_speed(other, wind_record), rel=16 * _EPSILON)
