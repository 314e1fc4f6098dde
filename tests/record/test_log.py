"""A log is its signals, whichever way they came in and went out."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from didymos.errors import InputError, RunError
from didymos.record import Kind, Log, StreamLayout

from .examples import ALL_LAYOUTS, rows_of

LAYOUTS = (
    StreamLayout("imu", Kind.IMU, ("gyro.x", "gyro.y", "accel.z"), ("rad/s", "rad/s", "m/s^2")),
    StreamLayout("setpoints", Kind.SCALARS, ("z",), ("m",)),
)
ROWS = [rows_of(layout, 60, 50.0, seed=2) for layout in LAYOUTS]


def cut_log(cuts: list[int]) -> Log:
    log = Log(LAYOUTS)
    edges = [0, *sorted(cuts), 60]
    for start, end in pairwise(edges):
        for i, (times, values) in enumerate(ROWS):
            log.append(i, times[start:end], values[start:end])
    return log


def test_a_saved_log_is_loaded_bit_for_bit(
    tmp_path: Path, full_log: Log, assert_same: Callable[[Log, Log], None]
) -> None:
    again = Log.load(full_log.save(tmp_path / "run.mcap"))
    assert again.layouts == full_log.layouts
    assert again.metadata == full_log.metadata
    assert again.sha256 == full_log.sha256
    assert_same(full_log, again)


def test_what_a_recorder_wrote_is_the_log(tmp_path: Path) -> None:
    log = Log(ALL_LAYOUTS, keep=False)
    with log.record_to(tmp_path / "run.mcap"):
        for i, layout in enumerate(ALL_LAYOUTS):
            log.append(i, *rows_of(layout, 25, 30.0, seed=i))
    assert Log.load(tmp_path / "run.mcap").sha256 == log.sha256
    with pytest.raises(RunError, match="kept no rows"):
        log[log.signals[0]]


def test_a_log_of_some_signals_takes_their_streams_alone() -> None:
    log = Log(LAYOUTS, only=["setpoints.z"])
    for i, rows in enumerate(ROWS):
        log.append(i, *rows)
    assert (log["setpoints.z"].values == ROWS[1][1][:, 0]).all()
    with pytest.raises(RunError, match="took no rows of 'imu'"):
        log["imu.gyro.x"]
    with pytest.raises(RunError, match="some signals only"):
        log.sha256  # noqa: B018
    with pytest.raises(InputError, match=r"'setpoints\.zz'"):
        Log(LAYOUTS, only=["setpoints.zz"])


@given(st.lists(st.integers(0, 60), max_size=6))
def test_the_hash_does_not_depend_on_how_rows_were_cut(cuts: list[int]) -> None:
    assert cut_log(cuts).sha256 == cut_log([]).sha256


def test_the_hash_changes_with_every_part_of_the_content() -> None:
    hashes = {cut_log([]).sha256}
    for change in range(4):
        layouts, rows = list(LAYOUTS), [(times.copy(), values.copy()) for times, values in ROWS]
        if change == 0:
            layouts[1] = StreamLayout("wished", Kind.SCALARS, ("z",), ("m",))
        elif change == 1:
            layouts[1] = StreamLayout("setpoints", Kind.SCALARS, ("y",), ("m",))
        elif change == 2:
            rows[0][0][-1] += 1e-9
        else:
            rows[1][1][30, 0] = np.nextafter(rows[1][1][30, 0], 1.0)
        log = Log(layouts)
        for i, (times, values) in enumerate(rows):
            log.append(i, times, values)
        hashes.add(log.sha256)
    assert len(hashes) == 5


def test_the_arrays_handed_in_may_be_reused() -> None:
    log, buffer = Log(LAYOUTS), np.ones((2, 3))
    log.append(0, [0.0, 0.1], buffer)
    buffer[:] = 5.0
    log.append(0, [0.2, 0.3], buffer)
    assert list(log["imu.accel.z"].values) == [1.0, 1.0, 5.0, 5.0]


def test_signals_that_were_handed_out_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        cut_log([])["setpoints.z"].values[0] = 1.0


def test_times_are_kept_to_the_nanosecond() -> None:
    log = Log(LAYOUTS)
    log.append(1, [0.1 + 0.2, 1.0 + 2e-10], np.zeros((2, 1)))
    assert list(log["setpoints.z"].time) == [0.3, 1.0]


def test_signals_are_selected_by_name_prefix_and_pattern() -> None:
    log = cut_log([])
    assert log.signals == ("imu.gyro.x", "imu.gyro.y", "imu.accel.z", "setpoints.z")
    assert [signal.name for signal in log.select("imu.gyro")] == ["imu.gyro.x", "imu.gyro.y"]
    assert [signal.name for signal in log.select("imu")] == ["imu.gyro.x", "imu.gyro.y", "imu.accel.z"]
    assert [signal.name for signal in log.select("*.z")] == ["imu.accel.z", "setpoints.z"]
    assert log["imu.accel.z"].unit == "m/s^2"
    assert "setpoints.z" in log


def test_an_unknown_signal_is_answered_with_the_nearest() -> None:
    with pytest.raises(InputError, match=r"no signal 'imu.giro.x' in this log, did you mean 'imu.gyro.x'\?"):
        cut_log([])["imu.giro.x"]
    with pytest.raises(InputError, match=r"did you mean 'imu.gyro'\?"):
        cut_log([]).select("imu.gyr")
    with pytest.raises(InputError, match="no signal"):
        cut_log([]).select("*.temperature")


def test_rows_that_do_not_fit_are_refused() -> None:
    log = Log(LAYOUTS)
    with pytest.raises(InputError, match=r"imu: rows of shape \(2,\) and \(2, 2\)"):
        log.append(0, [0.0, 0.1], np.zeros((2, 2)))
    log.append(0, [0.5], np.zeros((1, 3)))
    with pytest.raises(InputError, match="time runs backwards"):
        log.append(0, [0.4], np.zeros((1, 3)))
    with pytest.raises(InputError, match="time runs backwards"):
        log.append(1, [0.4, np.nan], np.zeros((2, 1)))


def test_two_signals_of_one_name_are_refused() -> None:
    with pytest.raises(InputError, match=r"setpoints\.z: two signals have this name"):
        Log([LAYOUTS[1], StreamLayout("", Kind.SCALARS, ("setpoints.z",), ("m",))])


def test_an_unknown_kind_of_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"\.mcap or \.csv, not '\.bag'"):
        cut_log([]).save(tmp_path / "run.bag")
    (tmp_path / "run.xlsx").write_bytes(b"PK")
    with pytest.raises(InputError, match=r"a log is a \.mcap, \.csv, .* not '\.xlsx'"):
        Log.load(tmp_path / "run.xlsx")
    with pytest.raises(InputError, match="cannot be read: No such file or directory"):
        Log.load(tmp_path / "run.bag")
