"""Logs of each format, written by its own library (where there is none, after its documentation), are read to the same arrays."""

from __future__ import annotations

import shutil
import sqlite3
import sys
from pathlib import Path

import numpy as np
import pytest

from didymos.errors import InputError
from didymos.record import Kind, Log
from didymos.record.formats import format_of

from .blackbox_writer import FIELDS, blackbox
from .log_writers import GYRO, STAMPS, TIME, VOLTS, N, write_card, write_ros1, write_ros2, write_ulog


def gyro(log: Log, *names: str) -> np.ndarray:
    return np.column_stack([log[name].values for name in names])


def check_ros(log: Log) -> None:
    assert next(layout for layout in log.layouts if layout.name == "imu.data").kind is Kind.IMU
    np.testing.assert_array_equal(gyro(log, *(f"imu.data.gyro.{axis}" for axis in "xyz")), GYRO)
    np.testing.assert_array_equal(log["imu.data.gyro.x"].time, TIME)  # the stamps of the messages, not of the recorder
    np.testing.assert_array_equal(log["battery"].values, VOLTS)
    np.testing.assert_array_equal(gyro(log, *(f"own.rate.{i}" for i in range(3))), GYRO)
    assert list(log["own.counts.1"].time) == [TIME[k] for k in range(N) if k % 3 == 2]
    assert log.metadata["time_shift"] == f"{STAMPS[0] // 10**9}.{STAMPS[0] % 10**9:09d}"
    assert log.metadata["unread"] == "/chat (std_msgs/msg/String): no numbers in it"
    assert not [name for name in log.signals if "header" in name]
    assert "damage" not in log.metadata


@pytest.mark.parametrize("compression", ["", "BZ2", "LZ4"])
def test_a_bag_of_ros_1(tmp_path: Path, compression: str) -> None:
    file = write_ros1(tmp_path / "flight.bag", compression)
    assert format_of(file).name == "ROS 1 bag"
    check_ros(Log.load(file))


@pytest.mark.parametrize(
    ("storage", "mode"), [("SQLITE3", "NONE"), ("SQLITE3", "FILE"), ("SQLITE3", "MESSAGE"), ("MCAP", "NONE"), ("MCAP", "STORAGE")]
)
def test_a_bag_of_ros_2(tmp_path: Path, storage: str, mode: str) -> None:
    folder = write_ros2(tmp_path / "flight", storage, mode)
    assert format_of(folder).name == "ROS 2 bag"
    log = Log.load(folder)
    check_ros(log)
    assert Log.load(folder / "metadata.yaml").sha256 == log.sha256
    (only,) = (file for file in folder.iterdir() if file.name != "metadata.yaml")
    if mode != "MESSAGE":  # which only the metadata tells
        assert Log.load(only).sha256 == log.sha256
        (folder / "metadata.yaml").unlink()  # as after a recorder that was killed
        assert Log.load(folder).sha256 == log.sha256


def test_a_bag_of_ros_2_from_before_definitions_were_kept(tmp_path: Path) -> None:
    folder = write_ros2(tmp_path / "flight")
    file = folder / "flight.db3"
    with sqlite3.connect(file) as database:
        database.execute("DROP TABLE message_definitions")
        database.execute("DROP TABLE schema")
    database.close()
    log = Log.load(file)
    np.testing.assert_array_equal(gyro(log, *(f"imu.data.gyro.{axis}" for axis in "xyz")), GYRO)
    assert "/own (robot_msgs/msg/Own): the definition of robot_msgs/msg/Own is missing" in log.metadata["unread"]


def test_a_bag_in_several_files_is_one_log(tmp_path: Path) -> None:
    first, second = (write_ros2(tmp_path / name, "MCAP") for name in ("one", "two"))
    shutil.copy(second / "two.mcap", first / "two.mcap")
    (first / "metadata.yaml").unlink()
    log = Log.load(first)
    assert len(log["battery"].values) == 2 * N
    assert list(log["battery"].time[:4]) == [0.0, 0.0, TIME[1], TIME[1]]


