"""Path, filters and blend of the capture, against what they are by definition."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from didymos.control import capture_stages as st
from didymos.control.angles import wrap
from didymos.control.capture import Capture
from didymos.control.capture_law import average, blend, quintic, track


@pytest.fixture
def gains() -> Any:
    """5 s to unfold, to approach, to hold and to retreat, 1 s of contact, 9 s of patience."""
    record = np.zeros((), dtype=Capture.gain_layout)[()]
    for name in ("unfold_seconds", "path_seconds", "hold_seconds", "retreat_seconds"):
        record[name] = 5.0
    record["contact_dwell"], record["patience"] = 1.0, 9.0
    return record


def test_the_path_begins_and_ends_at_rest() -> None:
    assert quintic(0.0, 5.0) == (0.0, 0.0, 0.0)
    assert quintic(5.0, 5.0) == (1.0, 0.0, 0.0)
    way, rate, second = quintic(2.5, 5.0)
    assert (way, rate, second) == pytest.approx((0.5, 1.875 / 5.0, 0.0))  # 15/8 of the mean speed in the middle


def test_rate_and_acceleration_are_derivatives_of_the_path() -> None:
    step = 1e-5
    for t in (0.7, 2.0, 4.1):
        before, here, after = (quintic(t + k * step, 5.0) for k in (-1, 0, 1))
        assert here[1] == pytest.approx((after[0] - before[0]) / (2 * step), rel=1e-6)
        assert here[2] == pytest.approx((after[1] - before[1]) / (2 * step), rel=1e-6)


def test_the_blend_has_a_dead_band_and_is_smooth() -> None:
    assert blend(0.0299, 0.03, 0.06) == 0.0
    assert blend(0.0601, 0.03, 0.06) == 1.0
    assert blend(0.045, 0.03, 0.06) == pytest.approx(0.5)
    assert blend(0.03 + 1e-7, 0.03, 0.06) < 1e-9  # slope zero where it begins


def test_a_tracked_ramp_has_no_error_of_velocity() -> None:
    position, velocity, period = 0.0, 0.0, 0.01
    for k in range(1000):
        position, velocity = track(position, velocity, 0.3 * (k + 1) * period, False, 10.0, period)
    assert velocity == pytest.approx(0.3, rel=1e-9)
    assert position == pytest.approx(3.0, rel=1e-9)


def test_a_filter_that_misses_readings_keeps_its_bandwidth() -> None:
    """Answer to a step, with readings every 1, 5 and 10 ms: 1 + (w t - 1) exp(-w t), to the first order of a period."""
    bandwidth, after = 2.0, 0.5
    found = []
    for elapsed in (0.001, 0.005, 0.01):
        position, velocity = 0.0, 0.0
        for _ in range(round(after / elapsed)):
            position, velocity = track(position, velocity, 1.0, False, bandwidth, elapsed)
        found.append(position)
        # 1 - x(t) = (1 - w t) exp(-w t) in the limit; two samples late at most
        assert position == pytest.approx(1.0, abs=2.0 * bandwidth * elapsed)
    assert np.ptp(found) < 2.0 * bandwidth * 0.01


def test_an_angle_is_tracked_across_the_seam() -> None:
    position, velocity, period = 3.1, 1.0, 0.01
    for k in range(200):
        position, velocity = track(position, velocity, wrap(3.1 + (k + 1) * period), True, 10.0, period)
    assert position == pytest.approx(3.1 + 2.0, abs=1e-9)


def test_the_moving_average_is_that_of_the_last_readings() -> None:
    ring = np.zeros(4)
    assert [average(ring, i, 4, v) for i, v in enumerate((1.0, 2.0, 6.0, 3.0, 9.0))] == [1.0, 1.5, 3.0, 3.0, 5.0]


@pytest.mark.parametrize("stage", range(st.UNFOLD, st.DONE))
def test_a_fault_aborts_every_stage(stage: int, gains: Any) -> None:
    assert st.next_stage(stage, 1.0, st.MOCAP, False, 0.0, 0.0, gains) == (st.ABORTED, st.MOCAP)


@pytest.mark.parametrize(
    ("stage", "reason"),
    [(st.APPROACH, st.NOT_SETTLED), (st.CONTACT, st.NO_CONTACT), (st.SOFT_GRIP, st.NO_SOFT), (st.HARD_GRIP, st.NO_HARD)],
)
def test_a_stage_that_waits_too_long_gives_up(stage: int, reason: int, gains: Any) -> None:
    assert st.next_stage(stage, 100.0, 0, False, 0.0, 0.0, gains) == (st.ABORTED, reason)


def test_an_arm_that_unfolded_approaches(gains: Any) -> None:
    assert st.next_stage(st.UNFOLD, 4.9, 0, False, 0.0, 0.0, gains) == (st.UNFOLD, 0)
    assert st.next_stage(st.UNFOLD, 5.0, 0, False, 0.0, 0.0, gains) == (st.APPROACH, 0)


def test_nothing_leaves_the_last_stages(gains: Any) -> None:
    for stage in (st.DONE, st.ABORTED):
        assert st.next_stage(stage, math.inf, st.DRIVE, True, 9.0, 2.0, gains) == (stage, 0)
