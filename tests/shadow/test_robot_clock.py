"""The robot's clock: offset and drift within the stated bounds, delays are no jumps, jumps are told once."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.spatial import ConvexHull

from didymos.shadow.clock import RobotClock, Timing
from didymos.shadow.clock_fit import fit_line, lower_hull

DRIFT, OFFSET, LEAST = 50e-6, 1234.5, 0.002  # ours is faster; [s]; least delay [s]
Pairs = list[tuple[float, float]]


def messages(seed: int, seconds: float, rate: float = 200.0, delay: float = 0.003, begin: float = 0.0) -> Pairs:
    """Stamps of a robot's clock and when they came on ours: r = s + offset + drift s + least + exponential."""
    draw = np.random.default_rng(seed)
    stamps = begin + np.arange(round(seconds * rate)) / rate
    received = stamps * (1.0 + DRIFT) + OFFSET + LEAST + draw.exponential(delay, len(stamps))
    return list(zip(stamps.tolist(), received.tolist(), strict=True))


def fed(clock: RobotClock, pairs: Pairs) -> list[Timing]:
    return [clock.add(stamp, received) for stamp, received in pairs]


def in_time_are_trusted(pairs: Pairs, timings: list[Timing]) -> bool:
    """Whether all are believed but those that took longer than `least_jump`, 20 ms, and a little, on the way."""
    delays = [received - stamp * (1.0 + DRIFT) - OFFSET - LEAST for stamp, received in pairs]
    return all(item.trusted for delay, item in zip(delays, timings, strict=True) if delay < 0.02)


def test_the_line_is_that_of_the_linear_program() -> None:
    """Most likely: highest at the mean stamp among all that lie below the points."""
    pairs = np.array(messages(1, 2.0))
    x, y = pairs[:, 0], pairs[:, 1] - pairs[:, 0] - OFFSET
    best = linprog([-1.0, -x.mean()], A_ub=np.column_stack([np.ones_like(x), x]), b_ub=y, bounds=[(None, None)] * 2)
    line = fit_line(lower_hull(list(zip(x, y, strict=True))), len(x), (x.mean(), y.mean()), 0.05)
    peak = best.x[0] + best.x[1] * x.mean()
    assert line.height < peak  # it lies below the bound: points only bound it from above
    assert peak - line.height < 6.0 * line.delay / len(x)
    assert abs(line.slope - best.x[1]) < 6.0 * math.sqrt(line.slope_variance)
    assert line.delay == pytest.approx((y.mean() - peak) * len(x) / (len(x) - 2))


def test_what_is_known_is_the_likelihood_itself_summed_over_a_grid() -> None:
    """Mean and standard deviation of the line's height at the last stamp, where height and slope hang together."""
    x, y = np.array([0.0, 0.3, 0.5, 0.8, 1.1, 2.0]), np.array([0.5, 0.02, 0.3, 0.01, 0.25, 0.6])
    most, count = 0.5, len(x)
    line = fit_line(lower_hull(list(zip(x.tolist(), y.tolist(), strict=True))), count, (x.mean(), y.mean()), most)
    slope, end = np.meshgrid(np.linspace(-most, most, 401), np.linspace(-2.0, 1.0, 1501), indexing="ij")
    height = end[..., None] + slope[..., None] * (x - x[-1])
    weight = np.exp(count * height.mean(axis=-1) / line.delay) * (height <= y).all(axis=-1)
    weight /= weight.sum()
    mean = float((weight * end).sum())
    assert line.value(x[-1]) == pytest.approx(mean, abs=2e-3)
    assert line.sd(x[-1]) == pytest.approx(math.sqrt((weight * (end - mean) ** 2).sum()), rel=0.01)
    drift = float((weight * slope).sum())
    assert line.slope == pytest.approx(drift, abs=2e-3)
    assert math.sqrt(line.slope_variance) == pytest.approx(math.sqrt((weight * (slope - drift) ** 2).sum()), rel=0.01)
    assert abs(line.covariance) > 0.2 * math.sqrt(line.slope_variance * line.height_variance)


def test_corners_are_those_of_an_independent_hull() -> None:
    points = np.random.default_rng(2).normal(size=(300, 2))
    hull = ConvexHull(points)
    lower = {int(v) for simplex, eq in zip(hull.simplices, hull.equations, strict=True) if eq[1] < 0.0 for v in simplex}
    assert lower_hull([tuple(p) for p in points.tolist()]) == sorted(tuple(points[i].tolist()) for i in lower)  # type: ignore[misc]


def test_offset_and_drift_are_as_near_the_truth_as_they_say() -> None:
    """Over many clocks the mean of (error / stated sd)^2 is 1: what is stated is what is known.

    Errors fall off like exponentials, for which the square over the variance has a variance of 8: the mean over n of them lies
    within 3 sqrt(8 / n) of 1.
    """
    count, scores = 150, np.zeros((150, 2))
    for seed in range(count):
        clock = RobotClock()
        pairs = messages(seed, 3.0, rate=50.0)
        fed(clock, pairs)
        clock._fit(pairs[-1][1] - pairs[0][1])  # up to the last message
        known = clock.estimate
        assert known is not None
        true = OFFSET + LEAST + DRIFT * pairs[-1][0]
        scores[seed] = ((known.offset - true) / known.offset_sd) ** 2, ((known.drift - DRIFT) / known.drift_sd) ** 2
    assert np.abs(scores.mean(axis=0) - 1.0).max() < 3.0 * math.sqrt(8.0 / count)


