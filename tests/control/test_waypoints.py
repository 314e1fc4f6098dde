"""Paths through way-points: they pass them, smoothly, within limits, in the least time where none is given; goals that follow."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from didymos.control.joint_goal import GOAL, begin_goal, follow
from didymos.control.path_layout import path_point
from didymos.control.waypoints import plan_path, read_waypoints
from didymos.errors import InputError


def sampled(path: Any, axis: int, count: int = 4001) -> np.ndarray:
    """Time, position, velocity, acceleration: [count, 4]."""
    times = np.linspace(0.0, float(path["end"]), count)
    return np.array([(time, *path_point(path, axis, time)) for time in times])


@pytest.mark.parametrize(
    ("spline", "velocity", "acceleration", "least"),
    [
        ("cubic", math.inf, 4.0, math.sqrt(6.0 * 0.8 / 4.0)),
        ("cubic", 0.5, math.inf, 1.5 * 0.8 / 0.5),
        ("quintic", math.inf, 4.0, math.sqrt(10.0 / math.sqrt(3.0) * 0.8 / 4.0)),
        ("quintic", 0.5, math.inf, 1.875 * 0.8 / 0.5),
    ],
)
def test_one_stretch_takes_the_least_time_that_its_limits_allow(
    spline: str, velocity: float, acceleration: float, least: float
) -> None:
    """0.8 rad from rest to rest, by the closed forms of both polynomials; the grid that looks for peaks is a thousandth off."""
    path = plan_path([0.1], [(None, {0: 0.9})], [velocity], [acceleration], spline=spline)
    assert path["end"] == pytest.approx(least, rel=3e-3)


@pytest.mark.parametrize("spline", ["cubic", "quintic"])
def test_a_path_passes_its_points_keeps_its_limits_and_does_not_jump(spline: str) -> None:
    limits, most = (1.0, 2.0), (3.0, 5.0)
    points = [(None, {0: 1.0}), (None, {0: 1.0, 1: 2.0}), (None, {0: -0.5, 1: 0.0})]
    path = plan_path([0.0, 0.5], points, limits, most, spline=spline)
    begins = [*path["begin"][:3], path["end"]]
    for axis, expected in ((0, (0.0, 1.0, 1.0, -0.5)), (1, (0.5, 0.5, 2.0, 0.0))):
        assert [path_point(path, axis, time)[0] for time in begins] == pytest.approx(expected)
        rows = sampled(path, axis)
        assert np.abs(rows[:, 2]).max() <= limits[axis] * 1.005
        assert np.abs(rows[:, 3]).max() <= most[axis] * 1.01
        step = rows[1, 0]
        assert np.gradient(rows[:, 1], step)[2:-2] == pytest.approx(rows[2:-2, 2], abs=5.0 * step)
        assert np.abs(np.diff(rows[:, 3])).max() < 0.1  # accelerations without a jump at inner points
        assert rows[[0, -1], 2] == pytest.approx((0.0, 0.0), abs=1e-9)
    if spline == "quintic":
        assert sampled(path, 0)[[0, -1], 3] == pytest.approx((0.0, 0.0), abs=1e-9)


def test_times_that_are_given_stay_and_too_short_ones_are_refused() -> None:
    path = plan_path([0.0], [(1.0, {0: 0.2}), (None, {0: 0.4}), (4.0, {0: 0.0})], [9.0], [9.0])
    assert path["begin"][1] == pytest.approx(1.0)
    assert path["end"] == pytest.approx(4.0)
    with pytest.raises(InputError, match=r"way-point 1 comes too early for elbow: its limits need 37\.50 times as long"):
        plan_path([0.0], [(0.1, {0: 2.0})], [1.0], [9.0], names=["elbow"])
    with pytest.raises(InputError, match="expected later than 1 s"):
        plan_path([0.0], [(1.0, {0: 0.2}), (0.5, {0: 0.4})], [9.0], [9.0])


def test_a_path_that_repeats_comes_back_and_begins_anew() -> None:
    path = plan_path([0.3], [(None, {0: 1.0})], [1.0], [3.0], repeat=True)
    end = float(path["end"])
    for time in (0.2, 0.7 * end):
        assert path_point(path, 0, time + end) == pytest.approx(path_point(path, 0, time))
    assert path_point(path, 0, end * (1.0 - 1e-9))[0] == pytest.approx(0.3)


def test_beyond_its_end_a_path_rests() -> None:
    path = plan_path([0.0], [(None, {0: 1.0})], [1.0], [3.0])
    assert path_point(path, 0, float(path["end"]) + 5.0) == pytest.approx((1.0, 0.0, 0.0))


def test_way_points_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "path.csv").write_text("time,elbow,wrist.a\n1.0,0.5,\n,0.2,0.1\n")
    found = read_waypoints(tmp_path, "path.csv", "p")
    assert found == [{"time": 1.0, "positions": {"elbow": 0.5}}, {"positions": {"elbow": 0.2, "wrist.a": 0.1}}]
    (tmp_path / "bad.csv").write_text("time,elbow\n1.0,half\n")
    with pytest.raises(InputError, match=r"bad\.csv:2: could not convert string to float: 'half'"):
        read_waypoints(tmp_path, "bad.csv", "p")
    with pytest.raises(InputError, match="outside the twin's folder"):
        read_waypoints(tmp_path, "../path.csv", "p")
    with pytest.raises(InputError, match=r"cannot read the way-points of no\.csv"):
        read_waypoints(tmp_path, "no.csv", "p")


def followed(reference: Any, seconds: float, velocity: float = 1.0, acceleration: float = 5.0) -> np.ndarray:
    period = 0.002
    goal = np.zeros(1, dtype=GOAL)
    begin_goal(goal[0], 0.0, reference(0.0))
    rows = []
    for k in range(1, round(seconds / period)):
        follow(goal[0], reference(k * period), velocity, acceleration, period)
        rows.append(((k + 1) * period, *list(goal[0].tolist())[:3]))
    return np.array(rows)


def test_a_jump_is_followed_in_the_least_time_without_overshoot() -> None:
    """d = 1, V = 1, A = 5: V / A + d / V = 1.2 s."""
    rows = followed(lambda t: 1.0, 2.0)
    assert np.abs(rows[:, 2]).max() <= 1.0 + 1e-12
    assert np.abs(rows[:, 3]).max() <= 5.0 + 1e-9
    assert rows[:, 1].max() <= 1.0 + 1e-12
    assert rows[-1, 1:3] == pytest.approx((1.0, 0.0), abs=1e-9)
    arrival = rows[np.argmax(rows[:, 1] > 1.0 - 1e-6), 0]
    assert arrival == pytest.approx(1.2, abs=0.01)


def test_a_wave_within_the_limits_is_followed_to_its_acceleration_times_the_period_squared() -> None:
    rows = followed(lambda t: 0.1 * math.sin(3.0 * t), 4.0)[500:]
    assert rows[:, 1] == pytest.approx(0.1 * np.sin(3.0 * rows[:, 0]), abs=2.0 * 0.9 * 0.002**2)
    assert rows[:, 2] == pytest.approx(0.3 * np.cos(3.0 * rows[:, 0]), abs=2.0 * 0.9 * 0.002)


def test_without_limits_the_reference_passes() -> None:
    rows = followed(lambda t: math.sin(20.0 * t), 1.0, math.inf, math.inf)
    assert rows[10:, 1] == pytest.approx(np.sin(20.0 * rows[10:, 0]), abs=400.0 * 0.002**2)
