"""Recordings of a real robot: a shadow follows a flight of the Crazyflie, by a calibration on another one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import didymos
from didymos.shadow.calibration import Calibration, calibrate
from didymos.shadow.level import LevelTest

FIRST = 4.0  # [s] after which these two are in the air
STEP, DURATION = 0.01, 3.0  # [s] of an update, and of a window of the level test


def _part(file: Path, folder: Path, seconds: float) -> str:
    """A copy of some seconds of a flight, in the air."""
    lines = file.read_text(encoding="utf-8").splitlines()
    times = np.array([float(line.split(",", 1)[0]) for line in lines[1:]])
    here = np.flatnonzero((times - times[0] >= FIRST) & (times - times[0] < FIRST + seconds))
    (folder / file.name).write_text("\n".join([lines[0], *(lines[1 + i] for i in here)]) + "\n", encoding="utf-8")
    return f"log:{folder / file.name}"


def test_a_flight_is_followed_by_a_calibration_on_another_one(shared_data: Path, tmp_path: Path) -> None:
    twin, flights = didymos.load("crazyflie"), shared_data / "crazyflie"
    calibration = calibrate(twin, [_part(flights / "B2_circle_slow_rep1.csv", tmp_path, 5.0)])
    shadow = didymos.Shadow(
        twin, _part(flights / "B8_star_slow_rep1.csv", tmp_path, 5.0), calibration=calibration, causes=(), judged=False
    )
    summary = shadow.run()
    shadow.close()
    # 1 where noise and accelerations are as stated; without a calibration it is 49 here. 3 is chosen
    assert summary.nis < 3.0
    assert shadow.notices == []
    assert summary.seconds > 4.5


def _level(change: float, seconds: float) -> tuple[LevelTest, float]:
    """A level test after a constant acceleration that changes by so much in the middle."""
    made = LevelTest(("linear",))
    for i in range(round(seconds / STEP)):
        made.add(i * STEP, np.array([(0.5 + change * (i * STEP > 0.5 * seconds)) * STEP]))
    return made, float(made.change[0])


def test_an_acceleration_that_is_always_there_is_no_change_of_level() -> None:
    assert _level(0.0, 20.0)[1] == pytest.approx(0.0, abs=1e-9)


def test_an_acceleration_that_begins_and_stays_is_a_change_of_its_size() -> None:
    made, change = _level(0.4, 2.0 * (1.0 + 2.0 * DURATION))  # a window and more after it both windows are past it again
    assert change == pytest.approx(0.0, abs=1e-9)
    found = []
    made = LevelTest(("linear",))
    for i in range(1400):
        made.add(i * STEP, np.array([0.4 * STEP * (i >= 800)]))
        found.append(float(made.change[0]))
    assert max(found) == pytest.approx(0.4, rel=0.02)
    assert np.argmax(found) * STEP == pytest.approx(8.0 + DURATION, abs=0.05)


def test_the_threshold_grows_with_the_time_in_which_a_false_one_is_borne() -> None:
    made, _ = _level(0.0, 20.0)
    made.change[0] = 0.3
    normal = {"linear 0": 0.2}
    # h = m sqrt(log(R / T) / log(H / T)): R = 36000 s, T = 3 s, H = 300 s gives 0.2 sqrt(9.393 / 4.605) = 0.2856
    found = made.crossing(normal, 300.0, 0.1)
    assert found is not None
    assert found[1] == pytest.approx(0.2856, abs=1e-4)
    assert made.crossing(normal, 60.0, 0.1) is None  # 0.354
    assert made.crossing({}, 300.0, 0.1) is None


def test_a_calibration_keeps_its_levels(tmp_path: Path) -> None:
    made = Calibration(level={"linear 2": 0.2}, healthy={"seconds": 190.0})
    made.save(tmp_path / "normal.yaml")
    assert Calibration.load(tmp_path / "normal.yaml") == made
    old = tmp_path / "old.yaml"
    old.write_text("density: {linear: 0.1}\nnoise: {}\ninflation: {}\n", encoding="utf-8")
    assert Calibration.load(old).level == {}
