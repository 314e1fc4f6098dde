"""What comes from a robot lands in the stretch that it belongs to, and inputs are known between their samples."""

from __future__ import annotations

import numpy as np
import pytest

from didymos.shadow.channels import Channel
from didymos.shadow.feed import Feed
from didymos.shadow.input_samples import InputSamples

IMU = Channel(("imu.gyro.x",), (0,), "imu", "rad/s", 0.01, 0.0025, True)
DRIVE = Channel(("parts.drive.torque",), (1,), "parts", "N m", 0.01, 0.0, False)


def test_readings_belong_to_the_stretch_that_ends_with_them_or_has_their_tick() -> None:
    feed = Feed([IMU, DRIVE], ["motor"], 0.0025, 4, 10.0)
    feed.put(10.0, {"inputs.motor": 0.5})
    feed.put(10.0075, {"imu.gyro.x": 1.0})  # taken a step before tick 4: the end of the first stretch
    feed.put(10.01, {"parts.drive.torque": 2.0})  # tick 4: the begin of the second
    (first,) = feed.ready(10.01)
    assert [(tick, number, values.tolist()) for tick, number, values in first.readings] == [(4, 0, [1.0])]
    (second,) = feed.ready(10.02)
    assert [(tick, number) for tick, number, _ in second.readings] == [(0, 1)]
    assert first.inputs.tolist() == [[0.5]] * 4
    late = feed.put(10.0175, {"imu.gyro.x": 3.0})
    assert [(stretch, tick, number) for stretch, tick, number, _ in late] == [(1, 4, 0)]
    assert feed.put(10.03, {"imu.gyro.x": float("nan")}) == []


def samples(values: np.ndarray, gap: float = 0.01, name: str = "drive.position") -> InputSamples:
    made = InputSamples([name], 0.001)
    for k, value in enumerate(values):
        made.add(gap * k, np.array([value]))
    return made


def test_a_smooth_input_is_followed_between_samples_and_a_jump_is_doubted() -> None:
    times = np.arange(0.050, 0.055, 0.001)
    wave = np.sin(2.0 * np.pi * 1.0 * 0.01 * np.arange(12))
    found, doubt = samples(wave).at(times, 50)
    # a cubic of central slopes errs by h^4 w^4 / 64 at most and by h^3 w^3 / 12 at its ends
    assert found[:, 0] == pytest.approx(np.sin(2.0 * np.pi * times), abs=(0.01 * 2.0 * np.pi) ** 3 / 12.0)
    assert doubt is not None  # it is a guess all the same
    assert not doubt.any()
    step = np.where(np.arange(12) > 5, 1.0, 0.0)
    _, doubt = samples(step).at(times, 50)
    assert doubt is not None
    assert np.abs(doubt).max() == pytest.approx(0.5)


def test_modes_hold_and_beats_go_on_for_as_long_as_samples_come() -> None:
    times = np.arange(0.050, 0.055, 0.001)
    modes, _ = samples(np.where(np.arange(12) > 5, 10.0, 0.0), name="drive.mode").at(times, 50)
    assert modes.tolist() == [[0.0]] * 5
    beats, _ = samples(np.zeros(12), name="drive.beat").at(times, 50)
    assert np.diff(beats[:, 0]).tolist() == [1.0] * 4  # a command with every tick
    silent, _ = samples(np.zeros(12), name="drive.beat").at(times + 5.0, 5050)
    assert len(set(silent[:, 0].tolist())) == 1  # none any more


def test_an_input_that_comes_with_every_tick_holds() -> None:
    found, doubt = samples(np.arange(12.0), gap=0.001).at(np.array([0.0035, 0.0045]), 3)
    assert found[:, 0].tolist() == [3.0, 4.0]
    assert doubt is None


def test_samples_are_remembered_until_they_are_asked_for() -> None:
    burst = samples(np.arange(3000.0))  # 30 s
    for k in (5, 1200, 2990):
        found, _ = burst.at(np.array([0.01 * k]), 10 * k)
        assert found.tolist() == [[float(k)]]


def test_samples_that_were_asked_for_or_that_nobody_asks_for_are_forgotten() -> None:
    made = samples(np.zeros(100_000), gap=0.001)
    assert len(made._times) == pytest.approx(61_000, abs=1001)
    for k in range(100_000, 110_000):
        made.add(0.001 * k, np.zeros(1))
        made.at(np.array([0.001 * k]), k)
    assert len(made._times) < 1100