def test_a_drift_of_50_ppm_is_found_to_a_tenth() -> None:
    """sd of the drift is of order mu / (n T): 3 ms / (4000 * 20 s) = 0.04 ppm."""
    clock = RobotClock()
    pairs = messages(3, 25.0)
    timings = fed(clock, pairs)
    known = clock.estimate
    assert known is not None
    assert known.drift == pytest.approx(DRIFT, rel=0.1)
    assert known.drift_sd < 5e-6
    assert known.delay == pytest.approx(0.003, rel=6.0 / math.sqrt(4000))
    assert known.count <= 4101  # of the window, not of all
    assert clock.jumps == 0
    assert in_time_are_trusted(pairs, timings)


def test_latency_is_what_a_message_took_beyond_the_least() -> None:
    clock = RobotClock()
    pairs = messages(4, 12.0)
    timings = fed(clock, pairs)
    known = clock.estimate
    assert known is not None
    for (stamp, received), item in list(zip(pairs, timings, strict=True))[-500:]:
        true = received - (stamp * (1.0 + DRIFT) + OFFSET + LEAST)
        assert item.latency == pytest.approx(true, abs=20.0 * known.offset_sd)
        assert item.time == received - item.latency
        assert clock.time_of(stamp) == pytest.approx(received - true, abs=20.0 * known.offset_sd)


@pytest.mark.parametrize("size", [0.1, 3.0, 7200.0, -0.1, -3.0])
def test_a_jump_either_way_is_told_once_and_learned_anew(size: float) -> None:
    clock = RobotClock()
    before, after = messages(5, 5.0), messages(6, 5.0, begin=5.0)
    fed(clock, before)
    assert clock.notices() == []
    timings = fed(clock, [(stamp + size, received) for stamp, received in after])
    said = clock.notices()
    assert len(said) == clock.jumps == 1
    assert ("forward" if size > 0.0 else "back") in said[0]
    assert float(said[0].split("jumped ")[1].split()[0]) == pytest.approx(abs(size), rel=0.15)
    known = clock.estimate
    assert known is not None
    assert known.offset == pytest.approx(OFFSET + LEAST + DRIFT * 10.0 - size, abs=8.0 * known.offset_sd + DRIFT)
    undecided = 2 if size > 0.0 or size < -0.5 else 205  # two stamps decide not yet; or `hold`, 1 s at 200 Hz, and a few
    assert not any(item.trusted for item in timings[:2])
    assert in_time_are_trusted(after[undecided:], timings[undecided:])
    assert clock.damaged == 0


def test_a_restart_whose_clock_begins_at_zero_is_told_as_one() -> None:
    clock = RobotClock()
    fed(clock, messages(7, 5.0))
    after = messages(8, 3.0, begin=9.0)
    fed(clock, [(stamp - 9.0, received) for stamp, received in after])
    said = clock.notices()
    assert len(said) == 1
    assert "restart" in said[0]


def test_a_line_that_stood_still_and_is_emptied_is_no_jump() -> None:
    """For 2 s nothing comes, then everything at once, in a burst of a second."""
    clock = RobotClock()
    pairs = messages(9, 12.0)
    gate = OFFSET + 7.0
    stalled = []
    for stamp, received in pairs:
        if 5.0 < stamp < 7.5:
            received = max(received, gate + (stamp - 5.0) * 0.5)
        stalled.append((stamp, received))
    timings = fed(clock, stalled)
    assert clock.jumps == 0
    assert clock.notices() == []
    late = [item.latency for (stamp, _), item in zip(stalled, timings, strict=True) if stamp == 5.5]
    assert late == pytest.approx([gate + 0.25 - (5.5 * (1.0 + DRIFT) + OFFSET + LEAST)], abs=1e-3)
    known = clock.estimate
    assert known is not None
    assert known.drift == pytest.approx(DRIFT, abs=6.0 * known.drift_sd)


def test_damaged_stamps_are_counted_and_move_nothing() -> None:
    draw = np.random.default_rng(10)
    clock, whole = RobotClock(), RobotClock()
    pairs = messages(11, 10.0)
    fed(whole, pairs)
    damaged = 0
    for i, (stamp, received) in enumerate(pairs):
        if i > 400 and i % 37 == 0:
            damaged += 1
            assert not clock.add(float(draw.uniform(1e3, 1e9)), received).trusted
        clock.add(stamp, received)
    assert clock.damaged == damaged
    assert clock.jumps == 0
    assert clock.estimate == whole.estimate


def test_stamps_in_milliseconds_stay_within_half_of_one() -> None:
    clock = RobotClock(resolution=1e-3)
    pairs = messages(12, 10.0, rate=73.0)
    fed(clock, [(round(stamp, 3), received) for stamp, received in pairs])
    known = clock.estimate
    assert known is not None
    assert known.offset == pytest.approx(OFFSET + LEAST + DRIFT * pairs[-1][0], abs=0.5e-3 + 6.0 * known.offset_sd)
    assert clock.jumps == 0


def test_memory_is_bounded() -> None:
    clock = RobotClock(window=2.0)
    fed(clock, messages(13, 30.0, rate=1000.0))
    assert sum(len(piece.points) for piece in clock._pieces) < 5 * 300
    assert len(clock._pieces) <= 6
