"""One height for all: wind, gusts, parts and sensors count it from the ground, the atmosphere from z = 0 of the world."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

MODEL = """<mujoco><worldbody><body name="body"><freejoint/><geom size="2" mass="1000"/><site name="mast" pos="0 0 2"/></body>
</worldbody></mujoco>"""
ALTIMETER = '''
from didymos.contract import output, quantity
from didymos.parts import Part
from didymos.parts.part import law
from didymos.sensors.sensor import Sensor, measure


class Altimeter(Sensor):
    """The height above the ground."""

    height = quantity(unit="m")

    @measure
    def look(sensor, here, reading):
        reading.height = here.height


class Plumb(Part):
    """Tells the height above the ground and pulls nothing."""

    height = output(unit="m")

    @law
    def act(part, here, inputs, memory, state, rate, wrench, output):
        output.height = here.height
'''
POWER_LAW = {"speed": 8.0, "exponent": 0.3, "reference_height": 10.0}


def _twin(make_twin: Any, height: float, ground: float | None, **world: Any) -> Any:
    if ground is not None:
        world["ground"] = {"height": ground}
    return make_twin(
        MODEL,
        files={"altimeter.py": ALTIMETER},
        world={"gravity": 0.0, **world},
        parts={
            "drag": {"kind": "body_drag", "link": "mast", "area_x": 0.3, "area_y": 0.0, "area_z": 0.0},
            "plumb": {"kind": "altimeter.py:Plumb", "link": "mast"},
        },
        sensors={
            "altimeter": {"kind": "altimeter.py:Altimeter", "link": "mast", "rate": 100},
            "pitot": {"kind": "airspeed", "link": "mast", "rate": 100},
            "baro": {"kind": "barometer", "link": "mast", "rate": 100},
        },
        start={"position": [0, 0, height], "orientation": [0, 0, np.pi]},  # its nose into the wind
        record={"rate": 100.0, "air": True},
    )


@pytest.mark.parametrize(
    ("height", "ground", "above"), [(8.0, None, 8.0), (8.0, 0.0, 8.0), (8.0, -12.0, 20.0), (108.0, 100.0, 8.0)]
)
def test_parts_sensors_and_wind_count_from_the_ground(make_twin: Any, height: float, ground: float | None, above: float) -> None:
    log = _twin(make_twin, height, ground, wind=POWER_LAW).simulate().run(0.01)
    assert log["altimeter.height"].values[0] == pytest.approx(above + 2.0, rel=1e-14)
    assert log["parts.plumb.height"].values[0] == pytest.approx(above + 2.0, rel=1e-14)
    assert log["air.wind.x"].values[0] == pytest.approx(8.0 * (above / 10.0) ** 0.3, rel=1e-13)
    # the atmosphere counts from z = 0: troposphere with geopotential height, written out
    temperature = 288.15 - 0.0065 * 6_356_766.0 * (height + 2.0) / (6_356_766.0 + height + 2.0)
    pressure = 101_325.0 * (temperature / 288.15) ** (9.80665 / (287.05287 * 0.0065))
    density = pressure / (287.05287 * temperature)
    at_mast = 8.0 * ((above + 2.0) / 10.0) ** 0.3
    assert log["baro.pressure"].values[0] == pytest.approx(pressure, rel=1e-13)
    assert log["pitot.airspeed"].values[0] == pytest.approx(at_mast * np.sqrt(density / 1.225), rel=1e-12)
    assert log["parts.drag.force.x"].values[0] == pytest.approx(-0.5 * density * 0.3 * at_mast**2, rel=1e-12)


def test_gusts_are_those_of_the_height_above_the_ground(make_twin: Any) -> None:
    """On a table-land of 100 m, one and the same turbulence 8 m above it as 8 m above the plain."""
    gusts = {"wind_6m": 10.0}
    plain, high, far = (
        _twin(make_twin, height, ground, wind=POWER_LAW, gusts=gusts).simulate(seed=4).run(0.01)
        for height, ground in ((8.0, 0.0), (108.0, 100.0), (108.0, 0.0))
    )
    for axis in "xyz":
        assert high[f"air.wind.{axis}"].values[0] == pytest.approx(plain[f"air.wind.{axis}"].values[0], rel=1e-12)
    assert far["air.wind.y"].values[0] != pytest.approx(plain["air.wind.y"].values[0], rel=0.01)


def test_a_ground_that_is_moved_takes_the_wind_along(make_twin: Any) -> None:
    twin = _twin(make_twin, 8.0, 0.0, wind=POWER_LAW)
    twin.set("world.ground.height", -12.0)
    assert twin.simulate().run(0.01)["air.wind.x"].values[0] == pytest.approx(8.0 * 2.0**0.3, rel=1e-13)