def test_a_ulog(tmp_path: Path) -> None:
    log = Log.load(write_ulog(tmp_path / "flight.ulg"))
    np.testing.assert_array_equal(gyro(log, *(f"sensor.rate.{i}" for i in range(3))), GYRO)
    np.testing.assert_array_equal(gyro(log, *(f"sensor_1.rate.{i}" for i in range(3))), -GYRO)
    np.testing.assert_array_equal(log["sensor.rate.0"].time, (5_000_000 + np.arange(N) * 10_000) / 1e6)
    np.testing.assert_array_equal(log["sensor.legs.1.angle"].values, np.arange(N) - 60)
    np.testing.assert_array_equal(log["sensor.legs.0.on"].values, np.arange(N) % 2)
    assert (log["sensor.voltage_v"].unit, log["sensor.rate.0"].unit) == ("V", "")
    assert log.metadata == {"ulog.sys_name": "PX4", "dropouts": "1 times the card was too slow, 40 ms in all"}
    assert not [name for name in log.signals if "name" in name or "padding" in name]


def test_a_ulog_without_the_library_says_what_installs_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write_ulog(tmp_path / "flight.ulg")
    monkeypatch.setitem(sys.modules, "pyulog.core", None)
    with pytest.raises(InputError, match=r"install it with: pip install 'didymos\[logs\]'"):
        Log.load(file)


@pytest.mark.parametrize("version", [1, 2])
def test_the_card_of_a_crazyflie(tmp_path: Path, version: int) -> None:
    log = Log.load(write_card(tmp_path / "log00", version))  # without any ending, as it lies on the card
    np.testing.assert_array_equal(gyro(log, "gyro.x", "gyro.y", "gyro.z"), GYRO)
    np.testing.assert_array_equal(log["gyro.x"].time, TIME)
    np.testing.assert_array_equal(log["motor.m1"].values, 500.0 * np.arange(N))
    np.testing.assert_array_equal(log["estTDOA.distanceDiff"].values, 0.125 * np.arange(0, N, 4))
    assert [log[name].unit for name in ("gyro.x", "pm.vbat", "motor.m1")] == ["deg/s", "V", "0..65535"]
    assert log.metadata == {}


def test_stamps_of_a_card_out_of_order_are_left_out(tmp_path: Path) -> None:
    times = [10 * k for k in range(N)]
    times[30] = 5
    log = Log.load(write_card(tmp_path / "log.bin", 2, times))
    assert len(log["gyro.x"].time) == N - 1
    assert log.metadata == {"time_order": "1 events left out whose stamps are out of order"}


def blackbox_rows(count: int, seed: int = 0, every: int = 1) -> list[list[int]]:
    """Numbers of all sizes: those that fit every encoding, and those that need the longest."""
    rng = np.random.default_rng(seed)
    rows, now = [], {name: 0 for name, *_ in FIELDS}
    for k in range(count):
        now["loopIteration"], now["time"] = k * every, 2_000_000 + 500 * k * every + int(rng.integers(-20, 20))
        large = 10 ** int(rng.integers(0, 8))
        for name, is_signed, *_ in FIELDS[2:]:
            if name.startswith(("rcCommand", "axisI", "accSmooth", "gyro")) or is_signed:
                size = min(large, 12_000) if name.startswith("rcCommand") else large
                now[name] = int(rng.integers(-size, size + 1)) if rng.random() < 0.5 else now[name]
        now["rcCommand[3]"] = int(rng.integers(1000, 2001))
        now["vbatLatest"] = 1600 - int(rng.integers(0, 400))
        now["motor[0]"], now["motor[1]"] = (int(x) for x in rng.integers(100, 2048, 2))  # also below the least output
        now["servo[5]"] = 1500 + int(rng.integers(-500, 500))
        rows.append([now[name] for name, *_ in FIELDS])
    return rows


SCALES = {"gyroADC": (1.0, "deg/s"), "accSmooth": (1 / 2048, "g"), "baroAlt": (1.0, "cm")}


def check_blackbox(log: Log, rows: list[list[int]], stream: str = "main") -> None:
    for i, (name, *_) in enumerate(FIELDS):
        values = np.array([row[i] for row in rows], float)
        if name == "time":
            np.testing.assert_array_equal(log[f"{stream}.motor.0"].time, np.rint(values * 1e3) / 1e9)
            continue
        signal = log[f"{stream}.{name.replace('[', '.').replace(']', '')}"]
        scale, unit = SCALES.get(name.partition("[")[0], (1.0, ""))
        np.testing.assert_array_equal(signal.values, values * scale, err_msg=name)
        assert signal.unit == unit


