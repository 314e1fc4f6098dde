"""`didymos log`: what is inside a log and what is wrong with it, for people and for programs."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from didymos.cli.main import main
from didymos.record import Kind, Log, StreamLayout


@pytest.fixture
def flight(tmp_path: Path) -> Path:
    """Eight seconds at 100 Hz: a spike and a NaN in the gyroscope, a gap, and a log that goes on after its last sample."""
    rng, time = np.random.default_rng(0), np.arange(800) / 100.0
    columns = {"time [s]": time + np.where(time > 4.0, 0.5, 0.0)}
    for axis in "xyz":
        columns[f"p{axis}"] = np.sin(time) + 1e-4 * rng.standard_normal(800)
        columns[f"gyro_{axis} [rad/s]"] = np.cos(time) + 1e-2 * rng.standard_normal(800)
    columns["gyro_x [rad/s]"][[100, 300]] = 9.0, np.nan
    for name in ("px", "py", "pz"):
        columns[name][700:] = columns[name][700] + (time[700:] - 7.0)
    file = tmp_path / "flight.csv"
    np.savetxt(file, np.column_stack(list(columns.values())), delimiter=",", header=",".join(columns), comments="")
    return file


def test_findings_come_first_and_then_every_signal(flight: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["log", str(flight)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{flight}: CSV, 8.49 s, 6 signals"
    assert lines[1] == "  time has a gap of 0.51 s at 4 s, where samples come every 0.01 s"
    table = [line.split() for line in lines[2:]]
    assert table[0] == ["wrong", "at", "[s]", "for", "[s]", "samples", "where"]
    assert [row[0] for row in table[1:4]] == ["drawn", "spike", "not_a_number"]
    assert table[1][1:] == ["7.51", "0.98", "99", "p"]
    assert "  drawn: samples on a straight line: interpolated or extrapolated, not measured" in lines
    gyro = next(row for row in table if row[0] == "gyro_x")
    assert gyro[1:5] == ["rad/s", "800", "100", "Hz"]
    assert gyro[-2:] == ["1", "8"]  # a gap; the spike, the NaN, their neighbours and both sides of the gap


def test_a_log_without_faults_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "good.csv"
    file.write_text("t,x [m]\n" + "".join(f"{0.01 * i:g},{np.sin(i):.9f}\n" for i in range(300)))
    assert main(["log", str(file)]) == 0
    assert "  nothing wrong was found\n" in capsys.readouterr().out


def test_with_json_there_is_everything(flight: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["log", str(flight), "--json"]) == 0
    (facts,) = json.loads(capsys.readouterr().out)["files"]
    assert (facts["format"], facts["seconds"]) == ("CSV", 8.49)
    assert {finding["kind"] for finding in facts["findings"]} == {"drawn", "gap", "spike", "not_a_number"}
    assert facts["signals"]["gyro_x"]["unit"] == "rad/s"
    assert facts["signals"]["gyro_x"]["high"] == 9.0
    assert facts["signals"]["pz"]["bad"] == 102  # and one neighbour, and both sides of the gap
    assert facts["streams"][0]["rate"] == pytest.approx(100.0)


def test_many_signals_are_streams_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = tuple(f"a{i}" for i in range(300))
    log = Log([StreamLayout("many", Kind.SCALARS, names, ("m",) * 300), StreamLayout("imu", Kind.IMU, ("gyro.x",), ("rad/s",))])
    rng = np.random.default_rng(1)
    log.append(0, np.arange(100) / 10.0, rng.standard_normal((100, 300)))
    log.append(1, np.arange(1000) / 100.0, rng.standard_normal((1000, 1)))
    file = log.save(tmp_path / "run.mcap")
    assert main(["log", str(file)]) == 0
    out = capsys.readouterr().out
    assert out.count("\n") < 8
    assert "--all lists 301 signals" in out
    assert main(["log", str(file), "--signal", "imu", "--signal", "many.a1?"]) == 0
    listed = [line.split()[0] for line in capsys.readouterr().out.splitlines()[3:]]
    assert listed == [*(f"many.a1{i}" for i in range(10)), "imu.gyro.x"]
    assert main(["log", str(file), "--all"]) == 0
    assert capsys.readouterr().out.count("\n") > 300


def test_two_files_with_the_same_content_are_told(flight: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copy = flight.with_name("again.csv")
    copy.write_bytes(flight.read_bytes())
    assert main(["log", str(flight), str(copy)]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == f"{copy} has the same content as {flight}"


def test_the_picture_shades_what_is_bad(flight: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from matplotlib.image import imread

    picture = flight.with_name("new") / "flight.png"
    assert main(["log", str(flight), "--plot", str(picture)]) == 0
    assert capsys.readouterr().out.endswith(f"picture: {picture}\n")
    pixels = imread(picture)[:, :, :3]
    shade = np.array([213, 94, 0]) / 255 * 0.25 + 0.75
    share = np.mean(np.abs(pixels - shade).max(axis=2) < 0.01)
    assert 0.02 < share < 0.15  # an eighth of one of two panels, and thin stripes


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["log"], "LOG..."),
        (["log", "nowhere.csv"], "nowhere.csv: cannot be read: No such file or directory"),
        (["log", "a.csv", "b.csv", "--plot", "x.png"], "--plot: draws one log, found 2"),
        (["log", "FLIGHT", "--signal", "gyra_x"], "no signal 'gyra_x' in this log, did you mean 'gyro_x'?"),
        (["log", "FLIGHT", "--plot", "x.bmp"], "a picture is a .png, .svg or .pdf, not '.bmp'"),
    ],
)
def test_what_cannot_be_is_one_sentence(words: list[str], said: str, flight: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(flight) if word == "FLIGHT" else word for word in words]) == 2
    assert said in capsys.readouterr().err


def test_a_damaged_file_is_told_before_its_signals(tmp_path: Path, flight: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cut = tmp_path / "cut.csv"
    cut.write_bytes(flight.read_bytes()[:-30])
    assert main(["log", str(cut)]) == 0
    assert "  the file is damaged, the rest was kept: cut off in line 801, which was left out" in capsys.readouterr().out
