"""Samples that no robot made are found, exactly they, and a robot that flies, lands or is commanded is left alone."""

from __future__ import annotations

import numpy as np
import pytest

from didymos.errors import InputError
from didymos.record.bad_samples import bad_samples, faults_of, gaps
from didymos.record.derivative import disagreement
from didymos.record.frames import euler_to_quaternion

N, RATE = 2000, 100.0
TIME = np.arange(N) / RATE


def flight(seed: int = 0, noise: float = 1e-4) -> np.ndarray:
    """A position [m], shape [n, 3]: a circle of 1 m with measurement noise."""
    rng = np.random.default_rng(seed)
    return np.column_stack([np.cos(TIME), np.sin(TIME), 0.1 * np.sin(0.3 * TIME)]) + noise * rng.standard_normal((N, 3))


def gyro(seed: int = 0) -> np.ndarray:
    """A rate [rad/s], shape [n]: manoeuvres, noise ten times as strong in the middle, and a crash that rings."""
    rng = np.random.default_rng(seed)
    rate = 0.5 * np.sin(3.0 * TIME) + 0.01 * rng.standard_normal(N) * np.where(np.abs(TIME - 10.0) < 3.0, 10.0, 1.0)
    ringing = np.exp(-np.maximum(TIME - 18.0, 0.0) / 0.1) * np.sin(40.0 * TIME) * (TIME >= 18.0)
    return rate + 8.0 * ringing


def found(mask: np.ndarray) -> list[int]:
    return np.flatnonzero(mask).tolist()


@pytest.mark.parametrize("seed", range(20))
def test_a_flight_a_rate_that_rings_and_a_command_have_no_bad_samples(seed: int) -> None:
    assert not bad_samples(TIME, flight(seed), "pose").any()
    assert not bad_samples(TIME, gyro(seed)).any()
    steps = np.repeat(np.random.default_rng(seed).uniform(0.0, 1.0, 40), 50)
    assert not bad_samples(TIME, steps, "command").any()
    assert not bad_samples(TIME, steps > 0.5).any()  # a switch


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("width", [1, 2, 3])
def test_spikes_of_up_to_three_samples_are_found_alone_with_their_neighbours(seed: int, width: int) -> None:
    position, at = flight(seed), 100 + 50 * seed
    position[at : at + width, seed % 3] += 0.05  # five samples' way
    bad = found(bad_samples(TIME, position, "pose"))
    assert set(range(at, at + width)) <= set(bad) <= set(range(at - 2, at + width + 2))


def test_a_spike_among_strong_noise_is_found_and_the_noise_is_not() -> None:
    rate = gyro()
    rate[1000] += 20.0
    assert found(bad_samples(TIME, rate)) == [999, 1000, 1001]


def test_a_corner_is_no_spike() -> None:
    rng = np.random.default_rng(3)
    ramp = np.maximum(TIME - 10.0, 0.0) + 1e-5 * rng.standard_normal(N)
    assert not bad_samples(TIME, ramp, "pose").any()


def test_a_position_does_not_leap_and_a_measurement_may() -> None:
    position = flight()
    position[700:] += [0.3, 0.0, 0.0]
    faults = faults_of(TIME, position, "pose")
    assert found(faults.leaps) == [699, 700]
    assert not faults.spikes.any()
    assert not bad_samples(TIME, position).any()


def test_missing_samples_bend_nothing() -> None:
    kept = np.ones(N, bool)
    kept[[300, 301, 900]] = False
    assert not bad_samples(TIME[kept], flight(noise=1e-5)[kept], "pose").any()


def test_a_line_drawn_over_missing_samples_is_found() -> None:
    rate = gyro()
    rate[800:860] = np.interp(TIME[800:860], TIME[[799, 860]], rate[[799, 860]])
    faults = faults_of(TIME, rate)
    assert found(faults.drawn) == list(range(800, 860))
    assert not faults.spikes.any()


@pytest.mark.parametrize("digits", [np.float64, np.float32])
def test_a_log_that_goes_on_after_its_last_sample_is_found(digits: type) -> None:
    rate, end = gyro(), 1200
    slope = (rate[end] - rate[end - 1]) * RATE
    rate[end:] = rate[end] + slope * (TIME[end:] - TIME[end])
    assert found(faults_of(TIME, rate.astype(digits).astype(float)).drawn) == list(range(end, N))


def test_a_slow_signal_interpolated_to_a_fast_clock_is_judged_by_its_own_rate() -> None:
    rng = np.random.default_rng(5)
    slow = TIME[::10]
    volts = 4.0 - 0.02 * slow + 0.003 * rng.standard_normal(len(slow))
    drawn = np.interp(TIME, slow, volts)
    assert not bad_samples(TIME, drawn).any()
    volts[50:90] = np.linspace(volts[50], volts[89], 40)
    assert found(faults_of(TIME, np.interp(TIME, slow, volts)).drawn) == list(range(501, 890))


def test_a_signal_without_noise_may_be_straight() -> None:
    thrust = np.where((TIME > 5.0) & (TIME < 8.0), 1.0, 0.0)
    speed = np.cumsum(thrust) / RATE
    assert not bad_samples(TIME, np.cumsum(speed) / RATE, "pose").any()


