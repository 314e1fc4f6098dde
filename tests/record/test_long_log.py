"""A log that outgrows its memory lies on the disk, to the same bytes; where that is full, the run goes on without its past."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import numpy as np
import pytest

from didymos.record import Kind, Log, StreamLayout
from didymos.record.disk_rows import STEP, DiskRows

LAYOUTS = (
    StreamLayout("imu", Kind.IMU, ("gyro.x", "gyro.y", "accel.z"), ("rad/s", "rad/s", "m/s^2")),
    StreamLayout("setpoints", Kind.SCALARS, ("z",), ("m",)),
)
MOST = 2**16


def fill(log: Log, first: int, last: int) -> None:
    """Rows `first` to `last` of 100 a second, in pieces of 50."""
    for begin in range(first, last, 50):
        times = np.arange(begin, begin + 50) / 100.0
        log.append(0, times, np.column_stack([np.sin(times), np.cos(times), times]))
        log.append(1, times, -times[:, None])


def test_a_bounded_log_is_the_log_to_the_last_byte(tmp_path: Path) -> None:
    plain, bounded = Log(LAYOUTS), Log(LAYOUTS)
    bounded.bound(MOST)
    most = 0
    for log in (plain, bounded):
        for begin in range(0, 20_000, 1000):
            fill(log, begin, begin + 1000)
            most = max(most, log.nbytes) if log is bounded else 0
    assert plain.nbytes > 8 * MOST
    assert most <= MOST
    assert bounded.sha256 == plain.sha256
    for name in plain.signals:
        assert np.array_equal(plain[name].values, bounded[name].values)
        assert np.array_equal(plain[name].time, bounded[name].time)
    assert plain.save(tmp_path / "a.mcap").read_bytes() == bounded.save(tmp_path / "b.mcap").read_bytes()


def test_a_log_that_takes_over_the_past_of_another_is_the_other(tmp_path: Path) -> None:
    first, other, whole = Log(LAYOUTS), Log(LAYOUTS), Log(LAYOUTS)
    first.bound(MOST)
    other.bound(MOST)
    fill(first, 0, 4000)
    counts = first.counts
    fill(first, 4000, 6000)
    other.take_over(first, counts)
    fill(other, 4000, 5000)
    fill(whole, 0, 5000)
    assert other.sha256 == whole.sha256
    assert other.counts == (5000, 5000)


def test_what_was_seen_stays_while_rows_move_to_the_disk_and_grow_there() -> None:
    log = Log(LAYOUTS)
    log.bound(MOST)
    fill(log, 0, 100)
    early = log["setpoints.z"].values
    kept = early.copy()
    fill(log, 100, 30_000)
    assert log.nbytes == 0
    late = log["setpoints.z"].values
    fill(log, 30_000, 60_000)
    assert np.array_equal(early, kept)
    assert np.array_equal(late, -np.arange(30_000) / 100.0)


@pytest.mark.parametrize("room", [0, 6 * STEP])  # at once, and later
def test_a_full_disk_is_said_once_and_the_log_goes_on_within_its_memory(room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    left = [room]

    def full(file: int, begin: int, size: int) -> None:
        if size > left[0]:
            raise OSError(errno.ENOSPC, "No space left on device")
        left[0] -= size

    monkeypatch.setattr(os, "posix_fallocate", full)
    said: list[str] = []
    log, whole = Log(LAYOUTS), Log(LAYOUTS)
    log.bound(MOST, said.append)
    for begin in range(0, 40_000, 1000):
        fill(log, begin, begin + 1000)
        fill(whole, begin, begin + 1000)
        assert log.nbytes <= MOST
    assert len(said) == 1
    assert "no room on the disk" in said[0]
    assert log.sha256 == whole.sha256  # of all that was ever in it
    assert log.counts == whole.counts
    times = log["imu.gyro.x"].time
    assert times[0] > 0.0
    assert np.allclose(np.diff(times), 0.01, atol=1e-9)
    assert np.array_equal(log["imu.gyro.x"].values, np.sin(np.arange(40_000 - len(times), 40_000) / 100.0))


def test_a_slot_beyond_its_end_is_no_room() -> None:
    disk = DiskRows(2)
    with pytest.raises(OSError, match="full"):
        disk.reserve(0, 2**60)
