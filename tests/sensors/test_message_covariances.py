"""What the messages of sensors say about their own errors, and where on Earth a GPS is."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory

from didymos import Log
from didymos.air.geodesy import EQUATOR, FLATTENING, geodetic

STILL = """<mujoco><worldbody><body name="body" pos="-189013.869 -128642.040 -4220.171"><freejoint/>
  <geom size=".1" mass="1"/></body></worldbody></mujoco>"""
SENSORS: dict[str, Any] = {
    "imu": {"kind": "imu", "gyro": {"noise_density": [0.01, 0.02, 0.03]}, "accel": {"noise": 0.1, "bias": 0.2}},
    "state": {"kind": "odometry", "position": {"noise": [0.3, 0.3, 0.6]}, "angular_velocity": {"turn_on_bias": 0.5}},
    "compass": {"kind": "magnetometer", "field": {"noise": 1e-6}},
    "baro": {"kind": "barometer", "pressure": {"noise": 3.0, "resolution": 6.0}},
    "sonar": {"kind": "rangefinder", "range": {"noise": 0.25}},
    "gps": {"kind": "gps", "fix": True, "position": {"noise": [1.2, 1.2, 2.4], "bias": 0.5, "bias_time": 10.0}},
    "exact": {"kind": "imu"},
    "silenced": {"kind": "imu", "errors": 0, "gyro": {"noise": 1.0}},
}


def _origin(latitude: float, longitude: float, height: float) -> dict[str, float]:
    return {"latitude": math.radians(latitude), "longitude": math.radians(longitude), "height": height}


def _messages(make_twin: Any, path: Path, sensors: dict[str, Any]) -> dict[str, Any]:
    """The first message of each topic, read by a library that shares no code with ours."""
    about = {name: {"link": "body", "rate": 100} | spec for name, spec in sensors.items()}
    world = {"gravity": 0.0, "boundary": 1e6, "earth": _origin(55.0, 5.0, 200.0)}
    make_twin(STILL, world=world, sensors=about).simulate(seed=4).run(0.05, record=path)
    found: dict[str, Any] = {}
    with path.open("rb") as file:
        for _, channel, _, message in make_reader(file, decoder_factories=[DecoderFactory()]).iter_decoded_messages():
            found.setdefault(channel.topic, message)
    return found


def test_covariances_are_those_of_the_error_model(make_twin: Any, tmp_path: Path) -> None:
    found = _messages(make_twin, tmp_path / "log.mcap", SENSORS)

    def diagonal(matrix: Any) -> Any:
        size = math.isqrt(len(matrix))
        square = np.reshape(matrix, (size, size))
        np.testing.assert_array_equal(square, np.diag(np.diag(square)))
        return np.diag(square)

    np.testing.assert_allclose(diagonal(found["/imu"].angular_velocity_covariance), np.array([1, 4, 9]) * 1e-4 * 100)
    np.testing.assert_allclose(diagonal(found["/imu"].linear_acceleration_covariance), [0.05] * 3)
    assert found["/imu"].orientation_covariance[0] == -1.0  # there is no orientation
    np.testing.assert_allclose(diagonal(found["/state"].pose.covariance), [0.09, 0.09, 0.36, 0, 0, 0])
    np.testing.assert_allclose(diagonal(found["/state"].twist.covariance), [0, 0, 0, 0.25, 0.25, 0.25])
    np.testing.assert_allclose(diagonal(found["/compass"].magnetic_field_covariance), [1e-12] * 3)
    assert found["/baro"].variance == pytest.approx(9.0 + 36.0 / 12.0)
    assert found["/sonar"].variance == pytest.approx(0.0625)
    np.testing.assert_allclose(diagonal(found["/gps/fix"].position_covariance), [1.69, 1.69, 6.01])
    assert found["/gps/fix"].position_covariance_type == 2
    for topic in ("/exact", "/silenced"):  # zeros: nothing is known
        assert not np.any(found[topic].angular_velocity_covariance)


def test_a_recording_with_covariances_is_read_back(make_twin: Any, tmp_path: Path) -> None:
    _messages(make_twin, tmp_path / "log.mcap", SENSORS)
    log = Log.load(tmp_path / "log.mcap")
    layout = next(layout for layout in log.layouts if layout.name == "gps.fix")
    assert dict(layout.constants)["position_covariance"][0] == pytest.approx(1.69)
    log.save(tmp_path / "again.mcap")
    again = Log.load(tmp_path / "again.mcap")
    assert again.layouts == log.layouts
    np.testing.assert_array_equal(again["gps.fix.latitude"].values, log["gps.fix.latitude"].values)


def test_a_fix_is_where_the_position_that_was_read_is_on_earth(make_twin: Any, tmp_path: Path) -> None:
    """IOGP 373-7-2 (EPSG method 9837): from 55 N, 5 E, 200 m, these metres east, north, up are 53 48 33.82 N, 2 07 46.38 E, 73 m.

    It is printed to a millimetre, and to 0.001 seconds of arc, 3 cm.
    """
    fix = _messages(make_twin, tmp_path / "log.mcap", {"gps": {"kind": "gps", "fix": True}})["/gps/fix"]
    assert fix.latitude == pytest.approx(53 + 48 / 60 + 33.820 / 3600, abs=2e-7)
    assert fix.longitude == pytest.approx(2 + 7 / 60 + 46.380 / 3600, abs=2e-7)
    assert fix.altitude == pytest.approx(73.0, abs=0.02)
    assert (fix.status.status, fix.status.service, fix.position_covariance_type) == (0, 1, 0)
    assert fix.header.frame_id == "body"


def _cartesian(latitude: float, longitude: float, height: float) -> Any:
    """WGS 84, by the definition."""
    a, f = 6378137.0, 1 / 298.257223563
    square = f * (2 - f)
    normal = a / math.sqrt(1 - square * math.sin(latitude) ** 2)
    out = (normal + height) * math.cos(latitude)
    return np.array([out * math.cos(longitude), out * math.sin(longitude), (normal * (1 - square) + height) * math.sin(latitude)])


@pytest.mark.parametrize("latitude", [-1.5707, -0.9, 0.0, 0.66, 1.57])
@pytest.mark.parametrize("longitude", [-3.1, 0.4, 2.0])
def test_the_way_to_a_place_on_earth_and_back_is_the_same(latitude: float, longitude: float) -> None:
    """A place by its difference to the origin along east, north and up there; 1e-8 m is ten roundings at the Earth's radius."""
    origin = _cartesian(latitude, longitude, 120.0)
    sl, cl, so, co = math.sin(latitude), math.cos(latitude), math.sin(longitude), math.cos(longitude)
    axes = np.array([[-so, co, 0.0], [-sl * co, -sl * so, cl], [cl * co, cl * so, sl]])
    for metres in ([0.0, 0.0, 0.0], [1500.0, -800.0, 300.0], [-90e3, 40e3, 11e3]):
        found = geodetic(latitude, longitude, 120.0, *metres, EQUATOR, FLATTENING)
        np.testing.assert_allclose(_cartesian(*found), origin + axes.T @ metres, atol=2e-8)