@pytest.mark.parametrize("seed", range(6))
def test_a_blackbox_of_betaflight(tmp_path: Path, seed: int) -> None:
    rows = blackbox_rows(300, seed)
    (tmp_path / "LOG00001.BFL").write_bytes(blackbox(rows, gps=True))
    log = Log.load(tmp_path / "LOG00001.BFL")
    check_blackbox(log, rows)
    assert list(log["slow.flightModeFlags"].values) == [10.0, 60.0, 110.0, 160.0, 210.0, 260.0]
    assert log["slow.flightModeFlags"].time[1] == rows[60][1] / 1e6
    assert log["gps.GPS_coord.0"].values[2] == pytest.approx((473_976_000 + 85) * 1e-7, abs=1e-12)
    assert log["gps.GPS_coord.1"].values[2] == pytest.approx((85_455_000 - 85) * 1e-7, abs=1e-12)
    assert log["gps.GPS_numSat"].time[2] == (rows[85][1] + 7) / 1e6
    assert "damage" not in log.metadata
    assert log.metadata["blackbox.motorOutput"] == "158,2047"


def test_a_blackbox_that_logs_every_fourth_loop_counts_its_loops(tmp_path: Path) -> None:
    rows = blackbox_rows(200, every=4)
    (tmp_path / "x.bbl").write_bytes(blackbox(rows, interval=4))
    check_blackbox(Log.load(tmp_path / "x.bbl"), rows)


def test_a_blackbox_with_two_flights_and_other_bytes_between(tmp_path: Path) -> None:
    one, two = blackbox_rows(100, 1), blackbox_rows(70, 2)
    fine = blackbox(two, extra="blackbox_high_resolution:1")
    (tmp_path / "x.bbl").write_bytes(b"\xff" * 100 + blackbox(one) + b"\xff" * 300 + fine)
    log = Log.load(tmp_path / "x.bbl")
    check_blackbox(log, one)
    np.testing.assert_allclose(log["main_2.gyroADC.0"].values, [0.1 * row[13] for row in two], rtol=1e-15)
    assert "damage" not in log.metadata


def test_a_clock_of_32_bits_that_begins_anew_goes_on(tmp_path: Path) -> None:
    rows = blackbox_rows(80)
    for k, row in enumerate(rows):
        row[1] = (2**32 - 20_000 + 500 * k) % 2**32
    (tmp_path / "x.bbl").write_bytes(blackbox(rows))
    time = Log.load(tmp_path / "x.bbl")["main.motor.0"].time
    np.testing.assert_allclose(np.diff(time), 500e-6, atol=1e-9)


def test_bytes_that_a_blackbox_lost_cost_no_more_than_the_frames_until_the_next_whole_one(tmp_path: Path) -> None:
    rows = blackbox_rows(320, 3)
    data = blackbox(rows)
    place = data.index(b"P", len(data) // 2)
    (tmp_path / "x.bbl").write_bytes(data[:place] + data[place + 40 :])
    log = Log.load(tmp_path / "x.bbl")
    loops = log["main.loopIteration"].values.astype(int)
    assert 320 - 33 <= len(loops) < 320
    np.testing.assert_array_equal(log["main.gyroADC.1"].values, [rows[k][14] for k in loops])
    assert "pieces that are no frames were left out" in log.metadata["damage"]


def test_a_file_is_known_by_its_content_whatever_it_is_called(tmp_path: Path) -> None:
    written = [
        ("ROS 1 bag", write_ros1(tmp_path / "a.csv")), ("ULog", write_ulog(tmp_path / "b.mcap")),
        ("Crazyflie card", write_card(tmp_path / "c.txt")),
    ]  # fmt: skip
    (tmp_path / "d.dat").write_bytes(blackbox(blackbox_rows(40)))
    for name, file in [*written, ("Betaflight blackbox", tmp_path / "d.dat")]:
        assert format_of(file).name == name
        assert Log.load(file).signals


def test_what_was_read_is_saved_and_read_again(tmp_path: Path) -> None:
    for k, file in enumerate((write_ros1(tmp_path / "a.bag"), write_ulog(tmp_path / "b.ulg"), write_card(tmp_path / "c.bin"))):
        log = Log.load(file)
        again = Log.load(log.save(tmp_path / f"{k}.mcap"))
        assert again.sha256 == log.sha256
