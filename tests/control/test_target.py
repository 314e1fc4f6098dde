"""What a program knows of another robot from readings of its relative pose: lags and noise of the filter by closed forms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from didymos.control.compiled_controller import CLOCK
from didymos.control.target import TARGET, TARGET_READING, place_at_target, track_target

_ESTIMATE = np.dtype([("orientation", np.float64, 4), ("velocity", np.float64, 3)])
T, LAG = 0.05, 0.25  # [s]
THETA = math.exp(-T / LAG)


class Tracker:
    """The filter with a robot at rest, level, and readings that a test makes; called once per reading unless said else."""

    def __init__(self, lag: float = LAG, period: float = T) -> None:
        self.lag, self.time = lag, -period
        self.clock, self.reading, self.estimate, self.target = (
            np.zeros(1, dtype=layout)[0] for layout in (CLOCK, TARGET_READING, _ESTIMATE, TARGET)
        )
        self.clock["period"], self.clock["first"] = period, 1.0
        self.reading["orientation"][0] = self.estimate["orientation"][0] = 1.0
        self.reading["stamp"] = -1.0

    def see(self, position: Any = (0.0, 0.0, 0.0), heading: float = 0.0, late: float = 0.0) -> None:
        """A reading of the instant of the next call, or of so long [s] before it."""
        self.reading["position"] = position
        self.reading["orientation"] = [math.cos(heading / 2), 0.0, 0.0, math.sin(heading / 2)]
        self.reading["stamp"] = self.time + float(self.clock["period"]) - late

    def call(self) -> Any:
        self.time += float(self.clock["period"])
        self.clock["time"] = self.time
        track_target(self.clock, self.lag, self.reading, self.estimate, self.target)
        self.clock["first"] = 0.0
        return self.target


def test_a_target_at_constant_speed_is_known_exactly_in_the_end() -> None:
    tracker = Tracker()
    for k in range(400):
        tracker.see((1.0 + 2.0 * k * T, -3.0 * k * T, 0.5))
        target = tracker.call()
    assert target["velocity"] == pytest.approx([2.0, -3.0, 0.0], abs=1e-9)
    assert target["offset"] == pytest.approx([1.0 + 2.0 * 399 * T, -3.0 * 399 * T, 0.5], abs=1e-9)


def test_a_target_that_accelerates_leads_by_the_closed_form() -> None:
    """After a reading: theta^2 a T^2 / (1 - theta)^2 of place, a T (2 g - h) / (2 h) of velocity, g and h those of the filter."""
    tracker, a = Tracker(), 1.5
    for k in range(400):
        tracker.see((0.5 * a * (k * T) ** 2, 0.0, 0.0))
        target = tracker.call()
    g, h, time = 1.0 - THETA**2, (1.0 - THETA) ** 2, 399 * T
    assert 0.5 * a * time**2 - target["offset"][0] == pytest.approx(THETA**2 * a * T**2 / h, rel=1e-6)
    assert a * time - target["velocity"][0] == pytest.approx(a * T * (2 * g - h) / (2 * h), rel=1e-6)


def test_with_fast_readings_the_leads_are_those_of_the_docstring() -> None:
    """lag^2 a and 2 lag a; of the next order, T / lag, nothing is said."""
    tracker, a, period = Tracker(period=0.001), 1.0, 0.001
    for k in range(6000):
        tracker.see((0.5 * a * (k * period) ** 2, 0.0, 0.0))
        target = tracker.call()
    time = 5999 * period
    assert 0.5 * a * time**2 - target["offset"][0] == pytest.approx(LAG**2 * a, rel=2 * period / LAG)
    assert a * time - target["velocity"][0] == pytest.approx(2 * LAG * a, rel=2 * period / LAG)


def test_noise_that_is_left_has_the_variance_of_the_closed_form() -> None:
    """(1 - theta) (1 + 4 theta + 5 theta^2) / (1 + theta)^3 of place, 2 (1 - theta)^3 / ((1 + theta)^3 T^2) of velocity.

    Neighbours are alike over some 2 lag: 40,000 readings are 4,000 independent ones, whose variance errs by 2 %.
    """
    tracker, rng = Tracker(), np.random.default_rng(5)
    found = []
    for k in range(40_100):
        tracker.see(rng.normal(size=3))
        target = tracker.call()
        if k >= 100:
            found.append(np.concatenate([target["offset"], target["velocity"]]))
    variance = np.var(found, axis=0)
    place = (1.0 - THETA) * (1.0 + 4.0 * THETA + 5.0 * THETA**2) / (1.0 + THETA) ** 3
    rate = 2.0 * (1.0 - THETA) ** 3 / ((1.0 + THETA) ** 3 * T**2)
    assert variance == pytest.approx([place] * 3 + [rate] * 3, rel=0.09)


def test_the_own_motion_between_readings_is_taken_into_account() -> None:
    """A target at rest, a robot that moves at 3 m/s and is called ten times per reading: nothing is taken for the target's."""
    tracker = Tracker(period=T / 10)
    tracker.estimate["velocity"] = (3.0, -1.0, 0.5)
    for k in range(1000):
        if k % 10 == 0:
            tracker.see(10.0 - k * T / 10 * np.array([3.0, -1.0, 0.5]))
        target = tracker.call()
        assert target["offset"] == pytest.approx(10.0 - k * T / 10 * np.array([3.0, -1.0, 0.5]), abs=1e-9)
    assert np.abs(target["velocity"]).max() < 1e-9


