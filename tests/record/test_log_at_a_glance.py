"""A log says what it holds where it is printed or shown, and travels between processes."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from didymos.errors import RunError
from didymos.record import Kind, Log, StreamLayout

LAYOUTS = (
    StreamLayout("imu", Kind.IMU, ("gyro.x", "gyro.y"), ("rad/s", "rad/s")),
    StreamLayout("clock", Kind.CLOCK, (), ()),
    StreamLayout("a<b", Kind.SCALARS, ("z",), ("",)),
)


def small_log() -> Log:
    log = Log(LAYOUTS, {"twin": "quadcopter", "scenario": "climb"})
    log.append(0, np.arange(11) / 100.0, np.zeros((11, 2)))
    log.append(1, [0.5], np.zeros((1, 0)))
    return log


def test_a_printed_log_lists_its_streams() -> None:
    assert repr(small_log()).splitlines() == [
        "Log of quadcopter, climb: 3 streams, 3 signals",
        "  stream  columns  rows  rate    from   to",
        "  imu     2        11    100 Hz  0 s    0.1 s",
        "  clock   0        1     -       0.5 s  0.5 s",
        "  a<b     1        0     -       -      -",
    ]


def test_a_log_that_kept_no_rows_says_so() -> None:
    log = Log(LAYOUTS, keep=False)
    log.append(0, [0.0], [[1.0, 2.0]])
    assert "imu     2        not kept" in repr(log)


def test_a_notebook_shows_a_well_formed_table_with_units() -> None:
    page = ElementTree.fromstring(small_log()._repr_html_().replace("<br>", "<br/>"))
    rows = [["".join(cell.itertext()) for cell in row] for row in page.iter("tr")]
    assert rows[0] == ["stream", "columns", "rows", "rate", "from", "to"]
    assert rows[1] == ["imu", "2gyro.x [rad/s]gyro.y [rad/s]", "11", "100 Hz", "0 s", "0.1 s"]
    assert rows[3][0] == "a<b"


def test_a_pickled_log_is_the_same_log(full_log: Log, assert_same: Callable[[Log, Log], None]) -> None:
    for again in (pickle.loads(pickle.dumps(full_log)), copy.deepcopy(full_log)):
        assert again.layouts == full_log.layouts
        assert again.metadata == full_log.metadata
        assert again.sha256 == full_log.sha256
        assert_same(full_log, again)


def test_a_pickled_log_goes_on_by_itself(tmp_path: Path) -> None:
    """Rows that come later go to neither the recording nor the listeners of the first."""
    log, heard = small_log(), list[float]()
    log.listen(lambda index, times, values: heard.extend(times))
    with log.record_to(tmp_path / "run.mcap"):
        again = pickle.loads(pickle.dumps(log))
        again.append(0, [0.2], [[1.0, 1.0]])
    log.stop_recording()
    assert heard == []
    assert Log.load(tmp_path / "run.mcap")["imu.gyro.x"].time[-1] == 0.1
    log.append(0, [0.2], [[1.0, 1.0]])
    assert again.sha256 == log.sha256


def test_a_log_without_its_rows_is_not_pickled() -> None:
    with pytest.raises(RunError, match="kept no rows in memory; load them from its recording"):
        pickle.dumps(Log(LAYOUTS, keep=False))