def test_numbers_that_are_rounding_beside_the_others_of_a_vector_are_no_lines() -> None:
    rng = np.random.default_rng(2)
    vector = np.column_stack([np.sin(TIME), 1e-17 * rng.standard_normal(N), np.cos(TIME)])
    vector[600:700, 1] = np.linspace(1e-18, -2e-17, 100)
    assert not bad_samples(TIME, vector).any()


def test_a_sensor_that_hangs_is_found_and_one_at_rest_or_at_its_limit_is_not() -> None:
    rate = gyro()
    rate[500:600] = rate[500]
    assert found(faults_of(TIME, rate).held) == list(range(501, 600))
    motor = np.clip(0.5 + gyro(), 0.0, 1.0)
    motor[:300] = 0.0
    motor[600:700] = 1.0
    assert not bad_samples(TIME, motor).any()


def odometry() -> np.ndarray:
    """A path [m], shape [n], rounded to 0.1 mm: 5 s of rest, half a metre out, 5 s of rest, and on for a fifth of a metre."""
    speed = np.interp(TIME, [0.0, 5.0, 5.5, 9.5, 10.0, 15.0, 15.5, 17.5, 18.0, 20.0], [0, 0, 0.1, 0.1, 0, 0, 0.1, 0.1, 0, 0])
    slip = 1e-4 * np.random.default_rng(3).standard_normal(N) * (speed > 0.0)
    return np.round(0.01 + np.cumsum(speed) / RATE + slip, 4) - 0.0001 * (TIME > 18.5)


def test_an_odometry_that_stands_still_does_not_hang_and_one_that_leaps_afterwards_does() -> None:
    path = odometry()
    assert len(np.unique(path[1000:1490])) == 1  # at rest between its legs, at neither end of its range
    assert not faults_of(TIME, path).held.any()
    hung = path.copy()
    hung[600:800] = hung[600]
    assert found(faults_of(TIME, hung).held) == list(range(601, 800))
    ended = path.copy()
    ended[700:] = ended[700]
    ended[100:110] += 1.0  # so that where it hangs is not the end of its range
    assert set(range(701, N)) <= set(found(faults_of(TIME, ended).held))


def test_what_is_not_a_number_is_bad_and_hides_nothing() -> None:
    position = flight()
    position[50, 1], position[60, 2] = np.nan, np.inf
    position[400, 0] += 0.2
    assert found(bad_samples(TIME, position, "pose")) == [49, 50, 51, 59, 60, 61, 399, 400, 401]
    assert bad_samples(TIME, np.full(N, np.nan)).all()


def test_a_quaternion_may_flip_its_sign_and_nothing_else() -> None:
    rng = np.random.default_rng(1)
    true = euler_to_quaternion(np.column_stack([0.3 * np.sin(TIME), 0.2 * np.cos(TIME), 0.5 * TIME]))
    given = true + 1e-4 * rng.standard_normal((N, 4))
    given[700:900] *= -1.0
    faults = faults_of(TIME, given, "quaternion")
    assert found(faults.flips) == [700, 900]
    assert not faults.bad.any()
    given[300] *= 0.7
    given[1500] = euler_to_quaternion([[1.0, 0.0, 0.0]])
    faults = faults_of(TIME, given, "quaternion")
    assert found(faults.lengths) == [300]
    assert found(faults.bad) == [299, 300, 301, 1499, 1500, 1501]


def test_repeated_stamps_and_gaps_are_bad() -> None:
    time = TIME.copy()
    time[1000:] += 0.5
    time[200] = time[199]
    assert gaps(time).tolist() == [999]
    assert found(bad_samples(time, flight()))[:2] == [199, 200]
    assert {999, 1000} <= set(found(bad_samples(time, flight())))


def test_a_velocity_is_the_rate_of_its_position_or_bad() -> None:
    position = flight(noise=1e-5)
    velocity = np.gradient(position, TIME, axis=0) + 1e-3 * np.random.default_rng(0).standard_normal((N, 3))
    assert not disagreement(TIME, position, velocity).any()
    velocity[640:650] += [0.2, 0.0, 0.0]
    assert found(disagreement(TIME, position, velocity)) == list(range(640, 650))
    body = velocity[:, [1, 0, 2]]  # in another frame: never the rate, so nothing can be said
    assert not disagreement(TIME, position, body).any()


@pytest.mark.parametrize("count", [0, 1, 2, 3, 10])
def test_a_few_samples_are_not_judged(count: int) -> None:
    assert not bad_samples(TIME[:count], flight()[:count], "pose").any()
    assert not bad_samples(TIME[:count], np.tile([1.0, 0.0, 0.0, 0.0], (count, 1)), "quaternion").any()
    assert not disagreement(TIME[:count], flight()[:count], flight()[:count]).any()


def test_what_does_not_fit_is_one_sentence() -> None:
    with pytest.raises(InputError, match="'posse' is no nature of a signal, did you mean 'pose'"):
        bad_samples(TIME, flight(), "posse")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="do not fit"):
        bad_samples(TIME, flight(), "quaternion")
    with pytest.raises(InputError, match="do not fit"):
        bad_samples(TIME[:5], flight())
