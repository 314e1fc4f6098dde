"""Logs as tables of pandas and xarray: the same numbers, on one time base, with their units."""

from __future__ import annotations

import sys

import numpy as np
import pandas
import pytest
import xarray

from didymos.errors import InputError
from didymos.record import Kind, Log, StreamLayout

FAST, SLOW = np.array([0.0, 0.1, 0.2, 0.3]), np.array([0.05, 0.2])


@pytest.fixture
def log() -> Log:
    """A gyro at four times, a height at two, one of which both have."""
    layouts = (
        StreamLayout("imu", Kind.IMU, ("gyro.x", "gyro.y"), ("rad/s", "rad/s")),
        StreamLayout("baro", Kind.SCALARS, ("height",), ("m",)),
    )
    log = Log(layouts, {"twin": "quadcopter", "seed": "7"})
    log.append(0, FAST, np.arange(8.0).reshape(4, 2))
    log.append(1, SLOW, [[10.0], [20.0]])
    return log


def test_all_signals_stand_over_all_stamps_with_gaps_where_there_is_no_sample(log: Log) -> None:
    frame = log.to_pandas()
    assert frame.index.name == "time"
    assert frame.index.to_list() == [0.0, 0.05, 0.1, 0.2, 0.3]
    assert list(frame.columns) == list(log.signals)
    np.testing.assert_array_equal(frame["baro.height"], [np.nan, 10.0, np.nan, 20.0, np.nan])
    np.testing.assert_array_equal(frame["imu.gyro.y"], [1.0, np.nan, 3.0, 5.0, 7.0])


def test_one_stream_has_its_own_rows_and_no_gaps(log: Log) -> None:
    frame = log.to_pandas("imu")
    assert frame.index.to_list() == FAST.tolist()
    np.testing.assert_array_equal(frame.to_numpy(), np.arange(8.0).reshape(4, 2))


def test_a_table_has_the_units_of_its_columns(log: Log) -> None:
    assert log.to_pandas().attrs["units"] == {"imu.gyro.x": "rad/s", "imu.gyro.y": "rad/s", "baro.height": "m"}
    data = log.to_xarray()
    assert {str(name): data[name].attrs["units"] for name in data} == log.to_pandas().attrs["units"]
    assert data["time"].attrs["units"] == "s"


def test_at_the_stamps_of_a_stream_the_others_hold_their_last_sample(log: Log) -> None:
    frame = log.to_pandas(at="imu")
    assert frame.index.to_list() == FAST.tolist()
    np.testing.assert_array_equal(frame["baro.height"], [np.nan, 10.0, 20.0, 20.0])
    np.testing.assert_array_equal(log.to_pandas("baro", at=[0.0, 0.1, 9.0])["baro.height"], [np.nan, 10.0, 20.0])


def test_a_dataset_is_the_same_table_with_the_texts_of_the_run(log: Log) -> None:
    for names, at in (((), None), (("imu",), None), (("*.gyro.?", "baro"), "baro")):
        frame, data = log.to_pandas(*names, at=at), log.to_xarray(*names, at=at)
        assert isinstance(frame, pandas.DataFrame)
        assert isinstance(data, xarray.Dataset)
        assert data.attrs == log.metadata
        pandas.testing.assert_frame_equal(data.to_dataframe(), frame)


def test_angles_of_an_orientation_are_signals_too(full_log: Log) -> None:
    name = "some.odometry.roll"
    np.testing.assert_array_equal(full_log.to_pandas(name)[name], full_log[name].values)


def test_every_number_of_a_log_is_in_its_table(full_log: Log) -> None:
    frame = full_log.to_pandas()
    for name in full_log.signals:
        signal, column = full_log[name], frame[name].dropna()
        assert column.index.to_numpy().tobytes() == signal.time.tobytes()
        assert column.to_numpy().tobytes() == np.ascontiguousarray(signal.values).tobytes()


def test_a_table_is_not_tied_to_its_log(log: Log) -> None:
    before = log.sha256
    data, frame = log.to_xarray("imu"), log.to_pandas("imu")
    data["imu.gyro.x"][0] = frame.loc[0.0, "imu.gyro.x"] = 5.0
    assert log["imu.gyro.x"].values[0] == 0.0
    assert log.sha256 == before


def test_two_samples_at_one_time_are_refused_where_they_do_not_fit() -> None:
    log = Log([StreamLayout(name, Kind.SCALARS, ("a",), ("",)) for name in ("bus", "other")])
    log.append(0, [0.0, 1.0, 1.0], [[1.0], [2.0], [3.0]])
    log.append(1, [0.0, 2.0], [[0.0], [0.0]])
    with pytest.raises(InputError, match=r"two samples at 1.0 s do not fit one table; ask for this stream alone, or say `at`"):
        log.to_pandas()
    assert log.to_pandas("bus")["bus.a"].to_list() == [1.0, 2.0, 3.0]
    assert log.to_pandas(at="other")["bus.a"].to_list() == [1.0, 3.0]


def test_what_there_is_not_is_named(log: Log) -> None:
    with pytest.raises(InputError, match=r"no signal 'imu\.giro' in this log, did you mean 'imu\.gyro'"):
        log.to_pandas("imu.giro")
    with pytest.raises(InputError, match="no signal 'bero'"):
        log.to_pandas(at="bero")
    with pytest.raises(InputError, match="expected the name of a stream, or times"):
        log.to_xarray(at=[1.0, 0.0])


@pytest.mark.parametrize("name", ["pandas", "xarray"])
def test_without_the_library_one_command_is_named(log: Log, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(InputError, match=rf"^this needs {name}; install it with: pip install 'didymos\[notebook\]'$"):
        getattr(log, f"to_{name}")()
