"""A recording in the place of the robot: what arrives, in which words and order, at which pace."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import didymos
from didymos.errors import InputError
from didymos.shadow.source import Arrival, SourceOptions
from didymos.shadow.sources import open_source
from didymos.shadow.sources.log import LogSource
from didymos.twin import Twin

STEP = 0.02  # [s] of a recording that is read at once


@pytest.fixture(scope="module")
def power_unit() -> Twin:
    return didymos.load("power_unit")


@pytest.fixture(scope="module")
def crazyflie() -> Twin:
    return didymos.load("crazyflie")


@pytest.fixture
def sine(tmp_path: Path) -> Path:
    """A recording of a power unit, of one sample each 10 ms, as its rig writes them."""
    return write_sine(tmp_path / "sine.csv")


def write_sine(path: Path, corrupt: str = "") -> Path:
    lines = ["t_s,out_pos_rad,out_vel_rad_s"]
    for i in range(51):
        t = 0.01 * i
        lines.append(f"{t:.3f},{corrupt if corrupt and i == 20 else format(0.6 * math.sin(1.5 * t), '.9f')},{math.cos(t):.9f}")
    path.write_text("\n".join(lines) + "\n")
    return path


def everything(source: LogSource | object) -> list[Arrival]:
    found: list[Arrival] = []
    while True:
        try:
            found += source.read(STEP)  # type: ignore[attr-defined]
        except EOFError:
            return found


def series(arrivals: Sequence[Arrival], signal: str) -> tuple[list[float], list[float]]:
    there = [(item.stamp, item.values[signal]) for item in arrivals if signal in item.values]
    return [stamp for stamp, _ in there], [value for _, value in there]


def test_columns_of_others_arrive_in_the_twins_words_and_in_order(power_unit: Twin, sine: Path) -> None:
    arrivals = everything(open_source(power_unit, f"log:{sine}"))
    rows = list(csv.DictReader(sine.read_text().splitlines()))
    stamps, positions = series(arrivals, "parts.drive.output_position")
    assert stamps == [float(row["t_s"]) for row in rows]
    assert positions == [float(row["out_pos_rad"]) for row in rows]
    order = [item.stamp for item in arrivals]
    assert order == sorted(set(order))
    assert all(item.received == item.stamp for item in arrivals)


def test_set_points_of_a_scenario_become_the_inputs_that_the_robot_got(power_unit: Twin, sine: Path) -> None:
    source = open_source(power_unit, f"log:{sine}")
    stamps, commands = series(everything(source), "inputs.drive.position")
    assert np.allclose(np.diff(stamps), 1 / 200)  # with each tick of the program, whatever is recorded of a run
    assert commands == pytest.approx([math.sin(0.5 * math.pi * t) for t in stamps], abs=1e-12)
    said = source.notices()
    assert len(said) == 1
    assert "'sine'" in said[0]
    assert source.notices() == []


def test_a_sample_that_leaps_is_kept_and_one_that_is_no_number_is_left_out(power_unit: Twin, tmp_path: Path) -> None:
    leaps = everything(open_source(power_unit, f"log:{write_sine(tmp_path / 'a.csv', '7.5')}=sine"))
    stamps, positions = series(leaps, "parts.drive.output_position")
    assert positions[20] == 7.5
    source = open_source(power_unit, f"log:{write_sine(tmp_path / 'b.csv', 'nan')}=sine")
    stamps, _ = series(everything(source), "parts.drive.output_position")
    assert len(stamps) == 50
    assert 0.2 not in stamps
    assert any("no number" in text for text in source.notices())


def test_a_flight_is_told_in_units_and_frames_of_the_twin(crazyflie: Twin, shared_data: Path) -> None:
    file = shared_data / "crazyflie" / "B2_circle_fast_rep1.csv"
    source = open_source(
        crazyflie, f"log:{file}", SourceOptions(signals=("inputs.motor*", "truth.velocity", "truth.orientation"))
    )
    arrivals = everything(source)
    rows = list(csv.DictReader(file.read_text().splitlines()))
    begun = float(rows[0]["t"])
    motors = [f"motor_motor_m{k}" for k in range(1, 5)]
    flies = [float(row["pz"]) > 0.3 and all(float(row[name]) > 0.0 for name in motors) for row in rows]
    first = flies.index(True)
    rows = rows[first : flies.index(False, first)]  # the first part in the air is the longest; see the twin file
    assert len(arrivals) == len(rows)
    for i in range(0, len(rows), 97):
        row, values = rows[i], arrivals[i].values
        assert arrivals[i].stamp == pytest.approx(float(row["t"]) - begun, abs=1e-6)
        assert values["inputs.motor3"] == pytest.approx(float(row["motor_motor_m3"]) / 65535)
        markers = Rotation.from_quat([float(row[name]) for name in ("qx", "qy", "qz", "qw")])
        body = markers * Rotation.from_rotvec([-0.0006, -0.0151, 0.0])  # `alignment` of the twin file
        expected = body.inv().apply([float(row[name]) for name in ("vx", "vy", "vz")])
        assert [values[f"truth.velocity.{axis}"] for axis in "xyz"] == pytest.approx(expected, abs=1e-7)
    (said,) = source.notices()
    assert "watched from 3.71 to" in said
    assert "truth.position.x" not in source.signals


def test_a_log_of_the_twin_tells_what_its_robot_would_and_no_truth(tmp_path: Path) -> None:
    twin = didymos.load("quadcopter")
    log = twin.simulate().run(0.3)
    log.save(tmp_path / "run.mcap")
    source = open_source(twin, f"log:{tmp_path / 'run.mcap'}")
    arrivals = everything(source)
    for signal in ("imu.gyro.x", "gps.position.z", "inputs.motor2", "baro.pressure"):
        stamps, values = series(arrivals, signal)
        assert stamps == log[signal].time.tolist()
        assert values == log[signal].values.tolist()
    heads = {signal.partition(".")[0] for signal in source.signals}
    assert heads == {"setpoints", "inputs", "state", "imu", "gps", "compass", "baro"}
    truth = open_source(twin, f"log:{tmp_path / 'run.mcap'}", SourceOptions(signals=("truth.position",)))
    assert truth.signals == tuple(f"truth.position.{axis}" for axis in "xyz")


def test_recordings_come_one_after_the_other_each_with_its_own_clock(power_unit: Twin, tmp_path: Path, sine: Path) -> None:
    second = write_sine(tmp_path / "second.csv", "0.123")
    source = open_source(power_unit, f"log:{sine},{second}=sine")
    arrivals = everything(source)
    received = [item.received for item in arrivals]
    assert received == sorted(set(received))
    back = [i for i in range(1, len(arrivals)) if arrivals[i].stamp < arrivals[i - 1].stamp]
    assert len(back) == 1
    assert len(arrivals) == 2 * back[0]
    assert any(text.startswith("second.csv begins, 2 of 2") for text in source.notices())
    assert [table.name for table in open_source(power_unit, f"log:{sine},{second}=sine").tables()] == ["sine.csv", "second.csv"]  # type: ignore[attr-defined]


class Clock:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now, self.slept = 1000.0, 0.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.slept += seconds


@pytest.mark.parametrize("pace", [1.0, 4.0])
def test_a_recording_at_a_pace_arrives_when_it_is_due(power_unit: Twin, sine: Path, pace: float) -> None:
    clock = Clock()
    source = LogSource(power_unit, [str(sine)], pace=pace, clock=clock, sleep=clock.sleep)
    assert source.live
    for arrival in (source.read(0.0)[0], *everything(source)):
        due = 1000.0 + arrival.stamp / pace
        assert due <= clock.now + 1e-9
        assert arrival.received == pytest.approx(1000.0 + arrival.stamp)
    assert clock.slept == pytest.approx(0.5 / pace, abs=1e-9)


def test_a_read_waits_no_longer_than_it_may(power_unit: Twin, sine: Path) -> None:
    clock = Clock()
    source = LogSource(power_unit, [str(sine)], pace=0.01, clock=clock, sleep=clock.sleep)
    source.read(0.0)
    assert source.read(0.1) == []
    assert clock.slept == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("lag:run.csv", "did you mean 'log'"),
        ("log", "KIND:ADDRESS"),
        ("log:", "KIND:ADDRESS"),
        ("log:no_such_file.csv", "no_such_file.csv"),
        ("no_such_module_of_mine:thing:here", "no_such_module_of_mine"),
    ],
)
def test_what_is_no_source_is_refused_in_a_sentence(power_unit: Twin, text: str, expected: str) -> None:
    with pytest.raises(InputError, match=expected.replace("'", ".")):
        open_source(power_unit, text)


def test_a_signal_or_pace_that_cannot_be_is_refused(power_unit: Twin, sine: Path) -> None:
    with pytest.raises(InputError, match=r"parts\.drive\.output_position"):
        open_source(power_unit, f"log:{sine}", SourceOptions(signals=("parts.drive.output_positon",)))
    with pytest.raises(InputError, match="above 0"):
        open_source(power_unit, f"log:{sine}", SourceOptions(pace=0.0))


def test_a_kind_of_somebody_else_is_opened_by_its_module(
    power_unit: Twin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "class Mine:\n    def __init__(self, twin, address, options): self.signals = (address,)\n"
    (tmp_path / "my_own_source.py").write_text(code)
    monkeypatch.chdir(tmp_path)
    assert open_source(power_unit, "my_own_source.py:Mine:tcp:host:5").signals == ("tcp:host:5",)
