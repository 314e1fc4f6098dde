"""Tables: ours keep every bit, those of others are read with care."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from didymos.errors import InputError
from didymos.record import Kind, Log, StreamLayout


def load(tmp_path: Path, text: str) -> Log:
    (tmp_path / "real.csv").write_text(text, encoding="utf-8")
    return Log.load(tmp_path / "real.csv")


def test_a_log_saved_as_csv_has_the_same_signals(
    tmp_path: Path, full_log: Log, assert_same: Callable[[Log, Log], None]
) -> None:
    again = Log.load(full_log.save(tmp_path / "run.csv"))
    assert_same(full_log, again)
    assert again.metadata == full_log.metadata


def test_streams_that_share_their_stamps_make_a_table_without_gaps(tmp_path: Path) -> None:
    layouts = [StreamLayout(name, Kind.SCALARS, ("x",), ("m",)) for name in ("setpoints", "state")]
    log = Log(layouts)
    for i in range(2):
        log.append(i, [0.0, 0.1], [[1.0 / 3.0], [np.nan]])
    lines = log.save(tmp_path / "run.csv").read_text().splitlines()
    assert lines == [
        "time [s],setpoints.x [m],state.x [m]", "0.0,0.3333333333333333,0.3333333333333333", "0.1,nan,nan"
    ]  # fmt: skip
    assert np.isnan(Log.load(tmp_path / "run.csv")["state.x"].values[1])


def test_other_stamps_leave_cells_empty(tmp_path: Path) -> None:
    layouts = [StreamLayout(name, Kind.SCALARS, ("x",), ("",)) for name in ("a", "b")]
    log = Log(layouts)
    log.append(0, [0.0, 0.2], [[1.0], [2.0]])
    log.append(1, [0.1], [[3.0]])
    lines = log.save(tmp_path / "run.csv").read_text().splitlines()
    assert lines[1:] == ["0.0,1.0,", "0.1,,3.0", "0.2,2.0,"]


def test_two_samples_at_one_time_do_not_fit_a_table(tmp_path: Path) -> None:
    log = Log([StreamLayout("a", Kind.SCALARS, ("x",), ("",))])
    log.append(0, [0.5, 0.5], [[1.0], [2.0]])
    with pytest.raises(InputError, match=r"a: two samples at 0.5 s do not fit a table, save as \.mcap"):
        log.save(tmp_path / "run.csv")


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize(
    ("name", "scale"),
    [
        ("time", 1),
        ("t", 1),
        ("Time [s]", 1),
        ("timestamp (ms)", 1e3),
        ("TIME_MS", 1e3),
        ("stamp_us", 1e6),
        ("t_ns", 1e9),
    ],
)
def test_the_time_is_found_and_scaled(tmp_path: Path, delimiter: str, name: str, scale: float) -> None:
    rows = [["gyro_x [rad/s]", name], ["0.5", f"{0.0 * scale}"], ["0.75", f"{0.25 * scale}"]]
    log = load(tmp_path, "# from the bench\n\n" + "\n".join(delimiter.join(row) for row in rows))
    assert list(log["gyro_x"].time) == [0.0, 0.25]
    assert list(log["gyro_x"].values) == [0.5, 0.75]
    assert log["gyro_x"].unit == "rad/s"


def test_the_first_column_is_the_time_where_none_is_called_so(tmp_path: Path) -> None:
    log = load(tmp_path, "clock_ms,x\r\n1000,1\r\n1500,2\r\n")
    assert list(log["x"].time) == [1.0, 1.5]


def test_empty_cells_are_gaps(tmp_path: Path) -> None:
    log = load(tmp_path, "t,x,y\n0,1,\n1,,5\n2,3,6\n")
    assert list(log["x"].time) == [0.0, 2.0]
    assert list(log["y"].values) == [5.0, 6.0]


def test_stamps_since_1970_start_at_zero(tmp_path: Path) -> None:
    log = load(tmp_path, "t,x\n1700000000.25,1\n1700000000.75,2\n")
    assert list(log["x"].time) == [0.0, 0.5]
    assert log.metadata["time_shift"] == "1700000000.25"


@pytest.mark.parametrize(
    ("stamps", "seconds", "said"),
    [
        (["1700000000250", "1700000000750"], 0.5, {"time_shift": "1700000000.25", "time_unit": "ms"}),
        (["1700000000250001", "1700000000250003"], 2e-6, {"time_shift": "1700000000.250001", "time_unit": "us"}),
        (["1700000000250000001", "1700000000250010004"], 10003e-9, {"time_shift": "1700000000.250000001", "time_unit": "ns"}),
        (["1700000000.000000001", "1700000000.000100008"], 100007e-9, {"time_shift": "1700000000.000000001"}),
        (["0", "10"], 0.01, {"time_unit": "ms"}),
        (["0", "4000"], 0.004, {"time_unit": "us"}),
        (["0", "2"], 2.0, {}),
        (["0.0", "100.5"], 100.5, {}),
    ],
)
def test_stamps_say_their_unit_to_the_last_digit(tmp_path: Path, stamps: list[str], seconds: float, said: dict[str, str]) -> None:
    log = load(tmp_path, "timestamp,x\n" + "".join(f"{stamp},1\n" for stamp in stamps))
    assert log["x"].time.tolist() == [0.0, seconds]
    if "time_unit" in said:
        said = said | {"time_unit": f"timestamp taken as [{said['time_unit']}]"}
    assert log.metadata == said


def test_a_first_column_that_nobody_calls_time_is_said_to_be_taken_as_it(tmp_path: Path) -> None:
    """A column that was a signal is none any more: nobody may find that out by missing it."""
    assert load(tmp_path, "a,b\n1,2\n2,3\n").metadata == {"time_column": "a, the first, as [s]"}
    assert load(tmp_path, "0,1\n0.5,2\n").metadata == {"time_column": "column1, the first, as [s]"}
    assert load(tmp_path, "b,time\n1,2\n2,3\n").metadata == {}


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "   "])
def test_a_table_without_names_has_numbered_columns(tmp_path: Path, delimiter: str) -> None:
    log = load(tmp_path, "".join(f"{0.01 * i:g}{delimiter}{i}{delimiter}{-i}\n" for i in range(5)))
    assert log.signals == ("column2", "column3")
    assert list(log["column3"].values) == [0.0, -1.0, -2.0, -3.0, -4.0]
    assert log["column2"].time[-1] == 0.04


def test_blanks_separate_names_with_units(tmp_path: Path) -> None:
    log = load(tmp_path, "time [s]  x[m]   y_dot (m/s)\n 0.0 1.0  2.0\n 0.5 1.5  2.5\n")
    assert [log[name].unit for name in log.signals] == ["m", "m/s"]
    assert list(log["y_dot"].values) == [2.0, 2.5]


def test_tables_of_other_programs_are_read(tmp_path: Path) -> None:
    echo = load(tmp_path, "%time,field.header.seq,field.x\n1700000000000000000,1,0.5\n1700000000010000000,2,0.75\n")
    assert list(echo["field.x"].time) == [0.0, 0.01]
    german = load(tmp_path, "% a comment\nZeit;Time_s;hoehe [m]\n0;0,25;1,5\n1;0,50;1,75\n")
    assert list(german["hoehe"].time) == [0.25, 0.5]
    assert list(german["hoehe"].values) == [1.5, 1.75]
    ardupilot = load(tmp_path, "TimeUS,Mode,Armed,Volt\n1000000,STABILIZE,true,12.5\n1100000,LOITER,false,null\n")
    assert list(ardupilot["Armed"].values) == [1.0, 0.0]
    assert list(ardupilot["Volt"].time) == [1.0]
    assert ardupilot.metadata == {"unread": "Mode: no numbers in it"}


def test_a_few_stamps_out_of_order_are_left_out_and_told(tmp_path: Path) -> None:
    times = [0.01 * i for i in range(200)]
    times[50], times[120] = 99.0, -3.0
    times[80] = times[79]
    log = load(tmp_path, "t,x\n" + "".join(f"{time!r},{i}\n" for i, time in enumerate(times)))
    assert [i for i in range(200) if i not in log["x"].values] == [50, 120]
    assert log.metadata == {"time_order": "2 rows left out whose stamps are out of order, the first in line 52"}
    assert np.sum(np.diff(log["x"].time) == 0.0) == 1


def test_a_clock_that_begins_again_is_refused(tmp_path: Path) -> None:
    text = "t,x\n" + "".join(f"{0.01 * (i % 100):g},1\n" for i in range(200))
    with pytest.raises(InputError, match=r":102: t: time does not increase, found 0$"):
        load(tmp_path, text)


def test_a_table_that_is_cut_off_keeps_its_whole_lines(tmp_path: Path) -> None:
    log = load(tmp_path, "t,x,y\n0,1,2\n1,3,4\n2,5")
    assert list(log["y"].values) == [2.0, 4.0]
    assert log.metadata == {"damage": "cut off in line 4, which was left out"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("# only a comment\n", "the file is empty"),
        ("t,1\n1,2\n", ":1: the first line has names and numbers, expected one of them"),
        ("0,1\n1,2\n0.5,3\n", ":3: column1: time does not increase, found 0.5: no column is called time, so it is the first"),
        ("t,x\n", "no line of numbers"),
        ("t\n0\n", ":1: only the column 't'"),
        ("t,,x\n0,1,2\n", ":1: column 2 has no name"),
        ("t,x,x\n0,1,2\n", ":1: the column 'x' occurs twice"),
        ("# c\nt,x\n0,1\n\n1,abc\n", ":5: x: 'abc' is not a number"),
        ("t,x\n0,1\n1,2,3\n", ":3: found 3 cells, expected 2"),
        ("t,x\n0,1\n1\n", ":3: found 1 cells, expected 2"),
        ("t,x\n0,1\n2,2\n1,3\n", ":4: t: time does not increase, found 1"),
        ("t,x\n0,1\n0,2\n", ":3: t: time does not increase, found 0"),
        ("t,x\n,1\n1,2\n", ":2: t: time does not increase, found nothing"),
        ("voltage,x\n5,1\n4,2\n", ":3: voltage: time does not increase, found 4"),
        ("# didymos [1]\nt,x\n0,1\n", ":1: the metadata is not a JSON object"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        load(tmp_path, text)
    assert message in str(caught.value)
    assert "real.csv" in str(caught.value)


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes(b"t,x\n0,\xff\xfe\n")
    with pytest.raises(InputError, match="this is not text"):
        Log.load(tmp_path / "x.csv")


@pytest.mark.parametrize(
    ("metadata", "said"),
    [("[1]", "not a JSON object of names and texts"), ("[" * 5000, "it is nested too deeply"), ("{", "not a JSON object: ")],
)
def test_metadata_that_is_none_is_one_sentence(tmp_path: Path, metadata: str, said: str) -> None:
    with pytest.raises(InputError, match=said) as refusal:
        load(tmp_path, f"time,x\n0,1\n# didymos {metadata}\n")
    assert "object has no attribute" not in str(refusal.value)


@pytest.mark.filterwarnings("error")
def test_times_without_end_do_not_increase(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="time does not increase, found inf"):
        load(tmp_path, "time,x\n0,1\ninf,1\ninf,2\n")


def test_a_sentence_stays_short_however_long_the_line_that_it_quotes(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="only the column") as refusal:
        load(tmp_path, "x" * 100_000 + "\n1\n")
    assert len(str(refusal.value)) < 4200
