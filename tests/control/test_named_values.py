"""Named readings over one array."""

from __future__ import annotations

import numpy as np
import pytest

from didymos.control import Values

PLACES = {"imu.gyro.x": 0, "imu.gyro.y": 1, "imu.gyro.z": 2, "imu.temperature": 3, "height": 4}


@pytest.fixture
def array() -> np.ndarray:
    return np.array([1.0, 2.0, 3.0, 300.0, 0.5])


@pytest.fixture
def values(array: np.ndarray) -> Values:
    return Values(PLACES, array)


def test_names_reach_numbers_and_groups(values: Values) -> None:
    assert values.imu.gyro.y == 2.0
    assert values["imu.gyro.y"] == 2.0
    assert values["imu"]["gyro.z"] == 3.0
    x, y, z = values.imu.gyro
    assert (x, y, z) == (1.0, 2.0, 3.0)
    np.testing.assert_array_equal(np.asarray(values.imu.gyro), [1.0, 2.0, 3.0])
    assert len(values.imu.gyro) == 3
    assert "height" in values
    assert "depth" not in values


def test_a_view_follows_the_array(values: Values, array: np.ndarray) -> None:
    gyro = values.imu.gyro
    array[0] = -7.0
    assert gyro.x == -7.0


def test_an_unknown_name_names_the_nearest(values: Values) -> None:
    with pytest.raises(AttributeError, match=r"there is no 'imu.gyr', did you mean 'gyro'\? \(known here: gyro, temp"):
        _ = values.imu.gyr
    with pytest.raises(AttributeError, match="'height' is a number"):
        _ = values["height.x"]


def test_readings_cannot_be_set(values: Values) -> None:
    with pytest.raises(AttributeError, match="measured, not set"):
        values.imu.gyro.x = 3.0


def test_a_name_cannot_be_a_number_and_a_group() -> None:
    with pytest.raises(ValueError, match="runs through the value 'a'"):
        Values({"a": 0, "a.b": 1}, np.zeros(2))
