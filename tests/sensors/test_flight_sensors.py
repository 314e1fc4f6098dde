"""GPS, magnetometer, barometer and rangefinder: ideal readings and the wandering error."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from didymos.air.magnetic import earth_field

MODEL = """<mujoco><worldbody><geom type="plane" size="0 0 1"/><body name="body" pos="0 0 4"><freejoint/>
<geom size=".1" mass="1"/></body></worldbody></mujoco>"""
START = {"position": [1.0, 2.0, 4.0], "orientation": [0.2, -0.1, 0.7], "velocity": [3.0, 0.5, 0.0]}


def _reading(make_twin: Any, sensor: dict[str, Any], names: list[str], **keys: Any) -> list[float]:
    twin = make_twin(
        MODEL, world={"gravity": 0.0, "step": 0.001}, start=START, sensors={"it": {"link": "body", "rate": 100} | sensor}, **keys
    )
    log = twin.simulate().run(0.01)
    return [float(log[f"it.{name}"].values[0]) for name in names]


def _rotation() -> np.ndarray:
    roll, pitch, yaw = START["orientation"]
    about_x = np.array([[1, 0, 0], [0, math.cos(roll), -math.sin(roll)], [0, math.sin(roll), math.cos(roll)]])
    about_y = np.array([[math.cos(pitch), 0, math.sin(pitch)], [0, 1, 0], [-math.sin(pitch), 0, math.cos(pitch)]])
    about_z = np.array([[math.cos(yaw), -math.sin(yaw), 0], [math.sin(yaw), math.cos(yaw), 0], [0, 0, 1]])
    return about_z @ about_y @ about_x


def test_gps_gives_position_and_velocity_in_the_world(make_twin: Any) -> None:
    names = [f"{quantity}.{axis}" for quantity in ("position", "velocity") for axis in "xyz"]
    found = _reading(make_twin, {"kind": "gps"}, names)
    np.testing.assert_allclose(found, [1.0, 2.0, 4.0, *(_rotation() @ START["velocity"])], atol=1e-12)


def test_the_magnetometer_gives_the_field_of_the_place_in_its_own_frame(make_twin: Any) -> None:
    found = _reading(make_twin, {"kind": "magnetometer"}, [f"field.{axis}" for axis in "xyz"])
    np.testing.assert_allclose(found, _rotation().T @ earth_field(0.6613, 0.4142), rtol=1e-9)


def test_the_barometer_gives_the_pressure_of_its_height(make_twin: Any) -> None:
    (found,) = _reading(make_twin, {"kind": "barometer"}, ["pressure"])
    assert found == pytest.approx(101325.0 * (1.0 - 0.0065 * 4.0 / 288.15) ** 5.25588, rel=1e-8)


def test_a_rangefinder_measures_along_its_look(make_twin: Any) -> None:
    sensor = {"kind": "rangefinder", "pitch": math.pi / 2}
    (found,) = _reading(make_twin, sensor, ["range"])
    assert found == pytest.approx(4.0 / _rotation()[2, 2], rel=1e-5)  # recorded as float32
    assert _reading(make_twin, sensor | {"pitch": -math.pi / 2}, ["range"]) == [-1.0]


def test_what_is_no_distance_gets_no_errors(make_twin: Any) -> None:
    """Nothing ahead is -1 with every error there is, as it is without."""
    errors = {"noise": 0.3, "bias": 0.5, "turn_on_bias": 0.5, "scale": 1.1, "resolution": 0.25, "limit": 5.0}
    sensor = {"kind": "rangefinder", "pitch": -math.pi / 2, "range": errors}
    assert _reading(make_twin, sensor, ["range"]) == [-1.0]


def test_a_wandering_error_keeps_its_size_and_its_time(make_twin: Any) -> None:
    """A Gauss-Markov process of sd 2 and 0.5 s, over 400 s on three axes: 1200 independent pairs, 4 deviations are 12 %."""
    twin = make_twin(
        MODEL,
        world={"gravity": 0.0, "step": 0.01},
        sensors={"gps": {"kind": "gps", "link": "body", "rate": 20, "position": {"bias": 2.0, "bias_time": 0.5}}},
    )
    log = twin.simulate(seed=4).run(400.0)
    error = np.column_stack([log[f"gps.position.{axis}"].values for axis in "xyz"]) - [0.0, 0.0, 4.0]
    assert error.std() == pytest.approx(2.0, rel=0.12)
    lag = 10  # readings, 0.5 s
    correlation = np.mean(error[lag:] * error[:-lag]) / np.mean(error**2)
    assert correlation == pytest.approx(math.exp(-1.0), abs=0.12)