def test_a_wrong_own_velocity_shifts_the_targets_by_as_much() -> None:
    """So that the difference, which a program flies by, is right."""
    tracker = Tracker()
    tracker.estimate["velocity"] = (0.4, 0.0, 0.0)  # in truth it stands
    for _ in range(400):
        tracker.see((5.0, 0.0, 0.0))
        target = tracker.call()
    assert target["velocity"] == pytest.approx([0.4, 0.0, 0.0], abs=1e-9)
    assert target["offset"] == pytest.approx([5.0, 0.0, 0.0], abs=1e-9)


def test_a_late_reading_is_carried_on_by_the_velocities() -> None:
    tracker = Tracker()
    for k in range(400):
        tracker.see((2.0 * (k * T - 0.03), 0.0, 0.0), late=0.03)
        target = tracker.call()
    assert target["offset"][0] == pytest.approx(2.0 * 399 * T, abs=1e-9)
    assert target["age"] == pytest.approx(0.03)


def test_after_a_long_gap_the_reading_is_believed_and_the_mean_velocity_learned() -> None:
    """theta falls with the gap: exp(-20)."""
    tracker = Tracker()
    tracker.see((0.0, 0.0, 0.0))
    tracker.call()
    for _ in range(99):
        target = tracker.call()  # the old reading, by its stamp
    assert target["age"] == pytest.approx(99 * T)
    tracker.see((10.0, 0.0, 0.0))
    target = tracker.call()
    assert target["offset"][0] == pytest.approx(10.0, rel=1e-8)
    assert target["velocity"][0] == pytest.approx(10.0 / (100 * T), rel=1e-7)
    assert target["age"] == 0.0


def test_the_heading_turns_through_half_a_turn_without_a_jump() -> None:
    tracker = Tracker()
    for k in range(600):
        tracker.see((3.0, 0.0, 0.0), heading=0.4 * k * T)
        target = tracker.call()
    expected = 0.4 * 599 * T
    assert target["turn_rate"] == pytest.approx(0.4, abs=1e-9)
    assert math.remainder(target["heading"] - expected, 2.0 * math.pi) == pytest.approx(0.0, abs=1e-9)


def test_readings_are_turned_by_the_attitude_of_the_robot() -> None:
    """A robot that is turned by a quarter to the left sees a target, north of it and headed south, ahead and turned around."""
    tracker, half = Tracker(), math.sqrt(0.5)
    tracker.estimate["orientation"] = (half, 0.0, 0.0, half)
    tracker.see((7.0, 0.0, -1.0), heading=math.pi)
    target = tracker.call()
    assert target["offset"] == pytest.approx([0.0, 7.0, -1.0], abs=1e-12)
    assert math.remainder(target["heading"] + 0.5 * math.pi, 2.0 * math.pi) == pytest.approx(0.0, abs=1e-9)


def test_before_the_first_reading_nothing_is_known() -> None:
    tracker = Tracker()
    assert tracker.call()["age"] == -1.0
    tracker.see((1.0, 2.0, 3.0))
    target = tracker.call()
    assert target["age"] == 0.0
    assert target["offset"] == pytest.approx([1.0, 2.0, 3.0])


def test_the_velocity_of_a_place_is_how_it_moves() -> None:
    """The place (-8, 8, 1) beside a target that drives and turns, against the difference of two instants."""
    target, dt = np.zeros(1, dtype=TARGET)[0], 1e-6
    target["heading"], target["turn_rate"] = 0.7, 0.3
    target["offset"], target["velocity"] = (1.0, 2.0, 3.0), (2.0, -1.0, 0.25)
    way, velocity = place_at_target(target, -8.0, 8.0, 1.0)
    target["offset"] += dt * target["velocity"]
    target["heading"] += dt * target["turn_rate"]
    later, _ = place_at_target(target, -8.0, 8.0, 1.0)
    assert (np.array(later) - way) / dt == pytest.approx(velocity, abs=1e-5)
    assert way[2] == 4.0
